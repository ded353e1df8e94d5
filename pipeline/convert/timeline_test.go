package convert_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tracelake/tracelake/pipeline/convert"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/profile"
	"github.com/tracelake/tracelake/pipeline/report/timeline"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// timeProgram has a task that is interrupted in a call, one that runs then, and a gap.
const timeProgram = `
source 0x10 core=cpu hz=2000000000
run 0x1000 a32 executed=100
function 0x1000 16 main at=/build/a.c:1
function 0x1010 16 f at=/build/a.c:5
function 0x1020 16 other
function 0x1030 16 isr
task main context=42 instructions=50
task other first=20 origin=new instructions=20
task main first=70 origin=gap context=42 instructions=30
stack function=0 instructions=10
stack function=1 parent=0 entry=call instructions=30
stack parent=1 entry=exception type=irq number=53
stack function=3 parent=2 entry=root instructions=10
stack function=2 task=1 instructions=20
stack function=0 task=2 instructions=30
exception 15 entry type=irq number=53
call 10 50 stack=1
span 15 20 ordinal=0 end=switch
event 70 overflow
`

// timelines are those of the dataset that a text describes.
func timelines(t *testing.T, text string) (*report.Merged, []string, convert.Timelines) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	check(t, datasettest.Write(dir, text))
	m, err := report.Read([]string{dir}, report.Options{})
	check(t, err)
	return m, []string{dir}, func(do func(*timeline.Timeline) error) error {
		return timeline.Each(m, []string{dir}, "", timeline.Everything, nil, do)
	}
}

// At a switch, the frames of a task are closed, and opened when it has its turn again. Nothing
// says when that is but the return of f.
func TestSpeedscope(t *testing.T) {
	m, dirs, timelines := timelines(t, timeProgram)
	p, err := profile.Read(m, dirs, "")
	check(t, err)
	var out bytes.Buffer
	paths := &convert.Paths{Map: []convert.Mapping{{From: "/build", To: "src"}}}
	check(t, convert.Speedscope(&out, timelines, p, paths, convert.Made{By: "tracelake 1"}))
	got := strings.NewReplacer(`{"type":"`, "\n", `","frame":`, " ", `,"at":`, " ", "}", "").Replace(out.String())
	equal(t, `{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"tracelake 1","profiles":[

evented","name":"source 0x10 cpu in order of time, instructions","unit":"none","events":[
O 5 0,
O 0 0,
O 1 10,
O 2 15,
O 3 15,
C 3 20,
C 2 20,
C 1 20,
C 0 20,
C 5 20,
O 6 20,
O 4 20,
C 4 50,
C 6 50,
O 5 50,
O 0 50,
C 0 70,
C 5 70,
O 7 70,
C 7 70,
O 5 70,
O 0 70,
C 0 100,
C 5 100],"startValue":0,"endValue":100,

sampled","name":"[task main 0x2a] core cpu, instructions","unit":"none","startValue":0,"samples":[[0],[0,1],[0,1,2,3]],"weights":[40,30,10],"endValue":80,

sampled","name":"[task other] core cpu, instructions","unit":"none","startValue":0,"samples":[[4]],"weights":[20],"endValue":20],"shared":{"frames":[`+
		`{"name":"main","file":"src/a.c","line":1,{"name":"f","file":"src/a.c","line":5,{"name":"[irq 53]",{"name":"isr",{"name":"other",{"name":"[task main 0x2a]",{"name":"[task other]",{"name":"[untraced]"]
`, got)
}

// A task stays in what it is in while another has its turn. Times are those of instructions,
// as there are no cycles.
func TestPerfetto(t *testing.T) {
	_, _, timelines := timelines(t, timeProgram)
	var out bytes.Buffer
	check(t, convert.Perfetto(&out, timelines, false))
	equal(t, `track 1 source 0x10 cpu (1 instruction = 1 ns)
0 begin 1 task 0 main 0x2a
track 2 task 0 main 0x2a in 1 rank 1
0 begin 2 main
10 begin 2 f
15 begin 2 [irq 53]
track 3 exceptions in 1 rank 0
15 begin 3 [irq 53]
15 begin 2 isr
20 end 2
20 end 2
20 end 3
20 end 1
20 begin 1 task 1 other
track 4 task 1 other in 1 rank 2
20 begin 4 other
50 end 2
50 end 1
50 begin 1 task 0 main 0x2a
70 end 2
70 end 4
70 end 1
70 instant 1 [untraced]
70 begin 1 task 2 main 0x2a
track 5 task 2 main 0x2a in 1 rank 3
70 begin 5 main
70 instant 1 overflow
100 end 5
100 end 1
`, packets(t, out.Bytes()))
}

// With cycles, and the frequency of the core, times are nanoseconds.
func TestPerfettoInNanoseconds(t *testing.T) {
	_, _, timelines := timelines(t, `
source 0x10 hz=3000000000
run 0x1000 a32 executed=100
task main instructions=100 cycles=300
stack
stack parent=0 entry=call address=0x20
exception 99 entry
call 10 20 stack=1 cycle=100 end_cycle=200
span 99 99 ordinal=0 end=gap
`)
	var out bytes.Buffer
	check(t, convert.Perfetto(&out, timelines, false))
	equal(t, `track 1 source 0x10
0 begin 1 task 0 main
track 2 task 0 main in 1 rank 1
0 begin 2 0x00000000
33 begin 2 0x00000020
66 end 2
99 begin 2 [exception]
track 3 exceptions in 1 rank 0
99 begin 3 [exception]
99 end 2
99 end 3
100 end 2
100 end 1
`, packets(t, out.Bytes()))
}

// packets lists a trace as Perfetto's message definitions say.
func packets(t *testing.T, trace []byte) string {
	t.Helper()
	out := &strings.Builder{}
	for len(trace) > 0 {
		field, value, n := message(t, trace)
		if field != 1 {
			t.Fatalf("field %d of a trace", field)
		}
		trace = trace[n:]
		p := fields(t, value)
		if d, ok := p[60]; ok {
			x := fields(t, d)
			fmt.Fprintf(out, "track %d %s", number(x[1]), x[2])
			if parent, ok := x[5]; ok {
				fmt.Fprintf(out, " in %d rank %d", number(parent), number(x[12]))
			}
			out.WriteString("\n")
			continue
		}
		e := fields(t, p[11])
		line := fmt.Sprintf("%d %s %d %s", number(p[8]), [...]string{"", "begin", "end", "instant"}[number(e[9])], number(e[11]), e[23])
		out.WriteString(strings.TrimSpace(line) + "\n")
	}
	return out.String()
}

func number(b []byte) uint64 {
	n, _ := protowire.ConsumeVarint(b)
	return n
}

// fields returns the fields of a message, numbers as they are written.
func fields(t *testing.T, b []byte) map[protowire.Number][]byte {
	t.Helper()
	all := map[protowire.Number][]byte{}
	for len(b) > 0 {
		field, value, n := message(t, b)
		all[field] = value
		b = b[n:]
	}
	return all
}

// message returns the first field of a message.
func message(t *testing.T, b []byte) (field protowire.Number, value []byte, n int) {
	t.Helper()
	field, kind, n := protowire.ConsumeTag(b)
	var used int
	switch kind {
	case protowire.VarintType:
		_, used = protowire.ConsumeVarint(b[n:])
		value = b[n : n+max(used, 0)]
	case protowire.BytesType:
		value, used = protowire.ConsumeBytes(b[n:])
	default:
		used = -1
	}
	if n < 0 || used < 0 {
		t.Fatalf("no field: % x", b[:min(16, len(b))])
	}
	return field, value, n + used
}

// What cannot be written is an error, at once.
func TestTimelineNotWritten(t *testing.T) {
	broken := errors.New("disk full")
	_, _, timelines := timelines(t, timeProgram)
	for name, err := range map[string]error{
		"speedscope": convert.Speedscope(failing{broken}, timelines, nil, &convert.Paths{}, convert.Made{}),
		"perfetto":   convert.Perfetto(failing{broken}, timelines, true),
	} {
		if !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
