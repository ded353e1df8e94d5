package flow

import (
	"math"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file walks by samples of a trace port: an instruction a unit, with the capture
// offset of the unit. It is the walk of [Walker.Executed] and [Walker.Atom] by a Source
// that has RunHasOffsets and nothing else, as far as all blocks are cached, linked and in
// the result. What is not so walks nothing, and is left to those.

// sampleRun are the flags of a run of samples.
const sampleRun = schema.RunHasOffsets | schema.RunHasFailed

// PassSamples walks instructions that passed their condition, of n units at most from
// one on, and returns how many. It stops before 32-bit T32 instructions and indirect
// branches.
func (w *Walker) PassSamples(o *decode.OffsetCursor, unit, n int) int {
	at, step, adjacent := o.Adjacent(unit)
	n = min(n, adjacent)
	walked := 0
	for b := w.cur; walked < n && w.isReady(b); {
		k := min(n-walked, int(b.pass)-w.pos)
		run := w.sampleRun(b, int64(at), k, int64(step))
		if run == nil {
			break
		}
		w.ramp(uint32(int64(at)-run.Offset), uint32(step), k)
		run.Count += uint16(k)
		run.Outcome = schema.Passed
		walked += k
		at += decode.CaptureOffset(k) * step
		if w.pos += k; w.pos == int(b.count) {
			run.Outcome = schema.Taken
			b = w.follow(b, taken)
		}
	}
	w.Seq += int64(walked)
	return walked
}

// FailSample walks an instruction that failed its condition, unless it is a 32-bit T32
// one.
func (w *Walker) FailSample(o *decode.OffsetCursor, unit int) bool {
	b := w.cur
	if !w.isReady(b) || w.pos >= b.split {
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

// PassPair walks a 32-bit T32 instruction that is a direct branch.
func (w *Walker) PassPair(o *decode.OffsetCursor, unit int) bool {
	b := w.cur
	if !w.isReady(b) || b.flow != isa.Direct || w.pos != b.split || w.pos != int(b.count)-1 {
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

// BranchSample walks an indirect branch to an address, if it is next, and neither an
// SVC nor the return from an exception. In Thumb code, no second half of a BL may be at
// the address.
func (w *Walker) BranchSample(o *decode.OffsetCursor, unit int, to decode.PC, space image.Space) bool {
	b := w.cur
	if !w.isReady(b) || b.flow != isa.Indirect || w.pos != int(b.count)-1 || w.pos >= b.split || b.returns {
		return false
	}
	id := locationID(to.Address) | locationID(to.ISA)<<32 | locationID(space)<<40
	next := b.links[taken] // where it went last
	if next == nil || next.at != id {
		if next = w.Find(to.Address, to.ISA, space).b; next == nil {
			return false
		}
		if !b.dropped {
			b.links[taken] = next
		}
	}
	if next.count == 0 || to.ISA != schema.A32 && next.split == 0 {
		return false
	}
	run := w.oneSample(b, o.At(unit))
	if run == nil {
		return false
	}
	run.Outcome = schema.Taken
	w.moveTo(next)
	return true
}

// isReady reports whether b, the current block, can be walked here.
func (w *Walker) isReady(b *block) bool {
	return b != nil && !w.prog.short && (b.ready == w.partStamp || w.Admit(Cursor{b}))
}

// oneSample adds an instruction of a unit at a capture offset to its run, and returns
// that: nil if it cannot be.
func (w *Walker) oneSample(b *block, at decode.CaptureOffset) *schema.Run {
	run := w.sampleRun(b, int64(at), 1, 0)
	if run != nil {
		w.ramp(uint32(int64(at)-run.Offset), 0, 1)
		run.Count++
		w.Seq++
	}
	return run
}

// sampleRun returns the run for the next k instructions, the first of which is of a unit
// at a capture offset: nil if there is none for all of them.
func (w *Walker) sampleRun(b *block, at int64, k int, step int64) *schema.Run {
	if k <= 0 {
		return nil
	}
	runs := w.result.Runs
	if w.open {
		run := &runs[len(runs)-1]
		d := at - run.Offset
		if d < 0 || d+int64(k)*step > math.MaxUint32 || run.Flags != sampleRun || int(run.Count)+k > schema.MaxBlockRow {
			return nil
		}
		return run
	}
	if k > schema.MaxBlockRow {
		return nil
	}
	n := len(runs)
	if n == cap(runs) {
		runs = slices.Grow(runs, max(1024, n/2))
	}
	runs = runs[:n+1]
	w.result.Runs, w.open = runs, true
	run := &runs[n]
	run.Offset = at
	run.Failed, run.Cycle, run.Cycles = 0, 0, 0
	run.Block, run.First, run.Count = b.index, uint16(w.pos), 0
	run.Flags = sampleRun
	return run
}

// ramp adds the offsets of n instructions: from, and each a step above the one before.
func (w *Walker) ramp(from, step uint32, n int) {
	offsets := w.result.Offsets
	end := len(offsets) + n
	if end > cap(offsets) {
		offsets = slices.Grow(offsets, max(n, 4096, len(offsets)/2))
	}
	offsets = offsets[:end]
	for i := end - n; i < end; i++ {
		offsets[i] = from
		from += step
	}
	w.result.Offsets = offsets
}

// follow continues after the last instruction of b, and returns the block there, nil if
// it is not linked.
func (w *Walker) follow(b *block, link int) *block {
	next := b.links[link]
	if next == nil {
		w.open = false
		if link == taken {
			w.Take()
		} else {
			w.Pass()
		}
		return nil
	}
	w.moveTo(next)
	return next
}

// moveTo sets the position to the start of a block.
func (w *Walker) moveTo(b *block) {
	w.cur, w.pos, w.open = b, 0, false
	w.at.Address, w.at.ISA, w.at.space = uint32(b.at), b.at.isa(), b.at.space()
}
