package etmv4

import (
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// What streams of the tests consist of: an A-sync, a Trace Info, and a start at 1000, EL1 NS.
const (
	syncA   = " " + asyncBytes + " "
	syncT   = " 01 01 00 "
	at1000  = " 82 00 08 00 00 31 "
	syncS   = syncA + syncT + "04" + at1000
	firstAt = 12 + 3 + 1 // of syncS
)

// stacked has the return stack on.
func stacked() *Config {
	c := plain
	c.ReturnStack = true
	return &c
}

// maxSpec is an ETE with so many speculative elements.
func maxSpec(n uint32) *Config {
	c := ete10
	c.MaxSpec = n
	return &c
}

// Where a stream is cut: "^" stands before the packet of each cut.
var cutTests = []struct {
	name   string
	cfg    *Config
	stream string
}{
	// The sequences of the list of vectors.
	{"47", &plain, syncA + syncT + "04 ^" + at1000 + "f6 f7 f7 95 03"},
	{"48", &plain, syncA + syncT + "04 ^" + at1000 + "db"},
	{"49", stacked(), syncA + syncT + "04 ^" + at1000 + "f6 db f7"},
	{"50", &plain, syncA + syncT + "04 ^" + at1000 + "f7 06 05 95 05 9a 00 10 00 00"},
	{"51", &plain, syncA + syncT + "04 ^" + at1000 + "f6 f7 f7 06 58 95 03 9a 00 10 00 00"},
	{"52", &plain, syncA + syncT + "04 ^" + at1000 + "f7" + syncA + "f7" + syncT + "^" + at1000},
	{"53", &plain, syncA + syncT + "04 ^" + at1000 + "f6" + syncA + syncT + "f7 f7 ^ 82 03 08 00 00 31"},
	{"54", &plain, syncA + syncT + "04 ^" + at1000 + "f6 00 05" + syncA + syncT + "04 ^" + at1000 + "f6"},
	{"55", maxSpec(4), syncA + syncT + "04 ^" + at1000 + "f6 f7 2e 01 2d 01"},
	{"56", maxSpec(4), syncA + syncT + "04 ^" + at1000 + "f6 30 2d 01"},
	{"57", maxSpec(4), syncA + syncT + "04 ^" + at1000 + "f6 f7 34 2d 01"},
	{"58", maxSpec(1), syncA + syncT + "04 ^" + at1000 + "f6 f7 00 03"},
	{"59", &ete10, syncA + syncT + "04 ^" + at1000 + "b4 02"},
	{"60", &withQs, syncA + syncT + "04 ^" + at1000 + "a5 02 02"},
	{"61", &withQs, syncA + syncT + "04 ^" + at1000 + "a5 08 05"},
	{"62", &plain, syncA + "01 01 01 04 ^" + at1000 + "f6 0f f7 13"},
	{"63", &spec255, syncA + "01 00 04 ^ 82 21 0a 0c 00 11 f6 30 2d 01 9a 4e 4a 06 00 db 2d 02"},
	{"64", &spec255, syncA + "01 00 04 ^ 82 4a 43 01 00 11 dc df 2e 04 2d 04"},
	{"65", &ete10, syncA + syncT + "04 ^ 82 22 1a 0c 00 31 f7 0a f6 0b ff"},
	{"66", &plain, "95 93 15 f6" + syncA + syncT + "^ 85 18 15 1e 00 c0 ff ff ff 31"},
	{"67", &vmid1, "f6" + syncA + "f7" + syncT + "^ 85 4e 75 45 00 c0 ff ff ff f1 00 00 00 00 00"},
	{"68", &micro, syncA + "01 00 ^ 83 01 9a 4f 00 00 96 81 9a fc fe"},

	// What stands at a sync point.
	{"Address, Trace On", &plain, syncA + syncT + "9d 00 35 09 00 c0 ff ff ff 04 ^ 85 00 35 09 00 c0 ff ff ff 31"},
	{"Trace On, Context, Address", &plain, syncA + syncT + "04 81 31 ^ 9a 00 10 00 00"},
	{"Address, Context", &plain, syncA + syncT + "9a 00 10 00 00 ^ 81 31 f7"},
	{"an exact match is an Address", &plain, syncA + syncT + "81 31 ^ 90"},
	{"other packets between", &plain, syncA + syncT + "9a 00 10 00 00 02 05 71 0f 2d 01 ^ 81 31"},
	{"the last of several Addresses", &plain, syncA + syncT + "95 04 95 08 ^ 81 31"},
	{"A-sync of more zeros", &plain, "00 00 00" + syncS[:len(syncS)-len(at1000)] + "^" + at1000},
	{"events before the Trace Info", &ete10, syncA + "71 02 05" + syncT + "^" + at1000},
	{"a second Trace Info", &plain, syncA + syncT + "95 04" + syncT + "^ 81 31"},
	{"the second of two A-syncs", &plain, syncA + syncA + syncT + "^" + at1000},

	// No cuts, or later ones.
	{"no Trace Info", &plain, syncA + "04" + at1000},
	{"no Trace Info before the next A-sync", &plain, syncA + "04" + at1000 + syncA + syncT + "^" + at1000},
	{"a Context without payload", &plain, syncA + syncT + "95 04 80"},
	{"no position before the next A-sync", &plain, syncA + syncT + "81 31" + syncA + at1000 + syncT + "^" + at1000},
	{"a Trace On between the two", &plain, syncA + syncT + "95 04 04 81 31 ^ 95 08"},
	{"an Address before the Trace Info", &plain, syncA + "95 04" + syncT + "81 31 ^ 95 08"},
	{"a Context before the Trace Info", &plain, syncA + "81 31" + syncT + "95 04 ^ 81 31"},
	{"a P0 element between the two", &plain, syncA + syncT + "81 31 f7 95 04 ^ 81 31"},
	{"a source address is no Address", &ete10, syncA + syncT + "81 31 b4 04 95 04 ^ 81 31"},
	{"an Exception waits", &plain, syncA + syncT + "f7 06 05" + at1000 + at1000},
	{"for a plain Address, too", &plain, syncA + syncT + "06 05 95 04" + at1000},
	{"an Exception before the Trace Info waits", &plain, syncA + "06 05" + syncT + at1000},
	{"one before the A-sync is not seen", &plain, "06 05" + syncA + syncT + "^" + at1000},
	{"one with its address before it does not", &plain, syncA + "06 05 95 04" + syncT + "^" + at1000},
	{"an Exception without address does not", &plain, syncA + syncT + "06 00 ^" + at1000},
	{"a Transaction Failure does not", &ete10, syncA + syncT + "06 31 70 ^" + at1000},
	{"a Q packet waits", &withQs, syncA + syncT + "ac 01" + at1000},
	{"one with an address does not", &withQs, syncA + syncT + "a5 01 01 ^" + at1000},
	{"the return stack and a P0 element", stacked(), syncA + syncT + "f7" + at1000 + "f7" + syncA + syncT + "^" + at1000},
	{"the return stack and one before the Trace Info", stacked(), syncA + "f7" + syncT + "^" + at1000},
	{"a bad packet", &plain, syncA + syncT + "08" + at1000},
	{"a bad packet before the Trace Info", &plain, syncA + "08" + syncT + at1000},
	{"a packet reaches into an A-sync", &plain, syncA + syncT + "9a 00 10" + syncA + syncT + "^" + at1000},
	{"a Discard", &plain, syncA + syncT + "00 03" + at1000},
	{"an Overflow", &plain, syncA + "00 05" + syncT + at1000},
	{"one zero too few", &plain, asyncBytes[2:] + syncT + at1000},
	{"the packet is cut off", &plain, syncA + syncT + "82 00 08 00 00"},

	// Speculation: the first sync point is where a stream starts.
	{"open by SPEC, first", maxSpec(4), syncA + "01 05 00 02 ^" + at1000},
	{"open by SPEC", maxSpec(4), syncS[:len(syncS)-len(at1000)] + "^" + at1000 + "db" + syncA + "01 04 02" + at1000 + syncA + "01 04 01" + at1000},
	{"open by SPEC, committed", maxSpec(4), syncS[:len(syncS)-len(at1000)] + "^" + at1000 + "db" + syncA + "01 04 02 2d 02 ^" + at1000},
	{"open by SPEC, cancelled", maxSpec(4), syncS[:len(syncS)-len(at1000)] + "^" + at1000 + "db" + syncA + "01 04 02 2e 01 34 ^" + at1000},
	{
		"open by SPEC, after a loss", maxSpec(4),
		syncA + syncT + "^" + at1000 + "08" + syncA + "01 04 02 ^" + at1000 + syncA + "01 04 02" + at1000 + "08" + syncA + "01 04 01 ^" + at1000,
	},
	{"after a Discard without an A-sync", maxSpec(4), syncA + syncT + "^" + at1000 + "00 03 f7" + syncA + "01 04 02 ^" + at1000},
	{"after a Discard", maxSpec(4), syncA + syncT + "^" + at1000 + "00 03" + syncA + "01 04 02 ^" + at1000},
	{"after an Overflow", maxSpec(4), syncA + syncT + "^" + at1000 + "00 05" + syncA + "01 04 02 04 ^" + at1000},
	{"a packet reaches into an A-sync", maxSpec(4), syncA + syncT + "^" + at1000 + "9a 00 10" + syncA + "01 04 02 ^" + at1000},
	{"a loss after Trace Info", maxSpec(4), syncA + syncT + "^" + at1000 + syncA + "01 04 02 08" + at1000 + syncA + "01 04 02 ^" + at1000},
	{"an Address that is cancelled", maxSpec(4), syncA + "01 04 02 95 04 2e 01 81 31 ^ 95 08"},
	{"an Address after a mispredict", maxSpec(4), syncA + "01 04 02 95 04 30 81 31 ^ 95 08"},
	{"SPEC of a second Trace Info", maxSpec(4), syncA + syncT + "^" + at1000 + syncA + syncT + "01 04 02 ^" + at1000},
	{"open by an atom", maxSpec(4), syncS[:len(syncS)-len(at1000)] + "^" + at1000 + syncA + syncT + "f7" + at1000},
	{"an atom without speculation", maxSpec(0), syncS[:len(syncS)-len(at1000)] + "^" + at1000 + syncA + syncT + "f7 ^" + at1000},
}

// cutStream returns the bytes of a test, and where its cuts are.
func cutStream(t *testing.T, s string) (stream []byte, at []int) {
	t.Helper()
	for i, piece := range strings.Split(s, "^") {
		if i > 0 {
			at = append(at, len(stream))
		}
		stream = append(stream, unhex(t, piece)...)
	}
	return stream, at
}

func TestCuts(t *testing.T) {
	for _, tt := range cutTests {
		t.Run(tt.name, func(t *testing.T) {
			b, want := cutStream(t, tt.stream)
			found := findIn(t, tt.cfg, b, 0, len(b))
			if !slices.Equal(found.positions(), want) {
				t.Fatalf("cuts at %d, want %d", found.positions(), want)
			}
			for i := range found.cuts {
				checkBefore(t, tt.cfg, b, &found.cuts[i])
			}
			for step := 1; step < len(b); step++ {
				if got := findIn(t, tt.cfg, b, 0, step); !got.equal(&found) {
					t.Errorf("in steps of %d: %+v, want %+v", step, got, found)
				}
			}
			checkAnywhere(t, tt.cfg, b, &found)
		})
	}
}

// checkBefore checks that a cut asks for the bytes from an A-sync on, among which is the
// Trace Info packet, and that a position is complete after it.
func checkBefore(t *testing.T, c *Config, b []byte, at *decode.Cut) {
	t.Helper()
	var kinds []Kind
	for i := at.At - at.Before; i <= at.At; {
		var p Packet
		if err := c.Parse(&p, b[i:]); err != nil {
			t.Fatalf("before the cut at %d: %v", at.At, err)
		}
		kinds = append(kinds, p.Kind)
		i += p.Len
	}
	if kinds[0] != ASync || slices.Contains(kinds[1:], ASync) || !slices.Contains(kinds, TraceInfo) {
		t.Errorf("before the cut at %d: packets %v", at.At, kinds)
	}
	if k := kinds[len(kinds)-1]; k != AddressContext && k != Address && k != Context {
		t.Errorf("the cut at %d is a packet %v", at.At, k)
	}
}

// finds are what a Cutter found in a stream.
type finds struct {
	cuts   []decode.Cut
	bounds []int
}

func (f *finds) positions() (at []int) {
	for i := range f.cuts {
		at = append(at, f.cuts[i].At)
	}
	return at
}

func (f *finds) equal(g *finds) bool {
	return slices.Equal(f.cuts, g.cuts) && slices.Equal(f.bounds, g.bounds)
}

// findIn finds the cuts in b[from:], so many bytes a call more.
func findIn(t testing.TB, c *Config, b []byte, from, step int) (f finds) {
	t.Helper()
	cutter := c.NewCutter()
	settled := from
	for to := from; ; {
		to = min(len(b), to+step)
		cuts := cutter.Find(b[settled:to:to], to == len(b))
		for _, x := range cuts.At {
			if x.Before > x.At {
				t.Fatalf("the cut at %d asks for %d bytes, of which %d are settled", settled+x.At, x.Before, x.Before-x.At)
			}
			x.At += settled
			f.cuts = append(f.cuts, x)
		}
		for _, x := range cuts.Bounds {
			f.bounds = append(f.bounds, settled+x)
		}
		if cuts.Settled < 0 || settled+cuts.Settled > to {
			t.Fatalf("%d bytes settled of %d", cuts.Settled, to-settled)
		}
		settled += cuts.Settled
		if to == len(b) {
			return f
		}
	}
}

// checkAnywhere checks that a Cutter that begins anywhere finds no cut that the one from the
// start does not find, and all after a cut where it begins.
func checkAnywhere(t testing.TB, c *Config, b []byte, all *finds) {
	t.Helper()
	if _, ok := c.NewCutter().(decode.AnywhereCutter); !ok {
		return
	}
	for from := range b {
		found := findIn(t, c, b, from, 64)
		for _, at := range found.positions() {
			if !slices.Contains(all.positions(), at) {
				t.Errorf("from %d on: another cut, at %d", from, at)
			}
		}
		if i := slices.Index(all.positions(), from); i >= 0 && !slices.Equal(found.positions(), all.positions()[i+1:]) {
			t.Errorf("from the cut at %d on: cuts at %d", from, found.positions())
		}
	}
}

// Only streams without speculation are looked at from anywhere.
func TestBeginsAnywhere(t *testing.T) {
	if _, ok := plain.NewCutter().(decode.AnywhereCutter); !ok {
		t.Error("MAXSPEC 0: the cutter cannot begin anywhere")
	}
	if _, ok := spec255.NewCutter().(decode.AnywhereCutter); ok {
		t.Error("MAXSPEC 255: the cutter can begin anywhere")
	}
}

// What the packets between Trace Info and the cut report holds after it, even if their bytes
// are lost.
func TestPreserved(t *testing.T) {
	wide := plain
	wide.Timestamp64 = true
	none := schema.Null[uint32]{}
	for _, tt := range []struct {
		cfg    *Config
		stream string
		want   decode.Preserved
	}{
		{&plain, syncA + syncT + at1000, decode.Preserved{VMID: none}},
		{&plain, syncA + "02 05" + syncT + at1000, decode.Preserved{VMID: none}},
		{&plain, syncA + syncT + "02 85 01 02 07" + at1000, decode.Preserved{TimestampRaw: 0x87, TimestampBits: 48, VMID: none}},
		{&wide, syncA + syncT + "02 07" + at1000, decode.Preserved{TimestampRaw: 7, TimestampBits: 64, VMID: none}},
		{&plain, syncA + syncT + "81 71 09 00 00 00 04" + at1000, decode.Preserved{VMID: schema.Of[uint32](9)}},
	} {
		found := findIn(t, tt.cfg, unhex(t, tt.stream), 0, 1000)
		if len(found.cuts) != 1 || found.cuts[0].Preserved != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.stream, found.cuts, tt.want)
		}
	}
}

// Far from its A-sync nothing is a cut, so that what a cut needs is bounded.
func TestFarSyncPoint(t *testing.T) {
	head := unhex(t, syncA+syncT)
	for _, tt := range []struct{ ignores, cuts int }{
		{maxSyncBytes - len(head), 1},
		{maxSyncBytes - len(head) + 1, 0},
	} {
		c := plain
		c.Minor = minorIgnore
		b := slices.Concat(head, slices.Repeat([]byte{0x70}, tt.ignores), unhex(t, at1000))
		for _, step := range []int{1000, len(b)} {
			if got := findIn(t, &c, b, 0, step); len(got.cuts) != tt.cuts {
				t.Errorf("after %d bytes, in steps of %d: %d cuts, want %d", tt.ignores, step, len(got.cuts), tt.cuts)
			}
		}
	}
}
