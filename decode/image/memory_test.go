package image

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tracelake/tracelake/schema"
)

func region(space Space, address schema.Address, text string) Region {
	return Region{File: text, Address: address, Bytes: []byte(text), Space: space}
}

func TestFetch(t *testing.T) {
	top := schema.Address(0xFFFF_FFFC)
	tests := []struct {
		name    string
		regions []Region
		space   Space
		addr    schema.Address
		want    string // "" is nil
	}{
		{"nothing mapped", nil, SecureSpace, 0x8000, ""},
		{"from the start", []Region{region(AnySpace, 0x8000, "abcd")}, SecureSpace, 0x8000, "abcd"},
		{"last two bytes", []Region{region(AnySpace, 0x8000, "abcd")}, SecureSpace, 0x8002, "cd"},
		{"last byte", []Region{region(AnySpace, 0x8000, "abcd")}, SecureSpace, 0x8003, "d"},
		{"after the end", []Region{region(AnySpace, 0x8000, "abcd")}, SecureSpace, 0x8004, ""},
		{"before the start", []Region{region(AnySpace, 0x8000, "abcd")}, SecureSpace, 0x7FFF, ""},
		{"top of memory", []Region{region(AnySpace, top, "abcd")}, SecureSpace, top + 2, "cd"},
		{"above 4 GiB", []Region{region(AnySpace, 0x8000, "abcd"), region(AnySpace, 0x1_0000_8000, "efgh")}, SecureSpace, 0x1_0000_8002, "gh"},
		{"4 GiB below it", []Region{region(AnySpace, 0x1_0000_8000, "efgh")}, SecureSpace, 0x8002, ""},
		{"across 4 GiB", []Region{region(AnySpace, top, "abcdefgh")}, SecureSpace, 0x1_0000_0000, "efgh"},
		{"in the upper half", []Region{region(AnySpace, 0x8000, "abcd"), region(AnySpace, 0xFFFF_FF80_0000_8000, "efgh")}, SecureSpace, 0xFFFF_FF80_0000_8001, "fgh"},
		{"before the last address", []Region{region(AnySpace, schema.MaxAddress-4, "abcd")}, SecureSpace, schema.MaxAddress - 1, "d"},
		{"the last address", []Region{region(AnySpace, schema.MaxAddress-4, "abcd")}, SecureSpace, schema.MaxAddress, ""},
		{"address 0", []Region{region(AnySpace, 0, "abcd"), region(AnySpace, top, "wxyz")}, SecureSpace, 0, "abcd"},
		{"other space", []Region{region(SecureSpace, 0x8000, "abcd")}, NonSecureSpace, 0x8000, ""},
		{"hyp is not non-secure", []Region{region(NonSecureSpace, 0x8000, "abcd")}, HypSpace, 0x8000, ""},
		{"no space serves hyp", []Region{region(AnySpace, 0x8000, "abcd")}, HypSpace, 0x8000, "abcd"},
		{"physical serves secure", []Region{region(PhysicalSpace, 0x8000, "abcd")}, SecureSpace, 0x8000, "abcd"},
		{"physical serves non-secure", []Region{region(PhysicalSpace, 0x8000, "abcd")}, NonSecureSpace, 0x8000, "abcd"},
		{"physical does not serve hyp", []Region{region(PhysicalSpace, 0x8000, "abcd")}, HypSpace, 0x8000, ""},
		{"a fetch of no space sees regions of none", []Region{region(SecureSpace, 0x8000, "SS"), region(AnySpace, 0x8000, "abcd")}, AnySpace, 0x8000, "abcd"},
		{"stops where a better region begins", []Region{region(AnySpace, 0x8002, "XY"), region(AnySpace, 0x8000, "abcdef")}, SecureSpace, 0x8000, "ab"},
		{"the better region", []Region{region(AnySpace, 0x8002, "XY"), region(AnySpace, 0x8000, "abcdef")}, SecureSpace, 0x8002, "XY"},
		{"continues after it", []Region{region(AnySpace, 0x8002, "XY"), region(AnySpace, 0x8000, "abcdef")}, SecureSpace, 0x8004, "ef"},
		{"a worse region hidden", []Region{region(AnySpace, 0x8000, "abcdef"), region(AnySpace, 0x8002, "XY")}, SecureSpace, 0x8000, "abcdef"},
		{"a worse region sticks out", []Region{region(AnySpace, 0x8000, "ab"), region(AnySpace, 0x8000, "WXYZ")}, SecureSpace, 0x8002, "YZ"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := New(tt.regions...).Fetch(tt.space, tt.addr)
			if string(got) != tt.want || (got == nil) != (tt.want == "") {
				t.Errorf("Fetch(%v, %#x) = %q, want %q", tt.space, tt.addr, got, tt.want)
			}
		})
	}
}

// A 32-bit instruction across two regions takes two fetches.
func TestFetchAcrossRegions(t *testing.T) {
	m := New(region(AnySpace, 0x8000, "ab"), region(AnySpace, 0x8002, "cd"))
	first := m.Fetch(SecureSpace, 0x8000)
	second := m.Fetch(SecureSpace, 0x8000+schema.Address(len(first)))
	if got := string(first) + string(second); got != "abcd" {
		t.Errorf("two fetches give %q, want %q", got, "abcd")
	}
}

// Every byte of random overlapping regions is that of the first region in the
// list that has it, and every fetch stops at the border of a region or where
// another region takes over.
func TestFetchRandom(t *testing.T) {
	const memory = 64
	fetches := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		regions := make([]Region, r.IntN(12))
		for i := range regions {
			n := r.IntN(20)
			b := bytes.Repeat([]byte{byte(i + 1)}, n) // its number, so that bytes identify their region
			regions[i] = Region{Address: schema.Address(r.IntN(memory - n)), Bytes: b, Space: Space(r.IntN(spaces))}
		}
		owner := func(s Space, addr schema.Address) byte {
			for i, x := range regions {
				fits := x.Space == AnySpace || x.Space == s || x.Space == PhysicalSpace && (s == SecureSpace || s == NonSecureSpace)
				if fits && addr >= x.Address && addr < x.Address+schema.Address(len(x.Bytes)) {
					return byte(i + 1)
				}
			}
			return 0
		}
		m := New(regions...)
		for _, s := range []Space{AnySpace, SecureSpace, NonSecureSpace, HypSpace} {
			for addr := range schema.Address(memory) {
				var want []byte
				for x := addr; owner(s, addr) != 0 && owner(s, x) == owner(s, addr); x++ {
					want = append(want, owner(s, x))
				}
				if got := m.Fetch(s, addr); !bytes.Equal(got, want) {
					t.Fatalf("seed %d: Fetch(%v, %d) = %v, want %v", seed, s, addr, got, want)
				}
				fetches++
			}
		}
	}
	t.Logf("%d fetches compared", fetches)
}

func TestOrder(t *testing.T) {
	commandLine := []Region{region(AnySpace, 0, "elf1"), region(AnySpace, 0, "elf2"), region(HypSpace, 0, "imgH")}
	own := []Region{
		region(AnySpace, 0, "any1"), region(SecureSpace, 0, "sec1"), region(PhysicalSpace, 0, "phy1"),
		region(AnySpace, 0, "any2"), region(SecureSpace, 0, "sec2"),
	}
	shared := []Region{region(SecureSpace, 0, "shrS"), region(AnySpace, 0, "shrA")}
	tests := []struct {
		tiers [][]Region
		space Space
		want  string
	}{
		{[][]Region{commandLine, own, shared}, SecureSpace, "elf2"}, // command line first, the later one
		{[][]Region{commandLine, own, shared}, HypSpace, "imgH"},    // exact space first
		{[][]Region{nil, own, shared}, SecureSpace, "sec2"},
		{[][]Region{nil, own, shared}, NonSecureSpace, "phy1"}, // before regions without a space
		{[][]Region{nil, own, shared}, HypSpace, "any2"},
		{[][]Region{nil, own[:1], shared}, SecureSpace, "any1"}, // its own before memory spaces, whatever the space
		{[][]Region{nil, nil, shared}, SecureSpace, "shrS"},
	}
	for i, tt := range tests {
		if got := New(Order(tt.tiers...)...).Fetch(tt.space, 0); string(got) != tt.want {
			t.Errorf("%d: %v sees %q, want %q", i, tt.space, got, tt.want)
		}
	}
}

func TestMappedElsewhere(t *testing.T) {
	m := New(region(SecureSpace, 0x1000, "s"), region(HypSpace, 0x2000, "h"), region(AnySpace, 0x3000, "a"))
	tests := []struct {
		space Space
		addr  schema.Address
		want  Space
		ok    bool
	}{
		{NonSecureSpace, 0x1000, SecureSpace, true},
		{NonSecureSpace, 0x2000, HypSpace, true},
		{SecureSpace, 0x1000, AnySpace, false},
		{SecureSpace, 0x4000, AnySpace, false},
	}
	for _, tt := range tests {
		if got, ok := m.MappedElsewhere(tt.space, tt.addr); got != tt.want || ok != tt.ok {
			t.Errorf("MappedElsewhere(%v, %#x) = %v, %v, want %v, %v", tt.space, tt.addr, got, ok, tt.want, tt.ok)
		}
	}
}

func TestNewPanicsAtTheLastAddress(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	New(region(AnySpace, schema.MaxAddress-2, "abc"))
}

func TestParseSpace(t *testing.T) {
	tests := map[string]Space{
		"S": SecureSpace, "SP": SecureSpace, "EL1S": SecureSpace, "EL3": SecureSpace, "s": SecureSpace,
		"N": NonSecureSpace, "NP": NonSecureSpace, "EL1N": NonSecureSpace, "el1n": NonSecureSpace,
		"H": HypSpace, "EL2": HypSpace, "P": PhysicalSpace,
	}
	for word, want := range tests {
		if got, ok := ParseSpace(word); !ok || got != want {
			t.Errorf("ParseSpace(%q) = %v, %v, want %v", word, got, ok, want)
		}
	}
	for _, word := range []string{"", "any", "X", "EL0"} {
		if got, ok := ParseSpace(word); ok {
			t.Errorf("ParseSpace(%q) = %v, want none", word, got)
		}
	}
	for _, s := range []Space{SecureSpace, NonSecureSpace, HypSpace, PhysicalSpace} {
		if got, _ := ParseSpace(s.String()); got != s {
			t.Errorf("ParseSpace(%q) = %v", s.String(), got)
		}
	}
}

func TestMissing(t *testing.T) {
	var m Missing
	m.Add(0x8000_0010, 1)
	m.Add(0x8000_1FF0, 2) // the next page: one range
	m.Add(0x8000_1004, 1)
	m.Add(0x8000_3000, 9) // a page between
	m.Add(0xFFFF_FFFE, 4)
	m.Add(0, 4)
	want := []MissingRange{
		{0x8000_3000, 0x8000_3000, 9},
		{0, 0, 4},
		{0x8000_0010, 0x8000_1FF0, 4},
		{0xFFFF_FFFE, 0xFFFF_FFFE, 4},
	}
	if got := m.Ranges(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("Ranges() = %x, want %x", got, want)
	}
}

func TestMissingIsBounded(t *testing.T) {
	var m Missing
	for page := range schema.Address(maxMissingPages + 10) {
		m.Add(page<<pageShift, 2)
	}
	m.Add(5, 1) // a page it knows
	r := m.Ranges()
	if len(r) != 1 || r[0].Stops != 2*maxMissingPages+1 || m.Other() != 20 {
		t.Errorf("Ranges() = %v, Other() = %d", r, m.Other())
	}
}

func BenchmarkFetch(b *testing.B) {
	var regions []Region
	for i := range schema.Address(16) {
		regions = append(regions, Region{Address: i << 20, Bytes: make([]byte, 1<<16)})
	}
	m := New(regions...)
	for i := schema.Address(0); b.Loop(); i++ {
		m.Fetch(SecureSpace, i%16<<20)
	}
}

func TestSpaceOf(t *testing.T) {
	tests := map[schema.Security]Space{
		schema.Secure:    SecureSpace,
		schema.NonSecure: NonSecureSpace,
		schema.Hyp:       HypSpace,
		schema.Root:      SecureSpace,
		schema.Realm:     AnySpace,
	}
	if len(tests) != len(schema.SecurityNames) {
		t.Fatalf("%d of %d security states", len(tests), len(schema.SecurityNames))
	}
	for s, want := range tests {
		if got := SpaceOf(s); got != want {
			t.Errorf("SpaceOf(%v) = %v, want %v", s, got, want)
		}
	}
}
