package generate

import (
	"github.com/tracelake/tracelake/bench/synth"
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

var _ synth.Rows = (*DatasetRows)(nil)

// A waitingRow waits until the packet that told it has a place in the capture.
type waitingRow struct {
	position int64
	write    func(offset int64)
}

// NewDatasetRows returns what writes the rows of a source. Offsets says where
// its stream is put, nil that the stream is the capture. The capture has what is
// put from start on.
func NewDatasetRows(d *dataset.Writer, source uint8, offsets *Offsets, start int64) *DatasetRows {
	return &DatasetRows{dataset: d, source: source, offsets: offsets, start: start}
}

// Finish writes the rows that wait, when all bytes of the stream have a place,
// and returns what they come to.
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

// row begins a row with the keys of a table.
func (d *DatasetRows) row(t *schema.Table, k synth.Key, offset int64) *schema.Row {
	r := d.dataset.Table(t, d.source).Row()
	r.Uint8(d.source)
	r.Int64(k.Seq)
	r.NullInt32(k.Segment)
	r.Int64(offset)
	return r
}

// state appends the columns from epoch to security.
func state(r *schema.Row, s *synth.State) {
	r.Int32(s.Epoch)
	r.NullInt64(s.Cycle)
	r.NullUint63(s.Timestamp)
	r.NullUint32(s.ContextID)
	r.NullUint8(s.VMID)
	r.Enum(uint8(s.Security))
}

// Instruction implements [Rows].
func (d *DatasetRows) Instruction(row *synth.Instruction) {
	x := *row
	d.totals.Instructions++
	d.at(x.Offset, func(offset int64) {
		r := d.row(&schema.Instructions, x.Key, offset)
		r.Uint32(x.Address)
		r.Uint8(x.Size)
		r.Enum(uint8(x.ISA))
		r.Uint32(x.Opcode)
		r.Enum(uint8(x.Kind))
		r.NullBool(x.Executed)
		r.NullUint32(x.Cycles)
		state(r, &x.State)
	})
}

// Exception implements [Rows].
func (d *DatasetRows) Exception(row *synth.Exception) {
	x, ordinal := *row, d.ordinal
	d.ordinal++
	if x.Event == schema.ExceptionEntry {
		d.totals.Exceptions++
	}
	d.at(x.Offset, func(offset int64) {
		r := d.row(&schema.Exceptions, x.Key, offset)
		r.Int64(ordinal)
		r.Enum(uint8(x.Event))
		r.NullUint16(x.Number)
		r.NullEnum(code(x.Type))
		r.NullUint32(x.ReturnAddress)
		r.NullUint32(x.Target)
		r.NullUint8(x.Resume)
		state(r, &x.State)
	})
}

// code is an enum value as a cell.
func code[T ~uint8](x schema.Null[T]) schema.Null[uint8] {
	return schema.Null[uint8]{V: uint8(x.V), OK: x.OK}
}

// CycleCount implements [Rows].
func (d *DatasetRows) CycleCount(row *synth.CycleCount) {
	x := *row
	d.at(x.Offset, func(offset int64) {
		r := d.row(&schema.CycleCounts, x.Key, offset)
		r.NullInt32(x.Epoch)
		r.NullInt64(x.Cycles)
		r.NullInt64(x.Cycle)
		r.Enum(uint8(x.Kind))
		r.Bool(x.Late)
	})
}

// Timestamp implements [Rows].
func (d *DatasetRows) Timestamp(row *synth.Timestamp) {
	x := *row
	d.at(x.Offset, func(offset int64) {
		r := d.row(&schema.Timestamps, x.Key, offset)
		r.NullUint63(x.Timestamp)
		r.Uint8(x.KnownBits)
		r.Int32(x.Epoch)
		r.NullInt64(x.Cycle)
	})
}

// Context implements [Rows].
func (d *DatasetRows) Context(row *synth.Context) {
	x := *row
	d.at(x.Offset, func(offset int64) {
		r := d.row(&schema.Contexts, x.Key, offset)
		r.NullUint32(x.ContextID)
		r.NullUint8(x.VMID)
		r.Enum(uint8(x.Security))
		r.NullEnum(code(x.ISA))
	})
}

// DataAccess implements [Rows].
func (d *DatasetRows) DataAccess(row *synth.DataAccess) {
	x := *row
	d.totals.DataAccesses++
	d.at(x.Offset, func(offset int64) {
		r := d.dataset.Table(&schema.DataAccesses, d.source).Row()
		r.Uint8(d.source)
		r.NullInt64(schema.Null[int64]{V: x.Seq, OK: !x.NoInstruction})
		r.NullInt32(x.Segment)
		r.Int64(offset)
		r.Uint16(x.Position)
		r.NullUint32(x.Address)
		r.NullUint63(x.Value)
		r.NullUint8(x.Size)
		r.NullEnum(code(x.Access))
		r.NullUint8(x.Tag)
		r.Enum(uint8(x.State))
	})
}

// Event implements [Rows].
func (d *DatasetRows) Event(row *synth.Event) {
	x := *row
	switch x.Event {
	case schema.EventTraceOn, schema.EventOverflow, schema.EventDebugExit:
		d.totals.Gaps++
	}
	d.at(x.Offset, func(offset int64) {
		r := d.row(&schema.Events, x.Key, offset)
		r.Enum(uint8(x.Event))
		r.NullUint32(x.Address)
		r.NullString(x.Detail)
	})
}

// Loss implements [Rows].
func (d *DatasetRows) Loss(row *synth.Loss) {
	x := *row
	d.totals.Losses++
	if !x.Segment.OK { // all others are in the bytes of a segment
		d.totals.Bytes += x.Bytes
		d.totals.BytesLost += x.Bytes
	}
	d.at(x.Offset, func(offset int64) {
		r := d.row(&schema.Losses, x.Key, offset)
		r.Int64(x.Bytes)
		r.Enum(uint8(x.Reason))
		r.NullString(x.Detail)
	})
}

// Segment implements [Rows].
func (d *DatasetRows) Segment(row *synth.Segment) {
	x := *row
	d.totals.Segments++
	d.totals.Bytes += x.Bytes
	d.totals.BytesDecoded += x.BytesDecoded
	d.totals.BytesLost += x.BytesLost
	d.totals.BytesUnplaced += x.BytesUnplaced
	d.at(x.Offset, func(offset int64) {
		r := d.row(&schema.Segments, x.Key, offset)
		r.Int64(x.Bytes)
		r.Int64(x.BytesDecoded)
		r.Int64(x.BytesLost)
		r.Int64(x.BytesUnplaced)
		r.Int64(x.Instructions)
		r.Int64(x.Exceptions)
		r.NullUint32(x.Address)
		r.Enum(uint8(x.Reason))
	})
}
