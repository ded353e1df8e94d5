package pipeline

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/schema"
)

// A stream that ends early, or breaks, has the rows of the whole one in every
// segment except the one that is cut into; after a break that one reaches to the
// next cut.
func TestHeadsAndBreaks(t *testing.T) {
	need.FullRun(t, oneWorker)
	for _, r := range synthTails(t, 0) {
		tr := r.trace(t)
		t.Run(tr.name, func(t *testing.T) {
			whole := tr.decode(t)
			cuts := whole.integers(&schema.Segments, "byte_offset")
			ends := tr.isyncEnds(t, cuts)
			random := rand.New(rand.NewPCG(r.seed, 'h'))
			rows := 0
			for range 20 {
				n := 1 + random.IntN(len(tr.data)-1)
				k, _ := slices.BinarySearch(ends, n+1) // segments that begin before
				head := tr.with(tr.data[:n]).decode(t)
				head.checkAccounts(t, n)
				broken := tr.decodeStream(t, tr.stream(wholePieces, n), decodeOptions{})
				broken.checkAccounts(t, len(tr.data))
				for i := range len(cuts) {
					for _, got := range []*decodedTables{head, broken} {
						m := got.segmentAt(cuts[i])
						switch {
						case i < k-1 && m != i:
							t.Errorf("the segment at %d is segment %d, want %d", cuts[i], m, i)
						case i == k-1, m < 0 && i >= k: // cut into; without its A-sync, or not there
						default:
							rows += sameSegments(t, segmentRange{whole, i, i + 1}, segmentRange{got, m, m + 1}, tr.protocol.TimestampCode(),
								same, otherPast)
						}
					}
					if last := len(cuts) - 1; i == last && k < last && broken.segmentAt(cuts[i]) < 0 {
						t.Errorf("after the break there is no segment at %d", cuts[i])
					}
				}
				if t.Failed() {
					t.Fatalf("at %d", n)
				}
			}
			if rows == 0 {
				t.Error("no rows compared")
			}
		})
	}
}

// isyncEnds returns where the I-syncs at offsets end.
func (tr *trace) isyncEnds(t *testing.T, offsets []int64) []int {
	t.Helper()
	var ends []int
	for _, offset := range offsets {
		p, err := tr.protocol.ParsePacket(tr.data[offset:])
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, int(offset)+p.Len)
	}
	return ends
}
