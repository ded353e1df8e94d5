// Package codegen makes up programs from a seed: functions, vectors and handlers in
// A32 and T32 that have the shape of compiled code.
//
// Its API is not stable (docs/guide/library.md).
package codegen

import (
	"fmt"
	"math/rand/v2"

	"github.com/tracelake/tracelake/bench/internal/splitmix"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// Options say what program to make up.
type Options struct {
	// Seed and the other options determine the program.
	Seed uint64
	// Bytes is about how long it is, at most 1 GiB: it ends with the function
	// that reaches it.
	Bytes int
	// Base is the address it begins at, a multiple of 4.
	Base schema.Address
	// Arch is the architecture it is for. Programs for V7M are all T32, and leave
	// exceptions by returns.
	Arch program.Arch
	// Security is the state its places are in; secure is that of a core without
	// security extensions, as V5TE is.
	Security schema.Security
	// SMC and HVC put calls of a monitor and of a hypervisor into it, and their
	// handlers. V7A alone has them.
	SMC, HVC bool
	// LDC puts LDC and STC of a word into a program for V5TE.
	LDC bool
	// Switches has the handler of IRQ of V7A and V5TE write the Context ID before it
	// returns, as a kernel does that switches tasks. That of V7A waits for it.
	Switches bool
	// HighVectors puts the vectors of V5TE at 0xFFFF0000, not at 0.
	HighVectors bool
}

func (o *Options) v7M() bool { return o.Arch == program.V7M }

func (o *Options) v5TE() bool { return o.Arch == program.V5TE }

// A Program is a program made up: it computes nothing, but has the shape of
// compiled code. Functions call later ones by BL, BLX and function pointer, or
// jump to them at their end; the first is the entry. An executor that decides
// its branches never leaves it.
type Program struct {
	Address schema.Address // of Code[0]
	Code    []byte
	Entry   step.Place
	// Targets are the functions, the first too.
	Targets []step.Place
	// Handlers are those of all exceptions of the architecture, but for V7M the
	// entries of a vector table.
	Handlers map[schema.ExceptionType]step.Place

	labels  []label
	vectors *assembler // of V5TE
}

// Region is the code from Address on, in all memory spaces.
func (g *Program) Region() image.Region {
	return image.Region{Address: g.Address, Bytes: g.Code}
}

// Regions are all memory of the program: the vectors of V5TE lie apart.
func (g *Program) Regions() []image.Region {
	if g.vectors == nil {
		return []image.Region{g.Region()}
	}
	return []image.Region{g.Region(), {Address: g.vectors.base, Bytes: g.vectors.code}}
}

// Program is the program alone in memory.
func (g *Program) Program() *program.Program { return program.New(image.New(g.Regions()...)) }

// slack is more than the last function and all handlers have.
const slack = 1 << 20

// Generate makes up a program. It fails if it does not fit into memory.
func Generate(o Options) (*Program, error) {
	if o.Base%4 != 0 {
		return nil, fmt.Errorf("codegen: program at 0x%x; a base address is a multiple of 4", o.Base)
	}
	if o.Bytes < 0 || o.Bytes > 1<<30 || uint64(o.Base)+uint64(o.Bytes)+slack > schema.End32 {
		return nil, fmt.Errorf("codegen: program of %d bytes at 0x%x; it ends below 4 GiB and has at most 1 GiB", o.Bytes,
			o.Base)
	}
	if err := o.checkV5TE(); o.v5TE() && err != nil {
		return nil, err
	}
	g := &generator{
		assembler: assembler{base: o.Base},
		o:         o,
		random:    rand.New(rand.NewPCG(o.Seed, 'g')),
		handlers:  make(map[schema.ExceptionType]step.Place),
	}
	g.program()
	return &Program{
		Address: o.Base, Code: g.code, Entry: g.functions[0], Targets: g.functions,
		Handlers: g.handlers, labels: g.labels, vectors: g.vectors,
	}, nil
}

// A generator writes a program.
type generator struct {
	assembler
	o      Options
	random *rand.Rand

	set       schema.ISA // of the function at hand
	functions []step.Place
	handlers  map[schema.ExceptionType]step.Place
	vectors   *assembler // of V5TE
	calls     []call
}

// A call is a direct branch to a function that is not there yet.
type call struct {
	branch
	callee int
}

func (g *generator) program() {
	helpers := g.leaves()
	switch g.o.Arch {
	case program.V7M:
		g.handlersV7M(helpers)
	case program.V5TE:
		g.handlersV5TE(helpers)
	default:
		g.vectorTable(helpers)
	}
	for len(g.functions) == 0 || len(g.code) < g.o.Bytes {
		g.function()
	}
	last := g.leaves()
	for _, c := range g.calls {
		to := last[g.setOf(c.callee)]
		if c.callee < len(g.functions) {
			to = g.functions[c.callee]
		}
		g.land(c.branch, to.Address)
	}
}

// setOf is the instruction set of function n.
func (g *generator) setOf(n int) schema.ISA {
	if g.o.v7M() || splitmix.Hash(g.o.Seed, uint64(n))&1 == 1 {
		return schema.T32
	}
	return schema.A32
}

// chance is true once in n times.
func (g *generator) chance(n int) bool { return g.random.IntN(n) == 0 }

// begin starts a piece of code that is jumped to.
func (g *generator) begin(set schema.ISA) step.Place {
	g.set = set
	g.align()
	return step.Place{Address: g.here(), ISA: set, Security: g.o.Security}
}

// leaves writes a small function in each instruction set of the architecture.
func (g *generator) leaves() map[schema.ISA]step.Place {
	leaves := make(map[schema.ISA]step.Place)
	for _, set := range []schema.ISA{schema.A32, schema.T32} {
		if set == schema.A32 && g.o.v7M() {
			continue
		}
		leaves[set] = g.begin(set)
		g.straight(3 + g.random.IntN(4))
		g.skip(func() { g.straight(2) })
		g.returnByLR()
	}
	return leaves
}
