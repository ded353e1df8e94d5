package etmv2

import (
	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/encode/pipestat"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode"
	codec "github.com/tracelake/tracelake/decode/etmv2"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file traces instructions (§6.2): their statuses and groups (§5.4).

// A packet is a packet that waits to enter the FIFO, and the row that it makes.
type packet struct {
	codec.Packet
	seq  int64                   // of its instruction
	late bool                    // that is an earlier one
	row  func(sample, seq int64) // enters its row; nil: none
}

// instruction traces an instruction, after which comes next.
func (e *Encoder) instruction(s, next *step.Step) {
	e.Wait(s)
	if pipestat.IsFaultOf(next, s) && next.Trace == step.Traced { // it is cancelled
		e.begin(s)
		return
	}
	if e.folds(s, next) {
		e.phantom, e.Reached = schema.Of(*s), s.Next
		return
	}
	late, resumes := e.takeLate(s), e.Resumes(s, next)
	overflow := next.Trace == step.Overflowed && e.Vary.Happens(e.Vary.Overflow)
	if overflow {
		e.forgetMisses()
	}
	own := func() []packet {
		if overflow { // it takes all packets of the cycle
			return late
		}
		return append(late, e.packets(s, next, resumes)...)
	}
	var groups [][]packet
	var sample int64
	if e.syncs(s, len(late) > 0 || e.hasPackets(s, next)) {
		sample = e.implied(s)
		groups = append([][]packet{nil}, e.split(s, own())...)
	} else {
		groups = e.split(s, own())
		sample = e.status(s, groups[0])
	}
	e.packetsRows(groups, sample, e.instructionRow(sample, s))
	e.Reached, e.second = s.Next, resumes
}

// packetsRows enters the rows of the groups of the instruction seq, whose status is in
// a sample, and sends those that follow.
func (e *Encoder) packetsRows(groups [][]packet, sample, seq int64) {
	for _, g := range groups {
		for i := range g {
			if !g[i].late {
				g[i].seq = seq
			}
		}
	}
	for i := range e.data.late {
		if !e.data.late[i].late {
			e.data.late[i].seq, e.data.late[i].late = seq, true
		}
	}
	e.packetRows(sample, groups[0])
	for _, g := range groups[1:] {
		if len(g) > 0 {
			e.Wait(&step.Step{})
			e.idlePackets(g)
		}
	}
}

// packets are the packets of an instruction, after which comes next: the second half of
// a pair, if it resumes there.
func (e *Encoder) packets(s, next *step.Step, resumes bool) []packet {
	packets := append(e.postpone(s, e.dataPackets(s)), e.contextPackets(s, next)...)
	to := s.Next
	if resumes {
		to.Address += 2
	}
	return append(packets, e.branchPackets(s, to)...)
}

// hasPackets says whether an instruction may have packets.
func (e *Encoder) hasPackets(s, next *step.Step) bool {
	return e.hasBranch(s) || e.ContextChanges(next) || e.opt.TracesData() && len(s.Transfers) > 0
}

// idlePackets puts a group into the FIFO in a cycle without an instruction.
func (e *Encoder) idlePackets(group []packet) {
	e.Room(e.size(group))
	sample := e.clock(statusDW, e.group(group))
	e.packetRows(sample, group)
}

// packetRows enters the rows of packets whose status is in a sample.
func (e *Encoder) packetRows(sample int64, group []packet) {
	for i := range group {
		if p := &group[i]; p.row != nil {
			p.row(sample, p.seq)
		}
	}
}

// instructionRow enters the rows of an instruction, and of the phantom before it,
// whose status is in a sample. It returns the ordinal of the instruction.
func (e *Encoder) instructionRow(sample int64, s *step.Step) (seq int64) {
	e.phantomRow(sample)
	e.settleBefore(s)
	return e.InstructionRow(sample, s)
}

// settleBefore settles the rows of the last data instruction before s, if that is one
// too, whether or not it completes: it is not traced before the last one is complete.
func (e *Encoder) settleBefore(s *step.Step) {
	if !s.Failed && isa.DataOf(s.Instruction.Opcode, s.Instruction.Size, s.At.ISA).Count > 0 {
		e.settleData(true)
	}
}

// phantomRow enters the row of the phantom whose status is in a sample.
func (e *Encoder) phantomRow(sample int64) {
	if p := e.phantom; p.OK {
		e.Rows.Instruction(sample, p.V.At, &p.V.Instruction, !p.V.Failed)
		e.phantom.OK = false
	}
}

// status is the clock of the status of an instruction with its group, or of its last
// half. It returns its sample.
func (e *Encoder) status(s *step.Step, group []packet) (sample int64) {
	e.firstHalf(s)
	e.Room(e.size(group))
	status := uint8(statusIE)
	if s.Failed {
		status |= hasFailed
	}
	if len(group) > 0 {
		status |= hasPackets
	}
	if !pipestat.IsPair(s) {
		status = e.withPhantom(status)
	}
	return e.clock(status, e.group(group))
}

// syncs says whether an instruction is executed in the cycle of a TFO. One without
// packets is.
func (e *Encoder) syncs(s *step.Step, packets bool) bool {
	switch {
	case s.Failed, e.phantom.OK, pipestat.IsPair(s) && !e.Vary.Happens(e.Vary.Halves), packets && e.staysWhole(s):
		return false
	}
	return e.syncNow(packets)
}

// implied is the clock of a TFO in which an instruction, or the last half of one, is
// executed. It returns its sample.
func (e *Encoder) implied(s *step.Step) (sample int64) {
	e.firstHalf(s)
	e.Room(mostTFO)
	at := s.At
	if pipestat.IsPair(s) {
		at.Address += 2
	}
	return e.tfo(schema.ISyncPeriodic, at, e.ContextID.V, codec.TFO{})
}

// withPhantom is a status together with that of the phantom before it.
func (e *Encoder) withPhantom(status uint8) uint8 {
	switch p := e.phantom; {
	case !p.OK:
		return status
	case p.V.Failed:
		return status | phantomNotTaken
	default:
		return status | phantomTaken
	}
}

// folds says whether s becomes a phantom of the instruction after it (§5.1).
func (e *Encoder) folds(s, next *step.Step) bool {
	switch {
	case e.phantom.OK || s.Instruction.Flow != isa.Direct || pipestat.IsPair(s) || next.Entered ||
		next.Trace != step.Traced || pipestat.IsPair(next):
		return false
	case e.opt.BranchOutput && !s.Failed, e.ContextChanges(next):
		return false
	}
	return e.Vary.Happens(e.Vary.Phantom)
}

// contextPackets are the Context ID that an instruction wrote: that of the next.
func (e *Encoder) contextPackets(s, next *step.Step) []packet {
	if !e.ContextChanges(next) {
		return nil
	}
	id, state := e.Traced(next.ContextID), s.Next.ISA
	return []packet{{
		Packet: codec.Packet{Kind: codec.ContextID, ContextID: id},
		row:    func(sample, _ int64) { e.SetContext(sample, id, state) },
	}}
}

// branchPackets are the branch address of an instruction that has one.
func (e *Encoder) branchPackets(s *step.Step, to step.Place) []packet {
	if !e.hasBranch(s) {
		return nil
	}
	x, vector := e.Vector(s.Next)
	if !vector && s.Instruction.Flow == isa.Indirect && e.Vary.Happens(e.Vary.Again) {
		return []packet{{Packet: e.branch(e.elsewhere(to), false)}, {Packet: e.branch(to, false)}}
	}
	p := packet{Packet: e.branch(to, false)}
	if vector && s.Instruction.Flow == isa.Indirect { // as an exception, without a place to return to
		p.row = func(sample, _ int64) { e.Rows.Exception(sample, x, s.Next.Address, schema.Null[schema.Address]{}) }
	}
	return []packet{p}
}

// elsewhere is a place that is no vector, in the state of another: the last branch address
// of an instruction that has several counts (A14).
func (e *Encoder) elsewhere(p step.Place) step.Place {
	p.Address ^= 1 << (5 + e.Vary.UpTo(20))
	if _, vector := e.Vector(p); vector {
		p.Address ^= 1 << 5
	}
	return p
}

// hasBranch says whether an instruction has a branch address: an indirect branch, with
// branch output any.
func (e *Encoder) hasBranch(s *step.Step) bool {
	direct := s.Instruction.Flow == isa.Direct && e.opt.BranchOutput
	return !s.Failed && (direct || s.Instruction.Flow == isa.Indirect)
}

// branch is a branch address, in as many bytes as have changed bits.
func (e *Encoder) branch(to step.Place, cancel bool) codec.Packet {
	pc := decode.PC{Address: to.Address, ISA: to.ISA}
	n := e.Vary.Bytes(e.Vary.Longer, codec.BranchBytes(pc, e.base, cancel), encode.MaxAddressBytes)
	e.base = pc
	return codec.Packet{Kind: codec.BranchAddress, Branch: codec.NewBranch(pc, cancel, n)}
}

// split splits the packets of an instruction into the group of its own status and
// those of cycles after it.
func (e *Encoder) split(s *step.Step, packets []packet) [][]packet {
	const most = 2 // data packets a cycle (§5.4)
	groups := [][]packet{nil}
	data := 0
	for i := range packets {
		last := &groups[len(groups)-1]
		isData := packets[i].Kind <= codec.ValueNotTraced
		again := e.Vary.Happens(e.Vary.Split) && !e.staysWhole(s)
		second := i > 0 && packets[i-1].Kind == codec.BranchAddress // always the last of its group
		if isData && data == most || again || second {
			groups = append(groups, nil)
			last, data = &groups[len(groups)-1], 0
		}
		if isData {
			data++
		}
		*last = append(*last, packets[i])
	}
	return groups
}

// staysWhole says whether the branch address has to be in the group of its own
// status: else a direct branch to a vector is one more exception (§6.3).
func (e *Encoder) staysWhole(s *step.Step) bool {
	_, vector := e.Vector(s.Next)
	return vector && s.Instruction.Flow == isa.Direct
}

// group is the bytes of the packets of one cycle.
func (e *Encoder) group(packets []packet) []byte {
	var b []byte
	for i := range packets {
		p := packets[i].Packet
		p.More = i < len(packets)-1
		b = e.opt.Append(b, p)
	}
	return b
}

// size is how many bytes the packets of one cycle have.
func (e *Encoder) size(packets []packet) int { return len(e.group(packets)) }
