package pft

import (
	"fmt"

	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/isa"
	codec "github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// instruction traces an instruction.
func (e *Encoder) instruction(s *step.Step) {
	security := e.stated.security
	e.waiting = append(e.waiting, waiting{at: s.At, instruction: s.Instruction})
	e.straight += uint32(s.Instruction.Size)
	switch {
	case !e.isWaypoint(s.Instruction.Flow):
		if e.straight > maxStraight || e.vary.Happens(e.vary.Updates) {
			e.updateWaypoint()
			e.context(s)
		}
		return
	case s.Failed:
		e.atom(false)
	case s.Instruction.Flow == isa.Indirect:
		e.indirect(s)
	case s.Instruction.Flow == isa.Direct && (e.opt.BranchBroadcast || s.Next.Security != security):
		e.branch(s.Next)
		e.link(s, security)
	case s.Instruction.Flow == isa.Direct:
		e.atom(true)
		e.link(s, security)
	default: // barrier
		e.atom(true)
	}
	e.straight = 0
	e.context(s)
}

// maxStraight is how many bytes may lie between waypoints before the PTM
// upgrades an instruction to one (§2.3).
const maxStraight = 4096

// isWaypoint says whether an instruction of flow f is a waypoint (§2.2).
func (e *Encoder) isWaypoint(f isa.Flow) bool {
	switch f {
	case isa.None:
		return false
	case isa.Direct, isa.Indirect, isa.Barrier:
		return true
	case isa.DataBarrier:
		return e.opt.DataBarriers
	}
	panic(fmt.Sprintf("encode/pft: flow %d", f))
}

// indirect traces an indirect branch that was executed: an E atom if the return
// stack has the target, with its instruction set and security state; else a branch
// packet, which leaves the stack alone (§4.13). The packet that says that it is an
// exception return follows.
func (e *Encoder) indirect(s *step.Step) {
	security := e.stated.security
	if top := len(e.stack) - 1; top >= 0 && e.stack[top] == s.Next {
		e.stack = e.stack[:top]
		e.returnTo(s.Next)
		e.atom(true)
	} else {
		e.branch(s.Next)
	}
	e.link(s, security)
	if s.Instruction.Kind == schema.KindExceptionReturn && e.opt.Minor >= 1 {
		e.flush()
		e.truth.Return(e.emit(codec.Packet{Kind: codec.ExceptionReturn}).offset)
		e.timeDue = true
	}
}

// returnTo records that the last instruction takes its target from the return
// stack, which may change the security state (B.3.2).
func (e *Encoder) returnTo(to step.Place) {
	if to.Security != e.stated.security {
		e.stated.security = to.Security
		e.waiting[len(e.waiting)-1].returned = schema.Of(to)
	}
}

// link pushes the return address of a branch with link, after the branch has
// popped its own target. A full stack drops its oldest entry. The entry has the
// security state that the stream had stated before the branch, since a decoder
// pushes that one (B.3.2): a change may be in the packet of the branch itself.
func (e *Encoder) link(s *step.Step, security schema.Security) {
	if !s.Instruction.Link() || !e.opt.ReturnStack || e.opt.ReturnStackDepth == 0 {
		return
	}
	if len(e.stack) == e.opt.ReturnStackDepth {
		e.stack = append(e.stack[:0], e.stack[1:]...)
	}
	entry := s.Following()
	entry.Security = security
	e.stack = append(e.stack, entry)
}

// updateWaypoint upgrades the last instruction to a waypoint (§4.5.5).
func (e *Encoder) updateWaypoint() {
	e.flush()
	last := e.waiting[len(e.waiting)-1].at
	e.commit(len(e.waiting), e.emit(e.waypointPacket(last)))
	e.stated.updated = last
	e.straight, e.waypointAt = 0, e.now
}

// atom traces the last instruction, a waypoint, as an atom: by itself with its
// cycles, or with up to four others (§4.5.3).
func (e *Encoder) atom(executed bool) {
	e.setOutcome(executed)
	if !executed {
		e.atoms |= 1 << e.atomsN
	}
	e.atomsN++
	if e.opt.CycleAccurate || e.atomsN == maxAtoms || e.vary.Happens(e.vary.Atoms) {
		e.flush()
	}
}

const maxAtoms = 5

// setOutcome gives the last instruction, a waypoint, its outcome, which the next
// packet traces.
func (e *Encoder) setOutcome(executed bool) {
	e.waiting[len(e.waiting)-1].executed = schema.Of(executed)
	e.upToWaypoint, e.waypointAt = len(e.waiting), e.now
}

// flush sends the atoms that wait.
func (e *Encoder) flush() {
	if e.atomsN == 0 {
		return
	}
	p := codec.Packet{Kind: codec.Atom, Atoms: e.atoms, AtomCount: e.atomsN}
	e.atoms, e.atomsN = 0, 0
	e.count(&p, e.now)
	e.commit(e.upToWaypoint, e.emit(p))
}

// branch traces the last instruction, a waypoint, as a branch to a place
// (§4.5.4).
func (e *Encoder) branch(to step.Place) {
	e.flush()
	e.setOutcome(true)
	p := e.branchPacket(to, 0)
	e.count(&p, e.now)
	sent := e.emit(p)
	e.commit(e.upToWaypoint, sent)
	e.arrive(to)
	e.contextRow(sent, to.ISA)
}

// arrive makes a place the one stated last.
func (e *Encoder) arrive(at step.Place) {
	e.stated.Place, e.stated.updated, e.stated.security = at, at, at.Security
}

// commit enters the first n waiting instructions, which a packet traces, into the
// truth.
func (e *Encoder) commit(n int, by sentPacket) {
	e.truth.instructions(e.waiting[:n], by)
	e.waiting = append(e.waiting[:0], e.waiting[n:]...)
	e.upToWaypoint = 0
}
