package pft_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/encode/pft"
	"github.com/tracelake/tracelake/bench/internal/benchtest"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth/digest"
	codec "github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// encoded traces steps, and returns the bytes and the truth.
func encoded(t *testing.T, o pft.Options, steps step.Steps) ([]byte, *digest.Truth) {
	t.Helper()
	var out bytes.Buffer
	digest := digest.New(o.Source)
	if err := encode.All(pft.New(&out, digest, o), steps); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), digest.Truth()
}

// parseBack holds that the bytes are packets, and in the form the codec would
// write them.
func parseBack(t *testing.T, c *codec.Config, b []byte) []codec.Packet {
	t.Helper()
	var packets []codec.Packet
	for at := 0; at < len(b); {
		var p codec.Packet
		if err := c.Parse(&p, b[at:]); err != nil {
			t.Fatalf("packet at %d: %v", at, err)
		}
		if got := c.Append(nil, p); !bytes.Equal(got, b[at:at+p.Len]) {
			t.Fatalf("packet at %d: % x comes back as % x", at, b[at:at+p.Len], got)
		}
		packets = append(packets, p)
		at += p.Len
	}
	return packets
}

// More than 4096 bytes without a waypoint: the 1025th instruction is upgraded,
// at 0x9000. The next branch packet has bytes enough for an address
// compressed against 0x8000 (bit 12 differs: two bytes) and for one compressed
// against 0x9000.
func TestPFTLongStraightCode(t *testing.T) {
	memory := "8000:" + strings.Repeat("0000a0e1", 1500) + "1eff2fe1"
	var steps strings.Builder
	for address := 0x8000; address < 0x9770; address += 4 {
		fmt.Fprintf(&steps, "%x ", address)
	}
	got, truth := encoded(t, plain, benchtest.ParseSteps(t, memory, steps.String()+"9770>8004 8004"))
	want := benchtest.Unhex(t, "000000000080 0800800000 21 72 8110 8300")
	if !bytes.Equal(got, want) {
		t.Errorf("got  % x\nwant % x", got, want)
	}
	if truth.Instructions != 1501 || truth.Unknown != 1500 {
		t.Errorf("%d instructions, %d of them unknown, want 1501, 1500", truth.Instructions, truth.Unknown)
	}
}

// An update in T32, after a call from A32 that only an atom traces: the branch back
// to A32 states its instruction set, though A32 is the one stated last.
func TestPFTLongStraightThumb(t *testing.T) {
	memory := "8000:fe0300fa13ff2fe1feffffea 9000:" + strings.Repeat("00bf", 2049) + "7047"
	steps := strings.Builder{}
	for address := 0x9000; address < 0xa002; address += 2 {
		fmt.Fprintf(&steps, "%xt ", address)
	}
	got, _ := encoded(t, stacks, benchtest.ParseSteps(t, memory, "8000>9000t "+steps.String()+"a002t>8004 8004>8008 8008>8008"))
	want := benchtest.Unhex(t, "000000000080 0800800000 21 84 72 81c0828010 84 8580818008 84")
	if !bytes.Equal(got, want) {
		t.Errorf("got  % x\nwant % x", got, want)
	}
}

// A return stack of two entries keeps the youngest: the outermost of three
// returns has a packet, one byte for 0x8004 against 0x8000.
func TestPFTReturnStackDepth(t *testing.T) {
	o := stacks
	o.ReturnStackDepth = 2
	memory := "8000:fe0300ebfeffffea 9000:fe0300eb1eff2fe1 a000:fe0300eb1eff2fe1 b000:1eff2fe1"
	steps := "8000>9000 9000>a000 a000>b000 b000>a004 a004>9004 9004>8004 8004>8004"
	got, _ := encoded(t, o, benchtest.ParseSteps(t, memory, steps))
	want := benchtest.Unhex(t, "000000000080 0800800000 21 c0 03 84")
	if !bytes.Equal(got, want) {
		t.Errorf("got  % x\nwant % x", got, want)
	}
}

// How many address bytes a branch packet has if it goes from 0 to an address
// with one bit set, by that bit (§4.5.4: A32 sends A[7:2], A[13:8], A[20:15],
// A[27:22] in a last byte; T32 one bit less each time).
func TestPFTAddressBytes(t *testing.T) {
	for _, tt := range []struct {
		set    string
		memory string
		last   [4]int // highest bit that goes into 1, 2, 3, 4 bytes
	}{
		{"", "0:1eff2fe1", [4]int{7, 13, 20, 27}},
		{"t", "0:7047", [4]int{6, 12, 19, 26}},
	} {
		for bit := 2; bit < 32; bit++ {
			want := uint8(1)
			for _, last := range tt.last {
				if bit > last {
					want++
				}
			}
			got, _ := encoded(t, plain, benchtest.ParseSteps(t, tt.memory, fmt.Sprintf("0%s>%x%s", tt.set, 1<<bit, tt.set)))
			packets := parseBack(t, &codec.Config{}, got)
			if p := packets[len(packets)-1]; p.Kind != codec.BranchAddress || p.AddressBytes != want {
				t.Errorf("0%s to bit %d: %d address bytes, want %d", tt.set, bit, p.AddressBytes, want)
			}
		}
	}
}

// A timestamp has eight bytes up to 56 bits that changed, and nine above.
func TestPFTTimestampBytes(t *testing.T) {
	for width, want := range map[int]uint8{1: 1, 7: 1, 8: 2, 48: 7, 56: 8, 57: 9, 64: 9} {
		o := timed()
		o.Timestamp64 = true
		o.TimestampBase = 1<<(width-1) - 1 // the next tick changes that many bits
		got, truth := encoded(t, o, benchtest.ParseSteps(t, "8000:0ef0b0e1 9000:feffffea", "8000>9000/cc=1 9000>9000"))
		packets := parseBack(t, &o.Config, got)
		if p := packets[len(packets)-2]; p.Kind != codec.Timestamp || p.TimestampBytes != want {
			t.Errorf("%d bits changed: %d bytes, want %d", width, p.TimestampBytes, want)
		}
		value := uint64(1) << (width - 1)
		if width == 64 {
			value = 0 // NULL: no row can have it
		}
		if last := truth.Timestamps[len(truth.Timestamps)-1]; last.Timestamp != value {
			t.Errorf("%d bits changed: the truth is %d", width, last.Timestamp)
		}
	}
}

// Branch broadcast: a taken direct branch is a packet.
func TestPFTBranchBroadcast(t *testing.T) {
	o := plain
	o.BranchBroadcast = true
	memory := "8000:000050e30000000a0010a0e3fbffff1afeffffea"
	got, _ := encoded(t, o, benchtest.ParseSteps(t, memory, "8000 8004>800c 800c/N 8010>8010"))
	want := benchtest.Unhex(t, "000000000080 0800800000 21 07 86 09")
	if !bytes.Equal(got, want) {
		t.Errorf("got  % x\nwant % x", got, want)
	}
}

// With a period of fewer bytes than synchronisation itself takes, there is one
// after every waypoint. It lets no atom wait, empties the return stack, and states
// time and Context ID in full.
func TestPFTPeriodicSync(t *testing.T) {
	o := stacks
	o.ContextIDBytes, o.SyncBytes = 1, 15
	o.Timestamps, o.TimestampBase, o.CyclesPerTick = true, 128, 1
	memory := "8000:fe0300ebfeffffea 9000:1eff2fe1"
	got, truth := encoded(t, o, benchtest.ParseSteps(t, memory, "8000>9000/cc=4/ctx=7 9000>8004/cc=4/ctx=7 8004>8004/ctx=7"))
	want := benchtest.Unhex(t, "000000000080 0800800000 21 07 42 80818080808000"+
		"84 000000000080 0800900000 01 07 42 84818080808000"+
		"8300 000000000080 0804800000 01 07 42 88818080808000"+
		"84 000000000080 0804800000 01 07 42 88818080808000")
	if !bytes.Equal(got, want) {
		t.Errorf("got  % x\nwant % x", got, want)
	}
	if truth.Segments != 4 || truth.Bytes != int64(len(want)) {
		t.Errorf("%d segments, %d bytes, want 4, %d", truth.Segments, truth.Bytes, len(want))
	}
}

// What does not fit together is refused.
func TestPFTRefuses(t *testing.T) {
	for _, tt := range []struct{ name, steps, want string }{
		{"a gap", "8000 8008", "the core is at 0x00008004 a32"},
		{"a wrong return", "8000 !irq:8008>18", "irq returns to 0x00008008 a32"},
		{"an exception of another profile", "8000 !nmi:8004>18", "nmi is not traced"},
		{"a wrong return of an undefined instruction", "8000 !undefined:8004>18", "undefined returns to 0x00008004 a32, but the core is at 0x00008000"},
		{"more cycles than a count holds", "8000/cc=4294967295 8004/cc=1", "more cycles"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := plain
			o.CycleAccurate = true
			err := encode.All(pft.New(io.Discard, digest.New(0), o), benchtest.ParseSteps(t, "8000:"+strings.Repeat("0000a0e1", 8), tt.steps))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// An execution that fails is not traced further, one of nothing has no rows, and
// Jazelle state is refused.
func TestPFTEnds(t *testing.T) {
	broken := errors.New("broken")
	err := encode.All(pft.New(io.Discard, benchtest.Record{}, plain), func(yield func(step.Step, error) bool) { yield(step.Step{}, broken) })
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the step", err)
	}
	rows := benchtest.Record{}
	if err := encode.All(pft.New(io.Discard, rows, plain), benchtest.ParseSteps(t, gap, "8000/off 8004>9000/full 9000/off")); err != nil || len(rows) > 0 {
		t.Errorf("rows of nothing: %v, %v", rows, err)
	}
	steps := benchtest.All([]step.Step{{At: step.Place{ISA: schema.Jazelle}}})
	if err := encode.All(pft.New(io.Discard, rows, plain), steps); err == nil || !strings.Contains(err.Error(), "Jazelle") {
		t.Errorf("Jazelle state: error %v", err)
	}
}
