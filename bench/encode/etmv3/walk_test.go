package etmv3_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tracelake/tracelake/bench/encode/etmv3"
	"github.com/tracelake/tracelake/bench/internal/benchtest"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// walkedCode is a program with one of each: conditions, direct and indirect
// branches within and between instruction sets, calls, loads and stores,
// handlers.
var walkedCode = []image.Region{
	benchtest.A32(0x0,
		0xea001ffe, // B 8000
		0xe1b0f00e, // MOVS pc,lr
		0xe1b0f00e,
		0xe25ef004, // SUBS pc,lr,#4
		0xea00003a, // B 100
		0xe160006e, // ERET
		0xea000038, // B 100
		0xe25ef004),
	benchtest.A32(0x100,
		0xe92d500f, // PUSH {r0-r3,r12,lr}
		0x159ff000, // LDRNE pc,[pc]
		0xe1a00000, // NOP
		0xe8fd900f, // LDM sp!,{r0-r3,r12,pc}^
		0xe25ef004),
	benchtest.A32(0x8000,
		0xe3a00000,  // MOV r0,#0
		0xe5901000,  // LDR r1,[r0]
		0x0a000001,  // BEQ 8014
		0xe5801000,  // STR r1,[r0]
		0xeb0003fa,  // BL 9000
		0xe8b0000e,  // LDM r0!,{r1-r3}
		0x1afffff8,  // BNE 8000
		0xfa0007f7,  // BLX a000
		0xe1832f91,  // STREX r2,r1,[r3]
		0xee103f10,  // MRC p15,0,r3,c0,c0
		0xe1020091,  // SWP r0,r1,[r2]
		0xe7f000f0,  // UDF
		0xe12fff13,  // BX r3
		0xeafffff1), // B 8000
	benchtest.A32(0x9000,
		0xe92d4010,  // PUSH {r4,lr}
		0xe1c000d0,  // LDRD r0,[r0]
		0xef000000,  // SVC
		0x03a00001,  // MOVEQ r0,#1
		0xe1600070,  // SMC
		0xe8bd8010), // POP {r4,pc}
	benchtest.T32(0xa000,
		0xb510,         // PUSH {r4,lr}
		0x6808,         // LDR r0,[r1]
		0xf8d1, 0x0000, // LDR.W r0,[r1]
		0xd001,         // BEQ a00e
		0xf000, 0xf801, // BL a010
		0xb100,         // CBZ a012
		0xbf00,         // NOP
		0xe8bd, 0x0007, // POP.W {r0-r2}
		0xd8f5,         // BHI a004
		0xb240,         // SXTB
		0xf7fd, 0xeff2, // BLX 8000
		0x4718,         // BX r3
		0xf3bf, 0x8f1f, // ENTERX
		0xbf00,
		0xf3bf, 0x8f0f, // LEAVEX
		0xdf00,  // SVC
		0xbd10), // POP {r4,pc}
	benchtest.T32(0xb000,
		0xb510,
		0x7808,         // LDRB r0,[r1]
		0xf8d1, 0x0000, // LDR.W r0,[r1]
		0xd001,         // BEQ b00e
		0xf000, 0xf801, // BL b010
		0xb100, // CBZ b012
		0xbf00,
		0xe8bd, 0x0007, // POP.W {r0-r2}
		0xd8f5,  // BHI b004
		0xdf00,  // SVC
		0x4770,  // BX lr
		0xbd10), // POP {r4,pc}
	benchtest.T32(0xb100, // a handler of v7-M
		0xb510,
		0x6808,
		0xd001,         // BEQ b10a
		0xe8bd, 0x0007, // POP.W {r0-r2}
		0x4770,  // BX lr
		0xbd10), // POP {r4,pc}
}

// A walker makes random executions of walkedCode.
type walker struct {
	o       *etmv3.Options
	program *program.Program
	r       *rand.Rand

	at    step.Place
	saved []step.Place // where exceptions return to
	steps []step.Step

	trace   step.Tracing
	left    int // steps in trace
	context uint32
	vmid    uint32
}

// memoryOf is code by its address.
func memoryOf(code []image.Region) map[schema.Address][]byte {
	memory := map[schema.Address][]byte{}
	for _, c := range code {
		memory[c.Address] = c.Bytes
	}
	return memory
}

func walkedProgram() *program.Program {
	return program.New(image.New(walkedCode...))
}

// unmapped has no memory.
const unmapped = 0x30000

// walk makes an execution of at least n steps.
func walk(t testing.TB, o *etmv3.Options, r *rand.Rand, n int) []step.Step {
	t.Helper()
	w := walker{o: o, program: o.Program, r: r}
	w.at = w.entry()
	for len(w.steps) < n {
		if w.chance(0.05) && w.interrupt() {
			continue
		}
		if w.at.Address == unmapped {
			w.enter(schema.ExcPrefetchAbort, 0xc, w.at)
			w.saved[len(w.saved)-1] = w.entry()
			continue
		}
		in, err := w.program.Instruction(w.at)
		if err != nil {
			t.Fatal(err)
		}
		w.instruction(in)
	}
	return w.steps
}

func (w *walker) chance(p float64) bool { return w.r.Float64() < p }

// entry is somewhere an indirect branch may go.
func (w *walker) entry() step.Place {
	places := []step.Place{
		{Address: 0xb000, ISA: schema.T32},
		{Address: 0xb006, ISA: schema.T32},
		{Address: 0xb012, ISA: schema.T32},
		{Address: 0x8000},
		{Address: 0x8020},
		{Address: 0x9000},
		{Address: 0x9010},
		{Address: 0xa000, ISA: schema.T32},
		{Address: 0xa002, ISA: schema.T32},
		{Address: 0xa020, ISA: schema.T32},
		{Address: 0xa024, ISA: schema.T32EE},
	}
	n := len(places)
	if !w.o.ProfileM && w.chance(0.05) {
		return w.secured(step.Place{Address: unmapped})
	}
	switch {
	case w.o.ProfileM:
		n = 3
	case w.o.Minor < 3:
		n -= 2 // no ThumbEE
	}
	return w.secured(places[w.r.IntN(n)])
}

// secured is p in the state of the core, or now and then in another.
func (w *walker) secured(p step.Place) step.Place {
	p.Security = w.at.Security
	if w.chance(0.1) {
		p.Security = schema.Security(w.r.IntN(3))
	}
	return p
}

// add adds a step to the execution, with trace, context, cycles and triggers at random.
func (w *walker) add(s step.Step) {
	if w.left == 0 {
		w.trace, w.left = step.Traced, 1+w.r.IntN(80)
		if w.chance(0.4) {
			w.trace, w.left = step.Tracing(1+w.r.IntN(2)), 1+w.r.IntN(4)
		}
	}
	w.left--
	if w.chance(0.03) {
		w.context = w.r.Uint32()
	}
	if w.chance(0.02) {
		w.vmid = uint32(w.r.IntN(4))
	}
	s.Trace, s.ContextID, s.VMID = w.trace, w.context, w.vmid
	s.Trigger = w.chance(0.01)
	s.Cycles = uint32(w.r.IntN(4))
	if w.chance(0.05) {
		s.Cycles = uint32(w.r.IntN(60))
	}
	w.steps = append(w.steps, s)
	w.at = s.Next
}

// instruction executes in.
func (w *walker) instruction(in isa.Instruction) {
	s := step.Step{At: w.at, Instruction: in, Next: w.at}
	s.Next.Address += schema.Address(in.Size)
	conditional := w.at.ISA == schema.A32 && in.Opcode>>28 < 14 ||
		in.Size == 2 && (in.Opcode&0xf000 == 0xd000 && in.Kind == schema.KindBranch || in.Opcode&0xf500 == 0xb100)
	s.Failed = conditional && w.chance(0.5)
	if !s.Failed {
		w.execute(&s)
	}
	w.add(s)
	switch in.Kind {
	case schema.KindSVC:
		w.enter(schema.ExcSVC, 8, s.Next)
	case schema.KindSMC:
		w.enter(schema.ExcSMC, 8, s.Next)
	case schema.KindUDF:
		w.enter(schema.ExcUndefined, 4, s.At)
		w.saved[len(w.saved)-1] = s.Next // emulated
	}
}

// execute gives s, which passes its condition, its transfers and its target.
func (w *walker) execute(s *step.Step) {
	in := &s.Instruction
	s.Transfers = w.transfers(isa.DataOf(in.Opcode, in.Size, s.At.ISA))
	switch {
	case in.Flow == isa.Direct:
		s.Next.Address, s.Next.ISA = in.Target, in.TargetISA
	case in.Flow != isa.Indirect:
	case len(w.saved) > 0 && (in.Kind == schema.KindExceptionReturn || w.o.ProfileM && w.chance(0.7)):
		s.Next = w.saved[len(w.saved)-1]
		w.saved = w.saved[:len(w.saved)-1]
		if w.o.ProfileM {
			s.Returns = true
			s.Transfers = append(s.Transfers, w.frame(schema.AccessPop)...)
		}
	default:
		s.Next = w.entry()
	}
	if in.Flow == isa.None && w.chance(0.01) {
		s.Next = w.secured(s.Next)
	}
}

// transfers makes up what an instruction moves.
func (w *walker) transfers(t isa.Transfers) []step.Transfer {
	address := schema.Address(w.r.Uint32N(1 << (4 + w.r.IntN(28))))
	var list []step.Transfer
	for i := range schema.Address(t.Count) {
		x := step.Transfer{Address: address &^ 3, Size: t.Size, Access: t.At(uint16(i)), Register: t.Register}
		x.Value = w.r.Uint32() >> w.r.IntN(32) & uint32(1<<(8*uint64(t.Size))-1)
		switch {
		case t.Register:
			x.Address = 0
		case t.Access != isa.Swap:
			x.Address += 4 * i
		}
		x.StoreFailed = t.Count == 1 && t.Access == isa.Write && w.chance(0.1)
		list = append(list, x)
	}
	return list
}

func (w *walker) frame(access schema.Access) []step.Transfer {
	var list []step.Transfer
	for i := range schema.Address(8) {
		list = append(list, step.Transfer{Address: 0x20000100 + 4*i, Value: w.r.Uint32(), Size: 4, Access: access})
	}
	return list
}

// interrupt makes an asynchronous exception, an abort or debug state happen.
func (w *walker) interrupt() bool {
	if w.chance(0.1) {
		w.add(step.Step{Entered: true, Exception: schema.ExcDebug, At: w.at, Next: w.at})
		if w.chance(0.3) {
			w.steps[len(w.steps)-1].Next = w.entry()
			w.at = w.steps[len(w.steps)-1].Next
		}
		return true
	}
	if len(w.saved) > 2 {
		return false
	}
	if w.o.ProfileM {
		kinds := []schema.ExceptionType{schema.ExcIRQ, schema.ExcSysTick, schema.ExcNMI, schema.ExcHardFault, schema.ExcBusFault, schema.ExcPendSV}
		w.enter(kinds[w.r.IntN(len(kinds))], 0, w.at)
		return true
	}
	switch w.r.IntN(6) {
	case 0:
		w.enter(schema.ExcDataAbort, 0x10, w.at)
	case 1:
		w.enter(schema.ExcPrefetchAbort, 0xc, w.at)
	case 2:
		w.enter(schema.ExcFIQ, 0x1c, w.at)
	case 3:
		w.enter(schema.ExcAsyncDataAbort, 0x10, w.at)
	default:
		w.enter(schema.ExcIRQ, 0x18, w.at)
	}
	return true
}

// enter makes an exception happen, with the preferred return address at.
func (w *walker) enter(x schema.ExceptionType, vector schema.Address, at step.Place) {
	s := step.Step{Entered: true, Exception: x, At: at, Next: w.secured(step.Place{Address: vector})}
	if w.o.ProfileM {
		s.Next = step.Place{Address: 0xb100 + 2*schema.Address(w.r.IntN(4)), ISA: schema.T32}
		s.Transfers = w.frame(schema.AccessPush)
		if x == schema.ExcIRQ {
			s.Number = uint16(w.r.IntN(496))
		}
	}
	w.saved = append(w.saved, at)
	w.add(s)
}
