package image

import (
	"slices"
	"testing"
)

// A watched memory notes where it is looked at, be there memory or not.
func TestWatched(t *testing.T) {
	var pages Pages
	m := New(Region{Address: 0x1800, Bytes: make([]byte, 0x1000)}).Watched(&pages)
	m.Fetch(AnySpace, 0x1800)
	m.Fetch(SecureSpace, 0x9000)
	m.Look(0xffffe000, 0xffffffff)
	want := []PageRange{{0x1000, 0x1fff}, {0x9000, 0x9fff}, {0xffffe000, 0xffffffff}}
	if got := pages.Ranges(); !slices.Equal(got, want) {
		t.Errorf("%#x", got)
	}
}

// Pages changed if a byte of them, or that there is one, is not the same in some space.
func TestChanged(t *testing.T) {
	bytes := func(n int, at ...int) []byte {
		b := make([]byte, n)
		for _, i := range at {
			b[i] = 1
		}
		return b
	}
	whole := Region{Address: 0x1000, Bytes: bytes(0x4000)}
	for _, tt := range []struct {
		name string
		a, b []Region
		want []PageRange
	}{
		{"nothing", []Region{whole}, []Region{whole}, nil},
		{"in two pieces", []Region{whole}, []Region{{Address: 0x1000, Bytes: bytes(0x1234)}, {Address: 0x2234,
			Bytes: bytes(0x4000 - 0x1234)}}, nil},
		{"a byte", []Region{whole}, []Region{{Address: 0x1000, Bytes: bytes(0x4000, 0x1fff)}}, []PageRange{{0x2000, 0x2fff}}},
		{"a byte before it", []Region{{Address: 0x1000, Bytes: bytes(1, 0)}, whole}, []Region{whole},
			[]PageRange{{0x1000, 0x1fff}}},
		{"half of it", []Region{whole}, []Region{{Address: 0x1000, Bytes: bytes(0x1800)}}, []PageRange{{0x2000, 0x4fff}}},
		{"all", nil, []Region{{Address: 0xfffff800, Bytes: bytes(0x800)}}, []PageRange{{0xfffff000, 0xffffffff}}},
		{"one space", []Region{whole}, []Region{whole, {Address: 0x9000, Bytes: bytes(4), Space: HypSpace}},
			[]PageRange{{0x9000, 0x9fff}}},
	} {
		for _, swap := range []bool{false, true} {
			a, b := New(tt.a...), New(tt.b...)
			if swap {
				a, b = b, a
			}
			if got := Changed(a, b).Ranges(); !slices.Equal(got, tt.want) {
				t.Errorf("%s: %#x, want %#x", tt.name, got, tt.want)
			}
		}
	}
}
