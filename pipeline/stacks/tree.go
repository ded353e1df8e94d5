package stacks

import "github.com/tracelake/tracelake/schema"

// A node is a path of functions from the root of a task, or in a folder from the frame that
// was on top when it began.
type node struct {
	nodeKey
	depth  int32 // frames on the path
	calls  int64 // how often it was entered
	own    work  // by its function, not by what that called
	recent [2]int32
}

// A nodeKey is what makes two paths one.
type nodeKey struct {
	parent    int32 // index of the node; of a root: [rootOf] its task
	entry     schema.StackEntry
	function  int32
	address   uint32 // of the function; of code that has none, and of an exception: where it was entered
	exception exceptionKey
}

// An exceptionKey is what exceptions are told apart by.
type exceptionKey struct {
	kind   schema.Null[schema.ExceptionType]
	number schema.Null[uint16]
}

// below is the parent of the path to the frame that was on top when a folder began: nobody
// knows what is below.
const below int32 = -1

// rootOf is the parent of the roots of a task.
func rootOf(task int32) int32 { return below - 1 - task }

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
	nodes    []node
	children map[nodeKey]int32
	limit    int // nodes; a path beyond is counted as the one that it goes on from
	full     bool
}

// taskOf returns the task of a root by its parent.
func taskOf(parent int32) int32 { return below - 1 - parent }

func newTree(limit int) tree { return tree{children: map[nodeKey]int32{}, limit: limit} }

// enter enters the child of a node, and counts that.
func (t *tree) enter(k nodeKey) int32 {
	n := t.child(k)
	t.nodes[n].calls++
	return n
}

// child returns the node of a key. The last two children of a node are at hand.
func (t *tree) child(k nodeKey) int32 {
	if k.parent < 0 {
		return t.find(k)
	}
	recent := &t.nodes[k.parent].recent
	for i, n := range recent {
		if n > 0 && t.nodes[n].nodeKey == k {
			if i > 0 {
				recent[0], recent[1] = n, recent[0]
			}
			return n
		}
	}
	n := t.find(k)
	recent = &t.nodes[k.parent].recent
	recent[0], recent[1] = n, recent[0]
	return n
}

// find returns the node of a key, a new one if there is none.
func (t *tree) find(k nodeKey) int32 {
	if n, ok := t.children[k]; ok {
		return n
	}
	if len(t.nodes) >= t.limit && k.parent >= 0 {
		t.full = true
		return k.parent
	}
	n := int32(len(t.nodes))
	depth := int32(1)
	if k.parent >= 0 {
		depth += t.nodes[k.parent].depth
	}
	t.nodes = append(t.nodes, node{nodeKey: k, depth: depth})
	t.children[k] = n
	return n
}
