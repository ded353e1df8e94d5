package stacks

import "github.com/tracelake/tracelake/schema"

// A node is a path of functions from the root of a task, or in a folder from the frame that
// was on top when it began.
type node struct {
	nodeKey
	depth int32 // frames on the path
	calls int64 // how often it was entered
	own   work  // by its function, not by what that called
}

// A nodeKey is what makes two paths one.
type nodeKey struct {
	parent    int32 // index of the node; of a root: [rootOf] its task
	function  int32
	address   schema.Address // of the function; of code that has none: where it was entered
	exception uint32         // what distinguishes exceptions: see exceptionKey
	entry     schema.StackEntry
}

// exceptionKey is 1 more than type and number of an exception, which may be NULL.
func exceptionKey(e *entry) uint32 {
	k := uint32(e.number.V) << 8
	if e.kind.OK {
		k |= uint32(e.kind.V) + 1
	}
	if e.number.OK {
		k |= 1 << 24
	}
	return k + 1
}

// exceptionOf returns type and number of an exceptionKey.
func exceptionOf(key uint32) (kind schema.Null[schema.ExceptionType], number schema.Null[uint16]) {
	if key == 0 {
		return kind, number
	}
	key--
	if k := key & 0xff; k > 0 {
		kind = schema.Of(schema.ExceptionType(k - 1))
	}
	return kind, schema.Null[uint16]{V: uint16(key >> 8), OK: key>>24 > 0}
}

// below is the parent of the path to the frame that was on top when a folder began: nobody
// knows what is below.
const below int32 = -1

// rootOf is the parent of the roots of a task.
func rootOf(task int32) int32 { return below - 1 - task }

// taskOf returns the task of a root by its parent.
func taskOf(parent int32) int32 { return below - 1 - parent }

// A work is what was executed.
type work struct {
	instructions, cycles int64
}

func (w *work) add(x work) {
	w.instructions += x.instructions
	w.cycles += x.cycles
}

func (w work) less(x work) work { return work{w.instructions - x.instructions, w.cycles - x.cycles} }

// A tree is a tree of nodes, in order of their first use.
type tree struct {
	nodes []node
	slots []int32 // index of nodes by their keys, with linear probing: 1 more than that of a node; 0: none
	// callees are nodes that were called last, by what called them and the address.
	callees [1 << calleeBits]int32
	roots   map[int32]int32 // the first root of each task, by its parent
	limit   int             // nodes; a path beyond is counted as the one that it continues
}

func newTree(limit int) tree {
	return tree{slots: make([]int32, leastSlots), roots: map[int32]int32{}, limit: limit}
}

// leastSlots are as many as a tree has at least, a power of two.
const leastSlots = 64

// clear forgets all nodes.
func (t *tree) clear() {
	for i := len(t.nodes) - 1; i >= 0; i-- { // so that each is found where it was put
		if k := &t.nodes[i].nodeKey; k.parent != below {
			t.slots[t.slot(k)] = 0
		}
	}
	t.nodes = t.nodes[:0]
}

// slot returns the slot of the node of a key, or the free one where it belongs.
func (t *tree) slot(k *nodeKey) int {
	mask := len(t.slots) - 1
	hash := (uint64(uint32(k.parent))<<32 | uint64(k.address)) * 0x9e3779b97f4a7c15
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

// call enters the child of a node that is a callee of its function.
func (t *tree) call(parent, function int32, address schema.Address) int32 {
	n := t.calledBy(parent, function, address)
	t.nodes[n].calls++
	return n
}

// calledBy returns the child of a node that is a callee of its function.
func (t *tree) calledBy(parent, function int32, address schema.Address) int32 {
	slot := &t.callees[(uint32(parent)*0x9e3779b1^uint32(address)*0x85ebca6b)>>(32-calleeBits)]
	n := *slot
	if int(n) >= len(t.nodes) || !t.nodes[n].isCall(parent, function, address) {
		n = t.child(nodeKey{parent: parent, entry: schema.StackCall, function: function, address: address})
		*slot = n
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
	if len(t.nodes) >= t.limit {
		if instead, ok := t.instead(&k); ok {
			return instead
		}
	}
	n := int32(len(t.nodes))
	depth := int32(1)
	if k.parent >= 0 {
		depth += t.nodes[k.parent].depth
	} else if _, ok := t.roots[k.parent]; !ok {
		t.roots[k.parent] = n
	}
	t.nodes = append(t.nodes, node{nodeKey: k, depth: depth})
	t.slots[slot] = n + 1
	if 2*len(t.nodes) > len(t.slots) {
		t.grow()
	}
	return n
}

// instead returns the node that counts for one of a key where there is no room for more: its parent,
// or another root of the task, if there is one.
func (t *tree) instead(k *nodeKey) (n int32, ok bool) {
	if k.parent >= 0 {
		return k.parent, true
	}
	n, ok = t.roots[k.parent]
	return n, ok
}

// grow doubles the slots.
func (t *tree) grow() {
	t.slots = make([]int32, 2*len(t.slots))
	for i := range t.nodes {
		if k := &t.nodes[i].nodeKey; k.parent != below {
			t.slots[t.slot(k)] = int32(i) + 1
		}
	}
}
