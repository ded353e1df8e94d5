package timeline_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A timelineModel makes up what tasks do: the rows that tables have of it, and what a timeline
// is to show. Functions are f0 to f4, exceptions irq 1 and 2, whose handlers are h1 and h2.
type timelineModel struct {
	rand     *rand.Rand
	seq      int64
	tasks    []*modelTask
	now      *modelTask
	nodes    map[string]int
	rows     strings.Builder // stacks, tasks
	ended    strings.Builder // calls and spans, in order of their end
	entered  int             // exceptions
	handlers map[string]int  // tasks that are handlers of an exception
	slices   []modelSlice
	turns    []modelSlice

	epoch  int
	cycles []int64 // by seq: from the start of the trace
	starts []int64 // by epoch
}

type modelTask struct {
	number int
	frames []modelFrame
	left   []modelFrame // calls of a handler that another task was left in: their rows are not written
	waits  bool
	coop   bool // it waits in a call, else in an exception
	gone   bool
}

type modelFrame struct {
	kind    string // root, call, exception, handler
	name    string
	node    int
	task    int // of the node
	below   int // of an exception: the node that it interrupted
	seq     int64
	epoch   int
	ordinal int
}

// A modelSlice is a time in which something is shown.
type modelSlice struct {
	task, depth int
	name        string
	from, until int64 // seq
}

func newTimelineModel(seed uint64, steps int) *timelineModel {
	m := &timelineModel{rand: rand.New(rand.NewPCG(seed, 0)), nodes: map[string]int{}, handlers: map[string]int{}, cycles: []int64{0}, starts: []int64{0}}
	m.begin("start")
	for range steps {
		m.step()
	}
	m.run()
	m.dropAll("open")
	m.turnEnds()
	return m
}

// run executes instructions.
func (m *timelineModel) run() {
	for range 1 + m.rand.IntN(4) {
		m.seq++
		m.cycles = append(m.cycles, m.cycles[len(m.cycles)-1]+int64(m.rand.IntN(9)))
	}
}

func (m *timelineModel) step() {
	m.run()
	top := m.top()
	switch n := m.rand.IntN(20); {
	case n < 8 && len(m.now.frames) < 12:
		m.push("call", fmt.Sprintf("f%d", m.rand.IntN(5)))
	case n < 13 && top.kind == "call":
		m.pop("return")
	case n < 15:
		number := 1 + m.rand.IntN(2)
		m.push("exception", fmt.Sprintf("[irq %d]", number))
		m.push("handler", fmt.Sprintf("h%d", number))
	case n < 17 && top.kind == "handler":
		m.pop("")
		m.pop("return")
	case n == 17 && m.depth() == 1:
		m.leaveTask(false)
	case n == 18 && top.kind == "call" && m.depth() == 0:
		m.leaveTask(true)
	case n == 19 && m.rand.IntN(4) == 0:
		if m.rand.IntN(2) == 0 { // nothing of it was traced
			m.push("exception", "[irq 1]")
			m.push("handler", "h1")
		}
		m.dropAll("gap")
		m.turnEnds()
		m.epoch++
		m.starts = append(m.starts, m.cycles[m.seq])
		fmt.Fprintf(&m.rows, "event %d overflow\n", m.seq)
		m.begin("gap")
	}
}

// depth returns how many handlers the task that runs is in. It is left in one at most: in which of several of one
// exception a call is then, no row says.
func (m *timelineModel) depth() (n int) {
	for _, f := range m.now.frames {
		if f.kind == "handler" {
			n++
		}
	}
	return n
}

func (m *timelineModel) top() *modelFrame { return &m.now.frames[len(m.now.frames)-1] }

// begin begins a task.
func (m *timelineModel) begin(origin string) {
	m.now = &modelTask{number: len(m.tasks)}
	m.tasks = append(m.tasks, m.now)
	m.turnBegins()
	fmt.Fprintf(&m.rows, "task t%d first=%d origin=%s TASK%d\n", m.now.number, m.seq, origin, m.now.number)
	m.push("root", fmt.Sprintf("r%d", m.now.number))
}

func (m *timelineModel) turnBegins() {
	m.turns = append(m.turns, modelSlice{task: m.now.number, name: "turn", from: m.seq})
}

func (m *timelineModel) turnEnds() { m.turns[len(m.turns)-1].until = m.seq }

// push enters a frame.
func (m *timelineModel) push(kind, name string) {
	parent, below, task := -1, -1, m.now.number
	if kind != "root" {
		parent, task = m.top().node, m.top().task
	}
	if kind == "exception" {
		parent, below, task = -1, parent, m.handlersOf(name)
	}
	key := fmt.Sprint(task, parent, name)
	node, ok := m.nodes[key]
	if !ok {
		node = len(m.nodes)
		m.nodes[key] = node
		line := "stack task=" + fmt.Sprint(task)
		if parent >= 0 {
			line += fmt.Sprintf(" parent=%d", parent)
		}
		switch kind {
		case "call":
			line += " entry=call function=" + name[1:]
		case "exception":
			line += " entry=exception type=irq number=" + name[5:6]
		case "handler":
			line += fmt.Sprintf(" entry=root function=%d", 4+int(name[1]-'0'))
		case "root":
			line += fmt.Sprintf(" entry=root function=%d", 7+m.now.number)
		}
		m.rows.WriteString(line + "\n")
	}
	f := modelFrame{kind: kind, name: name, node: node, task: task, below: below, seq: m.seq, epoch: m.epoch, ordinal: m.entered}
	if kind == "exception" {
		fmt.Fprintf(&m.rows, "exception %d entry type=irq number=%s epoch=%d CYCLE%d\n", m.seq, name[5:6], m.epoch, m.seq)
		m.entered++
	}
	m.now.frames = append(m.now.frames, f)
}

// handlersOf returns the number of the task that is the handlers of an exception.
func (m *timelineModel) handlersOf(exception string) int {
	n, ok := m.handlers[exception]
	if !ok {
		n = len(m.tasks)
		m.handlers[exception] = n
		m.tasks = append(m.tasks, &modelTask{number: n, gone: true})
		fmt.Fprintf(&m.rows, "task %q first=%d origin=exception TASK%d\n", exception, m.seq, n)
	}
	return n
}

// pop leaves the frame on top.
func (m *timelineModel) pop(why string) { m.write(m.hide(), why) }

// hide leaves the frame on top.
func (m *timelineModel) hide() modelFrame {
	f := *m.top()
	m.now.frames = m.now.frames[:len(m.now.frames)-1]
	m.slices = append(m.slices, modelSlice{m.now.number, len(m.now.frames), f.name, f.seq, m.seq})
	return f
}

// write writes the row of a frame that ends. A handler has none.
func (m *timelineModel) write(f modelFrame, why string) {
	end := fmt.Sprint(m.seq)
	if why == "open" {
		end = "?"
	}
	switch f.kind {
	case "call":
		fmt.Fprintf(&m.ended, "call %d %s stack=%d end=%s epoch=%d CYCLE%d", f.seq, end, f.node, why, f.epoch, f.seq)
		if why != "open" && why != "gap" {
			fmt.Fprintf(&m.ended, " ENDCYCLE%d", m.seq)
		}
		m.ended.WriteString("\n")
	case "exception":
		fmt.Fprintf(&m.ended, "span %d %s ordinal=%d stack=%d end=%s", f.seq, end, f.ordinal, f.below, why)
		if why != "open" && why != "gap" {
			fmt.Fprintf(&m.ended, " SPANCYCLES%d-%d", f.seq, m.seq)
		}
		m.ended.WriteString("\n")
	}
}

// leaveTask has another task run: with cooperation one that waits in a call, or a new one; from
// an exception also one that waits in an exception.
func (m *timelineModel) leaveTask(coop bool) {
	left := m.now
	left.waits, left.coop = true, coop
	if !coop {
		for m.top().kind == "call" {
			left.left = append(left.left, m.hide())
		}
		m.pop("")
		m.pop("switch")
	}
	m.turnEnds()
	var waiting []*modelTask
	for _, t := range m.tasks {
		if t != left && t.waits && !t.gone && (t.coop || !coop) {
			waiting = append(waiting, t)
		}
	}
	if len(waiting) == 0 || m.rand.IntN(3) == 0 {
		m.begin("new")
		return
	}
	m.now = waiting[m.rand.IntN(len(waiting))]
	m.now.waits = false
	m.turnBegins()
	m.writeLeft("switch")
	if m.now.coop {
		m.pop("return")
	} else { // no row says that it runs; let there be one that does
		m.run()
		m.push("call", "f0")
		m.run()
		m.pop("return")
	}
}

// writeLeft writes the rows of calls that were left with an exception.
func (m *timelineModel) writeLeft(why string) {
	for _, f := range m.now.left {
		m.write(f, why)
	}
	m.now.left = nil
}

// dropAll ends all frames.
func (m *timelineModel) dropAll(why string) {
	now := m.now
	for _, t := range append([]*modelTask{now}, m.tasks...) {
		if t.gone {
			continue
		}
		m.now = t
		m.writeLeft(why)
		for len(t.frames) > 0 {
			m.pop(why)
		}
		t.gone = true
	}
	m.now = now
}

// text returns the dataset, with or without cycles.
func (m *timelineModel) text(cycles bool) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "source 0x10 core=c\nrun 0x8000 a32 executed=%d\n", m.seq)
	for i := range 5 {
		fmt.Fprintf(b, "function %#x 16 f%d\n", 0x1000+16*i, i)
	}
	for i := range 2 {
		fmt.Fprintf(b, "function %#x 16 h%d\n", 0x2000+16*i, i+1)
	}
	for _, t := range m.tasks {
		fmt.Fprintf(b, "function %#x 16 r%d\n", 0x3000+16*t.number, t.number)
	}
	if cycles {
		for i, start := range m.starts {
			end := m.cycles[m.seq]
			if i+1 < len(m.starts) {
				end = m.starts[i+1]
			}
			fmt.Fprintf(b, "count %d %d\n", i, end-start)
		}
	}
	for line := range strings.Lines(strings.ReplaceAll(m.rows.String(), "function=", "function=") + m.ended.String()) {
		b.WriteString(m.withCycles(line, cycles))
	}
	return b.String()
}

// withCycles puts cycles where a line has marks for them, or takes the marks away.
func (m *timelineModel) withCycles(line string, cycles bool) string {
	words := strings.Fields(line)
	epoch, kept := 0, words[:0]
	for _, w := range words {
		fmt.Sscanf(w, "epoch=%d", &epoch)
		var at, end int64
		switch n, _ := fmt.Sscanf(w, "SPANCYCLES%d-%d", &at, &end); {
		case n == 2:
			w = fmt.Sprintf("cycles=%d", m.cycles[end]-m.cycles[at])
		case scans(w, "CYCLE%d", &at):
			w = fmt.Sprintf("cycle=%d", m.cycles[at]-m.starts[epoch])
		case scans(w, "ENDCYCLE%d", &at):
			w = fmt.Sprintf("end_cycle=%d", m.cycles[at]-m.starts[epoch])
		case scans(w, "TASK%d", &at):
			w = fmt.Sprintf("cycles=%d", m.taskCycles(int(at)))
		default:
			kept = append(kept, w)
			continue
		}
		if cycles {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ") + "\n"
}

func scans(word, format string, n *int64) bool {
	got, _ := fmt.Sscanf(word, format, n)
	return got == 1
}

func (m *timelineModel) taskCycles(task int) (sum int64) {
	for _, t := range m.turns {
		if t.task == task {
			sum += m.cycles[t.until] - m.cycles[t.from]
		}
	}
	return sum
}

// inside returns the slices and turns in a window of seq, cut at its ends.
func (m *timelineModel) inside(from, until int64) (all []modelSlice) {
	for _, s := range slices.Concat(m.slices, joined(m.turns)) {
		if s.from, s.until = max(s.from, from), min(s.until, until); s.from < s.until {
			all = append(all, s)
		}
	}
	sortSlices(all)
	return all
}

// joined joins turns of one task that follow one another.
func joined(turns []modelSlice) (all []modelSlice) {
	for _, t := range turns {
		if n := len(all); n > 0 && all[n-1].task == t.task && all[n-1].until == t.from {
			all[n-1].until = t.until
			continue
		}
		all = append(all, t)
	}
	return all
}

func sortSlices(all []modelSlice) {
	slices.SortFunc(all, func(x, y modelSlice) int {
		return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(x.name, y.name), cmp.Compare(x.task, y.task), cmp.Compare(x.depth, y.depth), cmp.Compare(x.until, y.until))
	})
}
