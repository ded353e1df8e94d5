package etmv3

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/schema"
)

// isync handles an I-sync inside a segment (§7.10.5, docs/etmv3.md §4.7).
func (d *Decoder) isync(p *Packet) {
	if d.cfg.DataOnly {
		if p.Reason != schema.ISyncPeriodic {
			d.restartTrace(p)
		}
		d.setTo(p)
		return
	}
	if p.Reason == schema.ISyncPeriodic && !p.Bad {
		at := d.cfg.position(p)
		reached := schema.Null[decode.Position]{OK: d.Walk.Known()}
		if reached.OK {
			reached.V = d.reached()
		}
		d.Rec.Periodic(d.Key(), reached, at)
		if first, traced := d.Walk.PC(), d.Rec.Half.First; reached.OK && reached.V == at && d.Rec.Half.Second {
			d.setTo(p)
			d.toSecondHalf(first, traced)
			return
		}
		d.DropHalf()
		d.setTo(p)
		return
	}
	d.DropHalf()
	if p.Reason != schema.ISyncPeriodic {
		d.restartTrace(p)
	}
	if p.Bad {
		d.Rec.Event(d.Key(), schema.EventBadISync, schema.Of(p.Address), "")
		d.lose()
		d.pending, d.unsure = false, true
		return
	}
	d.setTo(p)
}

// position returns the position in an I-sync.
func (c *Config) position(p *Packet) decode.Position {
	return decode.Position{PC: decode.PC{Address: p.Address, ISA: p.ISA}, NonSecure: c.Security && p.NS}
}

// reached returns the position of the flow, which must be known.
func (d *Decoder) reached() decode.Position {
	return decode.Position{PC: d.Here(), NonSecure: d.Rec.NS}
}

// restartTrace handles a non-periodic I-sync, except for its address and state.
func (d *Decoder) restartTrace(p *Packet) {
	d.CloseUnplaced()
	d.forget(p)
	d.Rec.Restart(d.cfg.segmentStart(p, d.Offset), d.Walk.Seq)
}

// segmentStart returns what an I-sync has beside the state of the processor. A
// count of 0 is unknown, and so is that of some restarts.
func (c *Config) segmentStart(p *Packet, offset int64) decode.SegmentStart {
	start := decode.SegmentStart{Offset: offset, Reason: p.Reason, HasCount: p.HasCycles}
	if !c.DataOnly {
		start.At = schema.Of(c.position(p))
	}
	if p.HasCycles && p.Cycles != 0 && !c.countUnknown(p.Reason) {
		start.Count = schema.Of(int64(p.Cycles))
	}
	return start
}

// countUnknown reports whether the count of a restart for that reason is not to be
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

// forget drops what is unknown after a restart of trace.
func (d *Decoder) forget(p *Packet) {
	d.setCancelable(decode.NothingCancelable)
	d.loseWaits()
	d.restartData(p)
	d.restart = schema.Of(decode.Restart{Seq: d.Walk.Seq, Counted: p.HasCycles, Unknown: d.cfg.countUnknown(p.Reason)})
}

// setTo sets the position and the state from an I-sync, whatever came before.
func (d *Decoder) setTo(p *Packet) {
	d.address, d.isa = p.Address, p.ISA
	d.setSecurity(p.NS, p.Hyp)
	d.altISA = p.ISA == schema.T32EE
	if d.cfg.ContextIDBytes > 0 {
		d.Rec.ContextID = schema.Of(p.ContextID)
	}
	d.EnterProcess()
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

// inProgress handles the rest of an I-sync with LSiP (load or store in progress,
// §7.10.5): a data instruction, whose E atom is implied, and the instruction that
// executes now.
func (d *Decoder) inProgress(r *Branch) {
	source := flow.Source{Offset: d.Offset, Cycle: d.Rec.Cycle}
	if d.cfg.CycleAccurate {
		source.Flags = schema.RunHasCosts
	}
	d.Rec.Settle()
	if !d.Walk.Known() { // Jazelle
		d.unplaced(true)
		d.goTo(r)
		return
	}
	switch stop := d.Walk.Atom(&source, true, 0); stop {
	case flow.Missing:
		d.stopped(stop)
		d.cancelable = decode.CancelableUnplaced
		d.NoteUnplaced(true)
	default:
		d.cancelable = decode.CancelableInstruction
	}
	d.goTo(r)
	d.afterBranch = false
}

// lateCount records a count that comes after its restart, though it counts the
// cycles before the restart (§7.3.4, docs/etmv3.md §5).
func (d *Decoder) lateCount(p *Packet) {
	row := schema.CycleCount{
		Key: d.Key(), Point: schema.Point{Epoch: d.Rec.Epoch}, OutOfEpoch: true, Kind: schema.CountGap, Late: true,
	}
	if p.Cycles != 0 {
		row.Cycles = schema.Of(int64(p.Cycles))
	}
	n := len(d.Rec.Result.Counts.Rows)
	switch r := &d.restart.V; {
	case d.restart.OK && !r.Counted:
		r.Counted = true
		row.Seq = r.Seq
		if r.Unknown {
			row.Cycles = schema.Null[int64]{}
		}
	case !d.restart.OK && !d.counted: // perhaps of a restart in an earlier segment
		d.counted = true
		d.back.Count = schema.Of(decode.BackCount{Count: n, Event: len(d.Rec.Result.Events)})
		fallthrough
	default:
		d.Rec.Event(d.Key(), schema.EventCountUnexpected, schema.Null[schema.Address]{}, "")
	}
	d.Rec.Result.Counts.Append(row)
}
