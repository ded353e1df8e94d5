package tally

import (
	"cmp"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// An edgeKey is what makes two edges one.
type edgeKey struct {
	from, to uint32
	kind     schema.EdgeKind
	outcome  schema.EdgeOutcome
}

// An edge counts how often control took it, and what that cost.
type edge struct {
	n, cycles int64
	costs     int64 // how often it has cycles
}

// cost adds the cycles of one time.
func (e *edge) cost(cycles uint32) {
	e.cycles += int64(cycles)
	e.costs++
}

func (e edge) plus(x edge) edge { return edge{e.n + x.n, e.cycles + x.cycles, e.costs + x.costs} }

// hasEdges says whether instructions of a kind have edges: those that can do other
// than continue at the next address.
func hasEdges(k schema.Kind) bool { return k != schema.KindOther && k != schema.KindBarrier }

// edgeOutcomes are the outcomes of edges by that of the instruction.
var edgeOutcomes = [...]schema.EdgeOutcome{
	schema.Untold: schema.EdgeUntold, schema.Taken: schema.EdgeTaken, schema.NotTaken: schema.EdgeNotTaken, schema.Passed: schema.EdgeTaken,
}

// join counts the edges from the last instruction to the next, with ordinal seq.
// What comes first after an instruction decides where its edge goes: an exception
// to its return address, a gap nowhere, nothing to the next instruction. From an
// exception likewise: if another comes before its handler runs, its edge goes to
// the return address of that. A debug exit cuts all of them: in debug state the
// PC may have been moved.
func (c *counter) join(seq int64, next uint32) {
	between := c.passMarks(seq)
	if slices.ContainsFunc(between, func(m mark) bool { return m.what == debugExit }) {
		return
	}
	from := c.step()
	has, kind, outcome := from.ok && hasEdges(from.kind), schema.EdgeKind(from.kind), edgeOutcomes[from.outcome]
	for _, m := range between {
		if has && m.returnAddress.OK {
			c.edge(&from, m.returnAddress.V, kind, outcome)
		}
		from.ok = from.ok && m.what == entry
		has, kind, outcome = from.ok, schema.EdgeException, schema.EdgeTaken
	}
	switch {
	case has && len(between) == 0 && c.last.leaves == leavesEnd:
		c.turn(next)
	case has:
		c.edge(&from, next, kind, outcome)
	}
}

// passMarks returns the marks up to an ordinal that were not passed yet.
func (c *counter) passMarks(seq int64) []mark {
	n := 0
	for n < len(c.marks) && c.marks[n].Seq <= seq {
		n++
	}
	between := c.marks[:n]
	c.setMarks(c.marks[n:])
	return between
}

// step returns the last instruction.
func (c *counter) step() step {
	l := &c.last
	if l.run == nil {
		return c.before
	}
	code, i := l.block.code, int(l.run.First)+int(l.run.Count)-1
	return step{ok: true, address: code.Address[i], kind: schema.Kind(code.Kind[i]), outcome: l.run.Outcome, cycles: l.cycles}
}

// turn counts an edge from the end of a block, which becomes the one taken last.
// The one before stays at hand: a return often alternates between two callers.
func (c *counter) turn(next uint32) {
	b, outcome := c.last.block, c.last.run.Outcome
	w := &b.ways[outcome]
	i := slices.IndexFunc(b.others, func(o way) bool { return o.to == next && o.outcome == outcome })
	switch {
	case i >= 0:
		*w, b.others[i] = b.others[i], *w
	case len(b.others) < maxOthers:
		b.others = append(b.others, *w)
		*w = way{to: next, outcome: outcome}
	default:
		c.settleWay(b, w)
		w.to = next
	}
	c.last.follow(next)
}

// settleWay moves what a block counted of an edge to the map.
func (c *counter) settleWay(b *block, w *way) {
	if w.n > 0 {
		i := b.size - 1
		key := edgeKey{b.code.Address[i], w.to, schema.EdgeKind(b.code.Kind[i]), edgeOutcomes[w.outcome]}
		c.edges[key] = c.edges[key].plus(w.edge)
		w.edge = edge{}
	}
}

// inside counts the edges of the instructions of a run but the last. costs are
// those of the run and of runs after it.
func (c *counter) inside(b *block, run *schema.Run, costs []uint32) {
	for i := range int(run.Count) - 1 {
		p := int(run.First) + i
		from := step{address: b.code.Address[p], kind: schema.Kind(b.code.Kind[p])}
		if !hasEdges(from.kind) {
			continue
		}
		outcome := schema.EdgeUntold
		if run.Flags&schema.RunHasFailed != 0 {
			outcome = schema.EdgeTaken
			if run.Failed>>i&1 == 1 {
				outcome = schema.EdgeNotTaken
			}
		}
		if run.Flags&schema.RunHasCosts != 0 {
			from.cycles = schema.Of(costs[i])
		}
		c.edge(&from, b.code.Address[p+1], schema.EdgeKind(from.kind), outcome)
	}
}

// edge counts an edge.
func (c *counter) edge(from *step, to uint32, kind schema.EdgeKind, outcome schema.EdgeOutcome) {
	e := edge{n: 1}
	if from.cycles.OK {
		e.cost(from.cycles.V)
	}
	key := edgeKey{from.address, to, kind, outcome}
	c.edges[key] = c.edges[key].plus(e)
}

// An Edge is a row of `edges`.
type Edge struct {
	From, To uint32
	Kind     schema.EdgeKind
	Outcome  schema.EdgeOutcome
	N        int64
	Cycles   schema.Null[int64]
}

func (e Edge) compare(f Edge) int {
	return cmp.Or(cmp.Compare(e.From, f.From), cmp.Compare(e.To, f.To), cmp.Compare(e.Kind, f.Kind), cmp.Compare(e.Outcome, f.Outcome))
}

// edgeRows returns the rows of `edges`. The counters were folded.
func (c *counters) edgeRows() []Edge {
	rows := make([]Edge, 0, len(c.edges))
	for key, e := range c.edges {
		rows = append(rows, Edge{key.from, key.to, key.kind, key.outcome, e.n, schema.Null[int64]{V: e.cycles, OK: e.costs > 0}})
	}
	slices.SortFunc(rows, Edge.compare)
	return rows
}
