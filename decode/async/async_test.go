package async_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode/async"
	"github.com/tracelake/tracelake/decode/pft"
)

// An A-sync counts once, or twice if 16 good packets, or good packets up to the
// end, follow it.
func TestRateSyncs(t *testing.T) {
	const reserved = 0x02 // header of no packet
	sync := []byte{0, 0, 0, 0, 0, 0x80}
	atoms := func(n int) []byte { return bytes.Repeat([]byte{0x84}, n) }
	for _, tt := range []struct {
		name string
		b    []byte
		want int
	}{
		{"none", atoms(20), 0},
		{"nothing after it", sync, 1},
		{"3 packets to the end", slices.Concat(sync, atoms(3)), 2},
		{"15 packets, then none", slices.Concat(sync, atoms(15), []byte{reserved}), 1},
		{"16 packets, then none", slices.Concat(sync, atoms(16), []byte{reserved}), 2},
		{"a packet is cut off", slices.Concat(sync, atoms(3), []byte{8, 0}), 1},
		{"two", slices.Concat(sync, atoms(20), sync, atoms(2)), 4},
	} {
		if got := async.Short.RateSyncs(&pft.Config{}, tt.b); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// An A-sync has at least as many zeros as its form; the first of more zeros belong to it
// where reading starts.
func TestForms(t *testing.T) {
	zeros := func(n int) []byte { return append(make([]byte, n, n+2), 0x80, 0xf7) }
	for _, tt := range []struct {
		form   async.Form
		zeros  int
		next   int // end of the A-sync
		n      int // of Resync
		ok     bool
		parsed int // length
	}{
		{form: async.Short, zeros: 4, next: -1, n: 1},
		{form: async.Short, zeros: 5, next: 6, ok: true, parsed: 6},
		{form: async.Short, zeros: 7, next: 8, ok: true, parsed: 8},
		{form: async.Long, zeros: 10, next: -1, n: 1},
		{form: async.Long, zeros: 11, next: 12, ok: true, parsed: 12},
		{form: async.Long, zeros: 14, next: 15, ok: true, parsed: 15},
	} {
		b := zeros(tt.zeros)
		if got := tt.form.Next(b); got != tt.next {
			t.Errorf("%d zeros: Next = %d, want %d", tt.zeros, got, tt.next)
		}
		if n, ok := tt.form.Resync(b); n != tt.n || ok != tt.ok {
			t.Errorf("%d zeros: Resync = %d, %v, want %d, %v", tt.zeros, n, ok, tt.n, tt.ok)
		}
		if n, err := tt.form.Parse(b, "x"); n != tt.parsed || (err == nil) != tt.ok {
			t.Errorf("%d zeros: Parse = %d, %v, want %d", tt.zeros, n, err, tt.parsed)
		}
		if got := tt.form.Append(nil, tt.parsed); tt.ok && !bytes.Equal(got, b[:tt.parsed]) {
			t.Errorf("%d zeros: Append = % x", tt.zeros, got)
		}
	}
}
