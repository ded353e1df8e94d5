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
	last    schema.Kind // of the last
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

// A pathWalk is a path of a unit: what its steps need.
type pathWalk struct {
	function     int32 // of its first instruction; several: it is walked run by run
	left         int32 // that of its last one
	address      uint32
	instructions uint32
	target       int64  // where control went last after it; negative: nowhere yet
	way          int32  // the way there
	first        uint32 // of the moves inside it
	moves        uint8
	kind         schema.Kind // of its last instruction; other: it was not taken
	leaves       schema.Kind // the kind if that leaves, else other
	state        pathState
}

type pathState uint8

const (
	isNew      pathState = iota // nothing of it is known
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
		moves := append(u.moves[:0], make([]move, spareMoves)...)
		*u = unitWalk{r.Unit, u.places[:0], u.heads[:0], u.ways[:0], u.paths[:0], moves, u.runs[:0]}
	}
	for n := len(u.places); n < r.Blocks; n++ {
		b := &w.blocks[r.Numbers[n]]
		u.places = append(u.places, place{b.one, b.address, b.length, b.leaves, b.last})
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
	back := w.blocks[w.part.Numbers[block]].next
	u.ways = append(u.ways, way{
		kind: kind, back: back, target: to, function: function, caller: below, next: u.heads[block],
	})
	u.heads[block] = i
	return i
}

// addMove adds a move of a path. Two that are none come after the last: see paths.
func (u *unitWalk) addMove(m move) {
	u.moves = append(u.moves, move{})
	u.moves[len(u.moves)-1-spareMoves] = m
}

const spareMoves = 2

// know finds out which steps a path has.
func (w *walker) know(path uint32) {
	u, log := &w.unit, &w.part.Log
	p := pathWalk{target: -1, first: uint32(len(u.moves) - spareMoves), instructions: log.Paths[path].Instructions}
	var before *schema.Run
	at := int64(0)
	for _, index := range log.ShapesOf(path) {
		s := &log.Shapes[index]
		b := &u.places[s.Block]
		function, address := b.one, b.address
		if s.First > 0 {
			address = w.blocks[w.part.Numbers[s.Block]].Address[s.First]
		}
		switch {
		case before == nil:
			p.function, p.address = function, address
		case leaves(p.kind) || function != p.left:
			u.addMove(move{at, w.wayOf(before.Block, p.kind, address, function)})
		}
		if function == several {
			p.function = several
		}
		p.left, p.kind, p.leaves, p.state = function, schema.KindOther, schema.KindOther, endsInside
		if s.First+s.Count == b.length {
			p.state = endsBlock
			if s.Outcome != schema.NotTaken {
				p.kind, p.leaves = b.last, b.kind
			}
		}
		before = s
		at += int64(s.Count)
	}
	if p.function == several { // its moves may be wrong, and are not used
		u.moves = u.moves[:p.first+spareMoves]
	}
	p.moves = uint8(len(u.moves) - spareMoves - int(p.first))
	u.paths[path] = p
}

// paths walks the entries of the part from one on that are paths, of which the first has an index
// in the unit; so many runs of the unit come before them. It returns how many there are.
//
// Whether control leaves a function after a path, and how often inside it, is hard to predict. So
// the loop writes moves whether they are some or not, and counts those that are.
func (w *walker) paths(entries []decode.Entry, first, runs int) (n int) {
	u := &w.unit
	at, nextSpan, nextMark := w.step.at.seq-w.part.Seq, 0, w.nextMark-w.part.Seq
	function, kind := w.state()
	waiting := w.waiting[:cap(w.waiting)]
	m := len(w.waiting)
	before := &noPath // what was last is in w.last
	for ; n < len(entries); n++ {
		path := entries[n].Path
		if path == decode.OwnRuns {
			break
		}
		if first+n >= nextSpan || m+maxMoves > len(waiting) {
			m = w.makeAll(waiting[:m])
			nextSpan = w.spanOfEntry(runs, first+n)
		}
		p := &u.paths[path]
		if p.state == isNew {
			w.know(path)
		}
		end, leave := at+int64(p.instructions), 0
		if kind != schema.KindOther || p.function != function {
			leave = 1
		}
		if end > nextMark || p.function == several || before.target != int64(p.address) && leave > 0 {
			if end > nextMark || p.function == several || before.state != endsBlock {
				m = w.makeAll(waiting[:m])
				w.step.at.seq = at + w.part.Seq
				w.setLast(before, entries[:n])
				before = w.slowPath(path, end)
				at, nextMark, leave = end, w.nextMark-w.part.Seq, 0
				if before == &noPath {
					function, kind = w.state()
					continue
				}
				at -= int64(p.instructions)
			} else {
				before.target = int64(p.address)
				before.way = w.wayOf(w.lastShape(entries[n-1].Path).Block, before.kind, p.address, p.function)
			}
		}
		waiting[m] = move{at, before.way}
		m += leave
		inside := (*[2]move)(u.moves[p.first:])
		waiting[m] = move{at + inside[0].at, inside[0].way}
		waiting[m+1] = move{at + inside[1].at, inside[1].way}
		if p.moves > 2 {
			for i, x := range u.moves[p.first:][:p.moves] {
				waiting[m+i] = move{at + x.at, x.way}
			}
		}
		m += int(p.moves)
		at, before = end, p
		function, kind = p.left, p.leaves
	}
	w.makeAll(waiting[:m])
	w.step.at.seq = at + w.part.Seq
	w.setLast(before, entries[:n])
	return n
}

// noPath is what comes before a path that is none.
var noPath = pathWalk{target: -1}

// slowPath makes the steps between the last instruction and a path, and if marks lie inside it, or
// it is of several functions, those inside it. It returns the path if its own steps are not made
// yet, else noPath.
func (w *walker) slowPath(path uint32, end int64) *pathWalk {
	p := &w.unit.paths[path]
	if end+w.part.Seq > w.nextMark || p.function == several {
		w.runByRun(path)
		return &noPath
	}
	s := w.firstShape(path)
	w.enter(&w.blocks[w.part.Numbers[s.Block]], int(s.First))
	return p
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

// setLast has the instruction that was executed last be that of the last of some paths, unless that is noPath.
func (w *walker) setLast(p *pathWalk, entries []decode.Entry) {
	if p == &noPath {
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

// spanOfEntry moves on to the span of an entry, before which there are so many runs, and returns
// the entry that the next one begins with.
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

// makeAll makes moves, and returns how many wait then.
func (w *walker) makeAll(moves []move) int {
	w.waiting = moves
	w.make()
	return len(w.waiting)
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
