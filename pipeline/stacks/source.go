package stacks

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// A source is what is known of the stacks of a source: its call tree, and the tasks that the roots are of.
type source struct {
	functions Functions
	limits    limits
	tree      tree
	times     times
	tasks     []task
	index     map[taskKey]int32
	instances map[taskKey]int32 // stacks of the stretch, by their keys without instances
	recursive map[int32]bool    // functions that called themselves, by way of few others or none
}

// A task is what stacks of several stretches, or handlers of an exception, are one of.
type task struct {
	taskKey
	firstSeq int64
	origin   schema.TaskOrigin
	figures
}

// Figures are how often things happened to the stacks of a task.
type figures struct{ switches, ambiguous, drift, joined int64 }

func (t *figures) add(x figures) {
	t.switches, t.ambiguous = t.switches+x.switches, t.ambiguous+x.ambiguous
	t.drift, t.joined = t.drift+x.drift, t.joined+x.joined
}

// A taskKey is what makes stacks be of one task.
type taskKey struct {
	kind      taskKind
	gap       bool // the stretch came after a gap: its root may have callers that nobody saw
	identity  identity
	exception exceptionOf
	function  int32          // of the root
	address   schema.Address // likewise
	called    int32          // after a gap: the function that the root called, where that was seen to return to it; else none
	instance  int32          // of several stacks in one stretch: they are different tasks
}

type taskKind uint8

const (
	ofContext   taskKind = iota // it has a Context ID
	ofRoot                      // else the root is what distinguishes it
	notSeen                     // stacks whose callers were not seen
	ofException                 // handlers of an exception
	otherTasks                  // beyond the limit
)

func newSource(functions Functions, l limits) source {
	return source{
		functions: functions, limits: l, tree: newTree(l.nodes),
		index: map[taskKey]int32{}, instances: map[taskKey]int32{}, recursive: map[int32]bool{},
	}
}

// child returns the node of a key, a new one if there is none.
func (s *source) child(k nodeKey) int32 {
	known := len(s.tree.nodes)
	n := s.tree.child(k)
	if int(n) < known {
		return n
	}
	for p, i := k.parent, 0; p >= 0 && i < recursion; p, i = s.tree.nodes[p].parent, i+1 {
		if s.tree.nodes[p].function == k.function && k.function != none {
			s.recursive[k.function] = true
		}
	}
	return n
}

// recursion is how many callers of a function are looked at for itself.
const recursion = 64

// task returns the task of a stack of the stretch, by its key.
func (s *source) task(k taskKey, first int64, origin schema.TaskOrigin) int32 {
	if k.kind == ofRoot || k.kind == ofContext {
		n := s.instances[k]
		s.instances[k]++
		k.instance = n
	}
	return s.at(k, first, origin)
}

// handler returns the task of the handlers of an exception, the first of which began at an ordinal.
func (s *source) handler(exception exceptionOf, first int64) int32 {
	return s.at(taskKey{kind: ofException, exception: exception}, first, schema.TaskException)
}

// at returns the task of a key, a new one if there is none.
func (s *source) at(k taskKey, first int64, origin schema.TaskOrigin) int32 {
	i, ok := s.index[k]
	if !ok && len(s.tasks) >= s.limits.tasks {
		k = taskKey{kind: otherTasks}
		i, ok = s.index[k]
	}
	if !ok {
		i = int32(len(s.tasks))
		s.index[k] = i
		s.tasks = append(s.tasks, task{taskKey: k, firstSeq: first, origin: origin})
	}
	s.tasks[i].firstSeq = min(s.tasks[i].firstSeq, first)
	return i
}

// contextOf is the Context ID of a key; NULL if it has none.
func (k *taskKey) contextOf() schema.Null[uint32] {
	return schema.Null[uint32]{V: k.identity.context, OK: k.kind == ofContext}
}

// name returns what the task is called by its key alone; "": by its root.
func (k *taskKey) name() string {
	switch k.kind {
	case ofException:
		return k.exception.handlers()
	case notSeen:
		return callersNotSeen
	case otherTasks:
		return "(other tasks)"
	}
	return ""
}

// callersNotSeen is the name of what stacks are of whose roots may have callers that a gap took.
const callersNotSeen = "(callers not seen)"

// handlers returns the name of the handlers of an exception: [irq 14].
func (e exceptionOf) handlers() string {
	if e.notSeen {
		return "[" + schema.EntryNotSeen + "]"
	}
	return "[" + schema.ExceptionText(e.kind, e.number) + "]"
}

// totals are what nodes executed with all below them, and which task each is of.
type totals struct {
	total []work
	task  []int32
	depth []int32
}

// totals adds up the tree.
func (s *source) totals() totals {
	nodes := s.tree.nodes
	x := totals{make([]work, len(nodes)), make([]int32, len(nodes)), make([]int32, len(nodes))}
	for i := range nodes {
		n := &nodes[i]
		x.total[i], x.depth[i] = n.own, 1
		if n.parent < 0 {
			x.task[i] = stackOf(n.parent)
		} else {
			x.task[i], x.depth[i] = x.task[n.parent], x.depth[n.parent]+1
		}
	}
	for i := range slices.Backward(nodes) {
		if p := nodes[i].parent; p >= 0 {
			x.total[p].add(x.total[i])
		}
	}
	return x
}

// rows returns the rows of `stacks`, some at a time, and of `tasks`.
func (s *source) rows(timed bool) (iter.Seq[[]Stack], []Task) {
	sum := s.totals()
	tasks, number := s.taskRows(&sum, timed)
	return func(yield func([]Stack) bool) {
		for from := 0; from < len(s.tree.nodes); from += rowsAtOnce {
			rows := make([]Stack, min(rowsAtOnce, len(s.tree.nodes)-from))
			for i := range rows {
				rows[i] = s.row(from+i, &sum, number, timed)
			}
			if !yield(rows) {
				return
			}
		}
	}, tasks
}

// rowsAtOnce are as many rows as are made at a time: all of them take more memory than the tree.
const rowsAtOnce = 4096

// row returns the row of a node.
func (s *source) row(i int, sum *totals, number []int32, timed bool) Stack {
	n := &s.tree.nodes[i]
	x := Stack{
		Stack:  int32(i),
		Parent: schema.Null[int32]{V: max(n.parent, 0), OK: n.parent >= 0}, Task: number[sum.task[i]], Depth: sum.depth[i],
		Function: schema.Null[int32]{V: max(n.function, 0), OK: n.function != none}, Address: n.address, Entry: n.entry,
		Exception: n.exception.kind, Number: n.exception.number, Calls: n.calls, Own: n.own.row(timed), Total: sum.total[i].row(timed),
		NotEnded: n.calls - n.took.ended,
	}
	if n.took.ended > 0 {
		x.Shortest, x.Longest = schema.Of(n.took.shortest), schema.Of(n.took.longest)
		x.LongestSeq = schema.Of(n.took.longestSeq)
	}
	return x
}

// taskRows returns the rows of `tasks`, in order of their first instruction, and the row of each task of s.
func (s *source) taskRows(sum *totals, timed bool) (rows []Task, number []int32) {
	called := s.called()
	roots, executed := s.roots(sum, called)
	into, own := s.merged(roots, sum, executed, called), slices.Clone(executed)
	order := make([]int32, 0, len(s.tasks))
	for i := range s.tasks {
		if to := into[i]; int(to) != i {
			s.tasks[to].add(s.tasks[i].figures)
			executed[to].add(executed[i])
			s.tasks[to].firstSeq = min(s.tasks[to].firstSeq, s.tasks[i].firstSeq)
		} else {
			order = append(order, to)
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(s.tasks[a].firstSeq, s.tasks[b].firstSeq) })
	number = make([]int32, len(s.tasks))
	for i, of := range order {
		x := &s.tasks[of]
		number[of] = int32(i)
		row := Task{
			Task: int32(i), Name: x.name(), ContextID: x.contextOf(), FirstSeq: x.firstSeq, Origin: x.origin,
			Switches: x.switches, Ambiguous: x.ambiguous, Drift: x.drift, Joined: x.joined, Executed: executed[of].row(timed),
		}
		switch root := roots[of]; {
		case row.Name != "":
		case root < 0:
			row.Name = callersNotSeen
		default:
			row.Name, row.Root = s.nameOf(s.body(root, sum, own[of])), s.nameOf(root)
		}
		rows = append(rows, row)
	}
	for i := range s.tasks {
		number[i] = number[into[i]]
	}
	distinguish(rows)
	return rows, number
}

// roots returns the root of each task that executed most, with all below it, and what the task executed. Roots that
// may have callers which a gap took are of no task: -1 if it has no others.
func (s *source) roots(sum *totals, called map[int32]bool) (roots []int32, executed []work) {
	roots, executed = slices.Repeat([]int32{-1}, len(s.tasks)), make([]work, len(s.tasks))
	for i := range s.tree.nodes {
		if n := &s.tree.nodes[i]; n.parent < 0 {
			task := sum.task[i]
			executed[task].add(sum.total[i])
			if !n.seen && (n.function == none || called[n.function]) {
				continue
			}
			if best := roots[task]; best < 0 || sum.total[i].instructions > sum.total[best].instructions {
				roots[task] = int32(i)
			}
		}
	}
	return roots, executed
}

// nameOf returns the name of a node.
func (s *source) nameOf(node int32) string {
	n := &s.tree.nodes[node]
	return s.functions.name(n.function, n.address)
}

// body returns what the task of a root is named after: what the root called first, if it did so indirectly and nine
// tenths of the task are there, as below a function that begins every task; else the root.
func (s *source) body(root int32, sum *totals, executed work) int32 {
	if b := s.tree.nodes[root].body - 1; b >= 0 && 10*sum.total[b].instructions >= 9*executed.instructions {
		return b
	}
	return root
}

// merged returns, by task, the one that it turns out to be. After a gap the root of a stack may be any function that
// had not returned. It counts only if nothing calls it, unless it is the body of a task.
func (s *source) merged(roots []int32, sum *totals, executed []work, called map[int32]bool) []int32 {
	bodies := map[int32]int32{}
	for i := range s.tasks {
		if k := &s.tasks[i].taskKey; k.kind == ofRoot && !k.gap && roots[i] >= 0 {
			if body := s.body(roots[i], sum, executed[i]); body != roots[i] {
				bodies[s.tree.nodes[body].function] = int32(i)
			}
		}
	}
	into := make([]int32, len(s.tasks))
	for i := range s.tasks {
		into[i] = int32(i)
	}
	for i := range into {
		k := s.tasks[i].taskKey
		if k.kind != ofRoot || !k.gap {
			continue
		}
		if body, ok := bodies[k.called]; ok && s.tasks[body].function == k.function {
			into[i] = body
			continue
		}
		k.gap, k.called = false, none
		if body, ok := bodies[k.function]; ok && k.instance == 0 {
			into[i] = body
		} else if called[k.function] {
			k = taskKey{kind: notSeen}
			if _, ok := s.index[k]; !ok {
				s.index[k] = int32(i) // the first of them is all of them
				s.tasks[i].taskKey = k
			}
			into[i] = s.index[k]
		} else if same, ok := s.index[k]; ok {
			into[i] = same
		}
	}
	return into
}

// called returns the functions that something of the program calls, or was seen to call, to jump to, or to enter by an
// exception.
func (s *source) called() map[int32]bool {
	called := map[int32]bool{}
	for i := range s.functions {
		if s.functions[i].Called {
			called[int32(i)] = true
		}
	}
	for i := range s.tree.nodes {
		if n := &s.tree.nodes[i]; n.parent >= 0 && n.function != none {
			called[n.function] = true
		}
	}
	return called
}

// distinguish gives tasks without Context ID that have one name numbers from the second on: NAME #2.
func distinguish(rows []Task) {
	names := map[string]int{}
	for i := range rows {
		x := &rows[i]
		if x.ContextID.OK {
			continue
		}
		if names[x.Name]++; names[x.Name] > 1 {
			x.Name = fmt.Sprintf("%s #%d", x.Name, names[x.Name])
		}
	}
}
