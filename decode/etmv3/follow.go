package etmv3

import (
	"math/bits"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/record"
	"github.com/tracelake/tracelake/schema"
)

// follow is what the decoder knows of the flow beside the walker's position.
type follow struct {
	// pending: an indirect branch was executed, its target is not traced yet.
	pending bool
	// unsure: the packet with a target was lost, so that only five address
	// bytes make an address.
	unsure bool
	// inDebug: in debug state, up to an I-sync.
	inDebug bool
	returns returnPoints
	// afterBranch: the last packet about the flow was a branch packet.
	afterBranch bool
	// atoms: there were atoms since the last I-sync. started: that I-sync
	// restarted trace.
	atoms   bool
	started bool
	// underway: the last instruction is the first one after a restart and
	// transfers data, so other instructions may execute before it completes.
	underway bool
}

// pheader walks the atoms of a P-header, one instruction each (§7.3.1,
// docs/etmv3.md §4.1).
func (d *Decoder) pheader(p *Packet) {
	var placed bool
	if d.cfg.CycleAccurate {
		placed = d.costedAtoms(&p.Atoms)
	} else {
		placed = d.plainAtoms(&p.Atoms)
	}
	if !placed {
		d.Rec.Segment.Row.BytesUnplaced += int64(p.Len)
	}
}

// plainAtoms walks atoms without cycles. It reports whether all of them could be
// placed.
func (d *Decoder) plainAtoms(a *Atoms) bool {
	source := flow.Source{Offset: d.Offset}
	placed := true
	for i := uint8(0); i < a.Count; {
		if !d.cfg.OneT32 || !d.Walk.Known() {
			placed = d.atom(&source, a.N>>i&1 == 0, 0) && placed
			i++
			continue
		}
		d.Rec.Settle()
		run := bits.TrailingZeros32(uint32(a.N)>>i | 1<<(a.Count-i))
		walked := 1
		var stop flow.Stop
		if run > 0 {
			walked, stop = d.Walk.Executed(&source, run)
		} else if stop = d.Walk.Atom(&source, false, 0); stop == flow.Missing {
			walked = 0
		}
		i += uint8(walked)
		if walked > 0 {
			d.walked(walked)
		}
		d.stopped(stop)
	}
	return placed
}

// costedAtoms walks atoms with cycles (§7.3.3, docs/etmv3.md §5): the cost of an
// instruction is the cycles since the previous instruction.
func (d *Decoder) costedAtoms(a *Atoms) bool {
	source := flow.Source{Offset: d.Offset, Flags: schema.RunHasCosts}
	placed, seq := true, d.Walk.Seq
	sum := int64(a.Waits)
	d.wait(a.Waits)
	for i := range a.Count {
		if i > 0 {
			d.wait(a.Between)
			sum += int64(a.Between)
		}
		source.Cycle = d.Rec.Cycle
		placed = d.atom(&source, a.N>>i&1 == 0, d.waits) && placed
	}
	kind := schema.CountPacket
	if a.Count > 0 {
		kind = schema.CountAtom
	}
	if d.Walk.Seq > seq {
		seq = d.Walk.Seq - 1 // the ordinal of the last instruction in the packet
	}
	if sum > 0 {
		d.Rec.Count(schema.Key{Seq: seq, Offset: d.Offset}, sum, kind)
	}
	return placed
}

// wait counts n cycles.
func (d *Decoder) wait(n uint8) {
	d.Rec.Cycle += int64(n)
	d.waits += int64(n)
}

// atom walks one instruction. It reports whether it could be placed.
func (d *Decoder) atom(source *flow.Source, executed bool, cost int64) bool {
	if d.Walk.Known() && !d.cfg.OneT32 && d.firstHalf() {
		return true
	}
	if !d.Walk.Known() {
		d.unplaced(executed)
		return false
	}
	d.Rec.Settle()
	stop := d.Walk.Atom(source, executed, uint32(min(cost, 1<<32-1)))
	if stop == flow.Missing {
		d.stopped(stop)
		d.unplaced(executed)
		return false
	}
	d.waits, d.kept = 0, 0
	d.back.Waited(decode.WaitsTaken)
	d.Rec.Half = record.Half{}
	d.walked(1)
	d.stopped(stop)
	return true
}

// walked notes that n instructions got rows.
func (d *Decoder) walked(n int) {
	d.setCancelable(decode.CancelableInstruction)
	d.Rec.Since.Instructions = true
	d.afterBranch = false
	d.underway = d.started && !d.atoms && n == 1 && d.Walk.TransfersData()
	d.atoms = true
}

// stopped handles the end of a walk.
func (d *Decoder) stopped(stop flow.Stop) {
	switch stop {
	case flow.Arrived:
	case flow.AtIndirect:
		if d.Walk.Waypoint().Kind == schema.KindExceptionReturn && d.cfg.returnsByOpcode() {
			d.returnRow()
		}
		d.lose()
		d.pending = true
	case flow.Missing:
		d.unmapped()
	default:
		panic("etmv3: an atom walks to no waypoint")
	}
}

// lose makes the position unknown. The instruction set stays that of the flow.
func (d *Decoder) lose() {
	if d.Walk.Known() {
		d.isa = d.Walk.ISA()
	}
	d.Rec.Half = record.Half{}
	d.Walk.Lose()
}

// unplaced takes an atom at an unknown address (docs/etmv3.md §4.4).
func (d *Decoder) unplaced(executed bool) {
	if d.pending { // its branch packet was lost
		d.pending, d.unsure = false, true
	}
	if !d.Rec.Unplaced.Active {
		d.OpenUnplaced(schema.EventNoAddress, schema.Null[schema.Address]{})
	}
	d.Rec.Unplaced.Count++
	d.NoteUnplaced(executed)
	d.dropWaits()
	d.setCancelable(decode.CancelableUnplaced)
	d.afterBranch = false
}

// dropWaits drops the cycles up to here: they belong to no instruction.
func (d *Decoder) dropWaits() {
	d.waits, d.kept = 0, 0
	d.back.Waited(decode.WaitsDropped)
}

// loseWaits drops the cycles up to here: they passed before trace restarts.
func (d *Decoder) loseWaits() {
	if d.waits > d.kept {
		d.Rec.Gap(d.waits - d.kept)
	}
	d.waits, d.kept = 0, 0
	d.back.Waited(decode.WaitsLost)
}

// unmapped records that the walk reached an instruction that is in no image
// (§7.12).
func (d *Decoder) unmapped() {
	d.Unmapped(d.Walk.MissingAddress())
	d.lose()
}

// jump sets the position to an address from the trace.
func (d *Decoder) jump(address schema.Address, state schema.ISA) {
	d.pending, d.unsure = false, false
	d.Rec.Half = record.Half{}
	if state == schema.Jazelle {
		if !d.Rec.Unplaced.Active || d.Rec.Unplaced.Event.Event != schema.EventJazelle {
			d.OpenUnplaced(schema.EventJazelle, schema.Of(address))
		}
		d.Walk.Lose()
		return
	}
	d.CloseUnplaced()
	if !d.cfg.OneT32 && state == schema.T32 && d.secondHalf(address) {
		address = (address - 2).In32()
		d.Rec.Half.Second = true
	}
	d.Walk.Goto(decode.PC{Address: address, ISA: state}, d.Rec.Security())
}
