package pipeline

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/schema/dataset"
)

// Frames of a buffer have bytes of an ID that is of a source in another buffer. A dataset has one source of an ID: that
// of its buffer. That there are more bytes is said.
func TestSourceInAnotherBuffer(t *testing.T) {
	input, dir := sampleSnapshot(t), filepath.Join(t.TempDir(), "run")
	ini := filepath.Join(input, "trace.ini")
	text, err := os.ReadFile(ini)
	check(t, err)
	two := strings.Replace(string(text), "buffers=buffer0", "buffers=buffer0,buffer1", 1) +
		"\n[buffer1]\nname=ETB_1\nfile=trace.bin\nformat=coresight\n"
	check(t, os.WriteFile(ini, []byte(two), 0o666))
	done, err := Export(t.Context(), input, dir, Options{Workers: 1})
	check(t, err)
	if len(done.Sources) != 1 || !slices.ContainsFunc(done.Notes, func(n string) bool {
		return strings.HasPrefix(n, "source 0x10, which is in another buffer, also has ") && strings.HasSuffix(n, " in buffer ETB_1, which are not decoded")
	}) {
		t.Errorf("%d sources; %q", len(done.Sources), done.Notes)
	}
	report, err := dataset.Check(t.Context(), dir, nil)
	if err != nil || len(report.Problems) > 0 {
		t.Errorf("%v, %+v", err, report)
	}
}
