package image

import (
	"slices"
	"testing"

	"github.com/tracelake/tracelake/schema"
)

// A watched memory notes where it is looked at, be there memory or not.
func TestWatched(t *testing.T) {
	var pages Pages
	m := New(Region{Address: 0x1800, Bytes: make([]byte, 0x1000)}).Watched(&pages)
	m.Fetch(AnySpace, 0x1800)
	m.Fetch(SecureSpace, 0x9000)
	m.Look(0xffffe000, 0xffffffff)
	m.Fetch(AnySpace, 0x7f_0000_1234)
	m.Look(0x7f_0000_2000, 0x7f_0000_2fff)
	m.Look(schema.MaxAddress-1, schema.MaxAddress)
	want := []PageRange{
		{0x1000, 0x1fff}, {0x9000, 0x9fff}, {0xffffe000, 0xffffffff}, {0x7f_0000_1000, 0x7f_0000_2fff}, {schema.MaxAddress - 0xfff, schema.MaxAddress},
	}
	if got := pages.Ranges(); !slices.Equal(got, want) {
		t.Errorf("%#x", got)
	}
}

// Pages from 4 GiB on that are too many to be kept are all there are.
func TestManyPages(t *testing.T) {
	all := []PageRange{{0x8000, 0x8fff}, {schema.End32, schema.MaxAddress}}
	var scattered, wide, one Pages
	one.Add(0x7f_0000_1000, 0x7f_0000_1000)
	for _, p := range []*Pages{&scattered, &wide} {
		p.Add(0x8000, 0x8fff)
	}
	for i := range schema.Address(maxHighWords + 1) {
		if scattered.Meets(&one) {
			t.Fatalf("%d pages are all", i)
		}
		scattered.Add((2*i+1)<<32, (2*i+1)<<32)
	}
	wide.Add(1<<40, schema.MaxAddress)
	for name, p := range map[string]*Pages{"scattered": &scattered, "wide": &wide} {
		if got := p.Ranges(); !slices.Equal(got, all) || !p.Meets(&one) || !one.Meets(p) || !p.Meets(p) {
			t.Errorf("%s: %#x, want %#x", name, got, all)
		}
	}
}

// Pages meet at a page that both have.
func TestMeets(t *testing.T) {
	page := func(at schema.Address) *Pages {
		p := &Pages{}
		p.Add(at, at)
		return p
	}
	for _, tt := range []struct {
		a, b schema.Address
		want bool
	}{
		{0x8000, 0x8fff, true},
		{0x8000, 0x9000, false},
		{0x8000, 0x1_0000_8000, false},
		{0x1_0000_8000, 0x1_0000_8fff, true},
		{0x1_0000_8000, 0x1_0000_9000, false},
	} {
		if got := page(tt.a).Meets(page(tt.b)); got != tt.want {
			t.Errorf("%#x and %#x: %v", tt.a, tt.b, got)
		}
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
		{"in two pieces", []Region{whole}, []Region{{Address: 0x1000, Bytes: bytes(0x1234)}, {Address: 0x2234, Bytes: bytes(0x4000 - 0x1234)}}, nil},
		{"a byte", []Region{whole}, []Region{{Address: 0x1000, Bytes: bytes(0x4000, 0x1fff)}}, []PageRange{{0x2000, 0x2fff}}},
		{"a byte before it", []Region{{Address: 0x1000, Bytes: bytes(1, 0)}, whole}, []Region{whole}, []PageRange{{0x1000, 0x1fff}}},
		{"half of it", []Region{whole}, []Region{{Address: 0x1000, Bytes: bytes(0x1800)}}, []PageRange{{0x2000, 0x4fff}}},
		{"all", nil, []Region{{Address: 0xfffff800, Bytes: bytes(0x800)}}, []PageRange{{0xfffff000, 0xffffffff}}},
		{"above 4 GiB", []Region{{Address: 0x7f_0000_0800, Bytes: bytes(0x1000)}}, []Region{{Address: 0x7f_0000_0800, Bytes: bytes(0x1000, 0x900)}}, []PageRange{{0x7f_0000_1000, 0x7f_0000_1fff}}},
		{"the last page", nil, []Region{{Address: schema.MaxAddress - 0x1800, Bytes: bytes(0x1800)}}, []PageRange{{schema.MaxAddress - 0x1fff, schema.MaxAddress}}},
		{"one space", []Region{whole}, []Region{whole, {Address: 0x9000, Bytes: bytes(4), Space: HypSpace}}, []PageRange{{0x9000, 0x9fff}}},
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
