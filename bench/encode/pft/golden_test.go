package pft_test

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/encode/pft"
	"github.com/tracelake/tracelake/bench/internal/benchtest"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth/digest"
	codec "github.com/tracelake/tracelake/decode/pft"
)

// PTMs of the golden vectors: without anything but the flow of the program, and
// with a return stack.
var (
	plain  = pft.Options{}
	stacks = pft.Options{Config: codec.Config{Minor: 1, ReturnStack: true}, ReturnStackDepth: 4}
)

// timed is a PTM with timestamps of 48 bits in binary, a tick a cycle, from 128
// on.
func timed() pft.Options {
	return pft.Options{Config: codec.Config{Minor: 1}, Timestamps: true, TimestampBase: 128, CyclesPerTick: 1}
}

// Vectors from execution to bytes and rows, worked out by hand; T5.x are the
// examples of tables 5.1 to 5.7 (§5.2, §5.3). Atoms are packed. "A" is an A-sync.
var golden = []struct {
	name    string
	options pft.Options
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
		name:   "T5.2 right after a waypoint",
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
		name:   "T5.4 after a branch at the vector",
		memory: "18:18f09fe5 1c:18f09fe5 1000:0100a0e30200a0e3feffffea 2000:3e0000ea 2100:04f05ee2 3000:3e0000ea 3100:04f05ee2",
		steps:  "1000 !irq:1004>18 18>3000 !fiq:3000>1c 1c>2000 2000>2100 2100>3000 3000>3100 3100>1004 1004 1008>1008",
		want:   "A 08 00100000 21 7201 8d808080481c 8130 8f808080481e 8120 84 8130 84 8310 84",
		rows:   "I 1000 ? | X IRQ ret 1004 to 18 | I 18 E | X FIQ ret 3000 to 1c | I 1c E | I 2000 E | I 2100 E | I 3000 E | I 3100 E | I 1004 ? | I 1008 E",
	},
	{
		name:   "T5.5 after a NOP at the vector",
		memory: "18:00bf71e0 1c:dff804f0 100:def3048f 1000:0100a0e30200a0e3feffffea 2000:3e0000ea 2100:04f05ee2",
		steps:  "1000 !irq:1004>18t 18t !fiq:1at>1ct 1ct>2000 2000>2100 2100>1at 1at>100t 100t>1004 1004 1008>1008",
		want:   "A 08 00100000 21 7201 99808080501c 7219 9d808080501e 81a0808008 84 9b80808010 84 8390808008 84",
		rows:   "I 1000 ? | X IRQ ret 1004 to 18 | I 18 ? | X FIQ ret 1a to 1c | I 1c E | I 2000 E | I 2100 E | I 1a E | I 100 E | I 1004 ? | I 1008 E",
	},
	{
		name:   "T5.7 data abort after a waypoint",
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
		options: pft.Options{Config: codec.Config{Minor: 1, DataBarriers: true}},
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
		name:    "exception return by the return stack",
		options: stacks,
		memory:  "8000:fe0300ebfeffffea 9000:0ef0b0e1",
		steps:   "8000>9000 9000>8004 8004>8004",
		want:    "A 08 00800000 21 88 76 84",
		rows:    "I 8000 E | I 9000 E | R | I 8004 E",
	},
	{
		name:    "the entry has another security state: SMC",
		options: stacks,
		memory:  "8:0ef0b0e1 8000:fe0300ebfeffffea 9000:700060e1",
		steps:   "8000n>9000n 9000n !smc:9004n>8 8>8004n 8004n>8004n",
		want:    "A 08 00800000 29 84 728110 858080804804 84 76 84",
		rows:    "I 8000 E | I 9000 ? | X SMC ret 9004 to 8 | I 8 E | R | I 8004 E",
	},
	{
		name:    "the entry has another security state: HVC",
		options: stacks,
		memory:  "14:6e0060e1 8000:fe0300ebfeffffea 9000:700040e1",
		steps:   "8000n>9000n 9000n !hyp:9004n>14h 14h>8004n 8004n>8004n",
		want:    "A 08 00800000 29 84 728110 8b808080488720 84 76 84",
		rows:    "I 8000 E | I 9000 ? | X HYP ret 9004 to 14 | I 14 E | R | I 8004 E",
	},
	{
		name:    "the entry has another security state: Hyp, after ERET",
		options: stacks,
		memory:  "8000:fe0300ebfeffffea 9000:6e0060e1 a000:1eff2fe1",
		steps:   "8000h>9000h 9000h>a000n a000n>8004h 8004h>8004h",
		want:    "A 08 00800000 2b 84 8160 8100 76 88",
		rows:    "I 8000 E | I 9000 E | R | I a000 E | I 8004 E",
	},
	{
		// The branch packet back to secure state says so: the packet before it stated
		// that state already, but the return stack has changed it since.
		name:    "a branch out of the security state of the entry",
		options: pft.Options{Config: codec.Config{ReturnStack: true}, ReturnStackDepth: 4},
		memory:  "8:0ef0b0e1 8000:fe0300eb13ff2fe1 9000:700060e1",
		steps:   "8000n>9000n 9000n !smc:9004n>8 8>8004n 8004n>9000",
		want:    "A 08 00800000 29 84 728110 858080804804 84 81904100",
		rows:    "I 8000 E | I 9000 ? | X SMC ret 9004 to 8 | I 8 E | I 8004 E",
	},
	{
		name:    "pops an entry of one security state, and pushes one of another",
		options: stacks,
		memory:  "8:3eff2fe1feffffea 8000:fe0300eb1eff2fe1 9000:700060e1",
		steps:   "8000n>9000n 9000n !smc:9004n>8 8>8004n 8004n>c c>c",
		want:    "A 08 00800000 29 84 728110 858080804804 90",
		rows:    "I 8000 E | I 9000 ? | X SMC ret 9004 to 8 | I 8 E | I 8004 E | I c E",
	},
	{
		// From 8 to 8004: A[7:2] = 1, A[14:8] = 0, A[20:15] = 1.
		name:    "the target has another security state than the entry",
		options: stacks,
		memory:  "8:0ef0b0e1 8000:fe0300ebfeffffea 9000:700060e1",
		steps:   "8000n>9000n 9000n !smc:9004n>8 8>8004 8004>8004",
		want:    "A 08 00800000 29 84 728110 858080804804 838001 76 84",
		rows:    "I 8000 E | I 9000 ? | X SMC ret 9004 to 8 | I 8 E | R | I 8004 E",
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
		options: pft.Options{
			Config: codec.Config{Minor: 1, ContextIDBytes: 4}, TraceVMID: true,
		},
		memory: "8000:00f020e3feffffea",
		steps:  "8000n/ctx=287454020/vmid=5 8004n>8004n/ctx=305419896/vmid=5 8004n>8004n/ctx=305419896/vmid=5",
		want:   "A 08 00800000 29 44332211 3c05 84 6e78563412 84",
		rows:   "I 8000 ? | I 8004 E | I 8004 E",
	},
	{
		name:    "cycle-accurate",
		options: pft.Options{Config: codec.Config{Minor: 1, CycleAccurate: true}},
		memory:  "8000:0000a0e10100000a0000a0e118f09fe5 9000:feffffea",
		steps:   "8000/cc=3 8004/N/cc=16 8008/cc=2 800c>9000/cc=509 9000>9000/cc=1",
		want:    "A 08 00800000 21 80 ce01 8110 7c1f 84",
		rows:    "I 8000 ? | I 8004 N | I 8008 ? | I 800c E | I 9000 E",
	},
	{
		name: "timestamp, 64 bits",
		options: pft.Options{
			Config:     codec.Config{Minor: 1, CycleAccurate: true, Timestamp64: true},
			Timestamps: true, TimestampBase: 1118751041293,
		},
		memory: "8000:feffffea",
		steps:  "8000>8000/cc=1",
		want:   "A 08 00800000 21 80 42 8dce88d6c7a0808000 00 84",
		rows:   "I 8000 E",
	},
	{
		name: "timestamp, 48 bits in Gray code",
		options: pft.Options{
			Config:     codec.Config{Minor: 1, CycleAccurate: true, TimestampGray: true},
			Timestamps: true, TimestampBase: 478050856890,
		},
		memory: "8000:feffffea",
		steps:  "8000>8000/cc=1",
		want:   "A 08 00800000 21 80 42 e7f0aec88e8b00 00 84",
		rows:   "I 8000 E",
	},
	// Worked out from §4.5.4 and §4.13.
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
		name:   "direct branch after a change of the security state",
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
		name:    "time after an exception, in as few bytes as changed",
		options: timed(),
		memory:  "8:feffffea 8000:01dffee7",
		steps:   "8000t/cc=3 !svc:8002t>8 8>8",
		want:    "A 08 01800000 21 42 80818080808000 7201 858080804814 42 03 84",
		rows:    "I 8000 ? | X SVC ret 8002 to 8 | I 8 E",
	},
	{
		name:    "time after an exception return",
		options: timed(),
		memory:  "8000:0ef0b0e1 9000:feffffea",
		steps:   "8000>9000/cc=300 9000>9000",
		want:    "A 08 00800000 21 42 80818080808000 8110 76 42 ac03 84", // 428 = 3·128 + 44
		rows:    "I 8000 E | R | I 9000 E",
	},
	{
		name:    "synchronisation, cycle-accurate: only at a waypoint, no count",
		options: pft.Options{Config: codec.Config{Minor: 1, CycleAccurate: true}, SyncBytes: 1},
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
			steps := benchtest.ParseSteps(t, tt.memory, tt.steps)
			got, truth := encoded(t, tt.options, steps)
			want := benchtest.Unhex(t, strings.ReplaceAll(tt.want, "A", "000000000080"))
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
	"IRQ": "irq", "FIQ": "fiq", "SVC": "svc", "UNDEF": "undefined", "DABT": "data_abort", "HYP": "hyp", "SMC": "smc",
	"RESET": "reset",
}

// checkTruth compares the truth with rows: with the hash of their instructions,
// and the exceptions one by one.
func checkTruth(t *testing.T, truth *digest.Truth, steps step.Steps, rows string) {
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
		t.Errorf("%d instructions with hash %x, want %d with %x", truth.Instructions, uint64(truth.Program), instructions,
			hash.Sum64())
	}
}
