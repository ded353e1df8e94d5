package tally

import (
	"cmp"
	"slices"

	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// An EdgeKey is what makes two edges one.
type EdgeKey struct {
	From, To schema.Address
	Kind     schema.EdgeKind
	Outcome  schema.EdgeOutcome
}

// An edge counts how often control took it, and what that cost.
type edge struct {
	n, cycles int64
	costs     int64 // how often it has cycles
}

func (e edge) plus(x edge) edge { return edge{e.n + x.n, e.cycles + x.cycles, e.costs + x.costs} }

// hasEdges says whether instructions of a kind have edges: those that can do other
// than continue at the next address.
func hasEdges(k schema.Kind) bool { return k != schema.KindOther && k != schema.KindBarrier }

// edgeOutcomes are the outcomes of edges by that of the instruction.
var edgeOutcomes = [...]schema.EdgeOutcome{
	schema.Unknown: schema.EdgeUnknown, schema.Taken: schema.EdgeTaken,
	schema.NotTaken: schema.EdgeNotTaken, schema.Passed: schema.EdgeTaken,
}

// join counts the edges from the last instruction to the next, with ordinal seq.
// What comes first after an instruction decides where its edge goes: an exception
// to its return address, a gap nowhere, nothing to the next instruction. From an
// exception likewise: if another comes before its handler runs, its edge goes to
// the return address of that. A debug exit cuts all of them: in debug state the
// PC may have been moved.
func (c *counter) join(seq int64, next schema.Address) {
	between := c.marks.Pass(seq)
	c.nextMark = c.marks.Next()
	if slices.ContainsFunc(between, func(m stitch.Mark[mark]) bool { return m.Means.what == debugExit }) {
		return
	}
	from := c.step()
	has, kind, outcome := from.ok && hasEdges(from.kind), schema.EdgeKind(from.kind), edgeOutcomes[from.outcome]
	for i := range between {
		m := &between[i].Means
		if has && m.returnAddress.OK {
			c.edge(&from, c.places.Of(from.state, m.returnAddress.V), kind, outcome)
		}
		from.ok = from.ok && m.what == entry
		has, kind, outcome = from.ok, schema.EdgeException, schema.EdgeTaken
	}
	if has {
		c.edge(&from, next, kind, outcome)
	}
}

// step returns the last instruction.
func (c *counter) step() step {
	s := c.cur
	if s == noShape {
		return c.before
	}
	i := s.last()
	x := step{ok: true, state: s.code.Key.State, address: s.code.Place(i), kind: schema.Kind(s.code.Kind[i]), outcome: s.outcome}
	if s.flags&timed != 0 {
		x.cycles = schema.Of(uint32(c.own))
	}
	return x
}

// settleTurn moves what a turn from a shape counted to the shape after it and to the
// edges.
func (c *counter) settleTurn(from *shape, t *turn) {
	if t.n == 0 {
		return
	}
	t.to.n += t.n
	i := from.last()
	if kind := from.code.Kind[i]; hasEdges(schema.Kind(kind)) {
		key := EdgeKey{from.code.Place(i), t.to.code.Place(int(t.to.first)), schema.EdgeKind(kind), edgeOutcomes[from.outcome]}
		e := edge{n: t.n}
		if from.flags&timed != 0 {
			e.cycles, e.costs = t.cycles, t.n
		}
		c.edges[key] = c.edges[key].plus(e)
	}
	t.n, t.cycles = 0, 0
}

// inside counts the edges of the instructions of a shape but the last.
func (c *counter) inside(s *shape) {
	for i := range int(s.count) - 1 {
		p := int(s.first) + i
		kind := s.code.Kind[p]
		if !hasEdges(schema.Kind(kind)) {
			continue
		}
		outcome := schema.EdgeUnknown
		if s.flags&schema.RunHasFailed != 0 {
			outcome = schema.EdgeTaken
			if s.failed>>i&1 == 1 {
				outcome = schema.EdgeNotTaken
			}
		}
		e := edge{n: s.n}
		if s.costs != nil {
			e.cycles, e.costs = s.costs[i], s.n
		}
		key := EdgeKey{s.code.Place(p), s.code.Place(p + 1), schema.EdgeKind(kind), outcome}
		c.edges[key] = c.edges[key].plus(e)
	}
}

// edge counts an edge.
func (c *counter) edge(from *step, to schema.Address, kind schema.EdgeKind, outcome schema.EdgeOutcome) {
	e := edge{n: 1}
	if from.cycles.OK {
		e.cycles, e.costs = int64(from.cycles.V), 1
	}
	key := EdgeKey{from.address, to, kind, outcome}
	c.edges[key] = c.edges[key].plus(e)
}

// An Edge is a row of `edges`.
type Edge struct {
	EdgeKey
	N      int64
	Cycles schema.Null[int64]
}

func (e Edge) compare(f Edge) int {
	return cmp.Or(cmp.Compare(e.From, f.From), cmp.Compare(e.To, f.To), cmp.Compare(e.Kind, f.Kind), cmp.Compare(e.Outcome, f.Outcome))
}

// edgeRows returns the rows of `edges`. The counters were folded.
func (c *counters) edgeRows() []Edge {
	rows := make([]Edge, 0, len(c.edges))
	for key, e := range c.edges {
		if e.n == 0 { // see counter.fail
			continue
		}
		rows = append(rows, Edge{key, e.n, schema.Null[int64]{V: e.cycles, OK: e.costs > 0}})
	}
	slices.SortFunc(rows, Edge.compare)
	return rows
}
