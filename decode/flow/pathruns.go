package flow

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// This file remembers, as pathinside.go does, what packets do whose atoms trace each
// instruction, where that becomes runs: which runs. They are those that Inside made.

// A RunPath is what the atoms of a packet do from a position in a block on.
type RunPath struct {
	from *block // nil: none
	when uint32 // the position and the packet: see whenInside

	Seed   uint32 // of where it leads: see Cursor.Seed
	To     Cursor // where it leads, zero: after an indirect branch
	Pos    int    // the position in To
	Left   Cursor // the block that ends with that branch
	Leaves int    // its steps: see RunSteps

	count int                        // runs; 0: it came once
	steps [maxRunsOfPath]decode.Step // At counts from its start
	runs  [maxRunsOfPath]schema.Run
}

// maxRunsOfPath is how many runs a path has at most.
const maxRunsOfPath = 8

// RunPaths are the paths of a walker.
type RunPaths struct {
	at   [1 << pathBits]RunPath
	used []uint32 // those that are not zero
	trial
}

// RunPaths returns the paths of w.
func (w *Walker) RunPaths() *RunPaths {
	if w.runPaths == nil {
		w.runPaths = new(RunPaths)
	}
	return w.runPaths
}

// Find returns the path of a packet from a position in the block at c on, nil if it is not
// remembered. Equal packets have equal atoms.
func (t *RunPaths) Find(c Cursor, pos int, seed uint32, packet uint8) *RunPath {
	p := &t.at[slotInside(seed, packet)]
	if p.from != c.b || p.when != whenInside(pos, packet) || p.count == 0 {
		return nil
	}
	return p
}

// Walk writes the runs of the path into runs, which has room for all of a packet, and returns
// how many there are.
func (p *RunPath) Walk(runs []schema.Run, offset int64) int {
	runs = runs[:p.count]
	for i := range runs {
		runs[i] = p.runs[i&(maxRunsOfPath-1)]
		runs[i].Offset = offset
	}
	return p.count
}

// RunSteps notes the steps of a path, which begins n instructions after Seq.
func (w *Walker) RunSteps(p *RunPath, n int64) { w.noteSteps(p.steps[:p.Leaves], n) }

// rememberSteps has the steps of the path be some of the part, before which there are n instructions.
func (p *RunPath) rememberSteps(steps []decode.Step, n int64) {
	for i, s := range steps {
		p.steps[i] = s.After(-n)
	}
	p.Leaves = len(steps)
}

// RememberRuns makes the path of a packet that Find does not have, where it comes the second
// time: of the runs that Inside made, and the steps, n instructions after Seq. It led to a position, or
// after an indirect branch, which ends the block at left.
func (w *Walker) RememberRuns(c Cursor, pos int, packet uint8, runs []schema.Run, n int64, to Cursor, at int, left Cursor) {
	t, when, seed := w.runPaths, whenInside(pos, packet), c.Seed(pos)
	t.missed++
	i := slotInside(seed, packet)
	switch p := &t.at[i]; {
	case p.count > 0:
	case p.from != c.b || p.when != when:
		if p.from == nil {
			t.used = append(t.used, i)
		}
		p.from, p.when = c.b, when
	case len(runs) > maxRunsOfPath:
	case !to.Known():
		p.Left, p.count = left, copy(p.runs[:], runs)
		p.rememberSteps(w.stepsAfter(n), w.Seq+n-w.partSeq)
	case to.b.ready == w.partStamp: // what the result does not hold may be dropped
		p.To, p.Pos, p.Seed, p.count = to, at, to.Seed(at), copy(p.runs[:], runs)
		p.rememberSteps(w.stepsAfter(n), w.Seq+n-w.partSeq)
	}
}

// endRunPaths forgets the paths of a unit.
func (w *Walker) endRunPaths() {
	if t := w.runPaths; t != nil {
		t.endUnit()
	}
}

// clear forgets all paths.
func (t *RunPaths) clear() {
	if t == nil {
		return
	}
	for _, i := range t.used {
		t.at[i] = RunPath{}
	}
	t.used = t.used[:0]
}
