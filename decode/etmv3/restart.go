package etmv3

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/schema"
)

// isync handles an I-sync inside a segment (§7.10.5, docs/etmv3.md §4.7).
func (d *Decoder) isync(p *Packet) {
	if d.cfg.DataOnly {
		d.dataISync(p)
		return
	}
	if p.Reason == schema.ISyncPeriodic && !p.Bad {
		at := d.cfg.position(p)
		reached := schema.Null[decode.Position]{OK: d.walk.Known()}
		if reached.OK {
			reached.V = d.reached()
		}
		d.rec.Periodic(d.key(), reached, at)
		if first, told := d.walk.PC(), d.split.first; reached.OK && reached.V == at && d.split.second {
			d.setTo(p)
			d.toSecondHalf(first, told)
			return
		}
		d.dropHalf()
		d.setTo(p)
		return
	}
	d.dropHalf()
	if p.Reason != schema.ISyncPeriodic {
		d.restartTrace(p)
	}
	if p.Bad {
		d.rec.Event(d.key(), schema.EventBadISync, schema.Of(p.Address), "")
		d.lose()
		d.pending, d.unsure = false, true
		return
	}
	d.setTo(p)
}

// position is where an I-sync says the flow is.
func (c *Config) position(p *Packet) decode.Position {
	return decode.Position{PC: decode.PC{Address: p.Address, ISA: p.ISA}, NonSecure: c.Security && p.NS}
}

// reached is where the flow is, which is known.
func (d *Decoder) reached() decode.Position {
	return decode.Position{PC: d.here(), NonSecure: d.rec.NS}
}

// restartTrace handles what an I-sync that is not periodic says beside the
// address.
func (d *Decoder) restartTrace(p *Packet) {
	d.closeUnplaced()
	d.forget(p)
	d.rec.Restart(d.cfg.lead(p, d.offset), d.walk.Seq)
}

// lead is what an I-sync says beside the state of the processor. A count of 0 is
// unknown, and so is that of some restarts.
func (c *Config) lead(p *Packet, offset int64) decode.SegmentStart {
	l := decode.SegmentStart{Offset: offset, Reason: p.Reason, HasCount: p.HasCycles}
	if !c.DataOnly {
		l.At = schema.Of(c.position(p))
	}
	if p.HasCycles && p.Cycles != 0 && !c.countUnknown(p.Reason) {
		l.Count = schema.Of(int64(p.Cycles))
	}
	return l
}

// countUnknown says whether the count of a restart for that reason is not to be
// trusted (§7.3.4, docs/etmv3.md §5).
func (c *Config) countUnknown(reason schema.ISyncReason) bool {
	switch reason {
	case schema.ISyncOverflow:
		return c.Minor == 0 || c.Minor >= minorTimestamp
	case schema.ISyncDebugExit:
		return c.Minor == 0
	case schema.ISyncPeriodic, schema.ISyncTraceOn:
	}
	return false
}

// forget drops what does not reach over a restart of trace.
func (d *Decoder) forget(p *Packet) {
	d.acted(decode.NothingCancelable)
	d.dropWaits()
	d.restartData(p)
	d.restart = schema.Of(decode.Restart{Seq: d.walk.Seq, Counted: p.HasCycles, Unknown: d.cfg.countUnknown(p.Reason)})
}

// setTo puts position and state to what an I-sync says, whatever came before.
func (d *Decoder) setTo(p *Packet) {
	d.address, d.isa = p.Address, p.ISA
	d.setSecurity(p.NS, p.Hyp)
	d.altISA = p.ISA == schema.T32EE
	if d.cfg.ContextIDBytes > 0 {
		d.rec.ContextID = schema.Of(p.ContextID)
	}
	d.inDebug, d.afterBranch = false, false
	d.atoms, d.started, d.underway = false, p.Reason != schema.ISyncPeriodic, false
	if d.cfg.DataOnly {
		d.recordContext()
		return
	}
	d.jump(p.Address, p.ISA)
	d.recordContext()
	if p.LSiP {
		d.inProgress(&p.Branch)
	}
}

// inProgress handles what an I-sync with LSiP (load or store in progress,
// §7.10.5) has more: a data instruction, whose E atom is implied, and the
// instruction executing now.
func (d *Decoder) inProgress(r *Branch) {
	told := flow.Source{Offset: d.offset, Cycle: d.rec.Cycle}
	if d.cfg.CycleAccurate {
		told.Flags = schema.RunHasCosts
	}
	d.rec.Settle()
	if !d.walk.Known() { // Jazelle
		d.unplaced(true)
		d.goTo(r)
		return
	}
	switch stop := d.walk.Atom(&told, true, 0); stop {
	case flow.Missing:
		d.stopped(stop)
		d.act = decode.CancelableUnplaced
		d.noteUnplaced(true)
	default:
		d.act = decode.CancelableInstruction
	}
	d.goTo(r)
	d.afterBranch = false
}

// lateCount enters a count that comes after the restart it belongs before
// (§7.3.4, docs/etmv3.md §5).
func (d *Decoder) lateCount(p *Packet) {
	row := schema.CycleCount{Key: d.key(), OutOfEpoch: true, Kind: schema.CountGap, Late: true}
	if p.Cycles != 0 {
		row.Cycles = schema.Of(int64(p.Cycles))
	}
	n := len(d.rec.Result.Counts)
	switch r := &d.restart.V; {
	case d.restart.OK && !r.Counted:
		r.Counted = true
		row.Seq = r.Seq
		if r.Unknown {
			row.Cycles = schema.Null[int64]{}
		}
	case !d.restart.OK && !d.counted: // perhaps one in a segment before
		d.counted = true
		d.back.Count = schema.Of(decode.BackCount{Count: n, Event: len(d.rec.Result.Events)})
		fallthrough
	default:
		d.rec.Event(d.key(), schema.EventCountUnexpected, schema.Null[uint32]{}, "")
	}
	d.rec.Result.Counts = append(d.rec.Result.Counts, row)
}
