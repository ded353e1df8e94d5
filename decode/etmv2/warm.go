package etmv2

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/decode/record"
	"github.com/tracelake/tracelake/schema"
)

// This file is the fast path of both passes at once: IE, IN and WT, and on 8 pins
// instructions with a branch address of fewer than five bytes, through code whose blocks
// are cached and linked. It makes what [framer.frame] and [Decoder.status] make of them,
// and leaves all else to those.

// warm walks samples from the next one on, as long as they are warm.
func (d *Decoder) warm() {
	if !d.isWarm() {
		return
	}
	f, q := d.frames, &d.Rec.Segment.Quality
	i := f.at
	view := f.records[i*port.SampleBytes : f.samples*port.SampleBytes]
	owed := f.owedUpTo()
samples:
	for len(view) > 0 {
		n := 1
		switch view[0] & 0xF {
		case StatusIE:
			if n = d.Walk.PassSamples(&d.Rec.Offsets, i, port.Alike(view, StatusIE)); n == 0 {
				break samples
			}
			d.walked()
		case StatusIN:
			if !d.Walk.FailSample(&d.Rec.Offsets, i) {
				break samples
			}
			d.walked()
		case StatusDE:
			if !d.warmBranch(i) {
				break samples
			}
			owed = f.owedUpTo()
		case StatusDW:
			if !d.warmDW(i) {
				break samples
			}
			owed = f.owedUpTo()
			if !d.isWarm() { // the second half of a pair comes next
				i++
				break samples
			}
		case StatusWT:
			q.Waits++
			if i >= owed {
				q.WaitsUnowed++
			}
		case StatusTD:
		default:
			break samples
		}
		i += n
		view = view[n*port.SampleBytes:]
	}
	if i > f.at {
		f.at = i
		d.at(i - 1)
	}
}

// isWarm reports whether the decoder is in a state in which there are warm samples.
func (d *Decoder) isWarm() bool {
	return !d.plain && !d.Packets && d.Rec.Settled() && !d.cfg.CycleAccurate && !d.cfg.TracesData() && d.Walk.Known() &&
		!d.pending && !d.context.OK &&
		d.Rec.Half == (record.Half{}) && !d.Rec.Unplaced.Active
}

// owedUpTo returns the first sample from which on no byte is owed.
func (f *framer) owedUpTo() int {
	at := f.pins.At()
	if at.Second {
		return at.Sample + 1
	}
	return at.Sample
}

// warmBranch walks the DE of sample i, if it is an instruction that branches, or an SVC,
// and its group a short branch address. If not, nothing is read.
func (d *Decoder) warmBranch(i int) bool {
	before := d.frames.pins.At()
	if r := d.frames.shortBranch(i); r != nil && d.warmTarget(i, r.Target(d.base)) {
		return true
	}
	d.frames.pins.Seek(before)
	return false
}

// warmDW applies the DW of sample i, if its group is a short branch address: that of the
// exception after an SVC, as a rule. If not, nothing is read.
func (d *Decoder) warmDW(i int) bool {
	before := d.frames.pins.At()
	if r := d.frames.shortBranch(i); r != nil {
		d.at(i)
		d.branch(r, &frame{at: i, status: StatusDW})
		return true
	}
	d.frames.pins.Seek(before)
	return false
}

// shortBranch reads the group of the status of sample k, if it is a branch address of
// fewer than five bytes on 8 pins; nil if not.
func (f *framer) shortBranch(k int) *Branch {
	if f.cfg.Width != 8 {
		return nil
	}
	from := k
	if f.cfg.First == FirstNext {
		from++
	}
	f.pins.From(from)
	f.bytes, f.packets = f.bytes[:0], f.packets[:0]
	if !f.branch8(k) {
		return nil
	}
	return &f.packets[0].Branch
}

// warmTarget walks the instruction of sample i to an address.
func (d *Decoder) warmTarget(i int, to decode.PC) bool {
	state := d.Walk.ISA()
	if d.cfg.NearVectors(to) {
		if v, _ := d.cfg.Vector(to); v.Type != schema.ExcSVC || !d.warmSVC(i, to, v) {
			return false
		}
	} else {
		returns, ok := d.Walk.BranchSample(&d.Rec.Offsets, i, to)
		if !ok {
			return false
		}
		d.walked()
		if returns {
			d.at(i)
			d.returnIndex = len(d.Rec.Result.Exceptions)
			d.Rec.Return(d.Key())
		}
		d.isa = state
		d.Rec.Segment.Quality.IndirectBranch()
	}
	d.base, d.afterBranch = to, true
	return true
}

// warmSVC walks the SVC of sample i to its vector.
func (d *Decoder) warmSVC(i int, to decode.PC, v port.Vector) bool {
	returns, ok := d.Walk.SVCSample(&d.Rec.Offsets, i, to)
	if !ok {
		return false
	}
	d.walked()
	d.at(i)
	d.Rec.Enter(schema.Exception{
		Key: d.Key(), Number: v.Number, Type: schema.Of(v.Type), Target: schema.Of(to.Address),
		ReturnAddress: schema.Of(returns),
	})
	return true
}
