package lost_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/lost"
	"github.com/tracelake/tracelake/schema/datasettest"
)

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
	got, err := lost.Read(dirs, "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&lost.Summary{
		Reasons: []lost.Reason{{Reason: 5, Losses: 1, Bytes: 90}, {Reason: 2, Losses: 3, Bytes: 47}, {Reason: 0, Losses: 1, Bytes: 10}, {Reason: 3, Losses: 1, Bytes: 3}},
		Buffers: []lost.Buffer{
			{Dir: dirs[0], Name: "ETB_0", Bytes: 100000, Ranges: []lost.Range{{0, 10}, {5000, 140}, {5300, 7}, {99950, 50}}},
			{Dir: dirs[0], Name: "ETB_1", Bytes: 5000, Ranges: []lost.Range{{4000, 3}}},
		},
		Gaps: []read.Place{{Dir: dirs[0], Source: 0x10, Seq: 4}, {Dir: dirs[0], Source: 0x10, Seq: 9}},
	}, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

// However many losses there are, as many stretches are left as can be told apart.
func TestLostStretchesAreBounded(t *testing.T) {
	text := &strings.Builder{}
	text.WriteString("buffer ETB_0 1000000\nsource 0x10 buffer=ETB_0\n")
	for i := range 20_000 {
		fmt.Fprintf(text, "loss 1 bad_packet offset=%d seq=%d\n", 50*i, i)
	}
	got, err := lost.Read(datasettest.Datasets(t, text.String()), "")
	if err != nil {
		t.Fatal(err)
	}
	if s := got.Buffers[0].Ranges; len(s) != 1 || s[0] != (lost.Range{Bytes: 50*19_999 + 1}) {
		t.Errorf("%d stretches, the first %+v", len(s), s[0])
	}
}
