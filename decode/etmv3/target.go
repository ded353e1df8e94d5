package etmv3

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// branch handles a branch packet that is no exception (§7.3.5, docs/etmv3.md
// §4.4).
func (d *Decoder) branch(r *Branch) {
	d.DropHalf()
	from, known := decode.PC{}, d.Walk.Known()
	if known {
		from = d.Walk.PC()
	}
	state := d.branchISA(r)
	to := decode.PC{Address: r.Target(d.address, state), ISA: state}
	d.compareBranch(r, from, to)
	// After a direct branch the packet may repeat the target.
	if known && !d.branchExpected(r) && (!d.justTaken() || from != to) {
		d.Inconsistent(from.Address, fmt.Sprintf("branch packet to %s %s", to.Address.Hex(), to.ISA))
	}
	d.goTo(r)
}

// compareBranch counts whether a branch packet agrees with the instruction that it
// follows. A packet that follows none, or has more than an address, is not
// counted.
func (d *Decoder) compareBranch(r *Branch, from, to decode.PC) {
	q := &d.Rec.Segment.Quality
	last, any := d.Rec.Result.LastAddress(d.Rec.Base, d.Rec.Result.Ends())
	switch {
	case d.pending:
		q.IndirectBranch()
	case !d.Walk.Known():
		q.BranchesUnplaced++
	case any && !d.branchExpected(r):
		q.Branch(decode.Miss{Offset: d.Offset, After: schema.Of(last), Expected: from, Found: to})
	}
}

// branchExpected reports whether a branch packet is legal after any instruction:
// it follows another branch packet, or it has information bytes, or no instruction
// was traced since the I-sync, or only the load or store of a restart, before whose
// end others execute.
func (d *Decoder) branchExpected(r *Branch) bool {
	return d.afterBranch || r.Info > 0 || !d.atoms || d.underway
}

// justTaken reports whether the last instruction was a taken branch.
func (d *Decoder) justTaken() bool {
	n := len(d.Rec.Result.Runs)
	return n == d.Rec.Base[decode.Runs] || d.Rec.Result.Runs[n-1].Outcome == schema.Taken
}

// goTo sets the position and the state from a branch packet.
func (d *Decoder) goTo(r *Branch) {
	isa, unsure := d.branchISA(r), d.unsure && r.Bytes < maxAddressBytes
	d.address, d.isa = r.Target(d.address, isa), isa
	changed := d.branchState(r)
	d.afterBranch = true
	if !unsure {
		d.jump(d.address, d.isa)
	}
	if changed {
		d.recordContext()
	}
}

// branchISA returns the instruction set at the target of a branch packet: a
// fifth address byte states it; AltISA, which information byte 0 states, makes
// Thumb ThumbEE.
func (d *Decoder) branchISA(r *Branch) schema.ISA {
	state := d.isa
	if d.Walk.Known() {
		state = d.Walk.ISA() // direct branches change it too
	}
	if state == schema.T32 || state == schema.T32EE {
		d.altISA = state == schema.T32EE
	}
	if r.Info > 0 {
		d.altISA = r.AltISA
	}
	if r.Bytes == maxAddressBytes {
		state = r.ISA
	}
	switch {
	case state != schema.T32 && state != schema.T32EE:
		return state
	case d.altISA:
		return schema.T32EE
	}
	return schema.T32
}

// branchState applies the security state and mode in the information bytes
// (§7.3.5, docs/etmv3.md §3.4.3), and reports whether they change. Byte 1,
// where it is absent, is 0; without any byte nothing changes.
func (d *Decoder) branchState(r *Branch) (changed bool) {
	if r.Info == 0 {
		return false
	}
	before := d.Rec.Security()
	d.setSecurity(r.NS, r.Hyp)
	return d.Rec.Security() != before
}

// setSecurity sets the security state and mode from a packet.
func (d *Decoder) setSecurity(ns, hyp bool) {
	d.Rec.NS, d.Rec.Hyp = d.cfg.Security && ns, d.cfg.Security && hyp
}

// exception handles the entry to an exception (docs/etmv3.md §4.5); after is the
// index in Data of the byte after its packet.
func (d *Decoder) exception(p *Packet, after int) {
	r := &p.Branch
	kind := d.cfg.exceptionType(r)
	if kind == schema.ExcThumbEE && d.isa == schema.Jazelle && !d.Walk.Known() {
		kind = schema.ExcJazelle
	}
	d.dataFate(r, kind)
	half := d.Rec.Half.Second
	returnTo := d.returnAddress(r, kind)
	if returnTo.OK && !d.cfg.OneT32 {
		d.noteReturn(returnTo.V, half)
	}
	x := schema.Exception{
		Key: d.Key(), Number: schema.Of(r.Exception), Type: schema.Of(kind), ReturnAddress: returnTo,
	}
	if r.HasResume {
		x.Resume = schema.Of(r.Resume)
	}
	if r.Bytes == maxAddressBytes || !d.unsure {
		x.Target = schema.Of(r.Target(d.address, d.branchISA(r)))
	}
	debug := kind == schema.ExcDebug
	switch {
	case !debug:
		d.goTo(r)
	case d.branchState(r):
		state := d.branchISA(r)
		d.lose()
		d.isa = state
		d.recordContext()
	}
	d.Rec.Enter(x)
	if debug { // nothing executes at its target
		d.CloseUnplaced()
		d.lose()
		d.pending = false
		d.enterDebug(after)
	}
}

// returnAddress applies the cancel of the exception and returns its return address.
// If only the previous part knows that, the stitcher completes it.
func (d *Decoder) returnAddress(r *Branch, kind schema.ExceptionType) schema.Null[schema.Address] {
	var reached schema.Null[schema.Address]
	if d.Walk.Known() {
		reached = schema.Of(d.Here().Address)
	}
	split := d.Rec.Half.Second && d.Rec.Half.First
	d.DropHalf()
	switch {
	case r.Cancel && split:
		d.cancelable = decode.NothingCancelable
		return reached
	case r.Cancel:
		if at, ok := d.cancel(); ok {
			return at
		}
		return reached
	case d.afterBranch || !faults(kind):
		return reached
	}
	// The last instruction turned into the branch.
	switch d.cancelable {
	case decode.CancelableInstruction:
		at, ok := d.Rec.Result.LastAddress(d.Rec.Base, d.Rec.Result.Ends())
		return schema.Null[schema.Address]{V: at, OK: ok}
	case decode.CancelableEarlier:
		d.back.Aborts = append(d.back.Aborts, len(d.Rec.Result.Exceptions))
	case decode.CancelableUnplaced:
		return schema.Null[schema.Address]{}
	case decode.NothingCancelable, decode.CancelableReturn:
	}
	return reached
}

// faults reports whether an exception of that type is caused by an instruction and
// returns to it (docs/etmv3.md §8.5).
func faults(t schema.ExceptionType) bool {
	return t == schema.ExcUndefined || t == schema.ExcPrefetchAbort || t == schema.ExcDataAbort
}

// cancel applies a cancel (docs/etmv3.md §4.6), and returns the address of the
// cancelled instruction. It fails if no instruction was cancelled.
func (d *Decoder) cancel() (address schema.Null[schema.Address], ok bool) {
	cancelable, row := d.cancelable, d.returnIndex
	d.setCancelable(decode.NothingCancelable)
	switch cancelable {
	case decode.CancelableInstruction:
		at, cost, _ := d.Walk.TakeBack(d.Rec.Base)
		d.DropReturn(row)
		d.Rec.Result.Lower(d.Rec.Base, d.Rec.Result.Ends(), d.Walk.Seq, 1)
		d.waits, d.kept = d.waits+int64(cost), d.kept+int64(cost)
		if d.cfg.CycleAccurate && len(d.Rec.Result.Costs) == d.Rec.Base[decode.Costs] && d.back.Waits == decode.WaitsTaken {
			d.back.Waits = decode.WaitsPassed
		}
		address, ok = schema.Of(at), true
		d.Element(decode.DataElement{Key: d.Key(), Kind: decode.ElementCancelled})
	case decode.CancelableReturn:
		d.DropReturn(row)
		d.Element(decode.DataElement{Key: d.Key(), Kind: decode.ElementReturnCancelled})
		return schema.Null[schema.Address]{}, false
	case decode.CancelableEarlier:
		d.back.Cancel = schema.Of(decode.BackCancel{
			Event: len(d.Rec.Result.Events), Exception: len(d.Rec.Result.Exceptions), Return: row, DataElement: d.Element(decode.DataElement{Key: d.Key(), Kind: decode.ElementCancelled}),
		})
	case decode.CancelableUnplaced:
		ok = true
	case decode.NothingCancelable:
		d.Rec.Event(d.Key(), schema.EventInconsistent, schema.Null[schema.Address]{}, decode.NothingToCancel)
		return schema.Null[schema.Address]{}, false
	}
	d.Rec.Event(d.Key(), schema.EventCancelled, address, "")
	return address, ok
}
