package etmv1_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/encode/etmv1"
	"github.com/tracelake/tracelake/bench/internal/benchtest"
	"github.com/tracelake/tracelake/decode/port"
)

// etm is an ETM of version 1.2 with so many pins and nothing else.
func etm(width port.Width, more ...func(*etmv1.Options)) etmv1.Options {
	o := etmv1.Options{Config: port.Config{Number: 0x12, Width: width}}
	for _, m := range more {
		m(&o)
	}
	return o
}

func cycles(o *etmv1.Options)      { o.CycleAccurate = true }
func data(o *etmv1.Options)        { o.DataAddress, o.DataValue = true, true }
func contextID2(o *etmv1.Options)  { o.ContextIDBytes = 2 }
func high(o *etmv1.Options)        { o.HighVectors = true }
func branches(o *etmv1.Options)    { o.BranchOutput = true }
func monitorCPRT(o *etmv1.Options) { o.MonitorCPRT, o.DataValue = true, true }
func dropped(o *etmv1.Options)     { o.DropDisabled = true }
func v11(o *etmv1.Options)         { o.Number = 0x11 }

// goldenCode is the program of docs/etmv2.md §8.
const goldenCode = "0:0000a0e1 8:0000a0e1 10:0000a0e1 18:0000a0e1 ffff0018:0000a0e1 " +
	"8000:0100a0e3010050e2fdffff1a1eff2fe1002091e51080bde8000000effeffffea103f10ee 8040:01207047 8050:00f006f8 8060:0020"

// golden are streams of docs/etmv2.md §8.4 and §8.6 and some of the same kind,
// worked out by hand; what is undefined is 0.
var golden = []struct {
	name    string
	options etmv1.Options
	steps   string
	want    string
	rows    string // of the tables named, without what the test leaves out
}{
	{
		name: "K", options: etm(8),
		steps: "8000 8004 8008/N 800c>8040t !irq:8040t>18 18",
		want:  "BE:80* IE:80 IE:82 IE:80 IE:10 IN:00 BE:41* IE:00 IE:00 BE:98* IE:80 IE:00 IE:00",
		rows:  "instructions 8000 8004 8008 800c 18, exceptions 4:irq:8040:18, events 0:trace_on:0 4:cancelled:9",
	},
	{
		name: "K, 4 pins", options: etm(4),
		steps: "8000 8004 8008/N 800c>8040t 8040t !irq:8042t>18 18",
		want:  "BE:0* IE:8 IE:0 IE:8 IE:2 IN:8 BE:0 IE:8 IE:0 IE:1 BE:1* ID:4 IE:8* IE:9 WT:0 WT:8 WT:0 WT:0",
		rows:  "instructions 8000 8004 8008 800c 8040 18, exceptions 5:irq:8042:18, events 0:trace_on:0 5:cancelled:10",
	},
	{
		name: "K, 16 pins", options: etm(16),
		steps: "8000 8004 8008/N 800c>8040t 8040t !irq:8042t>18 18",
		want:  "BE:8080* IE:8082 IE:0010 IE:0000 IE:0000 IN:0000 BE:0041* IE:0000 IE:0000 IE:0000 BE:8098* IE:0000 IE:0000 IE:0000",
	},
	{
		name: "L, a trigger replaces the branch", options: etm(8),
		steps: "8000 8004 8008/N 800c>8040t/trigger 8040t",
		want:  "BE:80* IE:80 IE:82 IE:80 IE:10 IN:00 TR:04 IE:41* IE:00 IE:00",
		rows:  "events 0:trace_on:0 3:trigger:6",
	},
	{
		name: "N, Context ID", options: etm(8, contextID2),
		steps: "8000/ctx=4660 8004/ctx=4660 8008/N/ctx=4660 800c>8010/ctx=4660 8010/ctx=22136",
		want:  "BE:80* IE:80 IE:82 IE:80 IE:10 IN:34 BE:12 IE:90* IE:80 IE:82 WT:80 WT:40 WT:78 WT:56",
		rows:  "contexts 0:4660 4:22136",
	},
	{
		name: "O, data", options: etm(8, data),
		steps: "8010/d=40000010:1234:4:read 8014>8000/d=40000100:0:4:read,40000104:8000:4:read 8000",
		want:  "BE:90* IE:80 IE:82 ID:80 BD:10 IE:90 IE:80 IE:80 WT:80 WT:04 WT:34 WT:12 WT:00 WT:00 WT:80 WT:02 WT:00 WT:00 WT:00 WT:00 WT:00 WT:80 WT:00 WT:00 WT:00*",
		rows:  "data_accesses 0:0:40000010:4660:in_order 1:0:40000100:0:in_order 1:1:40000104:32768:in_order",
	},
	{
		name: "R, SVC after debug state", options: etm(8),
		steps: "!debug:8018>8018/off 8018 !svc:801c>8 8",
		want:  "TD:00 BE:98* IE:80 IE:82 BE:80 IE:30 IE:88* IE:80 WT:00",
		rows:  "instructions 8018 8, exceptions 1:svc:801c:8, events 0:debug_exit:1",
	},
	{
		name: "S, cycles", options: etm(8, cycles),
		steps: "8000/cc=1 8004/cc=6 8008/N/cc=2",
		want:  "BE:80* IE:80 IE:82 IE:80 WT:10 TD:01 TD:01 TD:01 TD:01 IE:00 TD:01 IN:00",
		rows:  "cycle_counts 1:6 2:2",
	},
	{
		name: "Q, overflow, without droppable samples", options: etm(8, dropped),
		steps: "8000 8004 8008/N/full 800c>8040t/full 8040t",
		want:  "BE:80* IE:80 IE:82 IE:80 IE:10 BE:c1* IE:80 IE:82 IE:80 WT:20",
		rows:  "events 0:trace_on:0 2:overflow:5",
	},
	{
		name: "v1.1, periodic", options: etm(8, v11, func(o *etmv1.Options) { o.SyncPeriod = 6 }),
		steps: "8000 8004 8008/N 800c>8010 8010",
		want:  "BE:80* IE:80 IE:82 IE:80 IE:10 IN:00 BE:90* IE:80 IE:82 IE:80 WT:00",
	},
	{
		name: "high vectors", options: etm(8, high),
		steps: "8000 !irq:8004>ffff0018 ffff0018",
		want:  "BE:80* IE:80 IE:82 IE:80 BE:10 IE:98* IE:80 IE:fc WT:ff WT:0f",
		rows:  "exceptions 1:irq:8004:ffff0018",
	},
	{
		name: "branch output", options: etm(8, branches), steps: "801c>801c",
		want: "BE:9c* IE:80 IE:82 BE:80 IE:10 IE:1c*",
		rows: "instructions 801c",
	},
	{
		name: "MRC", options: etm(8, monitorCPRT), steps: "8020/d=0:12345678:4:read:register",
		want: "BE:a0* IE:80 IE:82 ID:80 WT:10 WT:78 WT:56 WT:34 WT:12",
		rows: "data_accesses 0:0:NULL:305419896:in_order",
	},
	{
		name: "Thumb BL", options: etm(8), steps: "8050t>8060t 8060t",
		want: "BE:d1* IE:80 IE:82 IE:80 IE:10 IE:00",
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
			if err := encode.All(etmv1.New(&stream, rows, tt.options), benchtest.Steps(t, program, tt.steps)); err != nil {
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

// statuses are the names of PIPESTAT (§4.1).
var statuses = strings.Fields("IE ID IN WT BE BD TR TD")
