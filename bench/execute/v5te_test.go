package execute

import (
	"testing"

	"github.com/tracelake/tracelake/bench/internal/benchtest"
	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// vectorOf is the exception whose vector an address is, low or high (DDI 0100I,
// table A2-4).
func vectorOf(address schema.Address, high bool) (schema.ExceptionType, bool) {
	x, ok := map[schema.Address]schema.ExceptionType{
		0x00: schema.ExcReset, 0x04: schema.ExcUndefined, 0x08: schema.ExcSVC, 0x0C: schema.ExcPrefetchAbort,
		0x10: schema.ExcDataAbort, 0x18: schema.ExcIRQ, 0x1C: schema.ExcFIQ,
	}[address-program.Vectors(high)]
	return x, ok
}

// In V5TE each exception goes to its vector, in A32, and nothing else does but what
// is to branch there.
func TestExecuteV5TEVectors(t *testing.T) {
	for seed := range uint64(6) {
		o := codegen.Options{Seed: seed, Bytes: 16 << 10, Base: 0x8000, Arch: program.V5TE, HighVectors: seed%2 == 1}
		for _, rate := range []float64{0, 2000} {
			g := benchtest.Generate(t, o)
			x := busy(g, o, seed, int64(need.Size(100_000, 1_000_000)))
			for e := range x.Rates {
				x.Rates[e] = 3000
			}
			x.VectorBranches = rate
			entered := make(map[schema.ExceptionType]int)
			var branches, returns, nested, depth int
			walk(t, g.Program(), x, func(s *step.Step) {
				at, vector := vectorOf(s.Next.Address, o.HighVectors)
				vector = vector && s.Next.ISA == schema.A32
				switch {
				case s.Entered && s.Exception == schema.ExcDebug:
				case s.Entered:
					if !vector || at != s.Exception || s.Next.Security != schema.Secure {
						t.Fatalf("%s goes to %s", s.Exception, s.Next)
					}
					entered[s.Exception]++
					nested += int(count(depth > 0))
					depth++
				case vector:
					branches += int(count(!s.Returns))
					returns += int(count(s.Returns))
				}
				if s.Returns && depth > 0 {
					depth--
				}
			})
			for v := schema.Address(0); v < 0x20; v += 4 {
				if e, ok := vectorOf(program.Vectors(o.HighVectors)+v, o.HighVectors); ok && entered[e] < 2 {
					t.Errorf("seed %d: %s %d times", o.Seed, e, entered[e])
				}
			}
			if rate == 0 && branches+returns > 0 || rate > 0 && (branches < 50 || returns < 2) || nested < 100 {
				t.Errorf("seed %d: %d branches to vectors, %d returns to them; %d exceptions in others", o.Seed, branches, returns, nested)
			}
		}
	}
}

// In V5TE only loads and BX change the instruction set, and exceptions.
func TestExecuteV5TEKeepsInstructionSet(t *testing.T) {
	o := benchtest.Programs[3]
	g := benchtest.Generate(t, o)
	changes, keeps := 0, 0
	walk(t, g.Program(), busy(g, o, 1, int64(need.Size(100_000, 1_000_000))), func(s *step.Step) {
		w, size := s.Instruction.Opcode, s.Instruction.Size
		switch {
		case s.Entered || s.Failed || s.Returns || s.Instruction.Flow != isa.Indirect:
		case s.Next.ISA != s.At.ISA:
			bx := size == 4 && w&0x0FFFFFD0 == 0x012FFF10 || size == 2 && w&0xFF00 == 0x4700
			load := size == 4 && w>>26&3 != 0 || size == 2 && w&0xFF00 == 0xBD00
			if !bx && !load {
				t.Fatalf("%s (opcode 0x%x) goes to %s", s.At, w, s.Next)
			}
			changes++
		default:
			keeps += int(count(size == 4 && w>>26&3 == 0 && w&0x0FFFFFD0 != 0x012FFF10))
		}
	})
	if changes < 500 || keeps < 100 {
		t.Errorf("%d branches to the other instruction set, %d that may not go there", changes, keeps)
	}
}

// The loads, stores and coprocessor transfers of V5TE all occur.
func TestExecuteV5TETransfers(t *testing.T) {
	o := benchtest.Programs[3]
	g := benchtest.Generate(t, o)
	seen := make(map[string]int)
	walk(t, g.Program(), busy(g, o, 2, int64(need.Size(200_000, 1_000_000))), func(s *step.Step) {
		for _, f := range v5teTransfers {
			if s.At.ISA == f.set && s.Instruction.Size == f.size && s.Instruction.Opcode&f.mask == f.value && s.Instruction.Opcode>>28 != 15 && !s.Failed {
				if len(s.Transfers) != f.count && f.count > 0 {
					t.Fatalf("%s: %d transfers", f.name, len(s.Transfers))
				}
				seen[f.name]++
			}
		}
	})
	for _, f := range v5teTransfers {
		if seen[f.name] == 0 {
			t.Errorf("no %s", f.name)
		}
	}
}

// v5teTransfers are forms that data trace treats each in its own way, with the
// number of words they transfer, 0 where the opcode has a list.
var v5teTransfers = []struct {
	name        string
	set         schema.ISA
	size        uint8
	mask, value uint32
	count       int
}{
	{"LDR", schema.A32, 4, 0x0E500000, 0x04100000, 1},
	{"STR", schema.A32, 4, 0x0E500000, 0x04000000, 1},
	{"LDRB", schema.A32, 4, 0x0E500000, 0x04500000, 1},
	{"LDRH", schema.A32, 4, 0x0E1000F0, 0x001000B0, 1},
	{"LDRSB", schema.A32, 4, 0x0E1000F0, 0x001000D0, 1},
	{"LDRSH", schema.A32, 4, 0x0E1000F0, 0x001000F0, 1},
	{"LDRD", schema.A32, 4, 0x0E1000F0, 0x000000D0, 2},
	{"STRD", schema.A32, 4, 0x0E1000F0, 0x000000F0, 2},
	{"SWP", schema.A32, 4, 0x0FF000F0, 0x01000090, 2},
	{"SWPB", schema.A32, 4, 0x0FF000F0, 0x01400090, 2},
	{"MCR", schema.A32, 4, 0x0F100010, 0x0E000010, 1},
	{"MRC", schema.A32, 4, 0x0F100010, 0x0E100010, 1},
	{"MCRR", schema.A32, 4, 0x0FF00000, 0x0C400000, 2},
	{"MRRC", schema.A32, 4, 0x0FF00000, 0x0C500000, 2},
	{"LDC", schema.A32, 4, 0x0F900000, 0x0D900000, 1},
	{"STC", schema.A32, 4, 0x0F900000, 0x0D800000, 1},
	{"LDM with the PC", schema.A32, 4, 0x0E508000, 0x08108000, 0},
	{"LDM with the PC and SPSR", schema.A32, 4, 0x0E508000, 0x08508000, 6},
	{"LDR of the PC", schema.A32, 4, 0x0E50F000, 0x0410F000, 1},
	{"PUSH", schema.T32, 2, 0xFE00, 0xB400, 0},
	{"POP with the PC", schema.T32, 2, 0xFF00, 0xBD00, 5},
	{"LDMIA", schema.T32, 2, 0xF800, 0xC800, 0},
	{"STMIA", schema.T32, 2, 0xF800, 0xC000, 0},
	{"LDR literal", schema.T32, 2, 0xF800, 0x4800, 1},
	{"LDRSH", schema.T32, 2, 0xFE00, 0x5E00, 1},
}
