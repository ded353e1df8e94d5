package etmv4_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/encode/etmv4"
	"github.com/tracelake/tracelake/bench/internal/benchtest"
	"github.com/tracelake/tracelake/bench/truth"
	codec "github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/schema"
)

// Trace units of the golden vectors.
var (
	plain    = etmv4.Options{Config: codec.Config{Profile: "A", CommOpt: true}}
	stacks   = etmv4.Options{Config: codec.Config{Profile: "A", CommOpt: true, ReturnStack: true}, ReturnStackDepth: 4}
	counted  = etmv4.Options{Config: codec.Config{Profile: "A", CommOpt: true, CycleCounting: true, CycleBits: 12}, Threshold: 4}
	micro    = etmv4.Options{Config: codec.Config{Profile: "M", CommOpt: true, Minor: 2}}
	contexts = etmv4.Options{Config: codec.Config{
		Profile: "A", CommOpt: true, ContextIDBytes: 4, TracesContextID: true, VMIDBytes: 1, TracesVMID: true,
	}}
)

// Vectors from execution to bytes and rows, worked out by hand from docs/etmv4.md. "A" is an A-sync, "T" a Trace Info
// that says nothing, "S" both with a Trace On and an address with context: 8000, secure, EL0.
var golden = []struct {
	name    string
	options etmv4.Options
	memory  string
	steps   string
	want    string
	rows    string // instructions by address with E, N or ? and cycles; in brackets what is between them
}{
	{
		"atoms", plain,
		"8000:000050e30000000a0010a0e3fbffff1afeffffea",
		"8000 8004>800c 800c/N 8010>8010 8010>8010",
		"S fd f7",
		"8000? 8004E 800cN 8010E 8010E",
	},
	{
		"an exception in straight code", plain,
		"18:18f09fe5 f00:3f00000a 1004:010080e2010080e2 3000:feffffea",
		"f00>1004 1004 1008 !irq:100c>18 18>3000 3000>3000",
		"A T 04 82 40070000 00 f7 061d 958308 958600 f7 958018 f7",
		"f00E 1004? 1008? [irq 14 back 100c to 18] 18E 3000E",
	},
	{
		"an exception behind a branch whose target was not told", plain,
		"18:18f09fe5 8000:1eff2fe1 9000:1eff2fe1",
		"8000>9000 !irq:9000>18 18>3000",
		"S f7 065c 958048 958600 f7",
		"8000E [irq 14 back 9000 to 18] 18E",
	},
	{
		"two exceptions, the first without a handler", plain,
		"18:18f09fe5 1c:18f09fe5 8000:1eff2fe1",
		"!irq:8000>18 !fiq:18>1c 1c>2000",
		"S 061d 90 065e 958600 9507 f7",
		"[irq 14 back 8000 to -] [fiq 15 back 18 to 1c] 1cE",
	},
	{
		"an undefined instruction traps", plain,
		"4:feffffea 8000:000050e3f000f0e7",
		"8000 8004 !undefined:8004>4 4>4",
		"S 0607 9501 958100 f7",
		"8000? [trap 3 back 8004 to 4] 4E",
	},
	{
		"the return stack", stacks,
		"8000:fe0300ebfeffffea 9000:fe0300eb1eff2fe1 a000:1eff2fe1",
		"8000>9000 9000>a000 a000>9004 9004>8004 8004>8004",
		"S c1",
		"8000E 9000E a000E 9004E 8004E",
	},
	{
		"no return stack", plain,
		"8000:fe0300ebfeffffea 9000:fe0300eb1eff2fe1 a000:1eff2fe1",
		"8000>9000 9000>a000 a000>9004 9004>8004 8004>8004",
		"S ff 958148 f7 958140 f7",
		"8000E 9000E a000E 9004E 8004E",
	},
	{
		"exact matches", plain,
		"8000:1eff2fe1 9000:1eff2fe1",
		"8000>9000 9000>8000 8000>9000 9000>8000",
		"S f7 958048 f7 91 f7 91 f7",
		"8000E 9000E 8000E 9000E",
	},
	{
		"BLX to T32 and back", plain,
		"8000:fe0300fafeffffea 9000:7047",
		"8000>9000t 9000t>8004 8004>8004",
		"S db 9501 f7",
		"8000E 9000E 8004E",
	},
	{
		"an address in T32", plain,
		"8000:1eff2fe1 9002:7047",
		"8000>9002t 9002t>8000",
		"S f7 968190 f7",
		"8000E 9002E",
	},
	{
		"trace off and on", plain,
		"8000:feffffea 9000:1eff2fe1",
		"8000>8000 8000>8000/off 8000>8000",
		"S f7 04 82 00400000 00 f7",
		"8000E [trace_on 8000] 8000E",
	},
	{
		"an overflow", plain,
		"8000:feffffea",
		"8000>8000 8000>8000/full 8000>8000",
		"S f7 0005 S f7",
		"8000E [overflow 8000] 8000E",
	},
	{
		"cycles: unknown first, less than the threshold in the next", counted,
		"8000:feffffea",
		"8000>8000/cc=5 8000>8000/cc=4 8000>8000/cc=3 8000>8000/cc=2 8000>8000/cc=30",
		"A 01 09 01 04 04 82 00400000 00 f7 0f f7 10 db 11 f7 0e1a",
		"8000E [unknown cycles] 8000E/4 [4 cycles] 8000E 8000E/5 [5 cycles] 8000E/30 [30 cycles]",
	},
	{
		"Context ID and VMID", contexts,
		"8000:feffffea",
		"8000>8000/ctx=5/vmid=3 8000>8000/ctx=6/vmid=3",
		"A T 04 82 00400000 c0 03 05000000 f7 81 c0 03 06000000 f7",
		"8000E [context 6 3] 8000E",
	},
	{
		"interrupts of profile M", micro,
		"100:7047 8000:00bf00bf",
		"8000t !irq:8002t>100t/number=9 100t>8002t/ret",
		"A T 04 83 00800000 00 069310 9601 968001 f7",
		"8000? [irq 521 back 8002 to 100] 100E",
	},
}

// words tells the truth of a stream in words.
type words struct {
	truth.Rows
	list []string
}

func (w *words) add(format string, args ...any) {
	w.list = append(w.list, fmt.Sprintf(format, args...))
}

func (w *words) Instruction(x *truth.Instruction) {
	outcome := "?"
	if x.Executed.OK {
		outcome = map[bool]string{true: "E", false: "N"}[x.Executed.V]
	}
	if x.Cycles.OK {
		outcome += fmt.Sprint("/", x.Cycles.V)
	}
	w.add("%x%s", uint64(x.Address), outcome)
}

func (w *words) Exception(x *truth.Exception) {
	place := func(a schema.Null[schema.Address]) string {
		if !a.OK {
			return "-"
		}
		return fmt.Sprintf("%x", uint64(a.V))
	}
	w.add("[%s %d back %s to %s]", x.Type.V, x.Number.V, place(x.ReturnAddress), place(x.Target))
}

func (w *words) CycleCount(x *truth.CycleCount) {
	if x.Cycles.OK {
		w.add("[%d cycles]", x.Cycles.V)
	} else {
		w.add("[unknown cycles]")
	}
}

func (w *words) Event(x *truth.Event) {
	if x.Seq > 0 {
		w.add("[%s %x]", x.Event, uint64(x.Address.V))
	}
}

func (w *words) Context(x *truth.Context) {
	if x.Seq > 0 {
		w.add("[context %d %d]", x.ContextID.V, x.VMID.V)
	}
}

func TestGolden(t *testing.T) {
	for _, tt := range golden {
		t.Run(tt.name, func(t *testing.T) {
			rows := &words{Rows: truth.NoRows()}
			var got bytes.Buffer
			if err := encode.All(etmv4.New(&got, rows, tt.options), benchtest.ParseSteps(t, tt.memory, tt.steps)); err != nil {
				t.Fatal(err)
			}
			const a, info = "000000000000000000000080", "010100"
			hex := strings.NewReplacer("A", a, "T", info, "S", a+info+"04820040000000").Replace(tt.want)
			if want := benchtest.Unhex(t, hex); !bytes.Equal(got.Bytes(), want) {
				t.Errorf("got  % x\nwant % x", got.Bytes(), want)
			}
			if said := strings.Join(rows.list, " "); said != tt.rows {
				t.Errorf("got  %s\nwant %s", said, tt.rows)
			}
		})
	}
}

// What a trace unit cannot trace.
func TestRefused(t *testing.T) {
	for _, tt := range []struct{ memory, steps, want string }{
		{"8000:00f020e300f020e300f020e3", "8000 8008", "instruction at 0x00008008 a32, but the core is at 0x00008004 a32"},
		{"8000:00f020e300f020e300f020e3", "8000 !irq:8008>8000", "irq returns to 0x00008008 a32, but the core is at 0x00008004 a32"},
		{"8000:00f020e3", "8000 !nmi:8004>8000", "exception nmi 0 is not traced here"},
		{"8000:00f020e3", "8000>8004j", "there is no such state in ETMv4"},
	} {
		e := etmv4.New(&bytes.Buffer{}, truth.NoRows(), plain)
		err := encode.All(e, benchtest.ParseSteps(t, tt.memory, tt.steps))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.steps, err, tt.want)
		}
	}
}
