package tally

import (
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// An edgeKey is what makes two edges one.
type edgeKey struct {
	from, to uint32
	kind     schema.EdgeKind
	outcome  schema.EdgeOutcome
}

// An edge counts how often control took it.
type edge struct {
	n, cycles, costs int64
}

// leaves says whether instructions of a kind have an edge: those that can do other
// than go on to the next address.
func leaves(k schema.Kind) bool { return k != schema.KindOther && k != schema.KindBarrier }

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
	from := c.last
	if slices.ContainsFunc(between, func(m mark) bool { return m.what == debugExit }) {
		return
	}
	has, kind, outcome := from.ok && leaves(from.kind), schema.EdgeKind(from.kind), edgeOutcomes[from.outcome]
	for _, m := range between {
		if has && m.returnAddress.OK {
			c.edge(&from, m.returnAddress.V, kind, outcome)
		}
		from.ok = from.ok && m.what == entry
		has, kind, outcome = from.ok, schema.EdgeException, schema.EdgeTaken
	}
	if has {
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
	c.marks = c.marks[n:]
	return between
}

// inside counts the edges inside a run.
func (c *counter) inside(b *block, run *schema.Run, costs []uint32) {
	code := b.code
	for i := range int(run.Count) {
		p := int(run.First) + i
		s := step{ok: true, address: code.Address[p], kind: schema.Kind(code.Kind[p])}
		if costs != nil {
			s.cycles = schema.Of(costs[i])
		}
		if i == int(run.Count)-1 {
			s.outcome = run.Outcome
			if run.Flags&schema.RunHasCycles != 0 {
				s.cycles = schema.Of(run.Cycles)
			}
			c.last = s
			return
		}
		if !leaves(s.kind) {
			continue
		}
		if run.Flags&schema.RunHasFailed != 0 {
			s.outcome = schema.Passed
			if run.Failed>>i&1 == 1 {
				s.outcome = schema.NotTaken
			}
		}
		c.edge(&s, code.Address[p+1], schema.EdgeKind(s.kind), edgeOutcomes[s.outcome])
	}
}

// edge counts an edge.
func (c *counter) edge(from *step, to uint32, kind schema.EdgeKind, outcome schema.EdgeOutcome) {
	key := edgeKey{from.address, to, kind, outcome}
	e := c.edges[key]
	if e == nil {
		e = &edge{}
		c.edges[key] = e
	}
	e.n++
	if from.cycles.OK {
		e.cycles += int64(from.cycles.V)
		e.costs++
	}
}
