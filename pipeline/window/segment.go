package window

import (
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// A Segment is a row of `segments`.
type Segment struct {
	stitch.Checkpoint
	Bytes int64 // units of the stream
	// Instructions are those in it.
	Instructions int64
	Address      schema.Null[schema.Address]
	Reason       schema.ISyncReason
	Known        bool // the row says where decoding can begin
	Stack        schema.Null[int32]
}

// SegmentOf returns row i of a batch of `segments`.
func SegmentOf(b *schema.Batch, i int) Segment {
	s := Segment{
		Bytes: int64(schema.SegmentsBytes.At(b, i)), Instructions: int64(schema.SegmentsInstructions.At(b, i)),
		Address: null[schema.Address](b, i, schema.SegmentsAddress), Reason: schema.ISyncReason(schema.SegmentsReason.At(b, i)),
		Stack: null[int32](b, i, schema.SegmentsStack), Known: !b.Columns[schema.SegmentsStreamOffset].Null(i),
	}
	s.Keys = schema.Keys{
		Source: schema.SegmentsSource.At(b, i), Seq: int64(schema.SegmentsSeq.At(b, i)),
		Segment: null[int32](b, i, schema.SegmentsSegment), ByteOffset: int64(schema.SegmentsByteOffset.At(b, i)),
	}
	if !s.Known {
		return s
	}
	s.Start = schema.Start{
		StreamOffset: int64(schema.SegmentsStreamOffset.At(b, i)), Ordinal: int64(schema.SegmentsOrdinal.At(b, i)),
		Epoch:          null[int32](b, i, schema.SegmentsEpoch),
		Cycle:          null[int64](b, i, schema.SegmentsCycle),
		Timestamp:      null[uint64](b, i, schema.SegmentsTimestamp),
		ContextID:      null[uint32](b, i, schema.SegmentsContextID),
		VMID:           null[uint32](b, i, schema.SegmentsVMID),
		Security:       null[schema.Security](b, i, schema.SegmentsSecurity),
		ExceptionLevel: null[uint8](b, i, schema.SegmentsExceptionLevel),
		DecodeFrom:     int32(schema.SegmentsDecodeFrom.At(b, i)),
	}
	if carried := &b.Columns[schema.SegmentsCarried]; !carried.Null(i) {
		s.Carried = carried.Str[i]
	}
	return s
}

type integer interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int32 | ~int64
}

// A column is the index of one of integers.
type column[T integer] interface {
	~int
	At(b *schema.Batch, row int) T
}

// null returns row i of a column.
func null[T, U integer, C column[U]](b *schema.Batch, i int, of C) schema.Null[T] {
	if b.Columns[of].Null(i) {
		return schema.Null[T]{}
	}
	return schema.Of(T(of.At(b, i)))
}
