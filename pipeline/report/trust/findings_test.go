package trust_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/schema/verdict"
)

// Bytes before the first synchronisation are no finding, nor is a gap at an end, or a source that nobody configured.
func TestFindings(t *testing.T) {
	const program = `
file fw.elf 0x1000 0x100 match=1
function 0x1000 8 main
code 0x1000 a32 other executed=1
`
	for _, tt := range []struct {
		text string
		want string
	}{
		{"source 0x10 checks=30" + program, "Good"},
		{"source 0x10 bytes=1000 lost=500 ends=500" + program, "Good"},
		{"source 0x10 bytes=100000 lost=9000 ends=9000" + program, "Good with gaps: bytes_lost 9000 of 100000"}, // too many
		{"source 0x10 bytes=1000 lost=505 ends=500" + program, "Good"},                                          // 1 % is no finding
		{"source 0x10 bytes=1000 lost=506 ends=500" + program, "Good with gaps: bytes_lost 6 of 500"},
		{"source 0x10 bytes=1000 lost=11 cut=11" + program, "Good"}, // cut off at the end
		{"source 0x10 bytes=1000 unplaced=10" + program, "Good"},
		{"source 0x10 bytes=1000 unplaced=11" + program, "Good with gaps: bytes_unplaced 11 of 1000"},
		{"source 0x10 gaps=2" + program, "Good with gaps: gaps 2 of 0"},
		{"source 0x10 gaps=2 end_gaps=1" + program, "Good with gaps: gaps 1 of 0"},
		{"source 0x10 gaps=2 end_gaps=2" + program, "Good"},
		{"source 0x10 checks=1000 agrees=990" + program, "Good"},
		{"source 0x10 checks=1000 agrees=989" + program, "Good with gaps: image_disagrees 11 of 1000"},
		{"source 0x10 checks=1000 agrees=900" + program, "Good with gaps: image_disagrees 100 of 1000"},
		{"source 0x10 checks=1000 agrees=899" + program, "Wrong program: wrong_image 899 of 1000"},
		{"source 0x10 checks=20 agrees=18" + program, "Good with gaps: image_disagrees 2 of 20"},
		{"source 0x10 checks=20 agrees=17" + program, "Wrong program: wrong_image 17 of 20"},
		{"source 0x10 checks=19 agrees=1" + program, "Good with gaps: image_disagrees 18 of 19"}, // too few to say more
		{"source 0x10 checks=2" + program + "source 0x11 checks=19 agrees=0", "Good with gaps: image_disagrees 19 of 21"},
		{"source 0x10 checks=1 agrees=0" + program, "Wrong program: wrong_image 0 of 1"},
		{"source 0x10" + program + "run 0x2000 a32 executed=3", "Good with gaps: executed_outside 1 of 0"},
		{"source 0x10\nrun 0x2000 a32 executed=3", "Good"}, // of no program nothing is outside
		{"source 0x10\nsource 0x6f status=unconfigured" + program, "Good"},
		{"source 0x10\nsource 0x6f bytes=0 status=empty" + program, "Good"},
		{"source 0x10\nsource 0x11 status=unsupported" + program, "Good"},
		{"source 0x10\nsource 0x11 bytes=1 lost=1" + program, "Good with gaps: source_not_decoded 1 of 2"},
		{"source 0x10 bytes=10\nmemory a.bin 0 4\nfile fw.elf 0x1000 0x100", "Nothing decoded: nothing_decoded 0 of 0"},
		{"source 0x10 bytes=10\nfile fw.elf 0x1000 0x100", "Packets only: packets_only 0 of 0"},
		{"source 0x10 bytes=10 lost=10\nfile fw.elf 0x1000 0x100", "Nothing decoded: nothing_decoded 0 of 0"},
		{
			"source 0x10 gaps=1 checks=100 agrees=10" + strings.Replace(program, "match=1", "match=0", 1),
			"Wrong program: wrong_image 10 of 100, wrong_program_file 0 of 1, gaps 1 of 0",
		},
	} {
		v := read(t, tt.text).Verdict
		var words []string
		for _, f := range v.Findings {
			words = append(words, fmt.Sprintf("%s %d of %d", f.Kind, f.N, f.Of))
		}
		if got := strings.TrimSuffix(string(v.Word)+": "+strings.Join(words, ", "), ": "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.text, got, tt.want)
		}
	}
}

// Of two datasets one alone may be of another program: the worst counts.
func TestFindingsOfEach(t *testing.T) {
	const program = `
file fw.elf 0x1000 0x100 match=1
function 0x1000 8 main
code 0x1000 a32 other executed=1
`
	v := read(t, "source 0x10 checks=10000"+program, "source 0x10 gaps=2 checks=100 agrees=2"+program, "source 0x10 gaps=1"+program).Verdict
	want := []verdict.Finding{{Kind: verdict.WrongImage, N: 2, Of: 100}, {Kind: verdict.Gaps, N: 3}}
	equal(t, verdict.Verdict{Word: verdict.WrongProgram, Findings: want}, v)
}
