package synth_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/synth"
	"github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// PTMs of the golden vectors: without anything but the flow of the program, and
// with a return stack.
var (
	plain  = synth.PFTOptions{}
	stacks = synth.PFTOptions{Config: pft.Config{Minor: 1, ReturnStack: true}, ReturnStackDepth: 4}
)

// timed is a PTM with timestamps of 48 bits in binary, a tick a cycle, from 128
// on.
func timed() synth.PFTOptions {
	return synth.PFTOptions{Config: pft.Config{Minor: 1}, Timestamps: true, TimestampBase: 128, CyclesPerTick: 1}
}

// The golden vectors of the PFT notes (§13; T5.x are the examples of IHI 0035B,
// §5.2 and §5.3), from execution to bytes. Bytes are as there, but for atoms,
// which are packed here; rows are those given there. "A" is an A-sync.
var golden = []struct {
	name    string
	options synth.PFTOptions
	memory  string
	steps   string
	want    string
	rows    string // I: instruction, X: exception, R: exception return
}{
	{
		name:   "T5.1 after non-waypoints",
		memory: "18:18f09fe5 f00:3f00000a 1004:010080e2010080e2 3000:feffffea",
		steps:  "f00>1004 1004 1008 !irq:100c>18 18>3000 3000>3000",
		want:   "A 08 000f0000 21 84 728510 8d808080481c 8130 84",
		rows:   "I f00 E | I 1004 ? | I 1008 ? | X IRQ ret 100c to 18 | I 18 E | I 3000 E",
	},
	{
		name:   "T5.2 right behind a waypoint",
		memory: "18:18f09fe5 f00:3f00000a 1004:010080e2 3000:feffffea",
		steps:  "f00>1004 !irq:1004>18 18>3000 3000>3000",
		want:   "A 08 000f0000 21 84 8d808080481c 8130 84",
		rows:   "I f00 E | X IRQ ret 1004 to 18 | I 18 E | I 3000 E",
	},
	{
		name:   "T5.3 back to back",
		memory: "18:18f09fe5 1c:18f09fe5 1000:0100a0e30200a0e3feffffea 2000:3e0000ea 2100:04f05ee2 3000:3e0000ea 3100:04f05ee2",
		steps:  "1000 !irq:1004>18 !fiq:18>1c 1c>2000 2000>2100 2100>18 18>3000 3000>3100 3100>1004 1004 1008>1008",
		want:   "A 08 00100000 21 7201 8d808080481c 8f808080481e 8120 84 8d00 8130 84 8310 84",
		rows:   "I 1000 ? | X IRQ ret 1004 to 18 | X FIQ ret 18 to 1c | I 1c E | I 2000 E | I 2100 E | I 18 E | I 3000 E | I 3100 E | I 1004 ? | I 1008 E",
	},
	{
		name:   "T5.4 behind a branch at the vector",
		memory: "18:18f09fe5 1c:18f09fe5 1000:0100a0e30200a0e3feffffea 2000:3e0000ea 2100:04f05ee2 3000:3e0000ea 3100:04f05ee2",
		steps:  "1000 !irq:1004>18 18>3000 !fiq:3000>1c 1c>2000 2000>2100 2100>3000 3000>3100 3100>1004 1004 1008>1008",
		want:   "A 08 00100000 21 7201 8d808080481c 8130 8f808080481e 8120 84 8130 84 8310 84",
		rows:   "I 1000 ? | X IRQ ret 1004 to 18 | I 18 E | X FIQ ret 3000 to 1c | I 1c E | I 2000 E | I 2100 E | I 3000 E | I 3100 E | I 1004 ? | I 1008 E",
	},
	{
		name:   "T5.5 behind a NOP at the vector",
		memory: "18:00bf71e0 1c:dff804f0 100:def3048f 1000:0100a0e30200a0e3feffffea 2000:3e0000ea 2100:04f05ee2",
		steps:  "1000 !irq:1004>18t 18t !fiq:1at>1ct 1ct>2000 2000>2100 2100>1at 1at>100t 100t>1004 1004 1008>1008",
		want:   "A 08 00100000 21 7201 99808080501c 7219 9d808080501e 81a0808008 84 9b80808010 84 8390808008 84",
		rows:   "I 1000 ? | X IRQ ret 1004 to 18 | I 18 ? | X FIQ ret 1a to 1c | I 1c E | I 2000 E | I 2100 E | I 1a E | I 100 E | I 1004 ? | I 1008 E",
	},
	{
		name:   "T5.7 data abort behind a waypoint",
		memory: "10:18f09fe5 f00:00f090e5 1004:000090e5 3400:feffffea",
		steps:  "f00>1004 !data_abort:1004>10 10>3400 3400>3400",
		want:   "A 08 000f0000 21 8310 898080804818 8134 84",
		rows:   "I f00 E | X DABT ret 1004 to 10 | I 10 E | I 3400 E",
	},
	{
		name:   "trace on between two exceptions",
		memory: "18:18f09fe5 1c:18f09fe5 2000:3e0000ea 2100:04f05ee2 3000:3e0000ea",
		steps:  "!fiq:18>1c 1c>2000 2000>2100 2100>18 18>3000 3000>3100",
		want:   "A 08 18000000 21 8f808080481e 8120 84 8d00 8130 84",
		rows:   "X FIQ ret 18 to 1c | I 1c E | I 2000 E | I 2100 E | I 18 E | I 3000 E",
	},
	{
		name:   "N atoms",
		memory: "8000:000050e30000000a0010a0e3fbffff1afeffffea",
		steps:  "8000 8004>800c 800c/N 8010>8010 8010>8010",
		want:   "A 08 00800000 21 a8",
		rows:   "I 8000 ? | I 8004 E | I 800c N | I 8010 E | I 8010 E",
	},
	{
		name:    "a packet pushes, an atom pops",
		options: stacks,
		memory:  "8000:33ff2fe10000a0e1feffffea 9000:1eff2fe1",
		steps:   "8000>9000 9000>8004 8004 8008>8008",
		want:    "A 08 00800000 21 8110 88",
		rows:    "I 8000 E | I 9000 E | I 8004 ? | I 8008 E",
	},
	{
		name:    "return stack, nested",
		options: stacks,
		memory:  "8000:fe0300ebfeffffea 9000:fe0300eb1eff2fe1 a000:1eff2fe1",
		steps:   "8000>9000 9000>a000 a000>9004 9004>8004 8004>8004",
		want:    "A 08 00800000 21 c0",
		rows:    "I 8000 E | I 9000 E | I a000 E | I 9004 E | I 8004 E",
	},
	{
		name:    "return stack off",
		options: plain,
		memory:  "8000:fe0300ebfeffffea 9000:1eff2fe1",
		steps:   "8000>9000 9000>8004 8004>8004",
		want:    "A 08 00800000 21 84 03 84",
		rows:    "I 8000 E | I 9000 E | I 8004 E",
	},
	{
		name:    "a packet leaves the return stack alone",
		options: stacks,
		memory:  "8000:fe0300ebfeffffea 9000:13ff2fe1 a000:1eff2fe1",
		steps:   "8000>9000 9000>a000 a000>8004 8004>8004",
		want:    "A 08 00800000 21 84 8120 88",
		rows:    "I 8000 E | I 9000 E | I a000 E | I 8004 E",
	},
	{
		name:    "BLX immediate to T32 and back",
		options: stacks,
		memory:  "8000:fe0300fafeffffea 9000:7047",
		steps:   "8000>9000t 9000t>8004 8004>8004",
		want:    "A 08 00800000 21 90",
		rows:    "I 8000 E | I 9000 E | I 8004 E",
	},
	{
		name:    "BLX immediate to A32 and back",
		options: stacks,
		memory:  "8000:00bf00f0feeffee7 9000:1eff2fe1",
		steps:   "8000t 8002t>9000 9000>8006t 8006t>8006t",
		want:    "A 08 01800000 21 90",
		rows:    "I 8000 ? | I 8002 E | I 9000 E | I 8006 E",
	},
	{
		name:   "ISB, E and N",
		memory: "8000:6ff07ff5fffffffa 8008:08bfbff36f8ffee7",
		steps:  "8000 8004>8008t 8008t 800at/N 800et>800et",
		want:   "A 08 00800000 21 a4",
		rows:   "I 8000 E | I 8004 E | I 8008 ? | I 800a N | I 800e E",
	},
	{
		name:    "DMB is a waypoint",
		options: synth.PFTOptions{Config: pft.Config{Minor: 1, DataBarriers: true}},
		memory:  "8000:5bf07ff54ff07ff5feffffea",
		steps:   "8000 8004 8008>8008",
		want:    "A 08 00800000 21 90",
		rows:    "I 8000 E | I 8004 E | I 8008 E",
	},
	{
		name:   "DMB is no waypoint",
		memory: "8000:5bf07ff54ff07ff5feffffea",
		steps:  "8000 8004 8008>8008",
		want:   "A 08 00800000 21 84",
		rows:   "I 8000 ? | I 8004 ? | I 8008 E",
	},
	{
		name:   "change of the security state",
		memory: "8000:0ef0b0e1 9000:feffffea",
		steps:  "8000>9000n 9000n>9000n",
		want:   "A 08 00800000 21 8150 01 84",
		rows:   "I 8000 E | I 9000 E",
	},
	{
		name:   "entry to Hyp mode",
		memory: "14:feffffea 8000:700040e1",
		steps:  "8000n !hyp:8004n>14h 14h>14h",
		want:   "A 08 00800000 29 7201 8b808080488720 84",
		rows:   "I 8000 ? | X HYP ret 8004 to 14 | I 14 E",
	},
	{
		name:   "SVC",
		memory: "8:feffffea 8000:01dffee7",
		steps:  "8000t !svc:8002t>8 8>8",
		want:   "A 08 01800000 21 7201 858080804814 84",
		rows:   "I 8000 ? | X SVC ret 8002 to 8 | I 8 E",
	},
	{
		name:   "UDF",
		memory: "4:feffffea 8000:f000f0e7feffffea",
		steps:  "8000 !undefined:8000>4 4>4",
		want:   "A 08 00800000 21 7201 838080804812 84",
		rows:   "I 8000 ? | X UNDEF ret 8004 to 4 | I 4 E",
	},
	{
		name:   "reset",
		memory: "0:feffffea 8000:0000a0e1feffffea",
		steps:  "8000 !reset:8004>0 0>0",
		want:   "A 08 00800000 21 818080804810 84",
		rows:   "X RESET ret 8000 to 0 | I 0 E",
	},
	{
		name:   "ERET in Hyp mode, 1.0 has no packet for it",
		memory: "8000:6e0060e1feffffea 9000:feffffea",
		steps:  "8000h>9000h 9000h>9000h",
		want:   "A 08 00800000 2b 8110 84",
		rows:   "I 8000 E | I 9000 E",
	},
	{
		name:    "exception return, not by the return stack",
		options: stacks,
		memory:  "8000:fe0300ebfeffffea 9000:0ef0b0e1",
		steps:   "8000>9000 9000>8004 8004>8004",
		want:    "A 08 00800000 21 84 03 76 84",
		rows:    "I 8000 E | I 9000 E | R | I 8004 E",
	},
	{
		name:    "ENTERX, HBL, return",
		options: stacks,
		memory:  "8000:bff31f8f80c3fee7 a000:7047",
		steps:   "8000t>8004j 8004j>a000j a000j>8006j 8006j>8006j",
		want:    "A 08 01800000 21 84 81c0828050 40 88",
		rows:    "I 8000 E | I 8004 E | I a000 E | I 8006 E",
	},
	{
		name: "context ID and VMID",
		options: synth.PFTOptions{
			Config: pft.Config{Minor: 1, ContextIDBytes: 4}, TraceVMID: true, VMID: 5,
		},
		memory: "8000:00f020e3feffffea",
		steps:  "8000n/ctx=287454020 8004n>8004n/ctx=305419896 8004n>8004n/ctx=305419896",
		want:   "A 08 00800000 29 44332211 3c05 84 6e78563412 84",
		rows:   "I 8000 ? | I 8004 E | I 8004 E",
	},
	{
		name:    "cycle-accurate",
		options: synth.PFTOptions{Config: pft.Config{Minor: 1, CycleAccurate: true}},
		memory:  "8000:0000a0e10100000a0000a0e118f09fe5 9000:feffffea",
		steps:   "8000/cc=3 8004/N/cc=16 8008/cc=2 800c>9000/cc=509 9000>9000/cc=1",
		want:    "A 08 00800000 21 80 ce01 8110 7c1f 84",
		rows:    "I 8000 ? | I 8004 N | I 8008 ? | I 800c E | I 9000 E",
	},
	{
		name: "timestamp, 64 bits",
		options: synth.PFTOptions{
			Config:     pft.Config{Minor: 1, CycleAccurate: true, Timestamp64: true},
			Timestamps: true, TimestampBase: 1118751041293,
		},
		memory: "8000:feffffea",
		steps:  "8000>8000/cc=1",
		want:   "A 08 00800000 21 80 42 8dce88d6c7a0808000 00 84",
		rows:   "I 8000 E",
	},
	{
		name: "timestamp, 48 bits in Gray code",
		options: synth.PFTOptions{
			Config:     pft.Config{Minor: 1, CycleAccurate: true, TimestampGray: true},
			Timestamps: true, TimestampBase: 478050856890,
		},
		memory: "8000:feffffea",
		steps:  "8000>8000/cc=1",
		want:   "A 08 00800000 21 80 42 e7f0aec88e8b00 00 84",
		rows:   "I 8000 E",
	},
	// Not among the vectors; worked out from §3 to §10 of the notes.
	{
		name:    "the return stack has the address, in the other instruction set",
		options: stacks,
		memory:  "8000:fe0300eb00bffee7 9000:1eff2fe1",
		steps:   "8000>9000 9000>8004t 8004t 8006t>8006t",
		want:    "A 08 00800000 21 84 8580828010 84", // A[6:1] = 2, A[13:7] = 0, A[20:14] = 2
		rows:    "I 8000 E | I 9000 E | I 8004 ? | I 8006 E",
	},
	{
		name:    "to the instruction set stated last, from another",
		options: plain,
		memory:  "8000:fe0300fa 9000:7047 a000:feffffea",
		steps:   "8000>9000t 9000t>a000 a000>a000",
		want:    "A 08 00800000 21 84 81a0818008 84",
		rows:    "I 8000 E | I 9000 E | I a000 E",
	},
	{
		name:   "direct branch behind a change of the security state",
		memory: "8000:fe0300ea 9000:feffffea",
		steps:  "8000>9000n 9000n>9000n",
		want:   "A 08 00800000 21 8150 01 84",
		rows:   "I 8000 E | I 9000 E",
	},
	{
		name:   "information needs two address bytes",
		memory: "8000:0ef0b0e1feffffea",
		steps:  "8000>8004n 8004n>8004n",
		want:   "A 08 00800000 21 8340 01 84",
		rows:   "I 8000 E | I 8004 E",
	},
	{
		name:   "leaving Hyp mode",
		memory: "8000:6e0060e1 9000:feffffea",
		steps:  "8000h>9000n 9000n>9000n",
		want:   "A 08 00800000 2b 8150 8100 84",
		rows:   "I 8000 E | I 9000 E",
	},
	{
		name:    "time behind an exception, in as few bytes as changed",
		options: timed(),
		memory:  "8:feffffea 8000:01dffee7",
		steps:   "8000t/cc=3 !svc:8002t>8 8>8",
		want:    "A 08 01800000 21 42 80818080808000 7201 858080804814 42 03 84",
		rows:    "I 8000 ? | X SVC ret 8002 to 8 | I 8 E",
	},
	{
		name:    "time behind an exception return",
		options: timed(),
		memory:  "8000:0ef0b0e1 9000:feffffea",
		steps:   "8000>9000/cc=300 9000>9000",
		want:    "A 08 00800000 21 42 80818080808000 8110 76 42 ac03 84", // 428 = 3·128 + 44
		rows:    "I 8000 E | R | I 9000 E",
	},
	{
		name:    "synchronisation, cycle-accurate: only at a waypoint, no count",
		options: synth.PFTOptions{Config: pft.Config{Minor: 1, CycleAccurate: true}, SyncBytes: 1},
		memory:  "8000:0000a0e1feffffea",
		steps:   "8000/cc=1 8004>8004/cc=2",
		want:    "A 08 00800000 21 80 8c A 08 04800000 01",
		rows:    "I 8000 ? | I 8004 E",
	},
	{
		name:   "T32 in the last two bytes of memory",
		memory: "8000:fee7",
		steps:  "8000t>8000t",
		want:   "A 08 01800000 21 84",
		rows:   "I 8000 E",
	},
}

func TestPFTGolden(t *testing.T) {
	for _, tt := range golden {
		t.Run(tt.name, func(t *testing.T) {
			steps := parseSteps(t, tt.memory, tt.steps)
			got, truth := encode(t, tt.options, steps)
			want := unhex(t, strings.ReplaceAll(tt.want, "A", "000000000080"))
			if !bytes.Equal(got, want) {
				t.Errorf("got  % x\nwant % x", got, want)
			}
			parseBack(t, &tt.options.Config, got)
			checkTruth(t, truth, steps, tt.rows)
		})
	}
}

// vectorTypes are the exception types as the golden vectors write them.
var vectorTypes = map[string]string{
	"IRQ": "irq", "FIQ": "fiq", "SVC": "svc", "UNDEF": "undefined", "DABT": "data_abort", "HYP": "hyp", "RESET": "reset",
}

// checkTruth compares the truth with rows: with the hash of their instructions,
// and the exceptions one by one.
func checkTruth(t *testing.T, truth *synth.Truth, steps synth.Steps, rows string) {
	t.Helper()
	type instruction struct{ size, isa byte }
	at := make(map[uint64]instruction)
	for s := range steps {
		if s.Entered {
			continue
		}
		at[uint64(s.At.Address)] = instruction{s.Instruction.Size, byte(s.At.ISA)}
	}
	hash := fnv.New64a()
	instructions := int64(0)
	var exceptions []string
	for row := range strings.SplitSeq(rows, " | ") {
		f := strings.Fields(row)
		switch f[0] {
		case "I":
			address, _ := strconv.ParseUint(f[1], 16, 32)
			in := at[address]
			executed := strings.Index("NE?", f[2])
			hash.Write([]byte{
				byte(address), byte(address >> 8), byte(address >> 16), byte(address >> 24),
				in.size, in.isa, byte(executed),
			})
			instructions++
		case "X":
			exceptions = append(exceptions, fmt.Sprintf("%d %s %s %s", instructions, vectorTypes[f[1]], f[3], f[5]))
		case "R":
			exceptions = append(exceptions, fmt.Sprintf("%d return", instructions))
		}
	}
	var got []string
	for _, x := range truth.Exceptions {
		if x.Event == "return" {
			got = append(got, fmt.Sprintf("%d return", x.Seq))
		} else {
			got = append(got, fmt.Sprintf("%d %s %x %x", x.Seq, x.Type, uint32(*x.ReturnAddress), uint32(*x.Target)))
		}
	}
	if !slices.Equal(got, exceptions) {
		t.Errorf("exceptions %q, want %q", got, exceptions)
	}
	if truth.Instructions != instructions || uint64(truth.Program) != hash.Sum64() {
		t.Errorf("%d instructions with hash %x, want %d with %x", truth.Instructions, uint64(truth.Program), instructions, hash.Sum64())
	}
}

// encode traces steps, and returns the bytes and the truth.
func encode(t *testing.T, o synth.PFTOptions, steps synth.Steps) ([]byte, *synth.Truth) {
	t.Helper()
	var out bytes.Buffer
	e := synth.NewPFT(&out, o)
	if err := e.Encode(steps); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), e.Truth()
}

// parseBack holds that the bytes are packets, and in the form the codec would
// write them.
func parseBack(t *testing.T, c *pft.Config, b []byte) []pft.Packet {
	t.Helper()
	var packets []pft.Packet
	for at := 0; at < len(b); {
		var p pft.Packet
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

// parseSteps reads words of the form PLACE[>NEXT][/N][/cc=CYCLES][/ctx=ID] or
// !EXCEPTION:PLACE>HANDLER. A place is an address in hex and t or j for T32 or
// ThumbEE (e is a digit), n or h for non-secure or Hyp. Memory is address:bytes.
func parseSteps(t *testing.T, memory, words string) synth.Steps {
	t.Helper()
	program := parseProgram(t, memory)
	var steps []synth.Step
	for word := range strings.FieldsSeq(words) {
		steps = append(steps, parseStep(t, program, word))
	}
	return all(steps)
}

func parseStep(t *testing.T, program *synth.Program, word string) synth.Step {
	t.Helper()
	var s synth.Step
	parts := strings.Split(word, "/")
	from, to, branches := strings.Cut(parts[0], ">")
	if strings.HasPrefix(from, "!") {
		var name string
		name, from, _ = strings.Cut(from[1:], ":")
		kind := slices.Index(schema.ExceptionTypeNames, name)
		if kind < 0 {
			t.Fatalf("exception %q", name)
		}
		s.Entered, s.Exception = true, schema.ExceptionType(kind)
	}
	s.At = parsePlace(t, from)
	if !s.Entered {
		var err error
		if s.Instruction, err = program.Instruction(s.At); err != nil {
			t.Fatal(err)
		}
	}
	s.Next = s.At
	s.Next.Address += uint32(s.Instruction.Size)
	if branches {
		s.Next = parsePlace(t, to)
	}
	for _, p := range parts[1:] {
		name, value, _ := strings.Cut(p, "=")
		n, _ := strconv.ParseUint(value, 10, 32)
		switch name {
		case "N":
			s.Failed = true
		case "cc":
			s.Cycles = uint32(n)
		case "ctx":
			s.ContextID = uint32(n)
		default:
			t.Fatalf("step %q", word)
		}
	}
	return s
}

func parsePlace(t *testing.T, s string) synth.Place {
	t.Helper()
	var p synth.Place
	for {
		switch s[len(s)-1] {
		case 't':
			p.ISA = schema.T32
		case 'j':
			p.ISA = schema.T32EE
		case 'n':
			p.Security = schema.NonSecure
		case 'h':
			p.Security = schema.Hyp
		default:
			v, err := strconv.ParseUint(s, 16, 32)
			if err != nil {
				t.Fatalf("place %q: %v", s, err)
			}
			p.Address = uint32(v)
			return p
		}
		s = s[:len(s)-1]
	}
}

func all(steps []synth.Step) synth.Steps {
	return func(yield func(synth.Step, error) bool) {
		for _, s := range steps {
			if !yield(s, nil) {
				return
			}
		}
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// More than 4096 bytes without a waypoint: the 1025th instruction is upgraded,
// at 0x9000. The branch packet behind it has bytes enough for an address
// compressed against 0x8000 (bit 12 differs: two bytes) and for one compressed
// against 0x9000.
func TestPFTLongStraightCode(t *testing.T) {
	memory := "8000:" + strings.Repeat("0000a0e1", 1500) + "1eff2fe1"
	var steps strings.Builder
	for address := 0x8000; address < 0x9770; address += 4 {
		fmt.Fprintf(&steps, "%x ", address)
	}
	got, truth := encode(t, plain, parseSteps(t, memory, steps.String()+"9770>8004 8004"))
	want := unhex(t, "000000000080 0800800000 21 72 8110 8300")
	if !bytes.Equal(got, want) {
		t.Errorf("got  % x\nwant % x", got, want)
	}
	if truth.Instructions != 1501 || truth.Untold != 1500 {
		t.Errorf("%d instructions, %d of them untold, want 1501, 1500", truth.Instructions, truth.Untold)
	}
}

// A return stack of two entries keeps the youngest: the outermost of three
// returns has a packet, one byte for 0x8004 against 0x8000.
func TestPFTReturnStackDepth(t *testing.T) {
	o := stacks
	o.ReturnStackDepth = 2
	memory := "8000:fe0300ebfeffffea 9000:fe0300eb1eff2fe1 a000:fe0300eb1eff2fe1 b000:1eff2fe1"
	steps := "8000>9000 9000>a000 a000>b000 b000>a004 a004>9004 9004>8004 8004>8004"
	got, _ := encode(t, o, parseSteps(t, memory, steps))
	want := unhex(t, "000000000080 0800800000 21 c0 03 84")
	if !bytes.Equal(got, want) {
		t.Errorf("got  % x\nwant % x", got, want)
	}
}

// How many address bytes a branch packet has if it goes from 0 to an address
// with one bit set, by that bit (§3.5 of the notes: A32 sends A[7:2], A[13:8],
// A[20:15], A[27:22] in a last byte; T32 one bit less each time).
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
			got, _ := encode(t, plain, parseSteps(t, tt.memory, fmt.Sprintf("0%s>%x%s", tt.set, 1<<bit, tt.set)))
			packets := parseBack(t, &pft.Config{}, got)
			if p := packets[len(packets)-1]; p.Kind != pft.BranchAddress || p.AddressBytes != want {
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
		got, truth := encode(t, o, parseSteps(t, "8000:0ef0b0e1 9000:feffffea", "8000>9000/cc=1 9000>9000"))
		packets := parseBack(t, &o.Config, got)
		if p := packets[len(packets)-2]; p.Kind != pft.Timestamp || p.TimestampBytes != want {
			t.Errorf("%d bits changed: %d bytes, want %d", width, p.TimestampBytes, want)
		}
		if last := truth.Timestamps[len(truth.Timestamps)-1]; last.Timestamp != 1<<(width-1) {
			t.Errorf("%d bits changed: the truth is %d", width, last.Timestamp)
		}
	}
}

// Branch broadcast: a taken direct branch is a packet.
func TestPFTBranchBroadcast(t *testing.T) {
	o := plain
	o.BranchBroadcast = true
	memory := "8000:000050e30000000a0010a0e3fbffff1afeffffea"
	got, _ := encode(t, o, parseSteps(t, memory, "8000 8004>800c 800c/N 8010>8010"))
	want := unhex(t, "000000000080 0800800000 21 07 86 09")
	if !bytes.Equal(got, want) {
		t.Errorf("got  % x\nwant % x", got, want)
	}
}

// With a period of fewer bytes than synchronisation itself takes, it comes
// behind every waypoint. It lets no atom wait, empties the return stack, and
// states time and Context ID in full.
func TestPFTPeriodicSync(t *testing.T) {
	o := stacks
	o.ContextIDBytes, o.SyncBytes = 1, 15
	o.Timestamps, o.TimestampBase, o.CyclesPerTick = true, 128, 1
	memory := "8000:fe0300ebfeffffea 9000:1eff2fe1"
	got, truth := encode(t, o, parseSteps(t, memory, "8000>9000/cc=4/ctx=7 9000>8004/cc=4/ctx=7 8004>8004/ctx=7"))
	want := unhex(t, "000000000080 0800800000 21 07 42 80818080808000"+
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
		{"more cycles than a count holds", "8000/cc=4294967295 8004/cc=1", "more cycles"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := plain
			o.CycleAccurate = true
			err := synth.NewPFT(io.Discard, o).Encode(parseSteps(t, "8000:"+strings.Repeat("0000a0e1", 8), tt.steps))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
