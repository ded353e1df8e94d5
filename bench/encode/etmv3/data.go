package etmv3

import (
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	codec "github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file traces data (§3.9, §6).

// dataTrace is the state of data trace.
type dataTrace struct {
	sync       bool           // the next address is to be whole
	base       schema.Address // the last address sent
	delayed    []access
	open       [4]schema.Null[access] // by tag, 1 to 3
	suppressed int                    // data instructions whose data is still to be dropped
	pending    []pendingAccess        // rows since the last data instruction
}

// A pendingAccess is a row whose position may turn out to be unknown.
type pendingAccess struct {
	truth.DataAccess
	late uint16 // transfers of the last data instruction before its first traced one
}

// An access is a transfer that is traced, and its row as far as it is known.
type access struct {
	step.Transfer
	first     bool // the A bit
	notTraced bool
	suppress  bool // data suppressed takes its place
	late      uint16
	lost      bool // its value never came
	row       truth.DataAccess
}

func (e *Encoder) tracesData() bool { return e.opt.DataAddress || e.opt.DataValue }

// isDataInstruction says whether s, if executed, is a data instruction: one to
// which the data packets after it belong (§6.1).
func (e *Encoder) isDataInstruction(s *step.Step) bool {
	t := isa.DataOf(s.Instruction.Opcode, s.Instruction.Size, s.At.ISA)
	return t.Count > 0 && (!t.Register || !e.opt.CPRTNotData)
}

// dataOnly traces the data of a step without its instruction.
func (e *Encoder) dataOnly(s *step.Step) {
	if e.syncDue() {
		e.aSync()
		e.periodic(e.stated.Place)
	}
	e.context(s)
	e.completeData()
	e.noise()
	for _, a := range e.plan(s.Transfers, s.At) {
		e.sendAccess(a)
	}
	e.moveCore(s)
}

// instructionData traces the data of s, the last instruction, or delays it until
// after the instructions that run underneath.
func (e *Encoder) instructionData(s *step.Step) {
	if !e.tracesData() {
		return
	}
	own, _ := splitFrame(s.Transfers)
	e.flush()
	accesses := e.plan(own, s.At)
	for i := range accesses {
		accesses[i].row.Seq = e.truth.Seq - 1
	}
	e.data.delayed = append(e.data.delayed, e.suppress(accesses)...)
	if !e.vary.Happens(e.vary.Delay) {
		e.sendDelayed()
	}
}

// beginData traces made-up data of an instruction that did not complete.
func (e *Encoder) beginData(s *step.Step, state schema.DataState) {
	t := isa.DataOf(s.Instruction.Opcode, s.Instruction.Size, s.At.ISA)
	if !e.tracesData() || s.Failed || t.Count == 0 || t.Register || !e.vary.Happens(e.vary.Cancel) {
		return
	}
	e.flush()
	var made []step.Transfer
	for i := range schema.Address(t.Count) {
		made = append(made, step.Transfer{
			Address: 0x2000 + 4*i, Value: e.vary.Number(), Size: t.Size,
			Access: t.At(uint16(i)),
		})
	}
	for _, a := range e.number(made) {
		a.row.State, a.row.Seq = state, e.truth.Seq-1
		if state == schema.DataCancelled {
			a.row.NoInstruction, a.row.Seq = true, 0
		}
		e.sendInOrder(&a)
	}
}

// splitFrame separates the transfers of an instruction from those of the stack
// frame that its return pops.
func splitFrame(t []step.Transfer) (own, frame []step.Transfer) {
	for i := range t {
		if t[i].Access == schema.AccessPush || t[i].Access == schema.AccessPop {
			frame = append(frame, t[i])
		} else {
			own = append(own, t[i])
		}
	}
	return own, frame
}

// push traces the stack frame of the exception s of v7-M (§6.4), and returns the
// accesses of the frame that are to follow the exception's packet.
func (e *Encoder) push(s *step.Step) []access {
	_, frame := splitFrame(s.Transfers)
	if !e.opt.ProfileM || !e.tracesData() || len(frame) == 0 {
		return nil
	}
	e.sendDelayed()
	e.emit(codec.Packet{Kind: codec.ExceptionEntry})
	accesses := e.planFrame(frame)
	late := 0
	if e.vary.Happens(e.vary.Delay) {
		late = e.vary.UpTo(len(accesses))
	}
	e.sendFrame(accesses[:len(accesses)-late])
	return accesses[len(accesses)-late:]
}

// pop traces the stack frame that the return s of v7-M pops, and says whether
// there is one.
func (e *Encoder) pop(s *step.Step) bool {
	_, frame := splitFrame(s.Transfers)
	if !e.opt.ProfileM || !e.tracesData() || len(frame) == 0 {
		return false
	}
	accesses := e.planFrame(frame)
	for i := range accesses {
		accesses[i].row.Seq--
	}
	e.sendFrame(accesses)
	return true
}

// planFrame returns the transfers of a stack frame, as those of the next
// instruction.
func (e *Encoder) planFrame(frame []step.Transfer) []access {
	accesses := e.number(frame)
	for i := range accesses {
		accesses[i].row.Seq = e.truth.Seq
	}
	return accesses
}

func (e *Encoder) sendFrame(accesses []access) {
	for i := range accesses {
		e.sendInOrder(&accesses[i])
	}
}

// plan returns the transfers of an instruction that are traced, in their order.
func (e *Encoder) plan(t []step.Transfer, at step.Place) []access {
	if len(t) > 0 && t[0].Register && (!e.opt.MonitorCPRT || e.opt.CPRTNotData || e.opt.DataOnly || !e.opt.DataValue) {
		return nil
	}
	if e.opt.LSMPCFirst && e.loadsPC(at, len(t)) {
		t = append([]step.Transfer{t[len(t)-1]}, t[:len(t)-1]...)
	}
	accesses := e.number(t)
	// no load or store multiple
	if len(t) < 2 || t[0].Register || t[0].Access != t[1].Access || !e.vary.Happens(e.vary.NotTraced) {
		return accesses
	}
	// Trace begins with one of them; some of those after it are not selected.
	late := e.vary.UpTo(len(t) - 1)
	accesses = accesses[late:]
	for i := range accesses {
		accesses[i].late = uint16(late)
	}
	accesses[0].first = true
	for i := range accesses[1:] {
		accesses[i+1].notTraced = e.vary.UpTo(2) == 0
	}
	if e.opt.DataOnly {
		renumber(accesses)
	}
	return accesses
}

// loadsPC says whether the instruction at a place, with n transfers, is a load
// multiple of the PC.
func (e *Encoder) loadsPC(at step.Place, n int) bool {
	if e.opt.Program == nil || n < 2 {
		return false
	}
	in, err := e.opt.Program.Instruction(at)
	return err == nil && isa.DataOf(in.Opcode, in.Size, at.ISA).PC
}

// number returns transfers with their positions and A bits.
func (e *Encoder) number(t []step.Transfer) []access {
	accesses := make([]access, len(t))
	for i := range t {
		accesses[i] = access{
			Transfer: t[i],
			first:    !t[i].Register && (i == 0 || t[i].Address != t[i-1].Address+4),
			row:      truth.DataAccess{Position: uint16(i), NoInstruction: e.opt.DataOnly},
		}
	}
	if e.opt.DataOnly {
		renumber(accesses)
	}
	return accesses
}

// renumber gives positions as in data-only mode: counted from each A bit.
func renumber(accesses []access) {
	for i := range accesses {
		accesses[i].row.Position = 0
		if !accesses[i].first {
			accesses[i].row.Position = accesses[i-1].row.Position + 1
		}
	}
}

// suppress drops some accesses, and those of some instructions after them (§3.9).
// All rows of an instruction whose accesses it interrupts are suppressed.
func (e *Encoder) suppress(accesses []access) []access {
	switch {
	case e.data.suppressed > 0:
		e.data.suppressed--
		return nil
	case !e.opt.DataSuppress || len(accesses) == 0 || !e.vary.Happens(e.vary.Suppress):
		return accesses
	}
	sent := e.vary.UpTo(len(accesses) - 1)
	for i := range accesses[:sent] { // which of its transfers they are is unknown
		accesses[i].row.State, accesses[i].row.Position, accesses[i].late = schema.DataSuppressed, uint16(i), 0
	}
	accesses[sent].suppress = true
	e.data.suppressed = e.vary.UpTo(3)
	return accesses[:sent+1]
}
