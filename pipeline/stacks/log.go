package stacks

import (
	"math"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// This file walks the paths of a log: which steps a path has is found once in a unit.

// A place is a block of a unit, as far as most runs need it.
type place struct {
	one     int32       // the function of all its instructions, or several
	address uint32      // of the first
	length  uint16      // instructions
	kind    schema.Kind // of the last, if it leaves; else other
}

// A way is how control leaves a block for an address.
type way struct {
	kind     schema.Kind // of the instruction that it leaves; other: it was not taken
	back     uint32      // the address after that
	target   uint32      // where it goes
	function int32       // of that
	// The node whose function took it last, by a call, and that of the callee: [below] if there is none.
	caller, callee int32
	next           int32 // index of another way from the block; negative: none
}

// A move is a step on a way that is not made yet.
type move struct {
	at  int64 // instructions of the part, or of the path, before the one that control goes to
	way int32
}

// A pathWalk is a path of a unit: what its steps need. It fills half a line of the cache.
type pathWalk struct {
	function     int32 // of its first instruction; several: it is walked run by run
	left         int32 // that of its last one
	address      uint32
	instructions uint32
	target       uint32 // where control went last after it, if way is not negative
	way          int32  // the way there
	first        uint32 // of the moves inside it
	moves        uint8
	kind         schema.Kind // of its last instruction; other: it was not taken
	leaves       schema.Kind // the kind if that leaves, else other
	state        pathState
}

type pathState uint8

const (
	unknown    pathState = iota // nothing of it is known
	endsInside                  // it ends inside a block
	endsBlock
)

// A unitWalk is what is known of the unit at hand.
type unitWalk struct {
	unit   *decode.Result
	places []place // its blocks
	heads  []int32 // of each block, the first of its ways; negative: none
	ways   []way
	paths  []pathWalk
	moves  []move // of the paths
	runs   []schema.Run
}

// setUnit sets what is known of the unit of the part, as far as the part knows its blocks.
func (w *walker) setUnit() {
	r, u := w.part, &w.unit
	if u.unit != r.Unit {
		*u = unitWalk{r.Unit, u.places[:0], u.heads[:0], u.ways[:0], u.paths[:0], u.moves[:0], u.runs[:0]}
	}
	for n := len(u.places); n < r.Blocks; n++ {
		b := &w.blocks[r.Numbers[n]]
		u.places = append(u.places, place{one: b.one, address: b.address, length: b.length, kind: b.leaves})
		u.heads = append(u.heads, -1)
	}
	for len(u.paths) < len(r.Log.Paths) {
		u.paths = append(u.paths, pathWalk{})
	}
}

// wayOf returns the index of the way from the end of a block of the unit to an address in a function.
func (w *walker) wayOf(block uint32, kind schema.Kind, to uint32, function int32) int32 {
	u := &w.unit
	for i := u.heads[block]; i >= 0; i = u.ways[i].next {
		if x := &u.ways[i]; x.target == to && x.kind == kind && x.function == function {
			return i
		}
	}
	i := int32(len(u.ways))
	u.ways = append(u.ways, way{
		kind: kind, back: w.blocks[w.part.Numbers[block]].next, target: to, function: function, caller: below, next: u.heads[block],
	})
	u.heads[block] = i
	return i
}

// know finds out which steps a path has.
func (w *walker) know(path uint32) {
	u, log := &w.unit, &w.part.Log
	p := pathWalk{way: -1, first: uint32(len(u.moves)), instructions: log.Paths[path].Instructions}
	var before *schema.Run
	at := int64(0)
	for _, index := range log.ShapesOf(path) {
		s := &log.Shapes[index]
		code := &w.blocks[w.part.Numbers[s.Block]]
		function, address := code.one, code.Address[s.First]
		switch {
		case before == nil:
			p.function, p.address = function, address
		case leaves(p.kind) || function != p.left:
			u.moves = append(u.moves, move{at, w.wayOf(before.Block, p.kind, address, function)})
		}
		if function == several {
			p.function = several
		}
		p.left, p.kind, p.leaves, p.state = function, schema.KindOther, schema.KindOther, endsInside
		last := int(s.First+s.Count) - 1
		if last == int(code.length)-1 {
			p.state = endsBlock
		}
		if s.Outcome != schema.NotTaken {
			p.kind = schema.Kind(code.Kind[last])
		}
		if leaves(p.kind) {
			p.leaves = p.kind
		}
		before = s
		at += int64(s.Count)
	}
	if p.function == several { // its moves may be wrong, and are not used
		u.moves = u.moves[:p.first]
	}
	p.moves = uint8(len(u.moves) - int(p.first))
	u.paths[path] = p
}

// paths walks the entries of the part from one on that are paths, of which the first has an index in the unit; so many
// runs of the unit come before them. It returns how many there are.
func (w *walker) paths(entries []decode.Entry, first, runs int) (n int) {
	u := &w.unit
	seq, nextSpan, nextMark := w.step.at.seq, 0, w.nextMark
	function, kind := w.state()
	waiting := w.waiting
	var before *pathWalk // nil: what was last is in w.last
	for ; n < len(entries); n++ {
		path := entries[n].Path
		if path == decode.OwnRuns {
			break
		}
		if first+n >= nextSpan {
			waiting = w.makeAll(waiting)
			nextSpan = w.spanOfEntry(runs, first+n)
		}
		p := &u.paths[path]
		if p.state == unknown {
			w.know(path)
		}
		if len(waiting)+maxMoves > cap(waiting) {
			waiting = w.makeAll(waiting)
		}
		end := seq + int64(p.instructions)
		if kind != schema.KindOther || p.function != function || end > nextMark {
			switch {
			case p.function == several || end > nextMark:
				waiting = w.makeAll(waiting)
				w.step.at.seq = seq
				w.setLast(before, entries[:n])
				w.runByRun(path)
				before, seq, nextMark = nil, end, w.nextMark
				function, kind = w.state()
				continue
			case before == nil || before.state == endsInside:
				waiting = w.makeAll(waiting)
				w.step.at.seq = seq
				w.setLast(before, entries[:n])
				w.enter(&w.blocks[w.part.Numbers[w.firstShape(path).Block]], int(w.firstShape(path).First))
				nextMark = w.nextMark
			default:
				if before.way < 0 || before.target != p.address {
					before.target, before.way = p.address, w.wayOf(w.lastShape(entries[n-1].Path).Block, before.kind, p.address, p.function)
				}
				waiting = append(waiting, move{seq - w.part.Seq, before.way})
			}
		}
		for _, m := range u.moves[p.first:][:p.moves] {
			waiting = append(waiting, move{seq - w.part.Seq + m.at, m.way})
		}
		seq, before = end, p
		function, kind = p.left, p.leaves
	}
	w.makeAll(waiting)
	w.step.at.seq = seq
	w.setLast(before, entries[:n])
	return n
}

// firstShape returns the first shape of a path.
func (w *walker) firstShape(path uint32) *schema.Run {
	return &w.part.Log.Shapes[w.part.Log.ShapesOf(path)[0]]
}

// lastShape returns the last shape of a path.
func (w *walker) lastShape(path uint32) *schema.Run {
	shapes := w.part.Log.ShapesOf(path)
	return &w.part.Log.Shapes[shapes[len(shapes)-1]]
}

// setLast has the instruction that was executed last be that of the last of some paths, unless that is nil.
func (w *walker) setLast(p *pathWalk, entries []decode.Entry) {
	if p == nil {
		return
	}
	w.last = lastOf(w.lastShape(entries[len(entries)-1].Path), w.part.Numbers, w.blocks)
}

// runByRun walks the runs of a path.
func (w *walker) runByRun(path uint32) {
	u, log := &w.unit, &w.part.Log
	u.runs = u.runs[:0]
	for _, s := range log.ShapesOf(path) {
		u.runs = append(u.runs, log.Shapes[s])
	}
	w.runs(u.runs, func(int) int { return math.MaxInt })
}

// spanOfEntry moves on to the span of an entry, before which there are so many runs, and returns the entry that the next
// one begins with.
func (w *walker) spanOfEntry(runs, entry int) int {
	spans := w.part.Spans
	for w.span+1 < len(spans) && spans[w.span+1].Run <= runs && spans[w.span+1].Entry <= entry {
		w.span++
	}
	if w.span+1 < len(spans) && spans[w.span+1].Run <= runs {
		return spans[w.span+1].Entry
	}
	return math.MaxInt
}

// wait has a move wait: many are made faster than one by one.
func (w *walker) wait(m move) {
	if len(w.waiting) == cap(w.waiting) {
		w.make()
	}
	w.waiting = append(w.waiting, m)
}

// makeAll makes moves, and returns none.
func (w *walker) makeAll(moves []move) []move {
	w.waiting = moves
	w.make()
	return w.waiting
}

// maxMoves is how many moves a path has at most, with that to it.
const maxMoves = 16

// maxWait is how many moves wait at most.
const maxWait = 1024

// make makes the moves that wait.
func (w *walker) make() {
	moves, ways, r := w.waiting, w.unit.ways, w.part
	together := !w.to.wanted.calls
	for i := 0; ; i++ {
		if together {
			i += w.to.follow(moves[i:], ways, r.Seq)
		}
		if i >= len(moves) {
			break
		}
		x := &ways[moves[i].way]
		w.step.at.seq = r.Seq + moves[i].at
		w.leave(x.kind, x.back, x.target, x.function)
	}
	w.waiting = moves[:0]
}
