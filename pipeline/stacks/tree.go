package stacks

import (
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// A node is a path of functions from a root, or in a folder from the frame that was on top when it began.
type node struct {
	nodeKey
	calls    int64 // how often it was entered
	own      work  // by its function, not by what that called
	took     durations
	first    int64 // of an exception that is a root: ordinal of the first instruction
	indirect bool  // its first call was indirect
	seen     bool  // of a root: nothing can be below it that a gap took
	times    int32 // 1 more than the index in the times of the tree; 0: not known yet
	place    int32 // of a node of a stretch: 1 more than its index in the tree of the source; 0: not known yet
	body     int32 // of a root: 1 more than the index of what it called first, indirectly; 0: none
}

// durations are how long calls took that returned: in cycles where the source counts them, else in instructions.
type durations struct {
	ended, shortest, longest int64
	longestSeq               int64 // ordinal of the first instruction of the first of the longest
}

// add adds a call, which began at an ordinal.
func (s *durations) add(took, seq int64) { s.join(durations{1, took, took, seq}) }

// join adds calls that came later.
func (s *durations) join(x durations) {
	switch {
	case x.ended == 0:
		return
	case s.ended == 0:
		*s = x
		return
	}
	s.ended += x.ended
	s.shortest = min(s.shortest, x.shortest)
	if x.longest > s.longest {
		s.longest, s.longestSeq = x.longest, x.longestSeq
	}
}

// join adds what another node of the same path has, which came later.
func (n *node) join(x *node) {
	if n.calls == 0 {
		n.first, n.indirect = x.first, x.indirect
	}
	n.calls += x.calls
	n.own.add(x.own)
	n.took.join(x.took)
}

// A nodeKey is what makes two paths one.
type nodeKey struct {
	parent    int32 // index of the node; negative: see below, rootOf, handlers
	function  int32
	address   schema.Address // of the function; of code that has none: where it was entered
	exception exceptionOf
	entry     schema.StackEntry
}

// An exceptionOf is what distinguishes exceptions.
type exceptionOf struct {
	kind    schema.Null[schema.ExceptionType]
	number  schema.Null[uint16]
	notSeen bool // only the return was
}

// below is the parent of the path to the frame that was on top when a folder began: nobody
// knows what is below.
const below int32 = -1

// rootOf is the parent of the roots of a stack of the stretch, or in the tree of the source of a task.
func rootOf(stack int32) int32 { return below - 1 - stack }

// stackOf returns the stack of a root by its parent, or in the tree of the source the task.
func stackOf(parent int32) int32 { return below - 1 - parent }

// handlers is the parent of asynchronous exceptions, which are of no task; in a folder each chunk has its own.
const handlers int32 = -1 << 31

// isHandlers says whether a parent is that of asynchronous exceptions.
func isHandlers(parent int32) bool { return parent < handlers/2 }

// A work is what was executed.
type work struct {
	instructions, cycles int64
}

func (w *work) add(x work) {
	w.instructions += x.instructions
	w.cycles += x.cycles
}

func (w work) less(x work) work { return work{w.instructions - x.instructions, w.cycles - x.cycles} }

// of returns the cycles of a source that counts them, else the instructions.
func (w work) of(timed bool) int64 {
	if timed {
		return w.cycles
	}
	return w.instructions
}

// A tree is a tree of nodes, in order of their first use.
type tree struct {
	nodes []node
	slots []int32 // index of nodes by their keys, with linear probing: 1 more than that of a node; 0: none
	// callees are nodes that were called last, by what called them and the address.
	callees  [1 << calleeBits]int32
	limit    int   // nodes: what is called beyond is (other), of its caller
	handlers int32 // see the constant
}

func newTree(limit int) tree {
	return tree{slots: make([]int32, leastSlots), limit: limit, handlers: handlers}
}

// leastSlots are as many as a tree has at least, a power of two.
const leastSlots = 64

// clear forgets all nodes.
func (t *tree) clear() {
	if len(t.slots) > leastSlots && len(t.slots) > 16*len(t.nodes) {
		t.slots = make([]int32, leastSlots)
	} else {
		clear(t.slots)
	}
	t.nodes = t.nodes[:0]
}

// slot returns the slot of the node of a key, or the free one where it belongs.
func (t *tree) slot(k *nodeKey) int {
	mask := len(t.slots) - 1
	hash := (uint64(uint32(k.parent))<<32 ^ uint64(k.address)) * 0x9e3779b97f4a7c15
	hash ^= uint64(uint32(k.function)) * 0x85ebca6b
	for i := int(hash>>40) & mask; ; i = (i + 1) & mask {
		if n := t.slots[i]; n == 0 || t.nodes[n-1].nodeKey == *k {
			return i
		}
	}
}

// enter enters the child of a node, and counts that.
func (t *tree) enter(k nodeKey) int32 {
	n := t.child(k)
	t.nodes[n].calls++
	return n
}

// calledBy returns the child of a node that is a callee of its function, by a call that is indirect or not.
func (t *tree) calledBy(parent, function int32, address schema.Address, indirect bool) int32 {
	slot := &t.callees[(uint32(parent)*0x9e3779b1^uint32(address)*0x85ebca6b)>>(32-calleeBits)]
	n := *slot
	if int(n) >= len(t.nodes) || !t.nodes[n].isCall(parent, function, address) {
		known := len(t.nodes)
		n = t.child(nodeKey{parent: parent, entry: schema.StackCall, function: function, address: address})
		if *slot = n; int(n) >= known {
			t.nodes[n].indirect = indirect
		}
	}
	return n
}

const calleeBits = 10

// isCall says whether the node is that of a call of a function, at an address, by a parent.
func (n *node) isCall(parent, function int32, address schema.Address) bool {
	return n.parent == parent && n.address == address && n.function == function && n.entry == schema.StackCall
}

// child returns the node of a key, a new one if there is none.
func (t *tree) child(k nodeKey) int32 {
	slot := t.slot(&k)
	if n := t.slots[slot]; n > 0 {
		return n - 1
	}
	if len(t.nodes) >= t.limit && k.entry != schema.StackOther {
		return t.other(k.parent)
	}
	n := int32(len(t.nodes))
	if len(t.nodes) == cap(t.nodes) && len(t.nodes) >= manyNodes {
		t.nodes = slices.Grow(t.nodes, max(t.limit+t.limit/4-len(t.nodes), manyNodes))
	}
	t.nodes = append(t.nodes, node{nodeKey: k})
	t.put(n, slot)
	return n
}

// manyNodes are so many that room is made for all there may be, but for most of those of (other): while they are
// copied, two copies are held.
const manyNodes = 1 << 15

// other returns the node of what a node calls beyond the limit.
func (t *tree) other(parent int32) int32 {
	if parent >= 0 && t.nodes[parent].entry == schema.StackOther {
		return parent
	}
	return t.child(nodeKey{parent: parent, entry: schema.StackOther, function: none})
}

// put puts a node into a free slot.
func (t *tree) put(n int32, slot int) {
	t.slots[slot] = n + 1
	if 2*len(t.nodes) > len(t.slots) {
		t.grow()
	}
}

// take has nobody find a node by its key any more.
func (t *tree) take(n int32) {
	i := t.slot(&t.nodes[n].nodeKey)
	if t.slots[i] != n+1 {
		return
	}
	t.slots[i] = 0
	mask := len(t.slots) - 1
	for i = (i + 1) & mask; t.slots[i] != 0; i = (i + 1) & mask { // what may have gone on past it
		m := t.slots[i]
		t.slots[i] = 0
		t.slots[t.slot(&t.nodes[m-1].nodeKey)] = m
	}
}

// move makes a node, with all below it, the child of another, that of a key. If that has one already, two
// nodes are of one path.
func (t *tree) move(n int32, parent int32, entry schema.StackEntry) {
	t.take(n)
	x := &t.nodes[n]
	x.parent, x.entry = parent, entry
	if slot := t.slot(&x.nodeKey); t.slots[slot] == 0 {
		t.put(n, slot)
	}
}

// grow doubles the slots.
func (t *tree) grow() {
	known := t.slots
	t.slots = make([]int32, 2*len(t.slots))
	for _, n := range known {
		if n > 0 {
			t.slots[t.slot(&t.nodes[n-1].nodeKey)] = n
		}
	}
}
