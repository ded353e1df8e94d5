package etmv3_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/encode/etmv3"
	"github.com/tracelake/tracelake/bench/internal/benchtest"
	codec "github.com/tracelake/tracelake/decode/etmv3"
)

// etm is an ETM of version 3.minor with one atom for a T32 instruction and
// security extensions, and nothing else.
func etm(minor uint8, more ...func(*etmv3.Options)) etmv3.Options {
	o := etmv3.Options{Config: codec.Config{Minor: minor, OneT32: true, Security: true}}
	for _, m := range more {
		m(&o)
	}
	return o
}

func cycles(o *etmv3.Options)    { o.CycleAccurate = true }
func broadcast(o *etmv3.Options) { o.Broadcast = true }
func alt(o *etmv3.Options)       { o.AltBranch = true }
func twoAtoms(o *etmv3.Options)  { o.OneT32 = false }
func virtual(o *etmv3.Options)   { o.Virtualization, o.TraceVMID = true, true }
func alone(o *etmv3.Options)     { o.CancelledAlone = true }
func profileM(o *etmv3.Options)  { o.ProfileM, o.Security = true, false }
func addresses(o *etmv3.Options) { o.DataAddress = true }
func values(o *etmv3.Options)    { o.DataValue = true }
func dataOnly(o *etmv3.Options)  { o.DataOnly = true }

func contextID(n int) func(*etmv3.Options) {
	return func(o *etmv3.Options) { o.ContextIDBytes = n }
}

func timestamps(base uint64) func(*etmv3.Options) {
	return func(o *etmv3.Options) { o.Timestamps, o.TimestampBase, o.CyclesPerTick = true, base, 1 }
}

func vary(v etmv3.Variation) func(*etmv3.Options) {
	return func(o *etmv3.Options) { o.Variation = &v }
}

// movs is a run of MOV r0,r0 from an address on.
func movs(address string, n int) string { return address + ":" + strings.Repeat("0000a0e1", n) }

// Vectors from execution to bytes, worked out by hand from the rules named. "A"
// is an A-sync. Rows are those of the tables named, without their state.
var golden = []struct {
	name    string
	options etmv3.Options
	memory  string
	steps   string
	want    string
	rows    string
}{
	{
		name: "P-header of two E and N (§3.2), then N first", options: etm(5),
		memory: "8000:0000a0e10000a0e10000a0030000a0030000a0e10000a0e1",
		steps:  "8000 8004 8008/N 800c/N 8010 8014",
		want:   "A 08 21 00800000 C8 8A 84",
	},
	{
		name: "sixteen E", options: etm(5), memory: movs("8000", 16),
		steps: "8000 8004 8008 800c 8010 8014 8018 801c 8020 8024 8028 802c 8030 8034 8038 803c",
		want:  "A 08 21 00800000 BC 84",
	},
	{
		name: "fifteen E and N", options: etm(5), memory: movs("8000", 16),
		steps: "8000 8004 8008 800c 8010 8014 8018 801c 8020 8024 8028 802c 8030 8034 8038 803c/N",
		want:  "A 08 21 00800000 FC",
	},
	{
		name: "cycle-accurate, example 7.2", options: etm(5, cycles), memory: movs("8000", 6),
		steps: "8000/cc=1 8004/cc=1 8008/N/cc=1 800c/N/cc=1 8010/cc=0 8014/cc=3",
		want:  "A 70 00 21 00800000 C8 8A E8",
		rows: "cycle_counts: 0 0 6 NULL NULL NULL isync false | 2 0 13 0 3 3 atom false | 4 0 14 0 1 4 atom false |" +
			" 5 0 15 0 3 7 atom false",
	},
	{
		name: "long waits; N after waits; more than seven", options: etm(5, cycles), memory: movs("8000", 10),
		steps: "8000/cc=17 8004/N/cc=3 8008/cc=1 800c/cc=1 8010/cc=1 8014/cc=1 8018/cc=1 801c/cc=1 8020/cc=1 8024/cc=1",
		want:  "A 70 00 21 00800000 BC BC 84 A4 C0 9C 84",
	},
	{
		name: "two in a cycle, then a third: format 4", options: etm(3, cycles), memory: movs("8000", 3),
		steps: "8000/cc=1 8004/cc=0 8008/N/cc=0",
		want:  "A 70 00 21 00800000 82 96",
	},
	{
		name: "before v3.3 the third has a W, and the next one less", options: etm(1, cycles), memory: movs("8000", 4),
		steps: "8000/cc=1 8004/cc=0 8008/cc=0 800c/cc=3",
		want:  "A 70 00 21 00800000 82 84 E4",
	},
	{
		name: "Thumb, Context ID of two bytes", options: etm(5, contextID(2)), memory: "8000:00bf",
		steps: "8000t/ctx=4660", want: "A 08 3412 21 01800000 84",
		rows: "contexts: 0 0 6 4660 NULL secure t32",
	},
	{
		name: "Context ID that changes; only four bytes of it are traced", options: etm(5, contextID(4)),
		memory: movs("8000", 3),
		steps:  "8000/ctx=1 8004/ctx=2 8008/ctx=2",
		want:   "A 08 01000000 21 00800000 84 6E 02000000 88",
		rows:   "contexts: 0 0 6 1 NULL secure a32 | 1 0 17 2 NULL secure a32",
	},
	{
		name: "Hyp, VMID", options: etm(5, virtual), memory: movs("8000", 2),
		steps: "8000h/vmid=7 8004h/vmid=8", want: "A 08 2B 00800000 3C 07 84 3C 08 84",
		rows: "contexts: 0 0 6 NULL NULL hyp a32 | 0 0 12 NULL 7 hyp a32 | 1 0 15 NULL 8 hyp a32",
	},
	{
		name: "one address byte, two, three (§3.4.1)", options: etm(3),
		memory: "700ade00:0847 700ade0a:1847 700ac2f0:1847 7009d004:1847",
		steps:  "700ade00t>700ade0at 700ade0at>700ac2f0t 700ac2f0t>700a0b3et",
		want:   "A 08 21 01de0a70 84 0B 84 F105 84 BF9628",
	},
	{
		name: "to ARM and back in five bytes", options: etm(3), memory: "700ade18:1847 700ae3b0:13ff2fe1",
		steps: "700ade18t>700ae3b0 700ae3b0>700ade00t",
		want:  "A 08 21 19de0a70 84 D9E395C00B 84 81BCAB8017",
	},
	{
		name: "alternative encoding: two bytes, three", options: etm(4, alt),
		memory: "8000306:1847 80002b4:1847 8004000:1847",
		steps:  "8000306t>80002b4t 80002b4t>8004000t",
		want:   "A 08 21 07030008 84 B505 84 818001",
	},
	{
		name: "to non-secure state", options: etm(3), memory: "8000:13ff2fe1",
		steps: "8000>20000n", want: "A 08 21 00800000 84 818084804801",
	},
	{
		name: "to ThumbEE, non-branch", options: etm(3), memory: "7ffc:bff31f8f",
		steps: "7ffct>8000j", want: "A 08 21 fd7f0000 84 818082805040",
	},
	{
		name: "BLX immediate is repeated", options: etm(3), memory: "8004:020000fa 8014:00bf00bf",
		steps: "8004>8014t 8014t 8016t", want: "A 08 21 04800000 84 9580828010 88",
	},
	{
		name: "broadcast: a taken direct branch", options: etm(5, broadcast), memory: "8000:0000000a0200000a",
		steps: "8000/N 8004>8014", want: "A 08 21 00800000 8A 0B",
	},
	{
		name: "IRQ after an instruction (§4.5)", options: etm(3), memory: movs("8000", 2) + " " + movs("18", 1),
		steps: "8000 8004 !irq:8008>18 18",
		want:  "A 08 21 00800000 88 8D808080481C 84",
		rows:  "exceptions: 2 0 13 0 entry 14 irq 8008 18 NULL",
	},
	{
		name: "IRQ in the place of a branch packet", options: etm(3), memory: "8000:13ff2fe1",
		steps: "8000>9000 !irq:9000>18",
		want:  "A 08 21 00800000 84 8D808080481C",
		rows:  "exceptions: 1 0 13 0 entry 14 irq NULL 18 NULL",
	},
	{
		name: "SVC in ARM state", options: etm(3), memory: "8000:000000ef",
		steps: "8000 !svc:8004>8", want: "A 08 21 00800000 84 858080804814",
		rows: "exceptions: 1 0 13 0 entry 10 svc 8004 8 NULL",
	},
	{
		name: "undefined: it turned into the branch", options: etm(3), memory: "8000:f000f0e7",
		steps: "8000 !undefined:8000>4", want: "A 08 21 00800000 84 838080804812",
		rows: "exceptions: 1 0 13 0 entry 9 undefined 8000 4 NULL",
	},
	{
		name: "data abort cancels", options: etm(3), memory: "8000:0000a0e1000090e5",
		steps: "8000 !data_abort:8004>10/cc=5", want: "A 08 21 00800000 88 898080804838",
		rows: "exceptions: 1 0 13 0 entry 12 data_abort 8004 10 NULL; events: 0 0 6 trace_on 8000 NULL | 1 0 13 cancelled 8004 NULL",
	},
	{
		name: "Ws after a cancel are the next one's", options: etm(3, cycles), memory: movs("8000", 2) + " " + movs("10", 1),
		steps: "8000/cc=1 !data_abort:8004>10/cc=5 10/cc=2",
		want:  "A 70 00 21 00800000 88 898080804838 F4",
		rows:  "cycle_counts: 0 0 6 NULL NULL NULL isync false | 1 0 13 0 2 2 atom false | 1 0 20 0 6 8 atom false",
	},
	{
		name: "what is cancelled is alone", options: etm(3, alone), memory: movs("8000", 3) + " " + movs("10", 2),
		steps: "8000 !data_abort:8004>10 10 14", want: "A 08 21 00800000 84 66 84 898080804838 88",
		rows: "events: 0 0 6 trace_on 8000 NULL | 1 0 15 cancelled 8004 NULL",
	},
	{
		name: "what is cancelled is alone, after a cancel", options: etm(3, alone),
		memory: movs("8000", 3) + " " + movs("10", 2),
		steps:  "!data_abort:8000>10 !data_abort:10>10 10", want: "A 08 21 00800000 84 898080804838 66 84 898080804838 84",
	},
	{
		name: "what is cancelled is alone, its Ws before it", options: etm(3, cycles, alone),
		memory: movs("8000", 2) + " " + movs("10", 1),
		steps:  "8000/cc=1 !data_abort:8004>10/cc=5 10/cc=2", want: "A 70 00 21 00800000 84 A0 92 898080804838 F4",
		rows: "cycle_counts: 0 0 6 NULL NULL NULL isync false | 0 0 13 0 1 1 atom false | 1 0 14 0 1 2 packet false | 1 0 22 0 6 8 atom false",
	},
	{
		name: "v3.2: it has a W, so aborts cancel nothing", options: etm(2, cycles, alone),
		memory: movs("8000", 2) + " " + movs("10", 1),
		steps:  "8000/cc=1 !data_abort:8004>10/cc=5 10/cc=2", want: "A 70 00 21 00800000 88 898080804818 F4",
		rows: "events: 0 0 6 trace_on 8000 NULL; exceptions: 2 0 14 0 entry 12 data_abort 8004 10",
	},
	{
		name: "debug state and exit", options: etm(3, contextID(1)), memory: movs("8000", 2),
		steps: "8000/ctx=1 !debug:8004>8004/ctx=1 8004/ctx=1",
		want:  "A 08 01 21 00800000 88 8380818048 22 08 01 61 04800000 84",
	},
	{
		name: "debug state, cycles", options: etm(3, cycles), memory: movs("8000", 2),
		steps: "8000/cc=1 !debug:8004>8004/cc=8 8004/cc=1",
		want:  "A 70 00 21 00800000 88 838081804822 70 07 61 04800000 84",
		rows: "cycle_counts: 0 0 6 NULL NULL NULL isync false | 1 0 13 0 2 2 atom false | 1 0 20 0 7 9 isync false |" +
			" 1 0 27 0 1 10 atom false",
	},
	{
		name: "gap with its cycles; what is owed is sent", options: etm(4, cycles),
		memory: "8000:13ff2fe1 " + movs("9000", 3),
		steps:  "8000>9000/cc=1 9000/off/cc=3 9004/off/cc=4697 9008/cc=1",
		want:   "A 70 00 21 00800000 84 8110 70 DC24 21 08900000 84",
		rows:   "events: 0 0 6 trace_on 8000 NULL | 1 0 16 trace_on 9008 NULL",
	},
	{
		name: "overflow swallows the branch packet; v3.5 does not trust the count", options: etm(5, cycles),
		memory: "8000:13ff2fe1 " + movs("9000", 2),
		steps:  "8000>9000/cc=1 9000/full/cc=5 9004/cc=1",
		want:   "A 70 00 21 00800000 84 70 05 41 04900000 84",
		rows: "cycle_counts: 0 0 6 NULL NULL NULL isync false | 0 0 13 0 1 1 atom false | 1 0 14 NULL NULL NULL isync false |" +
			" 1 0 21 1 1 1 atom false; events: 0 0 6 trace_on 8000 NULL | 1 0 14 overflow 9004 NULL",
	},
	{
		name: "overflow in v3.4: the count is valid (§5)", options: etm(4, cycles),
		memory: movs("8000", 1) + " " + movs("8004", 2),
		steps:  "8000/cc=1 8004/full/cc=5 8008/cc=1",
		want:   "A 70 00 21 00800000 84 70 05 41 08800000 84",
		rows: "cycle_counts: 0 0 6 NULL NULL NULL isync false | 0 0 13 0 1 1 atom false | 1 0 14 0 5 6 isync false |" +
			" 1 0 21 0 1 7 atom false",
	},
	{
		name: "return: its packet in v3.5", options: etm(5), memory: "8000:0ef0b0e1",
		steps: "8000>9000", want: "A 08 21 00800000 84 76 8110",
		rows: "exceptions: 1 0 13 0 return NULL NULL NULL NULL NULL",
	},
	{
		name: "return: before that by the opcode", options: etm(4), memory: "8000:0ef0b0e1",
		steps: "8000>9000", want: "A 08 21 00800000 84 8110",
		rows: "exceptions: 1 0 12 0 return NULL NULL NULL NULL NULL",
	},
	{
		name: "v7-M: SysTick in two bytes, return", options: etm(4, alt, profileM), memory: "8000306:00bf 80001f8:7047",
		steps: "8000306t !systick:8000308t>80001f8t 80001f8t>8000308t/ret",
		want:  "A 08 21 07030008 84 F9431E 84 76 8906",
		rows:  "exceptions: 1 0 13 0 entry 15 systick 8000308 80001f8 NULL | 2 0 17 1 return NULL NULL NULL NULL NULL",
	},
	{
		name: "v7-M: HardFault cancels; two information bytes", options: etm(4, alt, profileM), memory: "8000306:00bf00bf",
		steps: "8000306t !hard_fault:8000308t>8000114t",
		want:  "A 08 21 07030008 88 9542A601",
	},
	{
		name: "v7-M: IRQ8 and IRQ495", options: etm(4, alt, profileM), memory: "8000306:00bf00bf",
		steps: "8000306t !irq:8000308t>8000100t/number=8 !irq:8000100t>8000104t/number=495",
		want:  "A 08 21 07030008 84 81429001 8542 9E1F",
	},
	{
		name: "trigger", options: etm(5), memory: movs("8000", 2),
		steps: "8000 8004/trigger", want: "A 08 21 00800000 84 0C 84",
		rows: "events: 0 0 6 trace_on 8000 NULL | 1 0 13 trigger NULL NULL",
	},
	{
		name: "T-sync, and the bytes that changed", options: etm(5, timestamps(0x1C305080C0FF)), memory: "8000:000000ef",
		steps: "8000/cc=2 !svc:8004>8", want: "A 08 21 00800000 42 81828384858607 84 858080804814 42 01",
	},
	{
		name:    "periodic: A-sync, I-sync after the branch packet",
		options: etm(5, func(o *etmv3.Options) { o.SyncPeriod = 9 }),
		memory:  "8000:13ff2fe1 " + movs("9000", 2),
		steps:   "8000>9000 9000 9004",
		want:    "A 08 21 00800000 84 8110 A 08 01 00900000 88",
		rows:    "segments: 0 0 6 15 15 0 0 1 0 8000 trace_on | 1 1 21 7 7 0 0 2 0 9000 periodic; losses: 0 NULL 0 6 unsynced NULL",
	},
	{
		name: "a 32-bit T32 instruction as two", options: etm(5, twoAtoms), memory: "8000:00bfaff30080",
		steps: "8000t 8002t", want: "A 08 21 01800000 8C",
		rows: "segments: 0 0 6 7 7 0 0 2 0 8000 trace_on",
	},
	{
		name: "two atoms, in cycles", options: etm(5, twoAtoms, cycles), memory: "8000:00bfaff30080",
		steps: "8000t/cc=1 8002t/cc=1", want: "A 70 00 21 01800000 84 82",
		rows: "cycle_counts: 0 0 6 NULL NULL NULL isync false | 0 0 13 0 1 1 atom false | 1 0 14 0 1 2 atom false",
	},
	// Data.
	{
		name: "table 7.4: data between two instructions of a cycle", options: etm(3, cycles, values),
		memory: "1000:000091e50000a0e1",
		steps:  "1000/cc=1/d=2000:0:4:read 1004/cc=0", want: "A 70 00 21 00100000 84 22 92",
		rows: "data_accesses: 0 0 14 0 NULL 0 4 read NULL in_order",
	},
	{
		name: "D-sync, then the bytes that changed", options: etm(3, addresses, values),
		memory: "8000:000081e5001081e5002081e5",
		steps:  "8000/d=20000000:1:4:write 8004/d=20000084:aabbccdd:4:write 8008/d=20000004:1234:4:write",
		want:   "A 08 21 00800000 84 26 8080808002 01 84 2E 8401 DDCCBBAA 84 2A 8400 3412",
		rows: "data_accesses: 0 0 13 0 20000000 1 4 write NULL in_order | 1 0 21 0 20000084 2864434397 4 write NULL in_order |" +
			" 2 0 29 0 20000004 4660 4 write NULL in_order",
	},
	{
		name: "big-endian D-sync", options: etm(3, addresses, values, func(o *etmv3.Options) { o.BigEndian = true }),
		memory: "8000:000081e5",
		steps:  "8000/d=20000000:1:4:write", want: "A 08 21 00800000 84 26 8080808012 01",
	},
	{
		name: "addresses only", options: etm(3, addresses), memory: "8000:030090e8",
		steps: "8000/d=84:1:4:read,88:2:4:read", want: "A 08 21 00800000 84 22 8481808000 02",
		rows: "data_accesses: 0 0 13 0 84 NULL 4 read NULL in_order | 0 0 19 1 88 NULL 4 read NULL in_order",
	},
	{
		name: "values only", options: etm(3, values), memory: "8000:030090e8",
		steps: "8000/d=84:4030201:4:read,88:7f:4:read", want: "A 08 21 00800000 84 2E 01020304 06 7F",
	},
	{
		name: "a store that failed", options: etm(3, addresses, values), memory: "8000:912f83e1",
		steps: "8000/d=84:5:4:write:failed", want: "A 08 21 00800000 84 22 8481808000 50",
		rows: "data_accesses: 0 0 13 0 84 0 4 write NULL store_failed",
	},
	{
		name: "a load of the PC first", options: etm(3, addresses, values, func(o *etmv3.Options) { o.LSMPCFirst = true }),
		memory: "8000:0180bde8",
		steps:  "8000>9000/d=80:1:4:read,84:9000:4:read",
		want:   "A 08 21 00800000 84 2A 8481808000 0090 26 00 01 8110",
		rows:   "data_accesses: 0 0 13 0 84 36864 4 read NULL in_order | 0 0 21 1 80 1 4 read NULL in_order",
	},
	{
		name: "register transfer: no address", options: etm(3, addresses, values,
			func(o *etmv3.Options) { o.MonitorCPRT = true }), memory: "8000:103f10ee",
		steps: "8000/d=0:7f:4:read:register", want: "A 08 21 00800000 84 06 7F",
		rows: "data_accesses: 0 0 13 0 NULL 127 4 read NULL in_order",
	},
	{
		name:    "register transfers are no data instructions",
		options: etm(3, addresses, values, func(o *etmv3.Options) { o.MonitorCPRT, o.CPRTNotData = true, true }),
		memory:  "8000:103f10ee", steps: "8000/d=0:7f:4:read:register", want: "A 08 21 00800000 84",
	},
	{
		name: "SWP: a second address that does not go on", options: etm(3, addresses, values), memory: "8000:910002e1",
		steps: "8000/d=84:1:4:read,84:2:4:write", want: "A 08 21 00800000 84 26 8481808000 01 26 04 02",
	},
	{
		name: "v7-M: push, handler, pop", options: etm(4, alt, profileM, addresses, values),
		memory: "8000306:00bf 80001f8:7047",
		steps:  "8000306t !systick:8000308t>80001f8t/d=100:1:4:push,104:0:4:push 80001f8t>8000308t/ret/d=100:1:4:pop,104:0:4:pop",
		want:   "A 08 21 07030008 84 7E 26 8082808000 01 02 F9431E 84 76 26 00 01 02 8906",
		rows: "data_accesses: 1 0 14 0 100 1 4 push NULL in_order | 1 0 21 1 104 0 4 push NULL in_order |" +
			" 1 0 27 0 100 1 4 pop NULL in_order | 1 0 30 1 104 0 4 pop NULL in_order",
	},
	{
		name: "data-only mode", options: etm(3, addresses, values, dataOnly, contextID(1)), memory: "8000:030090e80000a0e1",
		steps: "8000n/ctx=42/d=84:1:4:read,88:2:4:read 8004n/ctx=43", want: "A 08 2A 29 26 8481808000 01 06 02 6E 2B",
		rows: "data_accesses: NULL 0 9 0 84 1 NULL NULL NULL in_order | NULL 0 16 1 88 2 NULL NULL NULL in_order",
	},
	// What varies, where the rate leaves no choice.
	{
		name: "old form: IRQ", options: etm(3, vary(etmv3.Variation{OldForm: 1})), memory: movs("8000", 1),
		steps: "8000 !irq:8004>18", want: "A 08 21 00800000 84 8D80808088",
		rows: "exceptions: 1 0 13 0 entry 1 irq 8004 18 NULL",
	},
	{
		name: "old form: an SVC is known by its vector", options: etm(3, vary(etmv3.Variation{OldForm: 1})),
		memory: "8000:000000ef",
		steps:  "8000 !svc:8004>8", want: "A 08 21 00800000 84 8580808080",
		rows: "exceptions: 1 0 13 0 entry 0 svc 8004 8 NULL",
	},
	{
		name: "old form: debug cancels", options: etm(3, vary(etmv3.Variation{OldForm: 1})), memory: movs("8000", 1),
		steps: "!debug:8000>8000", want: "A 08 21 00800000 84 81808180F8",
	},
	{
		name:    "a placeholder, and its value at the end",
		options: etm(3, addresses, values, vary(etmv3.Variation{OutOfOrder: 1, Seed: 3})), memory: "8000:000081e5",
		steps: "8000/d=84:4030201:4:write", want: "A 08 21 00800000 84 7C 8481808000 6C 01020304",
		rows: "data_accesses: 0 0 19 0 84 67305985 4 write 3 out_of_order",
	},
	{
		name: "LSiP with count (§3.5)", options: etm(3, cycles, vary(etmv3.Variation{LSiP: 1, Seed: 1})),
		memory: "8000:000090e5 20000:0000a0e1",
		steps:  "8000>20000n/off/cc=5 20000n/cc=1", want: "A 70 05 A1 00800000 818084804801 84",
		rows: "instructions: 0 0 6 8000 4 a32 e5900000 other true 0 0 0 | 1 0 19 20000 4 a32 e1a00000 other true 1 0 1;" +
			" contexts: 0 0 6 NULL NULL secure a32 | 1 0 6 NULL NULL non_secure a32",
	},
	{
		name: "LSiP, its data", options: etm(3, addresses, values, vary(etmv3.Variation{LSiP: 1, Seed: 1})),
		memory: "8000:000090e50000a0e1",
		steps:  "8000/off/d=84:7:4:read 8004", want: "A 08 A1 00800000 03 26 8481808000 07 84",
		rows: "data_accesses: 0 0 13 0 84 7 4 read NULL in_order",
	},
	{
		name: "a load in progress, but no other is executing yet", options: etm(3, vary(etmv3.Variation{LSiP: 1, Seed: 0})),
		memory: "8000:000090e50000a0e1",
		steps:  "8000/off 8004", want: "A 08 21 00800000 84 03 84",
		rows: "instructions: 0 0 12 8000 | 1 0 14 8004",
	},
	{
		name: "a late count", options: etm(3, cycles, vary(etmv3.Variation{LateCounts: 1, Seed: 0})), memory: movs("8000", 2),
		steps: "8000/off/cc=10 8004/cc=1", want: "A 08 21 04800000 84 04 0A",
		rows: "cycle_counts: 0 0 12 0 1 1 atom false | 0 0 13 NULL 10 NULL gap true",
	},
	{
		name: "data suppressed; v3.2 begins anew with a D-sync",
		options: etm(2, addresses, values, vary(etmv3.Variation{Suppress: 0.4, Seed: 6}),
			func(o *etmv3.Options) { o.DataSuppress = true }),
		memory: "8000:030090e8000090e5000090e5000090e5000090e5",
		steps:  "8000/d=84:1:4:read,88:2:4:read 8004/d=84:1:4:read 8008/d=84:1:4:read 800c/d=84:1:4:read 8010/d=84:1:4:read",
		want:   "A 08 21 00800000 84 26 8481808000 01 62 84 84 84 26 8481808000 01 84 26 04 01",
		rows: "data_accesses: 0 0 13 0 84 1 4 read NULL suppressed | 3 0 24 0 84 1 4 read NULL in_order |" +
			" 4 0 32 0 84 1 4 read NULL in_order",
	},
	{
		name: "an IRQ that cancels, across a P-header (§4.6)", options: etm(3, vary(etmv3.Variation{Cancel: 1, Seed: 1})),
		memory: movs("8000", 3),
		steps:  "8000 8004 !irq:8008>18", want: "A 08 21 00800000 C8 8D808080483C",
		rows: "events: 0 0 6 trace_on 8000 NULL | 2 0 13 cancelled 8008 NULL; exceptions: 2 0 13 0 entry 14 irq 8008 18 NULL; instructions: 0 0 12 8000 | 1 0 12 8004",
	},
	{
		name:    "v7-M: the exception that cancels a return",
		options: etm(4, alt, profileM, vary(etmv3.Variation{Cancel: 1, Seed: 1})), memory: "8000306:00bf 80001f8:7047",
		steps: "80001f8t>8000308t/ret !systick:8000308t>80001f8t", want: "A 08 21 f9010008 84 76 F9433E",
		rows: "exceptions: 1 0 14 0 entry 15 systick NULL 80001f8 NULL",
	},
	{
		name:    "v7-M: a load multiple is paused and resumed",
		options: etm(4, alt, profileM, vary(etmv3.Variation{Cancel: 1, Seed: 2})), memory: "8000306:07c800bf 80001f8:7047",
		steps: "!systick:8000306t>80001f8t 80001f8t>8000306t/ret 8000306t",
		want:  "A 08 21 07030008 84 F943BE4A 84 76 8746804A 84",
	},
	{
		name: "half an instruction, then an IRQ", options: etm(3, twoAtoms, vary(etmv3.Variation{Cancel: 1, Halves: 1})),
		memory: "8000:00bfaff30080",
		steps:  "8000t !irq:8002t>18", want: "A 08 21 01800000 88 8D808080481C",
		rows: "events: 0 0 6 trace_on 8000 NULL | 1 0 13 split_instruction 8002 NULL; exceptions: 1 0 13 0 entry 14 irq 8004 18 NULL; instructions: 0 0 12 8000",
	},
	{
		name: "synchronisation between two halves", options: etm(3, twoAtoms, vary(etmv3.Variation{Halves: 1})),
		memory: "8000:00bfaff30080",
		steps:  "8000t 8002t", want: "A 08 21 01800000 88 08 01 05800000 84",
		rows: "instructions: 0 0 12 8000 | 1 0 19 8002",
	},
	{
		name: "in a load multiple some are left out", options: etm(3, addresses, values, vary(etmv3.Variation{NotTraced: 1,
			Seed: 5})), memory: "8000:0f0090e8",
		steps: "8000/d=84:1:4:read,88:2:4:read,8c:3:4:read,90:4:4:read",
		want:  "A 08 21 00800000 84 26 8481808000 01 6A 06 03 6A",
		rows: "data_accesses: 0 0 13 0 84 1 4 read NULL in_order | 0 0 20 1 88 NULL 4 read NULL not_traced |" +
			" 0 0 21 2 8c 3 4 read NULL in_order | 0 0 23 3 90 NULL 4 read NULL not_traced",
	},
}

func TestETMv3Golden(t *testing.T) {
	for _, tt := range golden {
		t.Run(tt.name, func(t *testing.T) {
			o := tt.options
			o.Program = benchtest.Program(t, tt.memory)
			var stream bytes.Buffer
			rows := benchtest.Record{}
			if err := encode.All(etmv3.New(&stream, rows, o), benchtest.Steps(t, o.Program, tt.steps)); err != nil {
				t.Fatal(err)
			}
			want := benchtest.Unhex(t, strings.ReplaceAll(" "+tt.want, " A ", "000000000080"))
			if !bytes.Equal(stream.Bytes(), want) {
				t.Errorf("got  % X\nwant % X", stream.Bytes(), want)
			}
			checkPackets(t, &o.Config, stream.Bytes())
			for table := range strings.SplitSeq(tt.rows, ";") {
				checkRows(t, rows, table)
			}
		})
	}
}

// checkRows compares the rows of a table, as "table: cells | cells", as far as
// cells are given.
func checkRows(t *testing.T, rows benchtest.Record, want string) {
	t.Helper()
	table, list, ok := strings.Cut(strings.TrimSpace(want), ": ")
	if !ok {
		return
	}
	var w, g []string
	for row := range strings.SplitSeq(list, "|") {
		w = append(w, strings.TrimSpace(row))
	}
	n := len(strings.Fields(w[0]))
	for _, row := range rows[table] {
		g = append(g, strings.Join(strings.Fields(row)[:n], " "))
	}
	if !slices.Equal(g, w) {
		t.Errorf("%s:\ngot  %s\nwant %s", table, strings.Join(g, " | "), strings.Join(w, " | "))
	}
}

// What does not fit together is refused.
func TestETMv3Refuses(t *testing.T) {
	for _, tt := range []struct {
		name    string
		options etmv3.Options
		steps   string
		want    string
	}{
		{"a gap", etm(5), "8000 8008", "the core is at 0x00008004 a32"},
		{"a wrong return", etm(5), "8000 !irq:8008>18", "irq returns to 0x00008008 a32"},
		{"an exception of another profile", etm(5), "8000 !nmi:8004>18", "nmi 0 is not traced"},
		{"ThumbEE too early", etm(2), "8000j", "does not trace that instruction set"},
		{"timestamps too early", etm(4, timestamps(0)), "8000", "v3.4 has no timestamps"},
		{"v7-M too early", etm(3, profileM), "8000", "no core of v7-M"},
		{"the alternative encoding too early", etm(3, alt), "8000", "no alternative branch encoding"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			steps := benchtest.Steps(t, benchtest.Program(t, movs("8000", 8)), tt.steps)
			err := encode.All(etmv3.New(io.Discard, benchtest.Record{}, tt.options), steps)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
