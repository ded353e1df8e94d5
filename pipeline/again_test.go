package pipeline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/keep"
	"github.com/tracelake/tracelake/pipeline/keep/archive"
)

// What a capture decodes to now is compared with what was kept; nothing is left of it.
func TestVerify(t *testing.T) {
	need.FullRun(t, "captures are packed, and decoded several times")
	t.Setenv("TMPDIR", t.TempDir())
	input := filepath.Join(t.TempDir(), "capture")
	check(t, sample.Extract(input))
	dir := archiveOf(t, input, capture.Options{}, archive.CreateOptions{})
	again, err := Verify(t.Context(), dir, dir, keep.VerifyOptions{Workers: 1})
	check(t, err)
	if !again.Equal() || again.Unrecorded || len(again.Rows.Tables) == 0 {
		t.Errorf("%+v", again)
	}
	trace := filepath.Join(input, "trace.bin")
	good, err := os.ReadFile(trace)
	check(t, err)
	good[30000] ^= 0x40
	check(t, os.WriteFile(trace, good, 0o666))
	again, err = Verify(t.Context(), dir, input, keep.VerifyOptions{Workers: 1})
	check(t, err)
	if again.Equal() || len(again.Inputs) != 1 || !strings.HasPrefix(again.Inputs[0],
		"trace.bin: is not the file that was decoded") {
		t.Errorf("%+v", again.Inputs)
	}
	for i := range again.Rows.Differences {
		if d := &again.Rows.Differences[i]; d.ByteOffset.OK && d.ByteOffset.V < 29000 {
			t.Errorf("%s differs at %d", d.Table, d.ByteOffset.V)
		}
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
}
