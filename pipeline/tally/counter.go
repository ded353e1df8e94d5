package tally

import (
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// A counter counts jobs, one after another. Most runs come right after one they came
// after before: then its loop adds one to a turn, which counts both the run and the
// way there. Whatever is rare is a call.
type counter struct {
	ordinal int // of its last job
	most    int // shapes it has at the most, about

	index  map[form]*shape
	shapes []shape // the last of those that were allocated

	// What was counted, and is settled.
	blocks []*block // by number in the source; nil: not run yet
	edges  map[EdgeKey]edge
	spread map[extent]int64 // cycles of runs by extent

	places   schema.Places
	before   step   // before the first run of the job
	cur      *shape // counted last; noShape: the job has none yet
	own      int64  // cycles of its last instruction, if it is timed
	nowhere  turn   // counts what is no turn
	marks    marks  // not passed yet
	nextMark int64  // ordinal of the first of them
}

func newCounter(ordinal, most int) *counter {
	return &counter{ordinal: ordinal, most: most, index: map[form]*shape{}, edges: map[EdgeKey]edge{}, spread: map[extent]int64{}}
}

// count counts a job.
func (c *counter) count(j *job) {
	c.places, c.before, c.cur, c.own = j.places, j.before, noShape, 0
	c.marks, c.nextMark = j.marks, j.marks.Next()
	for i := range j.pieces {
		c.piece(&j.pieces[i])
	}
}

// piece counts the runs of a part.
func (c *counter) piece(r *stitch.Runs) {
	from, seq, costs := r.From, r.Seq, r.Unit.Costs[r.Cost:r.Costs]
	for _, s := range r.Stretches {
		if s.Runs > 0 {
			continue
		}
		seq, costs = c.runs(r, from, s.Run, seq, costs)
		from = s.Run
		c.passStretch(r.Unit.Blocks[s.Block], seq)
		seq += s.Instructions
	}
	c.runs(r, from, r.To, seq, costs)
	c.turns(r)
}

// runs counts some runs of a part, which begin at an ordinal. costs are those of the
// instructions from there on; it returns both after them.
func (c *counter) runs(r *stitch.Runs, from, to int, seq int64, costs []uint32) (int64, []uint32) {
	runs := r.Unit.Runs[from:to]
	cur, own := c.cur, c.own
	for i := range runs {
		run := &runs[i]
		number := r.Numbers[run.Block]
		t := &cur.turns[run.Outcome%outcomes]
		if seq >= c.nextMark || !t.to.is(run, number) {
			c.cur, c.own = cur, own
			t = c.next(run, number, r.Unit.Blocks[run.Block], seq)
		}
		t.n++
		if own != 0 {
			t.cycles += own
			own = 0
		}
		cur = t.to
		if run.Flags&timed != 0 {
			own, costs = cur.cost(run, costs)
		}
		seq += int64(run.Count)
	}
	c.cur, c.own = cur, own
	return seq, costs
}

// next returns the turn to a run at an ordinal, which is not where control went last.
func (c *counter) next(run *schema.Run, number uint32, code *schema.Block, seq int64) *turn {
	marked := seq >= c.nextMark || c.cur == noShape || c.cur == counted
	if !marked {
		if t := c.cur.other(run, number); t != nil {
			return t
		}
	}
	to := c.shape(formOf(run, number), code, seq)
	if !marked {
		return c.turn(to)
	}
	if c.cur != counted {
		c.join(seq, code.Place(int(to.first)))
	}
	to.n++
	c.nowhere.to = to
	return &c.nowhere
}

// shape returns the shape of a form, which comes at an ordinal.
func (c *counter) shape(f form, code *schema.Block, seq int64) *shape {
	if s := c.index[f]; s != nil {
		return s
	}
	if len(c.index) >= max(c.most, 1) {
		c.settle()
		if c.cur != noShape && c.cur != counted {
			c.cur = c.newShape(c.cur.form, c.cur.code, c.cur.seq)
		}
	}
	return c.newShape(f, code, seq)
}

// other returns the turn to a run that was taken before, if it is at hand. It becomes
// the one taken last: a return often alternates between two callers.
func (s *shape) other(run *schema.Run, number uint32) *turn {
	for i := range s.others {
		if x := &s.others[i]; x.to.outcome == run.Outcome && x.to.is(run, number) {
			t := &s.turns[run.Outcome%outcomes]
			*t, *x = *x, *t
			return t
		}
	}
	return nil
}

// turn returns a turn to a shape that was not taken before, as far as is known.
func (c *counter) turn(to *shape) *turn {
	t := &c.cur.turns[to.outcome%outcomes]
	switch {
	case t.to == noShape || t.to == to: // the latter if Failed has no meaning
	case len(c.cur.others) < maxOthers:
		c.cur.others = append(c.cur.others, *t)
		*t = turn{}
	default:
		c.settleTurn(c.cur, t)
	}
	t.to = to
	return t
}

// settle moves what shapes counted to blocks and maps, and forgets them.
func (c *counter) settle() {
	for _, s := range c.index {
		for i := range s.turns {
			c.settleTurn(s, &s.turns[i])
		}
		for i := range s.others {
			c.settleTurn(s, &s.others[i])
		}
	}
	c.settleWays()
	for _, s := range c.index {
		if s.n == 0 { // it was settled before
			continue
		}
		s.settle(c.block(s.block, s.code))
		c.inside(s)
		if s.flags&timed != 0 {
			c.spread[extent{s.block, s.first, s.count}] += s.cycles
		}
	}
	clear(c.index)
	c.shapes = nil
}

// block returns the block of a number.
func (c *counter) block(number uint32, code *schema.Block) *block {
	for int(number) >= len(c.blocks) {
		c.blocks = append(c.blocks, nil)
	}
	if c.blocks[number] == nil {
		c.blocks[number] = &block{code: code}
	}
	return c.blocks[number]
}
