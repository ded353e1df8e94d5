package main

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/tracelake/tracelake/decode/decodetest/shared"
)

// A buffer of a source that is not decoded, and that is not in frames, does not keep the others from being named: of this
// capture what matters is that its cores are traced by ETMv4.
func TestOtherBufferNotInFrames(t *testing.T) {
	dir := shared.File(t, "captures/etm4-juno_r1_1")
	t.Chdir(t.TempDir())
	for _, tt := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"inspect", dir}, statusDone, `(?s)source 0x10 ETM_0 .*source ETM_0 is ETM4, which is not\s+supported`},
		{[]string{"export", dir, "-o", "run"}, statusNothing, `Nothing decoded\n  source ETM_0 is ETM4, which is not supported`},
		{[]string{"packets", dir}, statusNothing, `Nothing decoded\n  source ETM_0 is ETM4, which is not supported`},
	} {
		var stdout, stderr bytes.Buffer
		status := run(append([]string{"tracelake"}, tt.args...), &stdout, &stderr)
		if text := stdout.String() + stderr.String(); status != tt.status || !regexp.MustCompile(tt.want).MatchString(text) {
			t.Errorf("%q exits with %d: %s", tt.args, status, text)
		}
	}
}
