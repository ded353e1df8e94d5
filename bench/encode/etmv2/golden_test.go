package etmv2_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/encode/etmv2"
	"github.com/tracelake/tracelake/bench/encode/pipestat"
	"github.com/tracelake/tracelake/bench/internal/benchtest"
	codec "github.com/tracelake/tracelake/decode/etmv2"
	"github.com/tracelake/tracelake/decode/port"
)

// etm is an ETM of version 2.0 with so many pins and nothing else.
func etm(width port.Width, more ...func(*etmv2.Options)) etmv2.Options {
	o := etmv2.Options{Config: codec.Config{Config: port.Config{Number: 0x20, Width: width}}}
	for _, m := range more {
		m(&o)
	}
	return o
}

func cycles(o *etmv2.Options)      { o.CycleAccurate = true }
func data(o *etmv2.Options)        { o.DataAddress, o.DataValue = true, true }
func contextID2(o *etmv2.Options)  { o.ContextIDBytes = 2 }
func next(o *etmv2.Options)        { o.First = codec.FirstNext }
func plain(o *etmv2.Options)       { o.TFO = codec.TFOPlain }
func noGap(o *etmv2.Options)       { o.Gap = codec.GapNone }
func high(o *etmv2.Options)        { o.HighVectors = true }
func branches(o *etmv2.Options)    { o.BranchOutput = true }
func monitorCPRT(o *etmv2.Options) { o.MonitorCPRT = true }
func dropped(o *etmv2.Options)     { o.DropDisabled = true }

func vary(v pipestat.Variation) func(*etmv2.Options) {
	return func(o *etmv2.Options) { o.Variation = &v }
}

// goldenCode is the program of docs/etmv2.md §8.
const goldenCode = "0:0000a0e1 8:0000a0e1 10:0000a0e1 18:0000a0e1 ffff0018:0000a0e1 " +
	"8000:0100a0e3010050e2fdffff1a1eff2fe1002091e51080bde8000000effeffffea103f10ee 8040:01207047 8050:00f006f8 8060:0020"

// golden are streams of docs/etmv2.md §8.2 and §8.6 and some of the same kind,
// worked out by hand; what is undefined is 0.
var golden = []struct {
	name    string
	options etmv2.Options
	steps   string
	want    string
	rows    string // of the tables named, without what the test leaves out
}{
	{
		name: "A", options: etm(8, vary(pipestat.Variation{Cancel: 1})),
		steps: "8000 8004 8008/N 800c>8040t 8040t !irq:8042t>18 18",
		want:  "TD:09 IE:20 IE:00 IN:80 DE:00 IE:00 IE:c1 DW:80 IE:82 WT:80 WT:10 WT:8d WT:80 WT:80 WT:80 WT:48",
		rows:  "instructions 8000 8004 8008 800c 8040 18, exceptions 5:irq:8042:18, events 0:trace_on:0 5:cancelled:7",
	},
	{
		name: "A, 4 pins", options: etm(4, vary(pipestat.Variation{Cancel: 1})),
		steps: "8000 8004 8008/N 800c>8040t 8040t !irq:8042t>18 18",
		want: "TD:9 IE:0 IE:0 IN:0 DE:2 IE:0 IE:0 DW:0 IE:8 WT:0 WT:0 WT:0 WT:0 WT:1 WT:c WT:0 WT:8 WT:2 WT:8 WT:0 WT:8 WT:0 WT:1 " +
			"WT:d WT:8 WT:0 WT:8 WT:0 WT:8 WT:0 WT:8 WT:8 WT:4",
	},
	{
		name: "A, 16 pins", options: etm(16, vary(pipestat.Variation{Cancel: 1})),
		steps: "8000 8004 8008/N 800c>8040t 8040t !irq:8042t>18 18",
		want:  "TD:0009 IE:0020 IE:0080 IN:0000 DE:80c1 IE:8082 IE:0010 DW:808d IE:8080 WT:0048",
	},
	{
		name: "B, phantoms", options: etm(8, vary(pipestat.Variation{Phantom: 1})),
		steps: "8000 8004 8008>8004 8004 8008/N 800c>8010 8010",
		want:  "TD:09 IE:20 IE:00 PT_IE:80 PN_DE:00 IE:00 WT:09",
		rows:  "instructions 8000 8004 8008 8004 8008 800c 8010",
	},
	{
		name: "C, data", options: etm(8, data),
		steps: "8010/d=40000010:1234:4:read 8014>8000/d=40000100:0:4:read,40000104:8000:4:read 8000",
		want:  "TD:09 DE:20 DE:10 IE:80 WT:00 WT:00 WT:2a WT:90 WT:80 WT:80 WT:80 WT:04 WT:34 WT:12 WT:a2 WT:80 WT:02 WT:8a WT:00 WT:80 WT:01",
		rows:  "data_accesses 0:0:40000010:4660:in_order 1:0:40000100:0:in_order 1:1:40000104:32768:in_order",
	},
	{
		name: "D, Context ID and trigger", options: etm(8, contextID2),
		steps: "8000/ctx=4660 8004/ctx=4660/trigger 8008/N/ctx=4660",
		want:  "TD:09 IE:20 TR:00 IN:34 WT:12 WT:00 WT:80 WT:00 WT:00",
		rows:  "contexts 0:4660, events 0:trace_on:0 1:trigger:2",
	},
	{
		name: "I, SVC", options: etm(8),
		steps: "8018 !svc:801c>8 8",
		want:  "TD:09 IE:20 DW:18 IE:80 WT:00 WT:00 WT:85 WT:80 WT:00",
		rows:  "instructions 8018 8, exceptions 1:svc:801c:8",
	},
	{
		name: "J, cycles", options: etm(8, cycles),
		steps: "8000 8004/cc=7 8008/N/cc=3",
		want:  "TD:09 IE:20 WT:00 WT:80 WT:00 WT:00 TD:07 TD:07 IE:00 TD:07 TD:07 IN:00",
		rows:  "cycle_counts 1:7 2:3",
	},
	{
		name: "T, overflow", options: etm(8),
		steps: "8000 8004/full 8008/N/full 800c>8040t/full 8040t",
		want:  "TD:09 IE:20 WT:00 WT:80 WT:00 WT:00 TD:09 IE:40 WT:41 WT:80 WT:00 WT:00",
		rows:  "events 0:trace_on:0 1:overflow:6",
	},
	{
		name: "V, Context ID written", options: etm(8, contextID2),
		steps: "8000/ctx=17 8004/ctx=4660",
		want:  "TD:09 DE:20 IE:11 WT:00 WT:00 WT:80 WT:00 WT:00 WT:6e WT:34 WT:12",
		rows:  "contexts 0:17 1:4660",
	},
	{
		name: "high vectors", options: etm(8, high, vary(pipestat.Variation{Cancel: 1})),
		steps: "8000 !irq:8004>ffff0018 ffff0018",
		want:  "TD:09 IE:20 IE:00 DW:80 IE:00 WT:00 WT:8d WT:80 WT:fe WT:ff WT:4f",
		rows:  "exceptions 1:irq:8004:ffff0018",
	},
	{
		name: "TFO=plain", options: etm(8, plain), steps: "8000",
		want: "TD:01 IE:20 WT:00 WT:80 WT:00 WT:00",
	},
	{
		name: "FIRST=next with an empty FIFO", options: etm(8, next, cycles),
		steps: "8000 8004/cc=5 8008/N 800c>8040t",
		want:  "TD:09 IE:20 WT:00 WT:80 WT:00 WT:00 IE:00 IN:00 DE:00 WT:c1 WT:80 WT:82 WT:80 WT:10",
	},
	{
		name: "GAP=none", options: etm(4, noGap), steps: "8000 8004",
		want: "TD:9 IE:0 IE:0 WT:2 WT:0 WT:0 WT:0 WT:8 WT:0 WT:0 WT:0 WT:0",
	},
	{
		name: "GAP=none, a TFO that splits a byte", options: etm(4, noGap, vary(pipestat.Variation{Seed: 16, Sync: 1, SplitByte: 1})),
		steps: "801c>801c 801c>801c 801c>801c 801c>801c",
		want:  "TD:9 IE:0 IE:0 TD:9 IE:4 WT:2 WT:c WT:1 WT:0 WT:8 WT:0 WT:0 WT:0 WT:0 WT:0 WT:0 WT:c WT:1 WT:0 WT:8 WT:0 WT:0 WT:0 WT:0",
	},
	{
		name: "branch output", options: etm(8, branches), steps: "801c>801c 801c>801c",
		want: "TD:09 DE:20 DE:1c WT:80 WT:00 WT:00 WT:0f WT:0f",
		rows: "instructions 801c 801c",
	},
	{
		name: "MRC", options: etm(8, data, monitorCPRT), steps: "8020/d=0:78:4:read:register",
		want: "TD:09 DE:20 WT:20 WT:80 WT:00 WT:00 WT:06 WT:78",
		rows: "data_accesses 0:0:NULL:120:in_order",
	},
	{
		name: "without droppable samples", options: etm(8, dropped), steps: "8000/off 8004",
		want: "TD:09 IE:20 WT:04 WT:80 WT:00 WT:00",
		rows: "events 0:trace_on:0",
	},
	{
		name: "Thumb BL", options: etm(8), steps: "8050t>8060t 8060t",
		want: "TD:09 IE:20 IE:51 IE:80 WT:00 WT:00",
		rows: "instructions 8050 8060",
	},
}

func TestGolden(t *testing.T) {
	for i := range golden {
		tt := &golden[i]
		t.Run(tt.name, func(t *testing.T) {
			program := benchtest.Program(t, goldenCode)
			tt.options.Program = program
			var stream bytes.Buffer
			rows := benchtest.Record{}
			if err := encode.All(etmv2.New(&stream, rows, tt.options), benchtest.Steps(t, program, tt.steps)); err != nil {
				t.Fatal(err)
			}
			if got := port.FormatSamples(port.Samples(stream.Bytes()), statuses, tt.options.Width); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if got := rows.Brief(tt.rows); got != tt.rows {
				t.Errorf("rows %s\nwant %s\n%v", got, tt.rows, rows)
			}
		})
	}
}

// statuses are the names of PIPESTAT (§5.1).
var statuses = strings.Fields("IE DE IN DN WT DW TR TD PT_IE PT_DE PT_IN PT_DN PN_IE PN_DE PN_IN PN_DN")
