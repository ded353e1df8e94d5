package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/schema/datasettest"
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
		j, found := merged(t, report.Options{}, tt.text).Trust().Judge()
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
	j, found := merged(t, report.Options{}, "source 0x10 checks=10000"+program,
		"source 0x10 checks=100 agrees=2"+program).Trust().Judge()
	if j != report.Distrust || found[0].Kind != report.FoundWrongImage || found[0].N != 2 || found[0].Of != 100 {
		t.Errorf("%s %+v", j, found)
	}
}

// Losses are told by reason, and by offset in their buffer: near ones are one stretch. The restart
// that a source begins with is no gap.
func TestLost(t *testing.T) {
	dirs := datasettest.Datasets(t, `
buffer ETB_0 100000
buffer ETB_1 5000
source 0x10 bytes=90000 buffer=ETB_0 gaps=2
source 0x11 bytes=4000 buffer=ETB_1
source 0x6f bytes=256 buffer=ETB_0 status=unconfigured
loss 10 unsynced offset=0
loss 20 bad_packet offset=5000 seq=4
loss 20 bad_packet offset=5120 seq=5
loss 7 bad_packet offset=5300 seq=6
loss 90 splice offset=99950 seq=9
loss 3 truncated source=0x11 offset=4000 seq=9
loss 256 unconfigured source=0x6f offset=70000
event 0 trace_on
event 4 overflow
event 5 trigger
event 9 debug_exit
event 3 trace_on source=0x11
`)
	got, err := report.ReadLost(dirs, "")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, &report.Lost{
		Reasons: []report.LostReason{{Reason: 5, Losses: 1, Bytes: 90}, {Reason: 2, Losses: 3, Bytes: 47},
			{Reason: 0, Losses: 1, Bytes: 10}, {Reason: 3, Losses: 1, Bytes: 3}},
		Buffers: []report.LostBuffer{
			{Dir: dirs[0], Name: "ETB_0", Bytes: 100000, Stretches: []report.LostStretch{{0, 10}, {5000, 140}, {5300, 7}, {99950,
				50}}},
			{Dir: dirs[0], Name: "ETB_1", Bytes: 5000, Stretches: []report.LostStretch{{4000, 3}}},
		},
		Gaps: []report.Place{{Dir: dirs[0], Source: 0x10, Seq: 4}, {Dir: dirs[0], Source: 0x10, Seq: 9}},
	}, got)
}

// However many losses there are, as many stretches are left as can be told apart.
func TestLostStretchesAreBounded(t *testing.T) {
	text := &strings.Builder{}
	text.WriteString("buffer ETB_0 1000000\nsource 0x10 buffer=ETB_0\n")
	for i := range 20_000 {
		fmt.Fprintf(text, "loss 1 bad_packet offset=%d seq=%d\n", 50*i, i)
	}
	got, err := report.ReadLost(datasettest.Datasets(t, text.String()), "")
	if err != nil {
		t.Fatal(err)
	}
	if s := got.Buffers[0].Stretches; len(s) != 1 || s[0] != (report.LostStretch{Bytes: 50*19_999 + 1}) {
		t.Errorf("%d stretches, the first %+v", len(s), s[0])
	}
}
