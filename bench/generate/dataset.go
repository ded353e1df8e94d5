package generate

import (
	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// DatasetRows writes the truth of one source into a dataset.
type DatasetRows struct {
	dataset *dataset.Writer
	source  uint8
	offsets *Offsets // nil: the stream is the capture
	start   int64    // what is before is lost

	waiting []waitingRow
	ordinal int64 // of the next exception
	totals  schema.Totals
	err     error // the first one
}

var _ truth.Rows = (*DatasetRows)(nil)

// A waitingRow waits until the packet it is made of has a place in the capture.
type waitingRow struct {
	position int64
	write    func(offset int64)
}

// NewDatasetRows returns a writer of the rows of a source. Offsets says where
// its stream is in the capture; nil means that the stream is the capture. The
// capture has the bytes from start on.
func NewDatasetRows(d *dataset.Writer, source uint8, offsets *Offsets, start int64) *DatasetRows {
	return &DatasetRows{dataset: d, source: source, offsets: offsets, start: start}
}

// Finish writes the rows that wait, when all bytes of the stream have a place,
// and returns the totals.
func (d *DatasetRows) Finish() (schema.Totals, error) {
	d.release()
	if d.totals.Gaps > 0 {
		d.totals.Gaps-- // the first restart is the start
	}
	return d.totals, d.err
}

// at calls write with the capture offset of a position, now or when it is known.
func (d *DatasetRows) at(position int64, write func(offset int64)) {
	if d.offsets == nil {
		write(position - d.start)
		return
	}
	d.release()
	d.waiting = append(d.waiting, waitingRow{position, write})
	d.release()
}

// release writes the rows in front whose places are known.
func (d *DatasetRows) release() {
	n := 0
	for ; n < len(d.waiting) && d.offsets.Known(d.waiting[n].position); n++ {
		offset, err := d.offsets.At(d.waiting[n].position)
		if err != nil && d.err == nil {
			d.err = err
		}
		d.waiting[n].write(offset - d.start)
	}
	d.waiting = append(d.waiting[:0], d.waiting[n:]...)
}

// row begins a row of a table.
func (d *DatasetRows) row(t *schema.Table) *schema.Batch { return d.dataset.Table(t, d.source).Row() }

// keys are the cells that most rows begin with.
func (d *DatasetRows) keys(k truth.Key, offset int64) schema.Keys {
	return schema.Keys{Source: d.source, Seq: k.Seq, Segment: k.Segment, ByteOffset: offset}
}

// Instruction implements [Rows].
func (d *DatasetRows) Instruction(row *truth.Instruction) {
	x := *row
	d.totals.Instructions++
	d.at(x.Offset, func(offset int64) {
		schema.AppendInstructions(d.row(&schema.Instructions), d.keys(x.Key, offset), x.Address, x.Size, x.ISA, x.Opcode,
			x.Kind,
			x.Executed, x.Cycles, x.Epoch, x.Cycle, x.Timestamp, x.ContextID, x.VMID, schema.Of(x.Security),
			x.ExceptionLevel, x.Transaction)
	})
}

// Exception implements [Rows].
func (d *DatasetRows) Exception(row *truth.Exception) {
	x, ordinal := *row, d.ordinal
	d.ordinal++
	if x.Event == schema.ExceptionEntry {
		d.totals.Exceptions++
	}
	d.at(x.Offset, func(offset int64) {
		schema.AppendExceptions(d.row(&schema.Exceptions), d.keys(x.Key, offset), ordinal, x.Event, x.Number, x.Type,
			x.ReturnAddress, x.Target, x.Resume, x.Cycles, x.Epoch, x.Cycle, x.Timestamp, x.ContextID, x.VMID,
			schema.Of(x.Security), x.ExceptionLevel)
	})
}

// CycleCount implements [Rows].
func (d *DatasetRows) CycleCount(row *truth.CycleCount) {
	x := *row
	d.at(x.Offset, func(offset int64) {
		schema.AppendCycleCounts(d.row(&schema.CycleCounts), d.keys(x.Key, offset), x.Epoch, x.Cycles, x.Cycle, x.Kind,
			x.Late)
	})
}

// Timestamp implements [Rows].
func (d *DatasetRows) Timestamp(row *truth.Timestamp) {
	x := *row
	d.at(x.Offset, func(offset int64) {
		schema.AppendTimestamps(d.row(&schema.Timestamps), d.keys(x.Key, offset), x.Timestamp, x.KnownBits, x.Epoch, x.Cycle)
	})
}

// Context implements [Rows].
func (d *DatasetRows) Context(row *truth.Context) {
	x := *row
	d.at(x.Offset, func(offset int64) {
		schema.AppendContexts(d.row(&schema.Contexts), d.keys(x.Key, offset), x.ContextID, x.VMID, schema.Of(x.Security),
			x.ISA, x.ExceptionLevel)
	})
}

// DataAccess implements [Rows].
func (d *DatasetRows) DataAccess(row *truth.DataAccess) {
	x := *row
	d.totals.DataAccesses++
	d.at(x.Offset, func(offset int64) {
		seq := schema.Null[int64]{V: x.Seq, OK: !x.NoInstruction}
		schema.AppendDataAccesses(d.row(&schema.DataAccesses), d.source, seq, x.Segment, offset, x.Position,
			x.Address, x.Value, x.Size, x.Access, x.Tag, x.State)
	})
}

// Event implements [Rows].
func (d *DatasetRows) Event(row *truth.Event) {
	x := *row
	switch x.Event {
	case schema.EventTraceOn, schema.EventOverflow, schema.EventDebugExit:
		d.totals.Gaps++
	}
	d.at(x.Offset, func(offset int64) {
		schema.AppendEvents(d.row(&schema.Events), d.keys(x.Key, offset), x.Event, x.Address, x.Detail)
	})
}

// Loss implements [Rows].
func (d *DatasetRows) Loss(row *truth.Loss) {
	x := *row
	d.totals.Losses++
	if !x.Segment.OK { // all others are in the bytes of a segment
		d.totals.Bytes += x.Bytes
		d.totals.BytesLost += x.Bytes
	}
	d.at(x.Offset, func(offset int64) {
		schema.AppendLosses(d.row(&schema.Losses), d.keys(x.Key, offset), x.Bytes, x.Reason, x.Detail)
	})
}

// Segment implements [Rows].
func (d *DatasetRows) Segment(row *truth.Segment) {
	x := *row
	d.totals.Segments++
	d.totals.Bytes += x.Bytes
	d.totals.BytesDecoded += x.BytesDecoded
	d.totals.BytesLost += x.BytesLost
	d.totals.BytesUnplaced += x.BytesUnplaced
	d.at(x.Offset, func(offset int64) {
		schema.AppendSegments(d.row(&schema.Segments), d.keys(x.Key, offset), x.Bytes, x.BytesDecoded, x.BytesLost,
			x.BytesUnplaced,
			x.Instructions, x.Exceptions, x.Address, x.Reason, noNumber, schema.Null[int32]{}, noNumber, noNumber,
			schema.Null[uint64]{}, schema.Null[uint32]{}, schema.Null[uint32]{}, schema.Null[schema.Security]{}, "",
			schema.Null[int32]{}, schema.Null[int32]{}, schema.Null[uint8]{})
	})
}

// noNumber is NULL: a truth does not say what decoding needs to begin at a segment.
var noNumber schema.Null[int64]
