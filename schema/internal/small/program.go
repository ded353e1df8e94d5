package small

import (
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Program is rows of the tables that sum up what ran and name it.
type Program struct {
	Counts    map[uint8][]Count
	Edges     map[uint8][]Edge
	Epochs    map[uint8][]schema.CountSum // nil: no cycles were counted
	Own       map[uint8]int64             // instructions of the only stack, and of its task; nil: there is none
	Code      []Code
	Functions []Function
	Lines     []Line
	Symbols   []Symbol
}

// What differs in the rows of those tables.
type (
	// A Count is a row of `counts`.
	Count struct {
		Address                                    schema.Address
		ISA                                        schema.ISA
		Executed, Failed, Unknown, FirstSeq, Timed int64
		Cycles                                     schema.Null[int64]
	}
	// An Edge is a row of `edges`.
	Edge struct {
		From, To schema.Address
		Kind     schema.EdgeKind
		N        int64
	}
	// Code is a row of `code`.
	Code struct {
		Core     string
		Address  schema.Address
		Function schema.Null[int32]
	}
	// A Function is a row of `functions`.
	Function struct {
		Core    string
		Ordinal int32
		Address schema.Address
		Size    uint32
		Name    string
	}
	// A Line is a row of `lines`.
	Line struct {
		Core     string
		Address  schema.Address
		Depth    uint16
		Line     uint32
		Function schema.Null[int32]
	}
	// A Symbol is a row of `symbols`.
	Symbol struct {
		Core    string
		Address schema.Address
		Name    string
	}
)

// newProgram returns the program of the dataset that New returns: two functions,
// into the second of which a third one is inlined, and padding between them.
func newProgram() Program {
	counts := func() []Count {
		return []Count{
			{Address: 0x8000, Executed: 1, FirstSeq: 0, Cycles: schema.Of[int64](2)},
			{Address: 0x8004, Failed: 1, FirstSeq: 1, Cycles: schema.Of[int64](3)},
			{Address: 0x8008, Unknown: 1, FirstSeq: 2, Cycles: schema.Of[int64](4)},
			{Address: 0x9000, Executed: 1, FirstSeq: 3},
			{Address: 0x9004, Executed: 1, FirstSeq: 4},
		}
	}
	edges := func() []Edge { return []Edge{{0x8008, 0x9000, schema.EdgeException, 1}} }
	main, idle := schema.Of[int32](0), schema.Of[int32](1)
	return Program{
		Counts: map[uint8][]Count{0x10: counts(), 0x11: counts()},
		Edges:  map[uint8][]Edge{0x10: edges(), 0x11: edges()},
		Code: []Code{
			{"", 0x8000, main},
			{"", 0x8004, main},
			{"", 0x8008, main},
			{"", 0x800c, schema.Null[int32]{}},
			{"", 0x9000, idle},
			{"", 0x9004, idle},
		},
		Functions: []Function{{"", 0, 0x8000, 12, "main"}, {"", 1, 0x9000, 8, "idle"}},
		Lines: []Line{
			{"", 0x8000, 0, 10, main},
			{"", 0x8004, 0, 11, main},
			{"", 0x8008, 0, 12, main},
			{"", 0x9000, 0, 70, idle},
			{"", 0x9000, 1, 20, idle},
			{"", 0x9004, 0, 21, idle},
		},
		Symbols: []Symbol{{"", 0x8000, "main"}, {"", 0x8000, "reset"}, {"", 0x9000, "idle"}, {"", 0x9000, "idle"}},
	}
}

// write appends the rows of the tables that are written.
func (p *Program) write(out *dataset.Writer, sources []uint8) {
	for _, source := range sources {
		p.writeStack(out, source)
		for _, x := range p.Epochs[source] {
			schema.AppendEpochs(out.Table(&schema.Epochs, source).Row(), source, x.Epoch, x.Kind, x.Counts, x.Unknown,
				x.Cycles, x.Gap)
		}
		for _, x := range p.Counts[source] {
			schema.AppendCounts(out.Table(&schema.Counts, source).Row(), source, x.Address, x.ISA, x.Executed, x.Failed,
				x.Unknown,
				x.FirstSeq, x.Timed, x.Cycles, schema.Null[float64]{V: float64(x.Cycles.V) / 3, OK: x.Cycles.OK})
		}
		for _, x := range p.Edges[source] {
			schema.AppendEdges(out.Table(&schema.Edges, source).Row(), source, x.From, x.To, x.Kind, schema.EdgeTaken, x.N,
				schema.Null[int64]{})
		}
	}
	for _, x := range p.Code {
		schema.AppendCode(out.Table(&schema.Code, 0).Row(), x.Core, x.Address, 4, schema.A32, opcode, schema.KindOther, false,
			schema.Null[schema.Address]{}, schema.Null[schema.ISA]{}, x.Function, ".text")
	}
	for _, x := range p.Functions {
		schema.AppendFunctions(out.Table(&schema.Functions, 0).Row(), x.Core, x.Ordinal, x.Address, x.Size, x.Name, x.Name,
			"", "main.c",
			schema.Of[uint32](9), schema.OriginSymbol)
	}
	for _, x := range p.Lines {
		inlined := ""
		if x.Line == 70 {
			inlined = "wait"
		}
		schema.AppendLines(out.Table(&schema.Lines, 0).Row(), x.Core, x.Address, x.Depth, "main.c", x.Line, 1, true,
			x.Function, inlined)
	}
	for _, x := range p.Symbols {
		schema.AppendSymbols(out.Table(&schema.Symbols, 0).Row(), x.Core, x.Address, 0, x.Name, schema.SymbolFunction,
			schema.BindingLocal, ".text")
	}
}

// writeStack appends the stack of a source and its task.
func (p *Program) writeStack(out *dataset.Writer, source uint8) {
	n, ok := p.Own[source]
	if !ok {
		return
	}
	none := schema.Null[int64]{}
	schema.AppendStacks(out.Table(&schema.Stacks, source).Row(), source, 0, schema.Null[int32]{}, 0, 1,
		schema.Of[int32](0), 0x8000, schema.StackRoot,
		schema.Null[schema.ExceptionType]{}, schema.Null[uint16]{}, 1, n, none, n, none, none,
		none, none, 1)
	schema.AppendTasks(out.Table(&schema.Tasks, source).Row(), source, 0, "main", "main", schema.Null[uint32]{}, 0, 0, 0, 0,
		n, none, schema.TaskStart, 0)
}
