package pft_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/encode/pft"
	"github.com/tracelake/tracelake/bench/internal/benchtest"
	codec "github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// PTMs of the rows below.
var (
	counts   = pft.Options{Config: codec.Config{Minor: 1, CycleAccurate: true}}
	counts10 = pft.Options{Config: codec.Config{CycleAccurate: true}}
	virtual  = pft.Options{Config: codec.Config{Minor: 1, ContextIDBytes: 1}, TraceVMID: true}
)

// gap is code with a straight run, in which trace stops: nop; bx lr, and at the
// target nop; b to itself.
const gap = "8000:0000a0e11eff2fe1 9000:0000a0e1feffffea"

// Executions, their streams, and the rows of some tables, all by hand (§4.5 for
// bytes, §B.3.2 for rows). Rows have the columns of the table but source; "A"
// is an A-sync, at offset 0, so the first I-sync is at 6.
var rowVectors = []struct {
	name    string
	options pft.Options
	memory  string
	steps   string
	want    string
	rows    map[*schema.Table]string
}{
	{
		// The count of the restart has the cycles of 9000, which is not traced, and
		// of the steps after it: 4 + 5 + 6.
		name: "trace off, the gap is counted", options: counts, memory: gap,
		steps: "8000/cc=3 8004>9000/cc=2 9000/cc=4 9004>9004/cc=5/off 9004>9004/cc=6/off 9004>9004/cc=7",
		want:  "A 08 00800000 21 80 8110 14 08 04900000 21 bc 9c",
		rows: map[*schema.Table]string{
			&schema.Losses:   "0 NULL 0 6 unsynced NULL",
			&schema.Segments: "0 0 6 18 18 0 0 3 0 8000 trace_on",
			&schema.Events:   "0 0 6 trace_on 8000 NULL | 2 0 16 trace_on 9004 NULL",
			&schema.CycleCounts: "0 0 6 NULL 0 NULL isync false | 1 0 13 0 5 5 branch false | " +
				"2 0 16 0 15 20 isync false | 2 0 23 0 7 27 atom false",
			&schema.Instructions: "0 0 13 8000 4 a32 e1a00000 other NULL NULL 0 NULL NULL NULL NULL secure | " +
				"1 0 13 8004 4 a32 e12fff1e return true 5 0 5 NULL NULL NULL secure | " +
				"2 0 23 9004 4 a32 eafffffe branch true 7 0 27 NULL NULL NULL secure",
			&schema.Contexts: "0 0 6 NULL NULL secure a32",
		},
	},
	{
		name: "overflow in 1.1: the count means nothing", options: counts, memory: gap,
		steps: "8000/cc=3 8004>9000/cc=2 9000/cc=4 9004>9004/cc=5/full 9004>9004/cc=6/full 9004>9004/cc=7",
		want:  "A 08 00800000 21 80 8110 14 08 04900000 41 bc 9c",
		rows: map[*schema.Table]string{
			&schema.Events: "0 0 6 trace_on 8000 NULL | 2 0 16 overflow 9004 NULL",
			&schema.CycleCounts: "0 0 6 NULL 0 NULL isync false | 1 0 13 0 5 5 branch false | " +
				"2 0 16 NULL NULL NULL isync false | 2 0 23 1 7 7 atom false",
		},
	},
	{
		name: "overflow in 1.0: the gap is counted", options: counts10, memory: gap,
		steps: "8000/cc=3 8004>9000/cc=2 9000/cc=4 9004>9004/cc=5/full 9004>9004/cc=6/full 9004>9004/cc=7",
		want:  "A 08 00800000 21 80 8110 14 08 04900000 41 bc 9c",
		rows: map[*schema.Table]string{
			&schema.CycleCounts: "0 0 6 NULL 0 NULL isync false | 1 0 13 0 5 5 branch false | " +
				"2 0 16 0 15 20 isync false | 2 0 23 0 7 27 atom false",
		},
	},
	{
		name: "without counts each restart opens an epoch", memory: gap,
		steps: "8000 8004>9000/off 9000 9004>9004 9004>9004/full 9004>9004/off 9004>9004",
		want:  "A 08 00800000 21 08 00900000 21 84 08 04900000 41 84",
		rows: map[*schema.Table]string{
			&schema.Events: "0 0 6 trace_on 8000 NULL | 0 0 12 trace_on 9000 NULL | 2 0 19 overflow 9004 NULL",
			&schema.Instructions: "0 0 18 9000 4 a32 e1a00000 other NULL NULL 1 NULL NULL NULL NULL secure | " +
				"1 0 18 9004 4 a32 eafffffe branch true NULL 1 NULL NULL NULL NULL secure | " +
				"2 0 25 9004 4 a32 eafffffe branch true NULL 2 NULL NULL NULL NULL secure",
			&schema.CycleCounts: "",
		},
	},
	{
		name: "Debug state", memory: "8000:fe0300ea 9000:00f020e3feffffea", options: plain,
		steps: "8000>9000 !debug:9000>9004 9004>9004",
		want:  "A 08 00800000 21 84 818080804802 08 04900000 61 84",
		rows: map[*schema.Table]string{
			&schema.Events:     "0 0 6 trace_on 8000 NULL | 1 0 19 debug_exit 9004 NULL",
			&schema.Exceptions: "1 0 13 0 entry 1 debug 9000 0 NULL NULL 0 NULL NULL NULL NULL secure",
			&schema.Segments:   "0 0 6 20 20 0 0 2 1 8000 trace_on",
		},
	},
	{
		// The count of the entry has what ran before it, that of the exit the time
		// in Debug state, 300 = 18·16 + 12. No row has the state of the packet.
		name: "Debug state after a non-waypoint, counted", memory: gap, options: counts10,
		steps: "9000n/cc=3 !debug:9004n>8000n/cc=300 8000n/cc=1 8004n>9000n/cc=1",
		want:  "A 08 00900000 29 80 7201 818080804802 0c 08 00800000 69 f0 12 8110 08",
		rows: map[*schema.Table]string{
			&schema.Exceptions: "1 0 15 0 entry 1 debug 9004 0 NULL 3 0 3 NULL NULL NULL non_secure",
			&schema.CycleCounts: "0 0 6 NULL 0 NULL isync false | 1 0 15 0 3 3 branch false | " +
				"1 0 22 0 300 303 isync false | 2 0 30 0 2 305 branch false",
			&schema.Contexts: "0 0 6 NULL NULL non_secure a32",
		},
	},
	{
		name: "an exception where trace is off, and one where it comes back", memory: "8000:0000a0e10000a0e1 18:feffffea 1c:feffffea",
		steps: "8000 !irq:8004>18/off !fiq:18>1c 1c>1c",
		want:  "A 08 00800000 21 08 18000000 21 8f808080481e 84",
		rows: map[*schema.Table]string{
			&schema.Exceptions: "0 0 18 0 entry 15 fiq 18 1c NULL NULL 1 NULL NULL NULL NULL secure",
			&schema.Events:     "0 0 6 trace_on 8000 NULL | 0 0 12 trace_on 18 NULL",
		},
	},
	{
		// Before there is a stream a trigger waits for the I-sync; in trace off it
		// does not wait; while the FIFO is full it does.
		name: "triggers", memory: gap,
		steps: "8000/trigger 8004>9000/trigger 9000/off/trigger 9004>9004 9004>9004/full/trigger 9004>9004",
		want:  "A 08 00800000 21 0c 0c 8110 0c 08 04900000 21 84 08 04900000 41 0c 84",
		rows: map[*schema.Table]string{
			&schema.Events: "0 0 6 trace_on 8000 NULL | 0 0 12 trigger NULL NULL | 0 0 13 trigger NULL NULL | " +
				"2 0 16 trigger NULL NULL | 2 0 17 trace_on 9004 NULL | 3 0 24 overflow 9004 NULL | 3 0 30 trigger NULL NULL",
		},
	},
	{
		// The exception entry has the new Context ID, which no packet has sent before.
		// A VMID that changed while trace was off follows the I-sync.
		name: "Context ID and VMID", options: virtual, memory: "8000:00f020e3feffffea 18:feffffea",
		steps: "8000n/ctx=1/vmid=5 !irq:8004n>18n/ctx=2/vmid=6 18n>18n/ctx=2/vmid=6 18n>18n/ctx=3/vmid=7/off 18n>18n/ctx=3/vmid=7",
		want:  "A 08 00800000 29 01 3c05 7201 8d808080481d 6e02 3c06 84 08 18000000 29 03 3c07 84",
		rows: map[*schema.Table]string{
			&schema.Contexts: "0 0 6 1 NULL non_secure a32 | 0 0 13 1 5 non_secure a32 | 1 0 23 2 5 non_secure a32 | " +
				"1 0 25 2 6 non_secure a32 | 2 0 28 3 6 non_secure a32 | 2 0 35 3 7 non_secure a32",
			&schema.Exceptions: "1 0 17 0 entry 14 irq 8004 18 NULL NULL 0 NULL NULL 1 5 non_secure",
		},
	},
	{
		name: "a periodic I-sync is a cut, its A-sync belongs to the segment before", memory: gap,
		options: pft.Options{SyncBytes: 8},
		steps:   "8000 8004>9000 9000 9004>9004",
		want:    "A 08 00800000 21 8110 A 08 00900000 01 84",
		rows: map[*schema.Table]string{
			&schema.Segments: "0 0 6 14 14 0 0 2 0 8000 trace_on | 2 1 20 7 7 0 0 2 0 9000 periodic",
			&schema.Events:   "0 0 6 trace_on 8000 NULL",
			&schema.Losses:   "0 NULL 0 6 unsynced NULL",
		},
	},
	{
		// The packet of the call has the change. A decoder pushes the state before the
		// call, so the return stack does not have the place that the call returns to.
		name: "a call after a change of the security state", options: stacks, memory: "8000:0000a0e1fd0300ebfeffffea 9000:1eff2fe1",
		steps: "8000>8004n 8004n>9000n 9000n>8008n 8008n>8008n",
		want:  "A 08 00800000 21 8150 01 8500 84",
		rows: map[*schema.Table]string{
			&schema.Contexts: "0 0 6 NULL NULL secure a32 | 2 0 12 NULL NULL non_secure a32",
			&schema.Instructions: "0 0 12 8000 4 a32 e1a00000 other NULL NULL 0 NULL NULL NULL NULL secure | " +
				"1 0 12 8004 4 a32 eb0003fd call true NULL 0 NULL NULL NULL NULL secure | " +
				"2 0 15 9000 4 a32 e12fff1e return true NULL 0 NULL NULL NULL NULL non_secure | " +
				"3 0 17 8008 4 a32 eafffffe branch true NULL 0 NULL NULL NULL NULL non_secure",
		},
	},
	{
		// The return stack changes to the non-secure state in the middle of a packet.
		// The next branch packet repeats it: decoders may take the exception's state.
		name: "the return stack changes the security state", memory: "8:0ef0b0e1 8000:fe0300eb13ff2f0113ff2fe1 9000:700060e1",
		options: pft.Options{Config: codec.Config{ReturnStack: true}, ReturnStackDepth: 4},
		steps:   "8000n>9000n 9000n !smc:9004n>8 8>8004n 8004n/N 8008n>9000n",
		want:    "A 08 00800000 29 84 728110 858080804804 8a 81904101",
		rows: map[*schema.Table]string{
			&schema.Contexts: "0 0 6 NULL NULL non_secure a32 | 2 0 16 NULL NULL secure a32 | 3 0 22 NULL NULL non_secure a32",
			&schema.Instructions: "0 0 12 8000 4 a32 eb0003fe call true NULL 0 NULL NULL NULL NULL non_secure | " +
				"1 0 13 9000 4 a32 e1600070 smc NULL NULL 0 NULL NULL NULL NULL non_secure | " +
				"2 0 22 8 4 a32 e1b0f00e exception_return true NULL 0 NULL NULL NULL NULL secure | " +
				"3 0 22 8004 4 a32 12fff13 indirect false NULL 0 NULL NULL NULL NULL non_secure | " +
				"4 0 23 8008 4 a32 e12fff13 indirect true NULL 0 NULL NULL NULL NULL non_secure",
		},
	},
	{
		// The instruction set stated last is ThumbEE, but LEAVEX left it: five address
		// bytes, which without information would mean Thumb. At the end the instruction
		// set is the one stated last again.
		name: "ThumbEE, stated, left, and entered again", memory: "8000:c0c3 a000:bff30f8f7047 b000:bff30f8fbff31f8f7047", options: plain,
		steps: "8000j>a000j a000j>a004t a004t>b000j b000j>b004t b004t>b008j b008j>8000j",
		want:  "A 08 01800000 25 81c002 84 81e0828050 40 88 818002",
		rows: map[*schema.Table]string{
			&schema.Instructions: "0 0 12 8000 2 t32ee c3c0 indirect_call true NULL 0 NULL NULL NULL NULL secure | " +
				"1 0 15 a000 4 t32ee f3bf8f0f branch true NULL 0 NULL NULL NULL NULL secure | " +
				"2 0 16 a004 2 t32 4770 return true NULL 0 NULL NULL NULL NULL secure | " +
				"3 0 22 b000 4 t32ee f3bf8f0f branch true NULL 0 NULL NULL NULL NULL secure | " +
				"4 0 22 b004 4 t32 f3bf8f1f branch true NULL 0 NULL NULL NULL NULL secure | " +
				"5 0 23 b008 2 t32ee 4770 return true NULL 0 NULL NULL NULL NULL secure",
		},
	},
	{
		name: "a time of 0 is unknown", memory: "8000:0ef0b0e1 9000:feffffea",
		options: pft.Options{Config: codec.Config{Minor: 1}, Timestamps: true, CyclesPerTick: 4},
		steps:   "8000>9000/cc=4 9000>9000",
		want:    "A 08 00800000 21 42 80808080808000 8110 76 42 01 84",
		rows: map[*schema.Table]string{
			&schema.Events:     "0 0 6 trace_on 8000 NULL | 0 0 12 timestamp_unknown NULL NULL",
			&schema.Timestamps: "1 0 23 1 48 0 NULL",
			&schema.Exceptions: "1 0 22 0 return NULL NULL NULL NULL NULL NULL 0 NULL NULL NULL NULL secure",
		},
	},
	{
		// 2⁶³ is 1 and 1 in Gray code, bits 63 and 62: 8 bits in the ninth byte. No row
		// can have it.
		name: "64 bits in Gray code", memory: "8000:feffffea",
		options: pft.Options{
			Config: codec.Config{Minor: 1, Timestamp64: true, TimestampGray: true}, Timestamps: true, TimestampBase: 1 << 63,
		},
		steps: "8000>8000",
		want:  "A 08 00800000 21 42 8080808080808080c0 84",
		rows: map[*schema.Table]string{
			&schema.Timestamps: "0 0 12 NULL 64 0 NULL",
			&schema.Events:     "0 0 6 trace_on 8000 NULL | 0 0 12 timestamp_out_of_range NULL 9223372036854775808",
		},
	},
	{
		// 1.0 has 48 bits in Gray code and no VMID, whatever is asked for: 3 is 10.
		name: "PFT 1.0", memory: "8000:feffffea", options: pft.Options{
			Config: codec.Config{Timestamp64: true}, Timestamps: true, TimestampBase: 3, TraceVMID: true,
		},
		steps: "8000>8000/vmid=1",
		want:  "A 08 00800000 21 42 82808080808000 84",
		rows: map[*schema.Table]string{
			&schema.Timestamps: "0 0 12 3 48 0 NULL", &schema.Contexts: "0 0 6 NULL NULL secure a32",
		},
	},
}

// untold are the cells at the ends of rows that no PTM tells of: exception level, transaction.
var untold = map[*schema.Table]string{
	&schema.Contexts: " NULL", &schema.Exceptions: " NULL", &schema.Instructions: " NULL NULL",
}

func TestPFTRows(t *testing.T) {
	for _, tt := range rowVectors {
		t.Run(tt.name, func(t *testing.T) {
			var stream bytes.Buffer
			truth := benchtest.Record{}
			if err := encode.All(pft.New(&stream, truth, tt.options), benchtest.ParseSteps(t, tt.memory, tt.steps)); err != nil {
				t.Fatal(err)
			}
			want := benchtest.Unhex(t, strings.ReplaceAll(tt.want, "A", "000000000080"))
			if !bytes.Equal(stream.Bytes(), want) {
				t.Errorf("got  % x\nwant % x", stream.Bytes(), want)
			}
			for table, rows := range tt.rows {
				var want []string
				if rows != "" {
					want = strings.Split(strings.ReplaceAll(rows, " | ", untold[table]+" | ")+untold[table], " | ")
				}
				if got := truth[table.Name]; !slices.Equal(got, want) {
					t.Errorf("%s:\ngot  %s\nwant %s", table.Name, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
				}
			}
		})
	}
}

// A timestamp after every step. In 1.1 it is the time of the last waypoint, and
// the cycles since then are in the next count; in 1.0 it is the time of the packet,
// and has these cycles.
func TestPFTTimestampTime(t *testing.T) {
	const steps = "8000/cc=3 8004>9000/cc=2 9000/cc=4 9004>9004/cc=7"
	for minor, want := range map[uint8][]string{
		1: {"100 0", "100 0", "105 5", "105 5", "116 16", "of waypoints: 5 11"},
		0: {"100 0", "103 3", "105 5", "109 9", "116 16", "of waypoints: 2 7"},
	} {
		o := pft.Options{
			Config: codec.Config{Minor: minor, CycleAccurate: true}, Timestamps: true, TimestampBase: 100,
			Variation: pft.Variation{Timestamps: 1},
		}
		truth := benchtest.Record{}
		if err := encode.All(pft.New(io.Discard, truth, o), benchtest.ParseSteps(t, gap, steps)); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, row := range truth[schema.Timestamps.Name] {
			f := strings.Fields(row)
			got = append(got, f[3]+" "+f[6])
		}
		waypoints := []string{"of waypoints:"}
		for _, row := range truth[schema.Instructions.Name] {
			if f := strings.Fields(row); f[9] != "NULL" {
				waypoints = append(waypoints, f[9])
			}
		}
		if got = append(got, strings.Join(waypoints, " ")); !slices.Equal(got, want) {
			t.Errorf("1.%d: got %q, want %q", minor, got, want)
		}
	}
}
