package profile

import (
	"cmp"
	"math"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/calls"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Costs are what functions cost, instruction by instruction, and what the calls between them
// cost.
type Costs struct {
	*Profile
	Functions []FunctionCosts // one for each of Frames; then one for each of Tasks, which calls the roots of its stacks; handlers have none
}

// A FunctionCosts is what a function cost.
type FunctionCosts struct {
	Own   []InstructionCost // by address; their sum is what its nodes took by themselves
	Calls []CallCost        // by callee
}

// An InstructionCost is what an instruction cost. How often it ran is exact; cycles of a run
// are spread evenly over its instructions. What no instruction of the function has is at its first
// address.
type InstructionCost struct {
	Place CodePlace
	Work  stacks.Work
}

// A CodePlace is an instruction with its line.
type CodePlace struct {
	Address schema.Address
	File    string // "": the line is not known
	Line    uint32
}

// A CallCost is what all calls from one function to another cost, with all that those called.
// Where a callee is on the stack already, the outermost call alone has the costs: so the sum over
// all callers of a function is what it took with its callees.
type CallCost struct {
	Callee int       // in Functions
	From   CodePlace // the line that calls, if it is one alone; else that of the caller
	Calls  int64
	All    stacks.Work
}

// ReadCosts returns what functions cost in the datasets of m, which have to be those in dirs. It
// fails with a [*dataset.Error] if one has no `stacks`, `tasks` or `edges`.
func ReadCosts(m *report.Merged, dirs []string, test string) (*Costs, error) {
	p, err := Read(m, dirs, test)
	if err != nil {
		return nil, err
	}
	sites, err := readCallSites(m, dirs, test)
	if err != nil {
		return nil, err
	}
	c := &Costs{Profile: p, Functions: make([]FunctionCosts, len(p.Frames)+len(p.Tasks))}
	own := make([]stacks.Work, len(p.Frames))
	for i := range p.Nodes {
		own[p.Nodes[i].Frame].Add(p.Nodes[i].Own)
	}
	executed := executedBy(m)
	for i := range p.Frames {
		f := &p.Frames[i]
		c.Functions[i].Own = spread(f, own[i], executed[location{f.Core, f.Address}])
	}
	c.addCalls(sites)
	return c, nil
}

// A location is an address of a core.
type location struct {
	core    string
	address schema.Address
}

// executedBy returns the instructions that ran, by the address of their function.
func executedBy(m *report.Merged) map[location][]report.Code {
	executed := map[location][]report.Code{}
	for x := range m.Code() {
		if x.Function.OK && x.Reached > 0 {
			at := location{x.Core, x.Function.V.Address}
			executed[at] = append(executed[at], x)
		}
	}
	return executed
}

// spread returns what the instructions of a function cost, which together took own.
func spread(f *calls.Frame, own stacks.Work, code []report.Code) []InstructionCost {
	if f.Function == "" || len(code) == 0 {
		return compact([]InstructionCost{{CodePlace{f.Address, f.File, f.Line}, own}})
	}
	executions, cycles := make([]float64, len(code)), make([]float64, len(code))
	for i := range code {
		executions[i], cycles[i] = float64(code[i].Reached), code[i].Cycles
	}
	if slices.Max(cycles) == 0 {
		cycles = executions
	}
	n, cy := apportion(own.Instructions, executions), apportion(own.Cycles.V, cycles)
	costs := make([]InstructionCost, len(code))
	for i := range code {
		costs[i] = InstructionCost{placeOf(&code[i]), stacks.Work{Instructions: n[i], Cycles: schema.Null[int64]{
			V:  cy[i],
			OK: own.Cycles.OK,
		}}}
	}
	return compact(costs)
}

// compact leaves out what cost nothing.
func compact(costs []InstructionCost) []InstructionCost {
	return slices.DeleteFunc(costs,
		func(c InstructionCost) bool { return c.Work.Instructions == 0 && c.Work.Cycles.V == 0 })
}

// placeOf returns where an instruction is.
func placeOf(x *report.Code) CodePlace { return CodePlace{x.Address, x.File, x.Line} }

// apportion divides a sum by weights, of which one at least is not 0. Weights that are whole
// numbers and have that sum, up to 2⁵⁰, are the parts.
func apportion(total int64, weights []float64) []int64 {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	parts := make([]int64, len(weights))
	given, upTo := int64(0), 0.0
	for i, w := range weights {
		upTo += w
		parts[i] = min(total, max(given, int64(math.Round(float64(total)*(upTo/sum))))) - given
		given += parts[i]
	}
	parts[len(parts)-1] += total - given
	return parts
}

// addCalls adds what calls cost.
func (c *Costs) addCalls(sites map[callPair]callSite) {
	type arc struct{ caller, callee int }
	calls := map[arc]*CallCost{}
	open := make([]int, len(c.Frames)) // how often a frame is on the path
	c.walk(func(node int32) {
		n := &c.Nodes[node]
		open[n.Frame]++
		a := arc{len(c.Frames) + int(n.Task), int(n.Frame)}
		if n.Parent >= 0 {
			a.caller = int(c.Nodes[n.Parent].Frame)
		} else if c.Tasks[n.Task].Handlers {
			return
		}
		if calls[a] == nil {
			calls[a] = &CallCost{Callee: a.callee, From: c.callPlace(a.caller, a.callee, sites)}
		}
		calls[a].Calls += n.Calls
		if open[n.Frame] == 1 {
			calls[a].All.Add(n.All)
		}
	}, func(node int32) { open[c.Nodes[node].Frame]-- })
	for a, call := range calls {
		c.Functions[a.caller].Calls = append(c.Functions[a.caller].Calls, *call)
	}
	for i := range c.Functions {
		slices.SortFunc(c.Functions[i].Calls, func(x, y CallCost) int { return cmp.Compare(x.Callee, y.Callee) })
	}
}

// callPlace returns where a function calls another.
func (c *Costs) callPlace(caller, callee int, sites map[callPair]callSite) CodePlace {
	if caller >= len(c.Frames) {
		return CodePlace{}
	}
	f, to := &c.Frames[caller], &c.Frames[callee]
	site, ok := sites[callPair{f.Core, f.Address, to.Address}]
	if ok && !site.several && site.place.File == f.File && f.Function != "" && to.Function != "" && to.Core == f.Core {
		return site.place
	}
	return CodePlace{f.Address, f.File, f.Line}
}

// A callPair is a function that calls another, by their addresses.
type callPair struct {
	core     string
	from, to schema.Address
}

// A callSite is the instruction that does, the first of its line.
type callSite struct {
	place   CodePlace
	several bool // there are others, of other lines
}

// readCallSites reads which instructions call which functions.
func readCallSites(m *report.Merged, dirs []string, test string) (map[callPair]callSite, error) {
	sites := map[callPair]callSite{}
	return sites, read.EachSource(dirs, test, &schema.Edges, func(d *dataset.Dataset, s *schema.SourceTotals) error {
		return read.EachBatch(d, &schema.Edges, s.Source, func(b *schema.Batch) error {
			for row := range b.Rows() {
				if !isCall(b, row) {
					continue
				}
				from, _ := m.CodeAt(s.Core, schema.EdgesFromAddress.At(b, row))
				to, _ := m.CodeAt(s.Core, schema.EdgesToAddress.At(b, row))
				if from.Core != to.Core || !from.Function.OK || !to.Function.OK {
					continue
				}
				pair := callPair{from.Core, from.Function.V.Address, to.Function.V.Address}
				sites[pair] = sites[pair].with(placeOf(&from))
			}
			return nil
		})
	})
}

// isCall says whether an edge is a call.
func isCall(b *schema.Batch, row int) bool {
	kind := schema.EdgeKind(schema.EdgesKind.At(b, row))
	return (kind == schema.EdgeKind(schema.KindCall) || kind == schema.EdgeKind(schema.KindIndirectCall)) &&
		schema.EdgeOutcome(schema.EdgesOutcome.At(b, row)) != schema.EdgeNotTaken
}

// with returns s with another instruction that calls.
func (s callSite) with(p CodePlace) callSite {
	switch {
	case s.place == CodePlace{}:
		s.place = p
	case s.place.File != p.File || s.place.Line != p.Line:
		s.several = true
	case p.Address < s.place.Address:
		s.place = p
	}
	return s
}

// walk calls enter with each node of p, and leave when all below it are through.
func (p *Profile) walk(enter, leave func(node int32)) {
	first, next := p.links()
	for at := first[0]; at != none; {
		enter(at)
		down := first[at+1]
		for down == none {
			leave(at)
			if down = next[at]; down != none {
				break
			}
			if at = p.Nodes[at].Parent; at == none {
				return
			}
		}
		at = down
	}
}

// links returns the first child of each node, at its index and 1, that of all roots before
// them; and the next child of the same parent.
func (p *Profile) links() (first, next []int32) {
	first, next = make([]int32, len(p.Nodes)+1), make([]int32, len(p.Nodes))
	for i := range first {
		first[i] = none
	}
	for i := len(p.Nodes) - 1; i >= 0; i-- {
		slot := &first[p.Nodes[i].Parent+1]
		next[i], *slot = *slot, int32(i)
	}
	return first, next
}
