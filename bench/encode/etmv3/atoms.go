package etmv3

import (
	"github.com/tracelake/tracelake/bench/step"
	codec "github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file makes P-headers (§3.2): which atoms instructions have, how they are
// packed, and the rows they make.

// An atom is an atom that waits to be sent, and the Ws before it.
type atom struct {
	waits  uint64
	failed bool
	traces traces
	at     step.Place
	in     isa.Instruction
}

// traces is what an atom traces.
type traces uint8

const (
	tracesWhole   traces = iota // an instruction
	tracesHalf                  // the first half of one
	tracesPhantom               // an instruction that will be cancelled
)

// cost counts the cycles of a step, less those that were sent before.
func (e *Encoder) cost(cycles uint32) {
	if !e.opt.CycleAccurate {
		return
	}
	early := min(e.borrowed, uint64(cycles))
	e.borrowed -= early
	e.waits += uint64(cycles) - early
	if e.vary.Happens(e.vary.Packing) && e.waits > 0 {
		e.flush()
		e.sendWaits(uint64(e.vary.UpTo(int(min(e.waits, 20)))))
	}
}

// instructionAtoms queues the atoms of an instruction: one, or two for a 32-bit
// T32 one where each halfword has its own (§4.3).
func (e *Encoder) instructionAtoms(s *step.Step, as traces) {
	if !s.Failed && e.isDataInstruction(s) {
		e.commitData(true)
	}
	a := atom{waits: e.waits, failed: s.Failed, traces: as, at: s.At, in: s.Instruction}
	e.waits = 0
	if e.isTwo(s) {
		half := a
		half.traces = tracesHalf
		half.waits -= a.waits / 2
		a.waits /= 2
		e.queue(half)
		e.syncInHalf(s)
	}
	e.queue(a)
}

// isTwo says whether an instruction has two atoms.
func (e *Encoder) isTwo(s *step.Step) bool {
	return !e.opt.OneT32 && s.Instruction.Size == 4 && s.At.ISA != schema.A32
}

// queue takes an atom to be sent with others. Before v3.3, which brought format 4,
// an atom without a W of its own can only follow an atom that is not sent yet;
// otherwise it borrows the W of a cycle to come.
func (e *Encoder) queue(a atom) {
	if e.opt.CycleAccurate && a.waits == 0 && e.opt.Minor < 3 {
		if n := len(e.atoms); n == 0 || e.atoms[n-1].waits == 0 {
			a.waits = 1
			e.borrowed++
		}
	}
	e.atoms = append(e.atoms, a)
	e.pack(e.vary.Happens(e.vary.Packing))
}

// flush sends the atoms that wait.
func (e *Encoder) flush() { e.pack(true) }

// pack sends full P-headers of the atoms that wait, or all of the atoms if no more
// can be waited for.
func (e *Encoder) pack(all bool) {
	for len(e.atoms) > 0 {
		var h codec.Atoms
		var ok bool
		if e.opt.CycleAccurate {
			h, ok = cycleHeader(e.atoms, all)
		} else {
			h, ok = plainHeader(e.atoms, all)
		}
		if !ok {
			return
		}
		e.sendHeader(h)
	}
}

// plainHeader is the P-header outside cycle-accurate mode that the atoms at the
// front of q fill; there is none yet if it has room for atoms still to come.
func plainHeader(q []atom, all bool) (codec.Atoms, bool) {
	const most = 15
	run := 0
	for run < len(q) && run < most && !q[run].failed {
		run++
	}
	switch {
	case run == len(q):
		return runOfE(run, false), all
	case run > 0:
		return runOfE(run, q[run].failed), true
	case len(q) > 1:
		return twoAtoms(q), true
	default:
		return runOfE(0, true), all
	}
}

// runOfE are n times E and then, if so, N: format 1.
func runOfE(n int, failed bool) codec.Atoms {
	a := codec.Atoms{Count: uint8(n), Format: 1}
	if failed {
		a.Count++
		a.N = 1 << n
	}
	return a
}

// twoAtoms are the first two of q: format 2.
func twoAtoms(q []atom) codec.Atoms {
	return codec.Atoms{N: uint16(btou(q[0].failed) | btou(q[1].failed)<<1), Count: 2, Format: 2}
}

// The most that cycle-accurate P-headers hold: Ws in format 3, and WEs in
// format 1.
const (
	mostWaits = 8
	mostRun   = 7
)

// cycleHeader is the cycle-accurate P-header that the atoms at the front of q
// fill. The last atom waits for the next one, with which it may share a cycle.
func cycleHeader(q []atom, all bool) (codec.Atoms, bool) {
	shares := func(i int) bool { return i+1 < len(q) && q[i+1].waits == 0 }
	first := &q[0]
	switch {
	case len(q) == 1 && !all:
		return codec.Atoms{}, false
	case first.waits == 0:
		return codec.Atoms{N: uint16(btou(first.failed)), Count: 1, Format: 4}, true
	case first.waits > mostWaits:
		return codec.Atoms{Waits: mostWaits, Format: 3}, true
	case first.waits > 1 && (first.failed || shares(0)):
		return codec.Atoms{Waits: uint8(first.waits - 1), Format: 3}, true
	case first.waits > 1:
		return codec.Atoms{Waits: uint8(first.waits), Count: 1, Format: 3}, true
	case shares(0):
		a := twoAtoms(q)
		a.Waits = 1
		return a, true
	}
	run := 0
	for run < len(q) && run < mostRun && q[run].waits == 1 && !q[run].failed && !shares(run) {
		run++
	}
	end := run < len(q) && q[run].waits == 1 && q[run].failed && !shares(run)
	a := runOfE(run, end)
	a.Waits, a.Between = 1, 1
	return a, all || int(a.Count) < len(q)
}

// sendWaits sends n of the Ws that wait after the last atom.
func (e *Encoder) sendWaits(n uint64) {
	if !e.countsCycles() || !e.truth.Synced { // before the first I-sync there are none
		return
	}
	for e.waits -= n; n > 0; {
		h := codec.Atoms{Waits: uint8(min(n, mostWaits)), Format: 3}
		if e.opt.Minor == 0 && e.vary.Happens(e.vary.Packing) {
			h = codec.Atoms{Waits: 1}
		}
		e.sendHeader(h)
		n -= uint64(h.Waits)
	}
}

// sendHeader sends a P-header of atoms at the front of the queue, or of Ws alone.
func (e *Encoder) sendHeader(h codec.Atoms) {
	at := e.emit(codec.Packet{Kind: codec.PHeader, Atoms: h})
	kind, seq := schema.CountPacket, e.truth.Seq
	waits, sum := uint64(h.Waits), int64(0)
	if h.Count == 0 && len(e.atoms) > 0 {
		e.atoms[0].waits -= waits
	}
	for range h.Count {
		kind = schema.CountAtom
		e.tick(waits)
		sum += int64(waits)
		a := e.atoms[0]
		e.atoms = e.atoms[1:]
		if a.traces != tracesHalf {
			seq = e.truth.Seq
		}
		e.applyAtom(at, &a)
		waits = uint64(h.Between)
	}
	if h.Count == 0 {
		e.tick(waits)
		sum = int64(waits)
	}
	if sum > 0 {
		key := e.truth.Key(at)
		key.Seq = seq
		e.truth.Count(key, kind, sum)
	}
}

// tick counts Ws that were sent.
func (e *Encoder) tick(waits uint64) {
	e.truth.Cycle.V += int64(waits)
	e.truth.since += waits
}

// applyAtom enters the rows of an atom in the P-header at an offset, and follows
// the flow.
func (e *Encoder) applyAtom(at int64, a *atom) {
	e.stated.after = afterAtom
	if a.traces == tracesHalf {
		return
	}
	if a.traces == tracesWhole {
		e.instructionRow(at, a.at, &a.in, a.failed)
		if !a.failed && e.opt.returnsByOpcode() && a.in.Kind == schema.KindExceptionReturn {
			e.truth.Return(at)
		}
	}
	e.stated.instruction = schema.Of(a.at.Address)
	e.stated.reached = schema.Of(a.at.Address + schema.Address(a.in.Size))
	switch {
	case a.failed:
	case a.in.Flow == isa.Indirect:
		e.stated.reached.OK = false
	case a.in.Flow == isa.Direct:
		e.stated.reached.V, e.stated.ISA = a.in.Target, a.in.TargetISA
		e.stated.altISA = e.stated.altISA && e.stated.ISA != schema.T32 || e.stated.ISA == schema.T32EE
	}
}

func btou(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
