package decodetest

import (
	"fmt"
	"maps"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A Sums is what ran in a result: how often, from when on, and where control went, without
// regard to what came between two instructions. Ordinals are of the result.
type Sums struct {
	Executed map[Execution]int64
	First    map[schema.Address]int64 // by address
	Ways     map[Way]int64
	// Own cycles: by address; of an instruction on the way to the next; and of whole runs.
	Cycles    map[schema.Address]Cycles
	WayCycles map[Way]Cycles
	Extents   map[Extent]int64
}

// Cycles are a sum, and how often there were some.
type Cycles struct {
	N, Sum int64
}

// An Extent is the instructions of a run.
type Extent struct {
	Block        schema.BlockKey
	First, Count int
}

// An Execution is an instruction and what became of it.
type Execution struct {
	Address schema.Address
	Outcome schema.Outcome // Unknown inside a run that does not have it
}

// A Way is from an instruction to the next one.
type Way struct {
	From Execution
	To   schema.Address
}

// SumsOf returns what ran in r.
func SumsOf(r *decode.Result) Sums {
	s := Sums{
		map[Execution]int64{},
		map[schema.Address]int64{},
		map[Way]int64{},
		map[schema.Address]Cycles{},
		map[Way]Cycles{},
		map[Extent]int64{},
	}
	var from decode.Ends
	seq := int64(0)
	for i := range r.Segments {
		part := &r.Segments[i]
		s.addRuns(r, &from, &part.Ends, seq)
		for _, f := range r.Firsts[from[decode.Firsts]:part.Ends[decode.Firsts]] {
			s.come(r.Blocks[f.Block].Address, seq+f.At)
		}
		from = part.Ends
		seq += part.Row.Instructions
	}
	for _, t := range r.Turns {
		block, run := r.Blocks[t.Block], schema.Run{Outcome: t.Outcome}
		if t.Told {
			run.Flags = schema.RunHasFailed
		}
		n := len(block.Address)
		way := Way{s.add(block, 0, n, &run, t.N), t.To}
		s.Ways[way] += t.N
		if t.Timed {
			s.addCycles(way.From.Address, way, Cycles{t.N, t.Cycles})
			s.Extents[Extent{block.Key, 0, n}] += t.Cycles
		}
	}
	for _, f := range r.Failures {
		s.fail(r.Blocks[f.Block].Address[f.Position:], f.N)
	}
	return s
}

// addRuns adds the runs of a part, before which there are seq instructions, and the ways
// into stretches.
func (s *Sums) addRuns(r *decode.Result, from, to *decode.Ends, seq int64) {
	var last Way // to nowhere yet
	begin := true
	stretches := r.Stretches[from[decode.Stretches]:to[decode.Stretches]]
	costs := r.Costs[from[decode.Costs]:to[decode.Costs]]
	var own Cycles // of the last instruction
	for i := from[decode.Runs]; i < to[decode.Runs]; i++ {
		run := &r.Runs[i]
		block := r.Blocks[run.Block]
		last.To = block.Address[run.First]
		if len(stretches) > 0 && stretches[0].Run == i {
			last.To = r.Blocks[stretches[0].Block].Address[0]
			seq += stretches[0].Instructions
			stretches = stretches[1:]
		}
		if !begin {
			s.Ways[last]++
			s.addCycles(0, last, own)
		}
		s.come(block.Address[run.First:][:run.Count], seq)
		last.From = s.add(block, int(run.First), int(run.Count), run, 1)
		own, costs = s.costs(block, run, costs)
		seq += int64(run.Count)
		begin = false
	}
	if len(stretches) > 0 {
		panic(fmt.Sprintf("decodetest: no run after stretches %+v", stretches))
	}
}

// costs adds the cycles of a run, of whose instructions costs are the first. It returns
// those of the last instruction, and the costs after it.
func (s *Sums) costs(block *schema.Block, run *schema.Run, costs []uint32) (last Cycles, after []uint32) {
	address := block.Address[run.First:][:run.Count]
	switch {
	case run.Flags&schema.RunHasCosts != 0:
		for i, cost := range costs[:run.Count] {
			last = Cycles{1, int64(cost)}
			s.Cycles[address[i]] = s.Cycles[address[i]].plus(last)
		}
		costs = costs[run.Count:]
	case run.Flags&schema.RunHasCycles != 0:
		last = Cycles{1, int64(run.Cycles)}
		at := address[len(address)-1]
		s.Cycles[at] = s.Cycles[at].plus(last)
	default:
		return Cycles{}, costs
	}
	s.Extents[Extent{block.Key, int(run.First), int(run.Count)}] += int64(run.Cycles)
	return last, costs
}

func (c Cycles) plus(d Cycles) Cycles { return Cycles{c.N + d.N, c.Sum + d.Sum} }

// addCycles adds cycles of an instruction, unless its address is 0, and on the way from it.
func (s *Sums) addCycles(address schema.Address, way Way, c Cycles) {
	if c.N == 0 {
		return
	}
	s.WayCycles[way] = s.WayCycles[way].plus(c)
	if address > 0 {
		s.Cycles[address] = s.Cycles[address].plus(c)
	}
}

// come notes that instructions executed one after another from an ordinal on.
func (s *Sums) come(address []schema.Address, seq int64) {
	for i, a := range address {
		if at, ok := s.First[a]; !ok || seq+int64(i) < at {
			s.First[a] = seq + int64(i)
		}
	}
}

// fail makes n executions of an instruction failures, of those that passed. Its address
// and that of the next one are given.
func (s *Sums) fail(address []schema.Address, n int64) {
	passed, failed := Execution{address[0], schema.Passed}, Execution{address[0], schema.NotTaken}
	s.Executed[passed] -= n
	s.Executed[failed] += n
	s.Ways[Way{passed, address[1]}] -= n
	s.Ways[Way{failed, address[1]}] += n
	maps.DeleteFunc(s.Executed, func(_ Execution, n int64) bool { return n == 0 })
	maps.DeleteFunc(s.Ways, func(_ Way, n int64) bool { return n == 0 })
}

// add adds what became of the instructions of a run that came n times. It returns the last
// one.
func (s *Sums) add(block *schema.Block, first, count int, run *schema.Run, n int64) (last Execution) {
	for i := range count {
		last = Execution{Address: block.Address[first+i], Outcome: schema.Unknown}
		switch {
		case i == count-1:
			last.Outcome = run.Outcome
		case run.Flags&schema.RunHasFailed != 0 && run.Failed>>i&1 != 0:
			last.Outcome = schema.NotTaken
		case run.Flags&schema.RunHasFailed != 0:
			last.Outcome = schema.Passed
		}
		s.Executed[last] += n
		if i < count-1 {
			s.Ways[Way{last, block.Address[first+i+1]}] += n
		}
	}
	return last
}

// SumsDifference says how two results differ, of which one may have stretches in place of
// runs; "" if they do not.
func SumsDifference(a, b *decode.Result) string {
	x, y := SumsOf(a), SumsOf(b)
	for _, d := range []string{
		mapDifference("executed", x.Executed, y.Executed), mapDifference("first", x.First, y.First), mapDifference("ways", x.Ways, y.Ways),
		mapDifference("cycles", x.Cycles, y.Cycles), mapDifference("cycles of ways", x.WayCycles, y.WayCycles), mapDifference("extents", x.Extents, y.Extents),
	} {
		if d != "" {
			return d
		}
	}
	p, q := withoutRuns(a), withoutRuns(b)
	return Difference(p, q)
}

func mapDifference[K, N comparable](what string, a, b map[K]N) string {
	if maps.Equal(a, b) {
		return ""
	}
	for key, n := range a {
		if b[key] != n {
			return fmt.Sprintf("%s %+v: %+v and %+v", what, key, n, b[key])
		}
	}
	for key, n := range b {
		if _, ok := a[key]; !ok {
			return fmt.Sprintf("%s %+v: none and %+v", what, key, n)
		}
	}
	return ""
}

// withoutRuns returns r without its runs, with each block once. Spans name ordinals of the
// part in place of runs.
func withoutRuns(r *decode.Result) *decode.Result {
	c := &decode.Result{
		Blocks: once(r.Blocks), Exceptions: r.Exceptions, Counts: r.Counts, Timestamps: r.Timestamps, Contexts: r.Contexts,
		Data: r.Data, Events: r.Events, Losses: r.Losses, Packets: r.Packets,
	}
	var from decode.Ends
	for _, s := range r.Segments {
		for _, span := range r.Spans[from[decode.Spans]:s.Ends[decode.Spans]] {
			span.Run = before(r, &from, span.Run)
			c.Spans = append(c.Spans, span)
		}
		from = s.Ends
		for _, kind := range []decode.RowKind{decode.Runs, decode.Stretches, decode.Blocks, decode.Firsts, decode.Turns, decode.Failures, decode.Steps, decode.StepCycles, decode.Exits, decode.Offsets, decode.Costs} {
			s.Ends[kind] = 0
		}
		c.Segments = append(c.Segments, s)
	}
	return c
}

// before returns how many instructions of a part, which begins at from, are before a run
// and the stretch before that.
func before(r *decode.Result, from *decode.Ends, run int) int {
	n := int64(0)
	for i := from[decode.Runs]; i < run; i++ {
		n += int64(r.Runs[i].Count)
	}
	for _, s := range r.Stretches[from[decode.Stretches]:] {
		if s.Run < run {
			n += s.Instructions
		}
	}
	return int(n)
}

// once returns blocks without those that are there before.
func once(blocks []*schema.Block) (all []*schema.Block) {
	have := map[schema.BlockKey]bool{}
	for _, b := range blocks {
		if !have[b.Key] {
			have[b.Key] = true
			all = append(all, b)
		}
	}
	return all
}
