package perfdata

import (
	"fmt"
	"slices"
	"testing"
)

// The trace of an AUX record is where its CPU's, or its thread's, AUXTRACE has it.
func TestJoin(t *testing.T) {
	const snapshot, raw, noCPU = 2, 0x100, 1<<32 - 1
	piece := func(text string, size, missing int) string { return fmt.Sprintf("%s %d-%d", text, size, missing) }
	of := func(b byte, n int) []byte { // trace whose first byte tells which it is
		return slices.Concat([]byte{b}, make([]byte, n-1))
	}
	for _, tt := range []struct {
		name    string
		records [][]byte
		want    []string // first byte of each piece, how many, how many are missing
		ring    Ring     // of the first AUXTRACE
	}{
		{
			"two in one",
			[][]byte{aux(1, 0, 16, 0, 0, 9), aux(2, 16, 16, 0, 0, 9), trace(0, 0, 0, 0, join(of('a', 16), of('b', 16)))},
			[]string{"a 16-0", "b 16-0"},
			Ring{TID: -1, Bytes: 32},
		},
		{
			"by time",
			[][]byte{aux(3, 0, 16, 0, 0, 9), aux(2, 16, 16, 0, 0, 9), trace(0, 0, 0, 0, join(of('a', 16), of('b', 16)))},
			[]string{"b 16-0", "a 16-0"},
			Ring{TID: -1, Bytes: 32},
		},
		{
			"rounded up",
			[][]byte{aux(1, 0, 9, raw, 0, 9), trace(0, 0, 0, 0, of('a', 16))},
			[]string{"a 9-0"},
			Ring{TID: -1, Bytes: 16, Padding: 7},
		},
		{
			"unclaimed before, between and behind",
			[][]byte{aux(1, 8, 8, 0, 0, 9), aux(2, 24, 8, 0, 0, 9), trace(0, 0, 0, 0, join(of('x', 8), of('a', 8), of('x', 8), of('b', 8), of('x', 8)))},
			[]string{"a 8-0", "b 8-0"},
			Ring{TID: -1, Bytes: 40, Unclaimed: 24},
		},
		{
			"another CPU's",
			[][]byte{aux(1, 0, 16, 0, 1, 9), trace(0, 0, 0, 0, of('a', 16)), trace(1, 1, 0, 0, of('b', 16)), aux(1, 0, 16, 0, 0, 9)},
			[]string{"b 16-0", "a 16-0"},
			Ring{TID: -1, Bytes: 16},
		},
		{
			"of threads",
			[][]byte{aux(1, 0, 16, 0, 3, 8), aux(2, 0, 16, 0, 3, 9), trace(0, noCPU, 9, 0, of('b', 16)), trace(1, noCPU, 8, 0, of('a', 16))},
			[]string{"a 16-0", "b 16-0"},
			Ring{CPU: -1, TID: 9, Bytes: 16},
		},
		{
			"outside",
			[][]byte{aux(1, 8, 16, 0, 0, 9), aux(2, 100, 16, 0, 0, 9), trace(0, 0, 0, 0, join(of('x', 8), of('a', 8)))},
			[]string{"a 8-8", "- 0-16"},
			Ring{TID: -1, Bytes: 16, Unclaimed: 8},
		},
		{
			"twice",
			[][]byte{aux(1, 0, 16, 0, 0, 9), aux(2, 0, 16, 0, 0, 9), aux(3, 8, 16, 0, 0, 9), trace(0, 0, 0, 0, join(of('a', 16), of('b', 8)))},
			[]string{"a 16-0", "b 8-0"},
			Ring{TID: -1, Bytes: 24},
		},
		{
			"empty but truncated",
			[][]byte{aux(1, 0, 16, 0, 0, 9), aux(2, 16, 0, 1, 0, 9), aux(3, 16, 0, 0, 0, 9), trace(0, 0, 0, 0, of('a', 16))},
			[]string{"a 16-0", "- 0-0"},
			Ring{TID: -1, Bytes: 16},
		},
		{
			"a ring anew",
			[][]byte{
				aux(1, 0, 16, 0, 0, 9), trace(0, 0, 0, 0, of('a', 16)), aux(2, 0, 16, 0, 0, 9), trace(0, 0, 0, 0, of('b', 16)),
			},
			[]string{"a 16-0", "b 16-0"},
			Ring{TID: -1, Bytes: 32},
		},
		{
			"a ring anew, AUX records behind",
			[][]byte{
				trace(0, 0, 0, 0, join(of('a', 16), of('b', 16))), aux(1, 0, 16, 0, 0, 9), aux(2, 16, 16, 0, 0, 9),
				trace(0, 0, 0, 0, join(of('c', 16), of('d', 16))), aux(3, 0, 16, 0, 0, 9), aux(4, 16, 16, 0, 0, 9),
			},
			[]string{"a 16-0", "b 16-0", "c 16-0", "d 16-0"},
			Ring{TID: -1, Bytes: 64},
		},
		{
			"late AUX record of a ring that goes on",
			[][]byte{
				aux(1, 0, 16, 0, 0, 9), trace(0, 0, 0, 0, join(of('a', 16), of('b', 16))), aux(2, 16, 16, 0, 0, 9),
				aux(3, 0, 16, 0, 0, 9), trace(0, 0, 0, 0, join(of('c', 16), of('d', 16))), aux(4, 16, 16, 0, 0, 9),
			},
			[]string{"a 16-0", "b 16-0", "c 16-0", "d 16-0"},
			Ring{TID: -1, Bytes: 64},
		},
		{
			"AUXTRACE records that go on",
			[][]byte{
				aux(1, 0, 16, 0, 0, 9), trace(0, 0, 0, 0, of('a', 16)), aux(2, 16, 16, 0, 0, 9), trace(0, 0, 0, 16, of('b', 16)),
			},
			[]string{"a 16-0", "b 16-0"},
			Ring{TID: -1, Bytes: 32},
		},
		{
			"snapshot",
			[][]byte{aux(1, 64, 16, snapshot, 0, 9), aux(2, 80, 16, snapshot, 0, 9), trace(0, 0, 0, 48, join(of('a', 16), of('b', 16)))},
			[]string{"a 16-0", "b 16-0"},
			Ring{TID: -1, Bytes: 32},
		},
		{
			"snapshot of more than the ring",
			[][]byte{aux(2, 80, 4096, snapshot, 0, 9), trace(0, 0, 0, 48, of('a', 32))},
			[]string{"a 32-0"},
			Ring{TID: -1, Bytes: 32},
		},
		{
			"overwritten",
			[][]byte{aux(1, 16, 16, snapshot, 0, 9), aux(2, 80, 16, snapshot, 0, 9), trace(0, 0, 0, 64, of('a', 16))},
			[]string{"- 0-16", "a 16-0"},
			Ring{TID: -1, Bytes: 16},
		},
		{
			"two snapshots",
			[][]byte{
				aux(1, 16, 16, snapshot, 0, 9), trace(0, 0, 0, 0, of('a', 16)), aux(2, 16, 16, snapshot, 0, 9), trace(0, 0, 0, 0, of('b', 16)),
			},
			[]string{"a 16-0", "b 16-0"},
			Ring{TID: -1, Bytes: 32},
		},
		{
			"without AUX records",
			[][]byte{trace(0, 0, 0, 0, of('a', 16)), trace(0, 0, 0, 16, of('b', 8))},
			[]string{"a 16-0", "b 8-0"},
			Ring{TID: -1, Bytes: 24},
		},
		{
			"one ring without AUX records",
			[][]byte{trace(1, 1, 0, 0, of('a', 16)), aux(2, 0, 8, 0, 0, 9), trace(0, 0, 0, 0, of('b', 8))},
			[]string{"a 16-0", "b 8-0"},
			Ring{Index: 1, CPU: 1, TID: -1, Bytes: 16},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := simple(tt.records...).bytes()
			f := readBytes(t, b)
			var got []string
			for _, p := range f.Pieces {
				first := "-"
				if p.Size > 0 {
					first = string(b[p.Offset])
				}
				got = append(got, piece(first, int(p.Size), int(p.Missing)))
			}
			same(t, "pieces", tt.want, got)
			same(t, "ring", tt.ring, f.Rings[0])
			checkAccount(t, f)
		})
	}
}

// checkAccount checks that every byte of a ring is in one piece, or counted as in none.
func checkAccount(t testing.TB, f *File) {
	t.Helper()
	left := make([]int64, len(f.Rings))
	for i, r := range f.Rings {
		left[i] = r.Bytes - r.Padding - r.Unclaimed
	}
	for _, p := range f.Pieces {
		if p.Size > 0 {
			left[p.Ring] -= p.Size
		}
		if p.Size < 0 || p.Missing < 0 {
			t.Errorf("piece %+v", p)
		}
	}
	for i, n := range left {
		if n != 0 {
			t.Errorf("ring %+v: %d bytes are not accounted for", f.Rings[i], n)
		}
	}
}

func TestRingName(t *testing.T) {
	for want, r := range map[string]Ring{"cpu7": {Index: 3, CPU: 7, TID: -1}, "tid77": {CPU: -1, TID: 77}} {
		if got := r.Name(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
