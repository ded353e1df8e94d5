package trust_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline/report/trust"
)

// What somebody should look at first is stricter than whether reports go on. Bytes before the
// first synchronisation are no finding, a source that nobody configured is none.
func TestJudge(t *testing.T) {
	const program = `
file fw.elf 0x1000 0x100 match=1
function 0x1000 8 main
code 0x1000 a32 other executed=1
`
	for _, tt := range []struct {
		text string
		want string
	}{
		{"source 0x10 checks=30" + program, "sound"},
		{"source 0x10 bytes=1000 lost=500 ends=500" + program, "sound"},
		{"source 0x10 bytes=1000 lost=510 ends=500" + program, "sound"}, // 1 % is no finding
		{"source 0x10 bytes=1000 lost=511 ends=500" + program, "look first: bytes_lost 11 of 1000"},
		{"source 0x10 bytes=1000 lost=11 cut=11" + program, "look first: bytes_lost 11 of 1000"}, // cut off at the end
		{"source 0x10 bytes=1000 lost=20" + program + "loss 11 unsynced seq=5", "look first: bytes_lost 31 of 1000"},
		{"source 0x10 bytes=1000 unplaced=11" + program, "look first: bytes_unplaced 11 of 1000"},
		{"source 0x10 gaps=2" + program, "look first: gaps 2 of 0"},
		{"source 0x10 checks=1000 agrees=999" + program, "look first: image_disagrees 1 of 1000"},
		{"source 0x10 checks=1000 agrees=900" + program, "look first: image_disagrees 100 of 1000"},
		{"source 0x10 checks=1000 agrees=899" + program, "distrust: wrong_image 899 of 1000"},
		{"source 0x10 checks=2 agrees=1" + program, "distrust: wrong_image 1 of 2"},
		{"source 0x10" + program + "run 0x2000 a32 executed=3", "look first: executed_outside 1 of 0"},
		{"source 0x10\nsource 0x6f status=unconfigured" + program, "sound"},
		{"source 0x10\nsource 0x6f bytes=0 status=empty" + program, "sound"},
		{"source 0x10\nsource 0x11 status=unsupported" + program, "look first: source_not_decoded 1 of 2"},
		{"source 0x10\nsource 0x11 bytes=10 lost=10" + program, "look first: source_not_decoded 1 of 2"},
		{"source 0x10\nfile fw.elf 0x1000 0x100", "distrust: nothing_decoded 0 of 0"},
		{
			"source 0x10 gaps=1 checks=100 agrees=10" + strings.Replace(program, "match=1", "match=0", 1),
			"distrust: wrong_image 10 of 100, wrong_program_file 0 of 1, gaps 1 of 0",
		},
	} {
		j, found := read(t, tt.text).Judge()
		var words []string
		for _, f := range found {
			words = append(words, fmt.Sprintf("%s %d of %d", f.Kind, f.N, f.Of))
		}
		if got := strings.TrimSuffix(j.String()+": "+strings.Join(words, ", "), ": "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.text, got, tt.want)
		}
	}
}

// Of two datasets one alone may be of another program.
func TestJudgeEach(t *testing.T) {
	const program = `
file fw.elf 0x1000 0x100 match=1
function 0x1000 8 main
code 0x1000 a32 other executed=1
`
	j, found := read(t, "source 0x10 checks=10000"+program, "source 0x10 checks=100 agrees=2"+program).Judge()
	if j != trust.Distrust || found[0].Kind != trust.FoundWrongImage || found[0].N != 2 || found[0].Of != 100 {
		t.Errorf("%s %+v", j, found)
	}
}
