package generate

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/execute"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// stackRows writes the truth of one source with its call stacks. What was called, and what returned, the steps
// themselves say; what is traced of it, and how long it took, the rows do.
//
// Where no function is, those are call targets, and a tail call is none. The root of the handler of an exception is the
// vector, or where that goes by an indirect branch.
type stackRows struct {
	*DatasetRows
	of      []execute.Task
	program []Function
	steps   []stackStep       // that no row was seen of
	entries []truth.Exception // likewise
	last    *stackStep        // the last instruction that a row was seen of, until it is known that another one follows
	running int               // task
	tasks   []stackTask       // by number of the task of the core
	async   map[exceptionOf]*stackTask
	nodes   []stackNode
	index   map[stackKey]int32
	counted bool
	err     error
}

// A stackStep is what of a step decides where the calls go.
type stackStep struct {
	entered  bool
	at, next schema.Address
	moves    step.Moves
	task     int
	indirect bool // a branch that is no call
	traced   bool
	kind     schema.ExceptionType // that was entered
}

// A stackTask is a stack of a task, or handlers of an asynchronous exception.
type stackTask struct {
	frames    []stackFrame // the root first
	context   schema.Null[uint32]
	first     int64 // ordinal of the first instruction
	switches  int64
	own       stackWork
	exception *exceptionOf
	root      schema.Address
}

// A Function is the extent of one, in bytes.
type Function struct {
	Address schema.Address
	Size    uint32
}

// noFunction is the number of the function of code that has none.
const noFunction = -1

// functionOf returns the number of the function of an address, and where that begins: if it is none, there.
func (s *stackRows) functionOf(at schema.Address) (function int, begins schema.Address) {
	i := sort.Search(len(s.program), func(i int) bool { return s.program[i].Address > at }) - 1
	if i < 0 || at-s.program[i].Address >= schema.Address(s.program[i].Size) {
		return noFunction, at
	}
	return i, s.program[i].Address
}

// A stackFrame is a function that has not returned, or an exception.
type stackFrame struct {
	node      int32
	function  int
	tail      bool // another jumped to it
	exception bool
	back      schema.Address // of an exception
	first     bool           // the handler has executed nothing
}

type exceptionOf struct {
	kind   schema.Null[schema.ExceptionType]
	number schema.Null[uint16]
}

// A stackKey is what makes two calls be of one path.
type stackKey struct {
	task      int   // of a root
	parent    int32 // -1: a root
	entry     schema.StackEntry
	address   schema.Address
	exception exceptionOf
}

type stackNode struct {
	stackKey
	of    *stackTask
	calls int64
	own   stackWork
}

// A stackWork is what was executed.
type stackWork struct{ instructions, cycles int64 }

func (w *stackWork) add(x stackWork) {
	w.instructions, w.cycles = w.instructions+x.instructions, w.cycles+x.cycles
}

func newStackRows(rows *DatasetRows, tasks []execute.Task, program []Function) *stackRows {
	return &stackRows{
		DatasetRows: rows, of: tasks, program: program, tasks: make([]stackTask, len(tasks)), async: map[exceptionOf]*stackTask{},
		index: map[stackKey]int32{},
	}
}

// errLost says that the stacks are not known.
var errLost = errors.New("generate: the core got lost, and its stacks with it; choose another seed")

// A followed is an encoder of whose steps the stacks are made.
type followed struct {
	encode.Encoder
	rows *stackRows
}

func (s *stackRows) following(e encode.Encoder) encode.Encoder { return &followed{e, s} }

// Step implements [encode.Encoder].
func (f *followed) Step(s *step.Step) error {
	if s.Moves == step.Lost {
		return errLost
	}
	f.rows.steps = append(f.rows.steps, stackStep{
		entered: s.Entered, at: s.At.Address, next: s.Next.Address, moves: s.Moves, task: s.Task,
		traced: s.Trace == step.Traced, kind: s.Exception,
		indirect: !s.Entered && !s.Failed && s.Instruction.Flow == isa.Indirect && s.Moves == step.Stays,
	})
	return errors.Join(f.Encoder.Step(s), f.rows.err)
}

// Exception implements [truth.Rows].
func (s *stackRows) Exception(row *truth.Exception) {
	s.DatasetRows.Exception(row)
	if row.Event == schema.ExceptionEntry {
		s.entries = append(s.entries, *row)
	}
}

// Event implements [truth.Rows]. Where trace restarts, all has happened that came before, whether it has a row or not.
func (s *stackRows) Event(row *truth.Event) {
	s.DatasetRows.Event(row)
	for slices.ContainsFunc(s.steps, func(x stackStep) bool { return !x.traced }) {
		x := s.steps[0]
		s.steps = s.steps[1:]
		s.move()
		if !x.entered {
			s.task(x.at, row.Seq)
			s.last = &x
			continue
		}
		if !x.traced || len(s.entries) == 0 {
			s.entries = append([]truth.Exception{{Type: schema.Of(x.kind)}}, s.entries...)
		}
		s.enter(&x, row.Seq)
	}
}

// Instruction implements [truth.Rows]. What came before it is known to have happened.
func (s *stackRows) Instruction(row *truth.Instruction) {
	s.DatasetRows.Instruction(row)
	for len(s.steps) > 0 && s.err == nil {
		x := s.steps[0]
		if x.entered && len(s.entries) == 0 { // it aborted, and is traced all the same
			s.move()
			s.execute(&stackStep{at: row.Address, next: x.at, task: x.task}, row)
			return
		}
		s.steps = s.steps[1:]
		s.move()
		if x.entered {
			s.enter(&x, row.Seq)
			continue
		}
		if x.at != row.Address && len(s.steps) > 0 && s.steps[0].entered && s.steps[0].at == x.at {
			continue // the exception took its place
		}
		if x.at != row.Address {
			break
		}
		s.execute(&x, row)
		return
	}
	if s.err == nil {
		s.err = fmt.Errorf("generate: no step is of instruction %d, at 0x%08x", row.Seq, uint32(row.Address))
	}
}

// task is the one that runs. Its root begins at an address.
func (s *stackRows) task(at schema.Address, seq int64) *stackTask {
	t := &s.tasks[s.running]
	if len(t.frames) == 0 {
		t.first, t.root = seq, at
		t.frames = append(t.frames, stackFrame{
			function: noFunction, // it is a loop
			node:     s.node(stackKey{task: s.running, parent: -1, entry: schema.StackRoot, address: at}, t),
		})
	}
	return t
}

// node returns the node of a key, which is entered.
func (s *stackRows) node(k stackKey, of *stackTask) int32 {
	n, ok := s.index[k]
	if !ok {
		n = int32(len(s.nodes))
		s.index[k] = n
		s.nodes = append(s.nodes, stackNode{stackKey: k, of: of})
	}
	s.nodes[n].calls++
	return n
}

// push pushes a frame below the one on top.
func (s *stackRows) push(t *stackTask, entry schema.StackEntry, address schema.Address) {
	parent := t.frames[len(t.frames)-1].node
	function, begins := s.functionOf(address)
	t.frames = append(t.frames, stackFrame{
		node:     s.node(stackKey{parent: parent, entry: entry, address: begins}, s.nodes[parent].of),
		function: function, tail: entry == schema.StackTail, first: entry == schema.StackRoot,
	})
}

// jump goes to an address. What is of another function is a tail call, in place of the last one: below what was called.
func (s *stackRows) jump(t *stackTask, to schema.Address) {
	top := &t.frames[len(t.frames)-1]
	function, _ := s.functionOf(to)
	if top.function == function {
		return
	}
	if top.tail {
		if t.pop(); t.frames[len(t.frames)-1].function == function {
			return
		}
	}
	s.push(t, schema.StackTail, to)
}

func (t *stackTask) pop() { t.frames = t.frames[:len(t.frames)-1] }

// execute has the function on top execute an instruction.
func (s *stackRows) execute(x *stackStep, row *truth.Instruction) {
	t := s.task(x.at, row.Seq)
	if row.ContextID.OK {
		t.context = schema.Of(s.of[s.running].ContextID) // which one byte has
	}
	s.spend(&s.nodes[t.frames[len(t.frames)-1].node], stackWork{1, int64(row.Cycles.V)})
	s.counted = s.counted || row.Cycles.OK
	s.last = x
}

func (s *stackRows) spend(n *stackNode, w stackWork) {
	n.own.add(w)
	n.of.own.add(w)
}

// move does what the last instruction did to the stack: it is known that another one follows.
func (s *stackRows) move() {
	x := s.last
	if x == nil {
		return
	}
	s.last = nil
	t := &s.tasks[s.running]
	top := &t.frames[len(t.frames)-1]
	first := top.first
	top.first = false
	switch {
	case x.moves == step.Calls:
		s.push(t, schema.StackCall, x.next)
	case x.moves == step.Returns:
		if top.tail {
			t.pop()
		}
		t.pop()
	case x.moves == step.Leaves:
		s.leave(t, x.task)
	case first && x.indirect && !near(x.next, t.frames[len(t.frames)-2].back): // a vector
		t.pop()
		s.push(t, schema.StackRoot, x.next)
	default:
		s.jump(t, x.next)
	}
}

// near says whether an exception with a return address may return to another: then its first instruction is no vector.
func near(to, back schema.Address) bool { return to-back <= 8 || back-to <= 8 }

// leave returns from the last exception, to a task.
func (s *stackRows) leave(t *stackTask, to int) {
	i := len(t.frames) - 1
	for !t.frames[i].exception {
		i--
	}
	t.frames = t.frames[:i]
	if to != s.running {
		s.running = to
		s.tasks[to].switches++
	}
}

// enter enters an exception: one that is asynchronous is a root.
func (s *stackRows) enter(x *stackStep, seq int64) {
	row := s.entries[0]
	s.entries = s.entries[1:]
	t := s.task(x.at, seq)
	t.frames[len(t.frames)-1].first = false // a vector is the first instruction after an entry
	k := stackKey{
		parent: t.frames[len(t.frames)-1].node, entry: schema.StackException, exception: exceptionOf{row.Type, row.Number},
	}
	of := s.nodes[k.parent].of
	if isAsynchronous(row.Type) {
		if k.parent, of = -1, s.async[k.exception]; of == nil {
			of = &stackTask{first: row.Seq, exception: &k.exception}
			s.async[k.exception] = of
		}
	}
	n := s.node(k, of)
	s.spend(&s.nodes[n], stackWork{0, int64(row.Cycles.V)})
	t.frames = append(t.frames, stackFrame{node: n, exception: true, back: x.at})
	s.push(t, schema.StackRoot, x.next)
}

// isAsynchronous says whether an exception has nothing to do with what it interrupts.
func isAsynchronous(x schema.Null[schema.ExceptionType]) bool {
	return x.OK && slices.Contains([]schema.ExceptionType{schema.ExcIRQ, schema.ExcFIQ, schema.ExcAsyncDataAbort}, x.V)
}

// Finish implements [sourceRows].
func (s *stackRows) Finish() (schema.Totals, error) {
	if s.err != nil {
		return schema.Totals{}, s.err
	}
	var tasks []*stackTask
	for i := range s.tasks {
		if len(s.tasks[i].frames) > 0 {
			tasks = append(tasks, &s.tasks[i])
		}
	}
	tasks = slices.AppendSeq(tasks, maps.Values(s.async))
	slices.SortFunc(tasks, func(a, b *stackTask) int { return cmp.Compare(a.first, b.first) })
	number := map[*stackTask]int32{}
	for i, t := range tasks {
		number[t] = int32(i)
		s.writeTask(int32(i), t)
	}
	total := make([]stackWork, len(s.nodes))
	for i := range slices.Backward(s.nodes) {
		n := &s.nodes[i]
		total[i].add(n.own)
		if n.parent >= 0 {
			total[n.parent].add(total[i])
		}
	}
	depth := make([]int32, len(s.nodes))
	for i := range s.nodes {
		n := &s.nodes[i]
		parent := schema.Null[int32]{V: max(n.parent, 0), OK: n.parent >= 0}
		depth[i] = 1
		if parent.OK {
			depth[i] += depth[parent.V]
		}
		schema.AppendStacks(s.row(&schema.Stacks), s.source, int32(i), parent, number[n.of], depth[i], schema.Null[int32]{},
			n.address, n.entry, n.exception.kind, n.exception.number, n.calls, n.own.instructions, s.cycles(n.own),
			total[i].instructions, s.cycles(total[i]), noNumber, noNumber, noNumber, 0)
	}
	return s.DatasetRows.Finish()
}

// writeTask writes the row of a task.
func (s *stackRows) writeTask(number int32, t *stackTask) {
	name, origin := fmt.Sprintf("0x%08x", uint32(t.root)), schema.TaskNew
	root := name
	switch {
	case t.exception != nil:
		name, root, origin = "["+schema.ExceptionText(t.exception.kind, t.exception.number)+"]", "", schema.TaskException
	case t == &s.tasks[0]:
		origin = schema.TaskStart
	}
	schema.AppendTasks(s.row(&schema.Tasks), s.source, number, name, root, t.context, t.first, t.switches, 0, 0,
		t.own.instructions, s.cycles(t.own), origin, 0)
}

// cycles are those of work, if the source counts them.
func (s *stackRows) cycles(w stackWork) schema.Null[int64] {
	return schema.Null[int64]{V: w.cycles, OK: s.counted}
}
