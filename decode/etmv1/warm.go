package etmv1

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/decode/record"
	"github.com/tracelake/tracelake/schema"
)

// This file is the fast paths of both passes, beside the plain rules: they make what
// those make of the usual, and leave all else to them.
//
// In the first pass, the usual is a branch on 8 pins whose address comes out at once, and
// takes no more samples than its window. In the second pass it is instructions without
// data, and branches whose address is not full, through code whose blocks are cached and
// linked.

// usual takes the branch that records begin with as [framer.sample] does, with its window,
// if it is usual.
func (f *framer) usual(records []byte) bool {
	if len(records) < window*port.SampleBytes || f.width != 8 || f.open > 0 || f.reading || !f.paired || !f.known ||
		f.chain > 0 || f.expected != f.syncs || f.plain {
		return false
	}
	first, second, third := port.At(records), port.At(records[port.SampleBytes:]), port.At(records[2*port.SampleBytes:])
	const sync = 1 << 4
	// A BE with TRACESYNC, then the offset 0: samples of code 0 without TRACESYNC.
	if first&(sync|0xF) != sync|statusBE || (second|third)&(sync|0xF) != 0 {
		return false
	}
	address := schema.Address(first.Packet() & 0x7F)
	n := 1
	if first.Packet()&addressMore != 0 {
		address |= schema.Address(second.Packet()&0x7F) << addressBits
		if n++; second.Packet()&addressMore != 0 {
			address |= schema.Address(third.Packet()&0x7F) << (2 * addressBits)
			if n++; third.Packet()&addressMore != 0 {
				return false
			}
		}
	}
	f.base = f.base&^(1<<(addressBits*n)-1) | address
	f.settle(Address{Address: address, Bytes: uint8(n), Jazelle: f.jazelle})
	f.expected++
	f.syncs++
	f.fixed = f.syncs
	f.next += window
	return true
}

// settle takes a branch that is settled, at the current sample.
func (f *framer) settle(a Address) {
	alone := f.branches.len() == 0 && f.came.len() == 0
	if alone && f.unwanted {
		f.first++
		return
	}
	to := &f.branches
	if alone && f.usualTo != nil {
		f.first++
		to = f.usualTo
	}
	b := to.extend()
	b.at, b.own, b.syncs = f.next, f.expected, f.syncs
	b.data, b.window, b.fate, b.apo, b.compared, b.agrees, b.extra = false, window-1, live, 0, true, true, false
	x := &b.address
	x.Address, x.target, x.contextID, x.start, x.last = a, f.base, 0, f.next, f.next+int64(a.Bytes)-1
	x.half, x.unknown = false, false
	if to == &f.branches {
		f.came.push(*x)
	}
}

// warm walks samples from the current one on, as long as they are warm.
func (d *Decoder) warm() {
	if d.plain || d.Packets || !d.Rec.Settled() || d.cfg.CycleAccurate || d.skip || d.unowed > 0 || d.Rec.Half != (record.Half{}) ||
		d.Rec.Unplaced.Active || !d.Walk.Known() {
		return
	}
	first, at, limit := d.at, d.at, min(d.end, d.framed)
	view := d.view[(at-d.from)*port.SampleBytes : (limit-d.from)*port.SampleBytes]
	for ; at < d.busy && len(view) > 0 && view[0]&0xF <= statusWT; at++ { // the offset of an address packet
		view = view[port.SampleBytes:]
	}
	if at < d.busy {
		return
	}
samples:
	for len(view) > 0 {
		n, unit := 1, int(at-d.data)
		switch view[0] & 0xF {
		case statusIE:
			if n = d.Walk.PassSamples(&d.Rec.Offsets, unit, port.Alike(view, statusIE)); n == 0 {
				break samples
			}
			d.seen = at + int64(n) - 1
		case statusIN:
			if !d.Walk.FailSample(&d.Rec.Offsets, unit) {
				break samples
			}
			d.seen = at
		case statusBE:
			if n = window; len(view) < window*port.SampleBytes || !d.warmBranch(view, at) {
				break samples
			}
		case statusWT:
			if at > d.next || at == d.next && !d.half { // no byte is owed
				break samples
			}
			d.Rec.Segment.Quality.Waits++
		case port.StatusTD:
		default:
			break samples
		}
		at += int64(n)
		view = view[n*port.SampleBytes:]
	}
	if at > first {
		d.at, d.Offset = at, d.Rec.Offset(d.index(at-1))
	}
}

// warmBranch walks the BE of a sample, whose window is in view, unless it is not warm.
func (d *Decoder) warmBranch(view []byte, at int64) bool {
	b := &d.branches.all()[0]
	to := pcOf(&b.address)
	if b.fate != live || b.extra || b.address.Full() || b.window != window-1 || to.ISA == schema.Jazelle ||
		view[port.SampleBytes]&0xF > statusWT || view[2*port.SampleBytes]&0xF > statusWT {
		return false
	}
	if d.cfg.NearVectors(to) {
		if !d.warmSVC(at, to) {
			return false
		}
	} else {
		returns, ok := d.Walk.BranchSample(&d.Rec.Offsets, int(at-d.data), to)
		if !ok {
			return false
		}
		if returns {
			d.Offset = d.Rec.Offset(d.index(at))
			d.Rec.Return(d.Key())
		}
		d.Rec.Segment.Quality.IndirectBranch()
	}
	d.branches.drop(1)
	b.check(&d.Rec.Segment.Quality)
	d.seen, d.busy = at+window-1, at+window
	d.afterAddress(b)
	return true
}

// warmSVC walks an SVC, the BE of a sample, to its vector.
func (d *Decoder) warmSVC(at int64, to decode.PC) bool {
	v, _ := d.cfg.Vector(to)
	if v.Type != schema.ExcSVC {
		return false
	}
	returns, ok := d.Walk.SVCSample(&d.Rec.Offsets, int(at-d.data), to)
	if !ok {
		return false
	}
	d.Offset = d.Rec.Offset(d.index(at))
	d.Rec.Enter(schema.Exception{
		Key: d.Key(), Number: v.Number, Type: schema.Of(v.Type), Target: schema.Of(to.Address),
		ReturnAddress: schema.Of(returns),
	})
	return true
}
