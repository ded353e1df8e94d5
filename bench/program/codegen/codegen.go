// Package codegen makes up programs from a seed: functions, vectors and handlers in
// A32, T32 and A64 that have the shape of compiled code.
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
	// Arch is the architecture it is for. Programs for V7M and V8M are all T32, and leave
	// exceptions by returns. Those for V8A are A64, but for AArch32.
	Arch program.Arch
	// AArch32 is what of a program for V8A is A32 and T32.
	AArch32 AArch32
	// Level is the exception level of the functions of a program for V8A.
	Level uint8
	// Transactions puts TSTART, TCOMMIT and TCANCEL into A64.
	Transactions bool
	// Security is the state its places are in; secure is that of a core without
	// security extensions, as V5TE is.
	Security schema.Security
	// SMC and HVC put calls of a monitor and of a hypervisor into it, and their
	// handlers. V7A and V8A alone have them; at level 0 of V8A handlers alone have the
	// calls.
	SMC, HVC bool
	// LDC puts LDC and STC of a word into a program for V5TE.
	LDC bool
	// Switches has the handler of IRQ of V7A, V5TE and V8A write the Context ID before it
	// returns, as a kernel does that switches tasks. That of V7A waits for it.
	Switches bool
	// HighVectors puts the vectors of V5TE at 0xFFFF0000, not at 0.
	HighVectors bool
}

// AArch32 is what of a program is A32 and T32.
type AArch32 uint8

// What may be.
const (
	Nothing   AArch32 = iota
	Functions         // handlers are A64
	All
)

func (o *Options) profileM() bool { return o.Arch.ProfileM() }

// v8A64 says whether handlers are A64.
func (o *Options) v8A64() bool { return o.Arch == program.V8A && o.AArch32 != All }

// fits says whether the program has a length that may be, and ends where addresses do.
func (o *Options) fits() bool {
	last := schema.Address(schema.End32 - 1)
	if o.Arch == program.V8A && o.AArch32 == Nothing {
		last = schema.MaxAddress
	}
	return o.Bytes >= 0 && o.Bytes <= 1<<30 && o.Base <= last && last-o.Base >= schema.Address(o.Bytes+slack-1)
}

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
	arch    program.Arch
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
func (g *Program) Program() *program.Program { return program.For(g.arch, image.New(g.Regions()...)) }

// slack is more than the last function and all handlers have.
const slack = 1 << 20

// Generate makes up a program. It fails if it does not fit into memory.
func Generate(o Options) (*Program, error) {
	if err := o.check(); err != nil {
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
		Handlers: g.handlers, labels: g.labels, vectors: g.vectors, arch: o.Arch,
	}, nil
}

// check says what cannot be of a program.
func (o *Options) check() error {
	if o.Base%4 != 0 {
		return fmt.Errorf("codegen: program at 0x%x; a base address is a multiple of 4", o.Base)
	}
	if !o.fits() {
		return fmt.Errorf("codegen: program of %d bytes at 0x%x; it has at most 1 GiB and ends below 4 GiB, of A64 "+
			"below 2⁶⁴", o.Bytes, o.Base)
	}
	if o.Arch != program.V8A && (o.Level != 0 || o.AArch32 != Nothing || o.Transactions) || o.Level > 3 {
		return fmt.Errorf("codegen: program for %s at level %d; %s alone has levels, 0 to 3, AArch32 and transactions",
			o.Arch, o.Level, program.V8A)
	}
	if o.AArch32 == Functions && o.Level != 0 {
		return fmt.Errorf("codegen: functions of AArch32 at level %d, under handlers of A64; they have level 0", o.Level)
	}
	if o.v5TE() {
		return o.checkV5TE()
	}
	return nil
}

// A generator writes a program.
type generator struct {
	assembler
	o      Options
	random *rand.Rand

	set       schema.ISA // of the function at hand
	signed    bool       // it signs its return address
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
	switch {
	case g.o.profileM():
		g.handlersV7M(helpers)
	case g.o.v5TE():
		g.handlersV5TE(helpers)
	case g.o.v8A64():
		g.handlersA64()
	default:
		g.vectorTable(helpers)
		if g.o.Arch == program.V8A {
			g.handlersV8A32()
		}
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
	switch {
	case g.o.v8A64() && g.o.AArch32 == Nothing:
		return schema.A64
	case g.o.profileM() || splitmix.Hash(g.o.Seed, uint64(n))&1 == 1:
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
	return step.Place{Address: g.here(), ISA: set, Security: g.o.Security, Level: g.o.Level}
}

// sets are the instruction sets of functions.
func (g *generator) sets() []schema.ISA {
	switch {
	case g.o.v8A64() && g.o.AArch32 == Nothing:
		return []schema.ISA{schema.A64}
	case g.o.profileM():
		return []schema.ISA{schema.T32}
	}
	return []schema.ISA{schema.A32, schema.T32}
}

// leaves writes a small function in each of these sets.
func (g *generator) leaves() map[schema.ISA]step.Place {
	leaves := make(map[schema.ISA]step.Place)
	for _, set := range g.sets() {
		leaves[set] = g.leaf(set)
	}
	return leaves
}

// leaf writes a small function.
func (g *generator) leaf(set schema.ISA) step.Place {
	at := g.begin(set)
	g.straight(3 + g.random.IntN(4))
	g.skip(func() { g.straight(2) })
	g.returnByLR()
	return at
}
