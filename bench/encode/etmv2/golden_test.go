package etmv2_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/encode/etmv2"
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

func vary(v etmv2.Variation) func(*etmv2.Options) {
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
		name: "A", options: etm(8, vary(etmv2.Variation{Cancel: 1})),
		steps: "8000 8004 8008/N 800c>8040t 8040t !irq:8042t>18 18",
		want:  "TD:09 IE:20 IE:00 IN:80 DE:00 IE:00 IE:c1 DW:80 IE:82 WT:80 WT:10 WT:8d WT:80 WT:80 WT:80 WT:48",
		rows:  "instructions 8000 8004 8008 800c 8040 18, exceptions 5:irq:8042:18, events 0:trace_on:0 5:cancelled:7",
	},
	{
		name: "A, 4 pins", options: etm(4, vary(etmv2.Variation{Cancel: 1})),
		steps: "8000 8004 8008/N 800c>8040t 8040t !irq:8042t>18 18",
		want: "TD:9 IE:0 IE:0 IN:0 DE:2 IE:0 IE:0 DW:0 IE:8 WT:0 WT:0 WT:0 WT:0 WT:1 WT:c WT:0 WT:8 WT:2 WT:8 WT:0 WT:8 WT:0 WT:1 " +
			"WT:d WT:8 WT:0 WT:8 WT:0 WT:8 WT:0 WT:8 WT:8 WT:4",
	},
	{
		name: "A, 16 pins", options: etm(16, vary(etmv2.Variation{Cancel: 1})),
		steps: "8000 8004 8008/N 800c>8040t 8040t !irq:8042t>18 18",
		want:  "TD:0009 IE:0020 IE:0080 IN:0000 DE:80c1 IE:8082 IE:0010 DW:808d IE:8080 WT:0048",
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
