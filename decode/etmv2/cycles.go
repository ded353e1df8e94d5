package etmv2

import (
	"math"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/schema"
)

// cycles is what the decoder knows of time in cycle-accurate trace, where a sample is
// a cycle (docs/etmv2.md §6.4).
type cycles struct {
	waits int64 // samples of the epoch since the last instruction
	// untimed: the next instruction is the first one since trace started. It opens the
	// epoch and has no cost.
	untimed bool
	timed   bool // an instruction of the segment has a row
	// Of the last row: it opened the epoch, and what it cost.
	opened bool
	cost   uint32
}

// beginCost returns the cost of the next instruction, and marks its source if it has
// one.
func (d *Decoder) beginCost(source *flow.Source) uint32 {
	if !d.cfg.CycleAccurate || d.untimed {
		return 0
	}
	cost := uint32(min(d.waits, math.MaxUint32))
	source.Flags |= schema.RunHasCosts
	source.Cycle = d.Rec.Cycle + int64(cost)
	return cost
}

// endCost notes the instruction that was walked.
func (d *Decoder) endCost(cost uint32) {
	if !d.cfg.CycleAccurate {
		return
	}
	same := d.waits == 0 // the partner of a phantom
	d.waits = 0
	d.opened, d.cost = d.untimed, cost
	if d.untimed {
		d.untimed = false
		d.Rec.Cycle = 0
		return
	}
	d.Rec.Cycle += int64(cost)
	d.back.Waited(decode.WaitsTaken)
	if !same {
		d.Rec.Count(schema.Key{Seq: d.Walk.Seq - 1, Offset: d.Offset}, int64(cost), schema.CountAtom)
	}
	if !d.timed {
		d.timed = true
		d.Walk.EndRun() // it may turn out to open the epoch
	}
}

// takeBackCost gives the cost of a cancelled instruction to the next one. Its count, if
// it is in this part, goes with it.
func (d *Decoder) takeBackCost() {
	if !d.cfg.CycleAccurate {
		return
	}
	if d.opened {
		d.opened, d.untimed, d.waits = false, true, 0
		return
	}
	d.waits += int64(d.cost)
	d.Rec.Cycle -= int64(d.cost)
	d.cost = 0
	counts, from := &d.Rec.Result.Counts, d.Rec.Base[decode.Counts]
	if n := len(counts.Rows); n > from && counts.At(n-1).Seq == d.Walk.Seq {
		counts.Truncate(n - 1)
	}
	if len(d.Rec.Result.Costs) == d.Rec.Base[decode.Costs] && d.back.Waits == decode.WaitsTaken {
		d.back.Waits = decode.WaitsPassed
	}
}

// dropWaits drops the cycles up to here: they belong to no instruction.
func (d *Decoder) dropWaits() {
	d.waits = 0
	d.back.Waited(decode.WaitsDropped)
}
