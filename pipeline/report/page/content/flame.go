package content

import (
	"strings"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/calls"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/profile"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
)

// The kinds of frames.
const (
	frameFunction uint16 = iota
	frameTask
	frameException
	frameMerged
)

// merged is the name of spans that are too short to be drawn one by one.
const merged = "…"

// A frameIndex gives frames their numbers.
type frameIndex struct {
	frames    *Frames
	functions map[report.Name]int32 // in Data.Functions
	index     read.Index[frameKey]
}

// A frameKey is what makes two frames one.
type frameKey struct {
	frame calls.Frame
	task  string
	kind  uint16
}

func newFrameIndex(frames *Frames, functions map[report.Name]int32) *frameIndex {
	return &frameIndex{frames: frames, functions: functions, index: read.Index[frameKey]{}}
}

// add returns the number of a frame.
func (x *frameIndex) add(key frameKey, text string, function int32) int32 {
	i, isNew := x.index.Of(key)
	if isNew {
		x.frames.Name = append(x.frames.Name, Name(text))
		x.frames.Function = append(x.frames.Function, function)
		x.frames.Kind = append(x.frames.Kind, key.kind)
	}
	return int32(i)
}

// frame returns the number of a function, of code without one, or of an exception.
func (x *frameIndex) frame(f *calls.Frame) int32 {
	if f.Exception != "" {
		return x.add(frameKey{frame: *f, kind: frameException}, exceptionName(f.Exception), None)
	}
	function, ok := x.functions[f.Name]
	if !ok || f.Other {
		function = None
	}
	return x.add(frameKey{frame: *f}, f.Text(), function)
}

// task returns the number of a task.
func (x *frameIndex) task(name string) int32 {
	return x.add(frameKey{task: name, kind: frameTask}, name, None)
}

// merged returns the number of spans that are not drawn one by one.
func (x *frameIndex) merged() int32 { return x.add(frameKey{kind: frameMerged}, merged, None) }

// exceptionName is the name of an exception without the brackets that tell it from functions.
func exceptionName(frame string) string {
	return strings.TrimSuffix(strings.TrimPrefix(frame, "["), "]")
}

// newFlame returns the call trees of all tasks. Calls that took less than a part of what the caller
// took are one node, if there are several.
func newFlame(p *profile.Profile, functions map[report.Name]int32, parts int64) *Flame {
	f := &Flame{}
	b := &flameBuilder{Flame: f, p: p, frames: newFrameIndex(&f.Frames, functions), parts: parts}
	b.link()
	for task := range p.Tasks {
		if roots := b.first[len(p.Nodes)+task]; roots != None {
			b.task(task, roots)
		}
	}
	return f
}

// A flameBuilder writes the nodes of a profile, each before its children.
type flameBuilder struct {
	*Flame
	p      *profile.Profile
	frames *frameIndex
	parts  int64
	first  []int32 // the first child of each node and, after them, of each task
	next   []int32 // of each node: the next child of the same parent
}

func (b *flameBuilder) link() {
	nodes := b.p.Nodes
	b.first, b.next = make([]int32, len(nodes)+len(b.p.Tasks)), make([]int32, len(nodes))
	for i := range b.first {
		b.first[i] = None
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		parent := nodes[i].Parent
		if parent == None {
			parent = int32(len(nodes)) + nodes[i].Task
		}
		b.next[i], b.first[parent] = b.first[parent], int32(i)
	}
}

// siblings goes through a node and those after it of the same parent.
func (b *flameBuilder) siblings(first int32) func(yield func(*profile.Node) bool) {
	return func(yield func(*profile.Node) bool) {
		for i := first; i != None && yield(&b.p.Nodes[i]); i = b.next[i] {
		}
	}
}

// An openNode is a node whose children are being written.
type openNode struct {
	child  int32 // the next one
	at     int32 // where the node is on the page
	short  int64 // children that took less are merged
	merged stacks.Work
	calls  int64 // of those merged
}

// open returns a node whose children are to be written, from the first on.
func (b *flameBuilder) open(child, at int32, all stacks.Work) openNode {
	o := openNode{child: child, at: at, short: all.In(b.p.ByCycles) / b.parts}
	thin := 0
	for n := range b.siblings(child) {
		if n.All.In(b.p.ByCycles) < o.short {
			thin++
		}
	}
	if thin < 2 {
		o.short = 0
	}
	return o
}

// task adds a task and all of its paths. Handlers have no task below their exception.
func (b *flameBuilder) task(task int, roots int32) {
	if b.p.Tasks[task].Handlers {
		for i := roots; i != None; i = b.next[i] {
			n, at := &b.p.Nodes[i], int32(len(b.Parent))
			b.add(0, b.frames.frame(&b.p.Frames[n.Frame]), n.Calls, n.All)
			b.above(b.open(b.first[i], at, n.All))
		}
		return
	}
	all := stacks.Work{}
	for n := range b.siblings(roots) {
		all.Add(n.All)
	}
	at := int32(len(b.Parent))
	b.add(0, b.frames.task(b.p.Tasks[task].Name), 0, all)
	b.above(b.open(roots, at, all))
}

// above adds all paths that go on from a node.
func (b *flameBuilder) above(node openNode) {
	stack := []openNode{node}
	for len(stack) > 0 {
		o := &stack[len(stack)-1]
		if o.child == None {
			if o.calls > 0 {
				b.add(int32(len(b.Parent))-o.at, b.frames.merged(), o.calls, o.merged)
			}
			stack = stack[:len(stack)-1]
			continue
		}
		child := o.child
		n, at := &b.p.Nodes[child], int32(len(b.Parent))
		o.child = b.next[child]
		if n.All.In(b.p.ByCycles) < o.short {
			o.merged.Add(n.All)
			o.calls += max(1, n.Calls)
			continue
		}
		b.add(at-o.at, b.frames.frame(&b.p.Frames[n.Frame]), n.Calls, n.All)
		stack = append(stack, b.open(b.first[child], at, n.All))
	}
}

// add adds a node.
func (b *flameBuilder) add(parent, frame int32, calls int64, all stacks.Work) {
	b.Parent, b.Frame, b.Calls = append(b.Parent, parent), append(b.Frame, frame), append(b.Calls, calls)
	b.Instructions = append(b.Instructions, all.Instructions)
	if b.p.ByCycles {
		b.Cycles = append(b.Cycles, all.Cycles.V)
	}
}

// A framePath is a frame above a path of frames, which has a number; 0 is below all.
type framePath struct {
	below int
	name  string
	kind  uint16
}

// A pathChange is what a path of frames took with all that it called, now and before.
type pathChange struct{ now, before int64 }

// paths are the paths of frames of two runs. Paths of the same names are one.
type paths struct {
	numbers map[framePath]int // from 1 on
	list    []pathChange      // by number; that of 0 is all of it
	below   []int
	cycles  bool // they are counted in cycles, which all of both runs has
}
