package synth

import (
	"cmp"
	"slices"

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

// tellDelayed sends the data that waits.
func (e *ETMv3) tellDelayed() {
	if len(e.data.delayed) == 0 {
		return
	}
	e.flush()
	for i := range e.data.delayed {
		e.tell(e.data.delayed[i])
	}
	e.data.delayed = e.data.delayed[:0]
}

// tell sends an access, in order or as a placeholder whose value comes later.
func (e *ETMv3) tell(a etmv3Access) {
	free := func(tag int) bool { return !e.data.open[tag].OK }
	tag := 1 + e.vary.upTo(2)
	switch {
	case a.suppress:
		e.emit(etmv3.Packet{Kind: etmv3.DataSuppressed})
		e.data.sync = e.data.sync || e.opt.Minor <= 2
	case e.opt.DataValue && !a.notTraced && a.row.State == schema.DataInOrder && free(tag) && e.vary.happens(e.vary.OutOfOrder):
		p := etmv3.Packet{Kind: etmv3.OutOfOrderPlaceholder, Tag: uint8(tag)}
		e.setDataAddress(&p, &a)
		e.setKey(&a, e.emit(p))
		a.row.Tag = schema.Of(uint8(tag))
		e.data.open[tag] = schema.Of(a)
	default:
		e.tellInOrder(&a)
	}
}

// tellInOrder sends an access as it is.
func (e *ETMv3) tellInOrder(a *etmv3Access) {
	p := etmv3.Packet{Kind: etmv3.NormalData}
	if a.notTraced {
		p.Kind = etmv3.ValueNotTraced
		if a.row.State != schema.DataSuppressed {
			a.row.State = schema.DataNotTraced
		}
	} else {
		e.setDataValue(&p, a)
	}
	e.setDataAddress(&p, a)
	e.setKey(a, e.emit(p))
	e.storeFailed(a)
	e.accessRow(a)
}

// complete sends the value that a tag was kept for.
func (e *ETMv3) complete(tag int) {
	a := e.data.open[tag].V
	e.data.open[tag].OK = false
	p := etmv3.Packet{Kind: etmv3.OutOfOrderData, Tag: uint8(tag)}
	e.setDataValue(&p, &a)
	e.setKey(&a, e.emit(p))
	if a.row.State == schema.DataInOrder {
		a.row.State = schema.DataOutOfOrder
	}
	e.storeFailed(&a)
	e.accessRow(&a)
}

// completeData sends one or the other of the values that tags are kept for.
func (e *ETMv3) completeData() {
	for tag := range e.data.open {
		if e.data.open[tag].OK && e.data.suppressed == 0 && e.vary.upTo(7) == 0 {
			e.flush()
			e.complete(tag)
		}
	}
}

// closeData sends all data that waits.
func (e *ETMv3) closeData() {
	e.tellDelayed()
	for tag := range e.data.open {
		if e.data.open[tag].OK {
			e.complete(tag)
		}
	}
}

// breakData ends data trace where tracing ends. What an overflow comes between is
// lost.
func (e *ETMv3) breakData(overflow bool) {
	if !overflow || !e.vary.happens(e.vary.OutOfOrder) {
		e.closeData()
	}
	e.data.delayed = e.data.delayed[:0]
	e.data.suppressed = 0
	var lost []etmv3Access
	for tag := range e.data.open {
		if open := &e.data.open[tag]; open.OK {
			open.OK = false
			if open.V.row.State == schema.DataInOrder {
				open.V.row.State = schema.DataOutOfOrderLost
			}
			open.V.lost = true
			lost = append(lost, open.V)
		}
	}
	slices.SortFunc(lost, func(a, b etmv3Access) int { return cmp.Compare(a.row.Offset, b.row.Offset) })
	for i := range lost {
		e.accessRow(&lost[i])
	}
}

// storeFailed says of the access just sent that it is of a store that failed.
func (e *ETMv3) storeFailed(a *etmv3Access) {
	if a.StoreFailed && e.opt.DataValue && !a.notTraced {
		e.emit(etmv3.Packet{Kind: etmv3.StoreFailed})
		if a.row.State == schema.DataInOrder || a.row.State == schema.DataOutOfOrder {
			a.row.State = schema.DataStoreFailed
		}
	}
}

// setDataValue puts the value of an access into a packet, without its leading
// zero bytes. That of a store that failed is 0.
func (e *ETMv3) setDataValue(p *etmv3.Packet, a *etmv3Access) {
	if !e.opt.DataValue {
		return
	}
	if a.StoreFailed {
		a.Value = 0
	}
	p.Value = a.Value
	switch {
	case p.Value == 0:
	case p.Value < 1<<8:
		p.ValueBytes = 1
	case p.Value < 1<<16:
		p.ValueBytes = 2
	default:
		p.ValueBytes = 4
	}
}

// setDataAddress puts the address of an access into a packet, in as many bytes as
// changed since the last one sent, or whole where a D-sync is due.
func (e *ETMv3) setDataAddress(p *etmv3.Packet, a *etmv3Access) {
	p.NewAddress = a.first
	if !a.first || !e.opt.DataAddress {
		return
	}
	n := e.vary.bytes(sevens(a.Address^e.data.base), maxAddressBytes)
	if e.data.sync {
		n = maxAddressBytes
		e.data.sync = false
	}
	e.data.base = a.Address
	p.AddressBytes, p.AddressBits = n, min(7*n, 32)
	p.Address = uint32(uint64(a.Address) & (1<<p.AddressBits - 1))
	p.BigEndian = n == maxAddressBytes && e.opt.BigEndian
}

// setKey says that the packet at an offset completes the row of an access; its
// seq is that of its instruction.
func (e *ETMv3) setKey(a *etmv3Access, at int64) {
	key := e.truth.key(at)
	a.row.Segment, a.row.Offset = key.Segment, at
}

// accessRow enters the row of an access.
func (e *ETMv3) accessRow(a *etmv3Access) {
	row := a.row
	if e.opt.DataAddress && !a.Register {
		row.Address = schema.Of(a.Address)
	}
	if e.opt.DataValue && !a.notTraced && !a.lost {
		row.Value = schema.Of(uint64(a.Value))
	}
	if !e.opt.DataOnly {
		row.Size, row.Access = schema.Of(a.Size), schema.Of(a.Access)
	}
	e.data.held = append(e.data.held, etmv3HeldAccess{row, a.late})
	if e.opt.DataOnly {
		e.settleData(true)
	}
}

// abortData makes the data of the last instruction those of one that aborted.
func (e *ETMv3) abortData() {
	e.tellDelayed()
	abort := func(row *DataAccess) {
		if !row.NoInstruction && row.Seq == e.truth.seq-1 {
			row.State = schema.DataAborted
		}
	}
	for i := range e.data.held {
		abort(&e.data.held[i].DataAccess)
	}
	for tag := range e.data.open {
		abort(&e.data.open[tag].V.row)
	}
}

// settleData ends the last data instruction. Where trace began in its midst, its
// transfers are known by being its last ones, unless its end may be missing
// (§6.3): then they are counted from the first one traced.
func (e *ETMv3) settleData(whole bool) {
	for i := range e.data.held {
		a := &e.data.held[i]
		if !whole {
			a.Position -= a.late
		}
		e.truth.rows.DataAccess(&a.DataAccess)
	}
	e.data.held = e.data.held[:0]
	for tag := range e.data.open { // no longer of the last one
		e.data.open[tag].V.late = 0
	}
}
