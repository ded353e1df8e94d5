package main

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/tracelake/tracelake/decode/decodetest/shared"
)

// A buffer of a source that is not decoded, and that is not in frames, does not keep the others from being decoded: an STM
// beside cores that are traced by ETMv4.
func TestOtherBufferNotInFrames(t *testing.T) {
	dir := shared.File(t, "captures/etm4-juno_r1_1")
	t.Chdir(t.TempDir())
	for _, tt := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"inspect", dir}, statusDone, `(?s)source 0x10 ETM_0 \(etmv4 4\.0.*source STM_12 is STM, which is not\s+supported`},
		{[]string{"export", dir, "-o", "run"}, statusNothing, `(?s)Wrong program.*source 0x20 STM_12 \(stm\)\n  1,984 bytes, not decoded: source STM_12 is STM, which is not\s+supported`},
		{[]string{"packets", dir}, statusDone, `0x0000ffd9  0x15  90 +exact_match_address`},
	} {
		var stdout, stderr bytes.Buffer
		status := run(append([]string{"tracelake"}, tt.args...), &stdout, &stderr)
		if text := stdout.String() + stderr.String(); status != tt.status || !regexp.MustCompile(tt.want).MatchString(text) {
			t.Errorf("%q exits with %d: %s", tt.args, status, text)
		}
	}
}
