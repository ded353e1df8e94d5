package timeline

import (
	"cmp"
	"errors"
	"io"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// An off is a time in which trace was off, before an instruction: cycles of the epoch, then of the axis.
type off struct {
	seq, from, until int64
	epoch            int32
}

// offs reads when trace was off: the counts of I-syncs that restart it, and packets of cycles alone before one, which
// are those that `epochs.gap_cycles` adds up.
type offs struct {
	gaps  []int64 // where there may be restarts, ascending
	alone off     // packets of cycles alone that no restart came after yet
	all   []off
}

var errHugeCount = errors.New("has counts that no trace can have")

// read reads the counts of a window.
func (o *offs) read(d *dataset.Dataset, source uint8, w Window) error {
	r, err := d.OpenAt(&schema.CycleCounts, source, schema.CycleCountsSeq, w.From)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) || err == nil && b.Rows() > 0 && int64(schema.CycleCountsSeq.At(b, 0)) >= w.Until {
			return nil
		}
		if err != nil {
			return err
		}
		if err := o.add(b); err != nil {
			return read.Damaged(d, &schema.CycleCounts, err)
		}
	}
}

func (o *offs) add(b *schema.Batch) error {
	for row := range b.Rows() {
		kind := schema.CountKind(schema.CycleCountsKind.At(b, row))
		end, cycles := read.Null(b, row, schema.CycleCountsCycle), read.Null(b, row, schema.CycleCountsCycles)
		seq := int64(schema.CycleCountsSeq.At(b, row))
		if _, ok := slices.BinarySearch(o.gaps, seq); !ok || !end.OK || kind != schema.CountPacket && kind != schema.CountISync {
			continue
		}
		if cycles.V < 0 || end.V < cycles.V || end.V > read.MaxCount/4 {
			return errHugeCount
		}
		x := off{seq, end.V - cycles.V, end.V, int32(read.Null32(b, row, schema.CycleCountsEpoch).V)}
		if o.alone.seq == seq && o.alone.epoch == x.epoch {
			x.from = o.alone.from
		}
		if o.alone = x; kind == schema.CountISync {
			o.alone = off{seq: none}
			o.restart(x)
		}
	}
	return nil
}

// restart notes a time before a restart: of several without an instruction between them, one.
func (o *offs) restart(x off) {
	if last := len(o.all) - 1; last >= 0 && o.all[last].seq == x.seq && o.all[last].epoch == x.epoch {
		o.all[last].until = max(o.all[last].until, x.until)
	} else if x.until > x.from {
		o.all = append(o.all, x)
	}
}

// readOffs reads when trace was off, if the dataset says when: it has cycle_counts by default, but not at level none.
// Where it does not, cycles in which trace was off are with what ran before and after.
func (r *reader) readOffs(d *dataset.Dataset) error {
	t := r.t
	cycles, err := offCycles(d, t.Source)
	if err != nil || cycles == 0 {
		return err
	}
	if read.Need(d, &schema.CycleCounts) != nil {
		t.OffCycles = cycles
		return nil
	}
	o := offs{gaps: r.gaps.at, alone: off{seq: none}}
	if err := o.read(d, t.Source, t.Window); err != nil {
		return err
	}
	slices.SortStableFunc(o.all, func(x, y off) int { return cmp.Compare(x.seq, y.seq) })
	t.offs = o.all
	return nil
}

// offCycles are the cycles of a source in which trace was off.
func offCycles(d *dataset.Dataset, source uint8) (sum int64, err error) {
	err = read.EachBatch(d, &schema.Epochs, source, func(b *schema.Batch) error {
		for row := range b.Rows() {
			if schema.CountKind(schema.EpochsKind.At(b, row)) != schema.CountGap {
				sum += int64(schema.EpochsGapCycles.At(b, row))
			}
		}
		return nil
	})
	return sum, err
}

// placeOffs puts the times on the axis: each begins at a point whose time is known, and is passed as a mark is, but at
// gaps, which have it themselves.
func (t *Timeline) placeOffs() {
	if !t.axis.timed {
		t.offs = nil
	}
	for i := range t.offs {
		x := &t.offs[i]
		x.from, x.until = t.axis.time(x.epoch, x.from), t.axis.time(x.epoch, x.until)
		if w := t.Window; w.From < x.seq && x.seq < w.Until {
			t.points = append(t.points, point{x.seq, x.from, x.epoch})
			if _, isGap := slices.BinarySearch(t.gaps, x.seq); !isGap {
				t.marks = append(t.marks, mark{seq: x.seq, pause: true})
			}
		}
	}
}

// off returns when trace was off before an instruction; where it was not, all is 0.
func (t *Timeline) off(seq int64) (x off) {
	if i, ok := slices.BinarySearchFunc(t.offs, seq, func(x off, seq int64) int { return cmp.Compare(x.seq, seq) }); ok {
		x = t.offs[i]
	}
	return x
}
