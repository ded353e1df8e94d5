package timeline

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// An axis has the cycles of a source one after another: those of an epoch follow on those of
// the one before, with what was counted between them.
type axis struct {
	timed  bool
	epochs []epoch // by number; there may be none
	total  int64
}

// An epoch is where one is on the axis.
type epoch struct {
	number     int32
	start, end int64
}

// A point is an instruction, and its time in the unit of the timeline.
type point struct {
	seq, at int64
	epoch   int32
}

// find returns the index of an epoch, and where it would be if it had a cycle.
func (a *axis) find(number int32) (int, bool) {
	return slices.BinarySearchFunc(a.epochs, number, func(e epoch, n int32) int { return cmp.Compare(e.number, n) })
}

// time returns where a cycle of an epoch is on the axis.
func (a *axis) time(number int32, cycle int64) int64 {
	start := int64(0)
	if i, _ := a.find(number); i < len(a.epochs) {
		start = a.epochs[i].start
	} else if i > 0 {
		start = a.epochs[i-1].end
	}
	return min(max(start+cycle, 0), a.total)
}

// after returns the end of an epoch and the start of the next one, if that is not after last.
func (a *axis) after(number, last int32) (end, next epoch, ok bool) {
	i, found := a.find(number)
	if !found || i+1 >= len(a.epochs) || a.epochs[i+1].number > last {
		return end, next, false
	}
	return a.epochs[i], a.epochs[i+1], true
}

// readAxis reads how long the epochs of a dataset are, d or the one that it is a window of. There is one epoch, that all
// tasks ran in, unless rows say otherwise; of several, and of a window, `epochs` has the lengths.
func (r *reader) readAxis(whole, d *dataset.Dataset) error {
	t, a := r.t, &r.t.axis
	a.timed = len(t.Tasks) > 0
	several := r.lastEpoch > 0 || len(t.gaps) > 0
	for i := range t.Tasks {
		x := &t.Tasks[i]
		a.timed = a.timed && x.executed.Cycles.OK
		a.total = min(a.total+x.executed.Cycles.V, read.MaxCount)
	}
	var err error
	switch isWindow := d.Manifest.Window != nil; {
	case a.timed && isWindow:
		err = r.readWindow(whole, d)
	case a.timed && several:
		var epochs []epoch
		epochs, err = readEpochs(d, t.Source)
		a.timed = len(epochs) > 0
		a.follow(epochs)
	}
	if err != nil {
		return err
	}
	if t.Unit = durations.InCycles; !a.timed {
		t.Unit, a.total = durations.InInstructions, r.instructions
	}
	if t.until.seq == 0 {
		t.until = point{r.instructions, a.total, math.MaxInt32}
	}
	if a.timed && r.from.at >= 0 {
		t.from = point{r.from.seq, a.time(r.from.epoch, r.from.at), r.from.epoch}
	}
	if a.timed && r.until.at >= 0 && r.until.seq < t.until.seq { // else trace ends, later than what was entered last
		t.until = point{r.until.seq, a.time(r.until.epoch, r.until.at), r.until.epoch}
	}
	return nil
}

// readWindow reads the epochs of a window d. Its axis is that of the whole dataset, or begins with it, if that is itself.
func (r *reader) readWindow(whole, d *dataset.Dataset) error {
	t, a := r.t, &r.t.axis
	begin, err := readBegin(d, t.Source)
	if err != nil {
		return err
	}
	epochs, err := readEpochs(d, t.Source)
	if err != nil {
		return err
	}
	if len(epochs) == 0 || epochs[0].number != begin.epoch {
		epochs = slices.Insert(epochs, 0, epoch{number: begin.epoch})
	}
	end := epochs[len(epochs)-1]
	if len(epochs) == 1 {
		end.end += begin.at
	}
	if whole == d {
		a.follow(epochs)
		a.epochs[0].start -= begin.at
	} else {
		all, err := readEpochs(whole, t.Source)
		if err != nil {
			return err
		}
		a.follow(all)
	}
	t.from = point{begin.seq, a.time(begin.epoch, begin.at), begin.epoch}
	t.until = point{r.instructions, a.time(end.number, end.end), end.number}
	return nil
}

// readBegin returns where the first segment of a source begins, in cycles of its epoch.
func readBegin(d *dataset.Dataset, source uint8) (begin point, err error) {
	r := d.Open(&schema.Segments, source)
	defer r.Close()
	b, err := r.Next()
	if err != nil || b.Rows() == 0 {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return begin, err
	}
	return point{
		int64(schema.SegmentsSeq.At(b, 0)), read.Null(b, 0, schema.SegmentsCycle).V, int32(schema.SegmentsEpoch.At(b, 0)),
	}, nil
}

func readEpochs(d *dataset.Dataset, source uint8) ([]epoch, error) {
	l := ledger{}
	err := read.EachBatch(d, &schema.Epochs, source, l.add)
	return l.epochs, err
}

// follow puts epochs one after another: start is how many cycles lie before one, end how many
// are in it. What lies before the first is not traced.
func (a *axis) follow(epochs []epoch) {
	a.epochs = epochs
	a.total = 0
	for i := range epochs {
		e := &epochs[i]
		if i > 0 {
			a.total += e.start
		}
		e.start, e.end = a.total, a.total+e.end
		a.total = e.end
	}
}

// A ledger has the epochs of a source, for follow.
type ledger struct {
	epochs []epoch
	all    int64 // cycles
}

func (l *ledger) add(b *schema.Batch) error {
	for row := range b.Rows() {
		n := int64(schema.EpochsCycles.At(b, row))
		if n < 0 || n > read.MaxCount-l.all {
			return fmt.Errorf("row %d has counts that no trace can have", row)
		}
		l.all += n
		number, last := int32(schema.EpochsEpoch.At(b, row)), len(l.epochs)-1
		if last < 0 || l.epochs[last].number < number {
			l.epochs = append(l.epochs, epoch{number: number})
			last++
		}
		e := &l.epochs[last]
		switch {
		case e.number != number:
			return fmt.Errorf("epoch %d comes after %d", number, e.number)
		case schema.CountKind(schema.EpochsKind.At(b, row)) == schema.CountGap:
			e.start += n
		default:
			e.end += n
		}
	}
	return nil
}

// between returns the time of an instruction between two points, in proportion.
func between(p, q point, seq int64) int64 {
	if q.seq <= p.seq || q.at <= p.at || seq <= p.seq {
		return p.at
	}
	if seq >= q.seq {
		return q.at
	}
	high, low := bits.Mul64(uint64(q.at-p.at), uint64(seq-p.seq))
	n, _ := bits.Div64(high, low, uint64(q.seq-p.seq))
	return p.at + int64(n)
}

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
