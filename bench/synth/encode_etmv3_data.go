package synth

import (
	"github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file traces data (§3.9, §6).

// etmv3Data is what data trace stands on.
type etmv3Data struct {
	sync       bool   // the next address is to be whole
	base       uint32 // the last address sent
	delayed    []etmv3Access
	open       [4]schema.Null[etmv3Access] // by tag, 1 to 3
	suppressed int                         // data instructions whose data is still to be dropped
	held       []etmv3HeldAccess           // rows since the last data instruction
}

// An etmv3HeldAccess is a row whose position may turn out not to be known.
type etmv3HeldAccess struct {
	DataAccess
	late uint16 // transfers of the last data instruction before its first traced one
}

// An etmv3Access is a transfer that is traced, and its row as far as it is known.
type etmv3Access struct {
	Transfer
	first     bool // the A bit
	notTraced bool
	suppress  bool // data suppressed takes its place
	late      uint16
	lost      bool // its value never came
	row       DataAccess
}

func (e *ETMv3) tracesData() bool { return e.opt.DataAddress || e.opt.DataValue }

// isDataInstruction says whether s, if executed, is a data instruction: one that
// data packets behind it belong to (§6.1).
func (e *ETMv3) isDataInstruction(s *Step) bool {
	t := isa.DataOf(s.Instruction.Opcode, s.Instruction.Size, s.At.ISA)
	return t.Count > 0 && (!t.Register || !e.opt.CPRTNotData)
}

// dataOnly traces the data of a step without its instruction.
func (e *ETMv3) dataOnly(s *Step) {
	if e.syncDue() {
		e.aSync()
		e.periodic(e.told.Place)
	}
	e.context(s)
	e.completeData()
	e.noise()
	for _, a := range e.plan(s.Transfers, s.At) {
		e.tell(a)
	}
	e.goOn(s)
}

// instructionData traces the data of s, the last instruction, or has it wait for
// what runs underneath.
func (e *ETMv3) instructionData(s *Step) {
	if !e.tracesData() {
		return
	}
	own, _ := splitFrame(s.Transfers)
	e.flush()
	accesses := e.plan(own, s.At)
	for i := range accesses {
		accesses[i].row.Seq = e.truth.seq - 1
	}
	e.data.delayed = append(e.data.delayed, e.suppress(accesses)...)
	if !e.vary.happens(e.vary.Delay) {
		e.tellDelayed()
	}
}

// beginData traces made-up data of an instruction that did not complete.
func (e *ETMv3) beginData(s *Step, state schema.DataState) {
	t := isa.DataOf(s.Instruction.Opcode, s.Instruction.Size, s.At.ISA)
	if !e.tracesData() || s.Failed || t.Count == 0 || t.Register || !e.vary.happens(e.vary.Cancel) {
		return
	}
	e.flush()
	var made []Transfer
	for i := range uint32(t.Count) {
		made = append(made, Transfer{Address: 0x2000 + 4*i, Value: e.vary.rand.Uint32(), Size: t.Size, Access: t.At(uint16(i))})
	}
	for _, a := range e.number(made) {
		a.row.State, a.row.Seq = state, e.truth.seq-1
		if state == schema.DataCancelled {
			a.row.NoInstruction, a.row.Seq = true, 0
		}
		e.tellInOrder(&a)
	}
}

// splitFrame parts the transfers of an instruction from those of the stack frame
// that its return pops.
func splitFrame(t []Transfer) (own, frame []Transfer) {
	for i := range t {
		if t[i].Access == schema.AccessPush || t[i].Access == schema.AccessPop {
			frame = append(frame, t[i])
		} else {
			own = append(own, t[i])
		}
	}
	return own, frame
}

// push traces the stack frame of the exception s of v7-M (§6.4), and returns what
// of it is to come behind the exception's packet.
func (e *ETMv3) push(s *Step) []etmv3Access {
	_, frame := splitFrame(s.Transfers)
	if !e.opt.ProfileM || !e.tracesData() || len(frame) == 0 {
		return nil
	}
	e.tellDelayed()
	e.emit(etmv3.Packet{Kind: etmv3.ExceptionEntry})
	accesses := e.planFrame(frame)
	late := 0
	if e.vary.happens(e.vary.Delay) {
		late = e.vary.upTo(len(accesses))
	}
	e.tellFrame(accesses[:len(accesses)-late])
	return accesses[len(accesses)-late:]
}

// pop traces the stack frame that the return s of v7-M pops, and says whether
// there is one.
func (e *ETMv3) pop(s *Step) bool {
	_, frame := splitFrame(s.Transfers)
	if !e.opt.ProfileM || !e.tracesData() || len(frame) == 0 {
		return false
	}
	accesses := e.planFrame(frame)
	for i := range accesses {
		accesses[i].row.Seq--
	}
	e.tellFrame(accesses)
	return true
}

// planFrame has the transfers of a stack frame, of the next instruction.
func (e *ETMv3) planFrame(frame []Transfer) []etmv3Access {
	accesses := e.number(frame)
	for i := range accesses {
		accesses[i].row.Seq = e.truth.seq
	}
	return accesses
}

func (e *ETMv3) tellFrame(accesses []etmv3Access) {
	for i := range accesses {
		e.tellInOrder(&accesses[i])
	}
}

// plan has the transfers of an instruction that are traced, in their order.
func (e *ETMv3) plan(t []Transfer, at Place) []etmv3Access {
	if len(t) > 0 && t[0].Register && (!e.opt.MonitorCPRT || e.opt.CPRTNotData || e.opt.DataOnly || !e.opt.DataValue) {
		return nil
	}
	if e.opt.LSMPCFirst && e.loadsPC(at, len(t)) {
		t = append([]Transfer{t[len(t)-1]}, t[:len(t)-1]...)
	}
	accesses := e.number(t)
	if len(t) < 2 || t[0].Register || t[0].Access != t[1].Access || !e.vary.happens(e.vary.NotTraced) { // no load or store multiple
		return accesses
	}
	// Trace begins with one of them; of those behind some are not selected.
	late := e.vary.upTo(len(t) - 1)
	accesses = accesses[late:]
	for i := range accesses {
		accesses[i].late = uint16(late)
	}
	accesses[0].first = true
	for i := range accesses[1:] {
		accesses[i+1].notTraced = e.vary.upTo(2) == 0
	}
	if e.opt.DataOnly {
		renumber(accesses)
	}
	return accesses
}

// loadsPC says whether the instruction at a place, with n transfers, is a load
// multiple of the PC.
func (e *ETMv3) loadsPC(at Place, n int) bool {
	if e.opt.Program == nil || n < 2 {
		return false
	}
	in, err := e.opt.Program.Instruction(at)
	return err == nil && isa.DataOf(in.Opcode, in.Size, at.ISA).PC
}

// number has transfers with their positions and A bits.
func (e *ETMv3) number(t []Transfer) []etmv3Access {
	accesses := make([]etmv3Access, len(t))
	for i := range t {
		accesses[i] = etmv3Access{
			Transfer: t[i],
			first:    !t[i].Register && (i == 0 || t[i].Address != t[i-1].Address+4),
			row:      DataAccess{Position: uint16(i), NoInstruction: e.opt.DataOnly},
		}
	}
	if e.opt.DataOnly {
		renumber(accesses)
	}
	return accesses
}

// renumber gives positions as data-only mode tells them: from each A bit on.
func renumber(accesses []etmv3Access) {
	for i := range accesses {
		accesses[i].row.Position = 0
		if !accesses[i].first {
			accesses[i].row.Position = accesses[i-1].row.Position + 1
		}
	}
}

// suppress has some accesses dropped, and those of instructions behind (§3.9).
// All rows of an instruction it interrupts are suppressed.
func (e *ETMv3) suppress(accesses []etmv3Access) []etmv3Access {
	switch {
	case e.data.suppressed > 0:
		e.data.suppressed--
		return nil
	case !e.opt.DataSuppress || len(accesses) == 0 || !e.vary.happens(e.vary.Suppress):
		return accesses
	}
	sent := e.vary.upTo(len(accesses) - 1)
	for i := range accesses[:sent] { // which of its transfers they are cannot be told
		accesses[i].row.State, accesses[i].row.Position, accesses[i].late = schema.DataSuppressed, uint16(i), 0
	}
	accesses[sent].suppress = true
	e.data.suppressed = e.vary.upTo(3)
	return accesses[:sent+1]
}
