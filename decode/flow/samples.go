package flow

import (
	"math"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file walks by samples of a trace port: an instruction a unit, with the capture
// offset of the unit. It is the walk of [Walker.Executed] and [Walker.Atom] by a Source
// that has RunHasOffsets and nothing else, as far as all blocks are cached, linked and in
// the result. What is not so walks nothing, and is left to those.

// sampleRun are the flags of a run of samples.
const sampleRun = schema.RunHasOffsets | schema.RunHasFailed

// PassSamples walks instructions that passed their condition, of so many units at most from
// one on, and returns of how many: of both of a 32-bit T32 instruction that is a direct branch,
// or of those before any such instruction and indirect branches. It is one loop over blocks,
// which holds the position in local variables.
func (w *Walker) PassSamples(o *decode.OffsetCursor, unit, units int) int {
	first, step, adjacent := o.Adjacent(unit)
	n := min(units, adjacent)
	b := w.here()
	pos, open, walked := w.pos, w.open, 0
	runs, offsets := w.result.Runs, roomFor(w.result.Offsets, n)
	for walked < n && b != nil {
		k := min(n-walked, int(b.pass)-pos)
		at := int64(first) + int64(walked)*int64(step)
		if k <= 0 || k > schema.MaxBlockRow || !w.isReady(b) {
			break
		}
		if !open {
			runs = roomFor(runs, 1)
			runs = runs[:len(runs)+1]
			b.begin(&runs[len(runs)-1], at, pos)
		}
		run := &runs[len(runs)-1]
		if open && !takes(run, at, k, int64(step)) {
			break
		}
		m, d := len(offsets), uint32(at-run.Offset)
		offsets = offsets[:m+k]
		for i := range offsets[m:] {
			offsets[m+i] = d
			d += uint32(step)
		}
		run.Count += uint16(k)
		run.Outcome = schema.Passed
		walked += k
		pos += k
		open = true
		if pos < int(b.count) {
			continue
		}
		run.Outcome, open = schema.Taken, false
		next := b.links[taken]
		if next == nil {
			break
		}
		b, pos = next, 0
	}
	w.result.Runs, w.result.Offsets = runs, offsets
	w.Seq += int64(walked)
	w.stopAt(b, pos, open)
	if walked == 0 && units > 1 && w.passPair(o, unit+1) {
		return 2
	}
	return walked
}

// stopAt sets the position, which may be after the last instruction of b: a branch.
func (w *Walker) stopAt(b *block, pos int, open bool) {
	if w.pos, w.open = pos, open; b == nil {
		return
	}
	if b != w.cur {
		w.cur = b
		w.at = b.at().key()
	}
	if pos > 0 && pos == int(b.count) {
		w.Take()
	}
}

// roomFor returns rows with room for n more.
func roomFor[T any](rows decode.Rows[T], n int) decode.Rows[T] {
	if cap(rows)-len(rows) < n {
		rows = slices.Grow(rows, max(n, 1024, len(rows)/2))
	}
	return rows
}

// begin makes run one of samples that begins in b, without an instruction yet.
func (b *block) begin(run *schema.Run, at int64, pos int) {
	run.Offset = at
	run.Failed, run.Cycle, run.Cycles = 0, 0, 0
	run.Block, run.First, run.Count = b.index, uint16(pos), 0
	run.Outcome, run.Flags = 0, sampleRun
}

// takes reports whether a run, the last one, takes the next k instructions, the first
// of which is of a unit at a capture offset.
func takes(run *schema.Run, at int64, k int, step int64) bool {
	d := at - run.Offset
	return d >= 0 && d+int64(k)*step <= math.MaxUint32 && run.Flags == sampleRun && int(run.Count)+k <= schema.MaxBlockRow
}

// FailSample walks an instruction that failed its condition, unless it is a 32-bit T32
// one.
func (w *Walker) FailSample(o *decode.OffsetCursor, unit int) bool {
	b := w.here()
	if b == nil || w.pos >= int(b.split) || !w.isReady(b) {
		return false
	}
	run := w.oneSample(b, o.At(unit))
	if run == nil {
		return false
	}
	run.Failed |= 1 << (run.Count - 1)
	run.Outcome = schema.NotTaken
	if w.pos++; w.pos == int(b.count) {
		w.follow(b, fallThrough)
	}
	return true
}

// passPair walks a 32-bit T32 instruction that is a direct branch.
func (w *Walker) passPair(o *decode.OffsetCursor, unit int) bool {
	b := w.here()
	if b == nil || b.flow != isa.Direct || w.pos != int(b.split) || w.pos != int(b.count)-1 || !w.isReady(b) {
		return false
	}
	run := w.oneSample(b, o.At(unit))
	if run == nil {
		return false
	}
	run.Outcome = schema.Taken
	w.follow(b, taken)
	return true
}

// BranchSample walks an indirect branch to an address, if it is next, and returns
// whether it is the return from an exception. In Thumb code, no second half of a BL may
// be at the address.
func (w *Walker) BranchSample(o *decode.OffsetCursor, unit int, to decode.PC) (returns, ok bool) {
	b := w.here()
	if b == nil || b.flow != isa.Indirect || w.pos != int(b.count)-1 || w.pos >= int(b.split) {
		return false, false
	}
	next := b.links[taken] // where it went last
	if at := locate(to, b.state.security()); next == nil || next.at() != at {
		if next = w.prog.find(at.key()); next == nil {
			return false, false
		}
		if !b.dropped {
			b.links[taken] = next
		}
	}
	return b.returns, w.sampleTo(b, next, o.At(unit), schema.Taken)
}

// SVCSample walks an SVC, if it is next, and continues at an address. It returns that after the SVC.
func (w *Walker) SVCSample(o *decode.OffsetCursor, unit int, to decode.PC) (returns schema.Address, ok bool) {
	b := w.here()
	if b == nil || w.pos >= int(b.split) || schema.Kind(b.code.Kind[w.pos]) != schema.KindSVC {
		return 0, false
	}
	returns = b.code.Next(w.pos)
	next := w.prog.find(locate(to, b.state.security()).key())
	return returns, next != nil && w.sampleTo(b, next, o.At(unit), schema.Passed)
}

// sampleTo walks an instruction of b, and continues at the block next, unless that may
// begin with the second half of a BL.
func (w *Walker) sampleTo(b, next *block, at decode.CaptureOffset, outcome schema.Outcome) bool {
	if next.count == 0 || next.state.isa() != schema.A32 && next.split == 0 || !w.isReady(b) {
		return false
	}
	run := w.oneSample(b, at)
	if run == nil {
		return false
	}
	run.Outcome = outcome
	w.moveTo(next)
	return true
}

// here returns the block of the position, nil if that is unknown.
func (w *Walker) here() *block {
	if w.cur == nil && w.known && !w.prog.short {
		w.enter()
	}
	return w.cur
}

// isReady puts b, the current block, into the result, if it can be walked here. What
// calls it then walks some of it.
func (w *Walker) isReady(b *block) bool {
	return !w.prog.short && (b.ready == w.partStamp || w.admit(b))
}

// oneSample adds an instruction of a unit at a capture offset to its run, and returns
// that: nil if it cannot be.
func (w *Walker) oneSample(b *block, offset decode.CaptureOffset) *schema.Run {
	at := int64(offset)
	runs := w.result.Runs
	if !w.open {
		runs = roomFor(runs, 1)
		runs = runs[:len(runs)+1]
		w.result.Runs, w.open = runs, true
		b.begin(&runs[len(runs)-1], at, w.pos)
	}
	run := &runs[len(runs)-1]
	if !takes(run, at, 1, 0) {
		return nil
	}
	w.result.Offsets = append(w.result.Offsets, uint32(at-run.Offset))
	run.Count++
	w.Seq++
	return run
}

// follow continues after the last instruction of b.
func (w *Walker) follow(b *block, link int) {
	w.open = false
	switch next := b.links[link]; {
	case next != nil:
		w.moveTo(next)
	case link == taken:
		w.Take()
	default:
		w.Pass()
	}
}

// moveTo sets the position to the start of a block.
func (w *Walker) moveTo(b *block) {
	w.cur, w.pos, w.open = b, 0, false
	w.at = b.at().key()
}
