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
	c := b.Columns
	s := Segment{
		Bytes:        int64(c[schema.SegmentsBytes].U64[i]),
		Instructions: int64(c[schema.SegmentsInstructions].U64[i]), Known: !c[schema.SegmentsStreamOffset].Null(i),
	}
	s.Address = schema.Null[schema.Address]{V: schema.SegmentsAddress.At(b, i), OK: !c[schema.SegmentsAddress].Null(i)}
	s.Reason = schema.ISyncReason(c[schema.SegmentsReason].U8[i])
	s.Stack = signed(null(&c[schema.SegmentsStack], c[schema.SegmentsStack].U32, i))
	s.Keys = schema.Keys{
		Source: c[schema.SegmentsSource].U8[i], Seq: int64(c[schema.SegmentsSeq].U64[i]),
		ByteOffset: int64(c[schema.SegmentsByteOffset].U64[i]),
		Segment:    signed(null(&c[schema.SegmentsSegment], c[schema.SegmentsSegment].U32, i)),
	}
	if !s.Known {
		return s
	}
	s.Start = schema.Start{
		StreamOffset: int64(c[schema.SegmentsStreamOffset].U64[i]), Ordinal: int64(c[schema.SegmentsOrdinal].U64[i]),
		Epoch:      signed(null(&c[schema.SegmentsEpoch], c[schema.SegmentsEpoch].U32, i)),
		Timestamp:  null(&c[schema.SegmentsTimestamp], c[schema.SegmentsTimestamp].U64, i),
		ContextID:  null(&c[schema.SegmentsContextID], c[schema.SegmentsContextID].U32, i),
		VMID:       null(&c[schema.SegmentsVMID], c[schema.SegmentsVMID].U32, i),
		DecodeFrom: int32(c[schema.SegmentsDecodeFrom].U32[i]),
	}
	cycle := null(&c[schema.SegmentsCycle], c[schema.SegmentsCycle].U64, i)
	s.Cycle = schema.Null[int64]{V: int64(cycle.V), OK: cycle.OK}
	security := null(&c[schema.SegmentsSecurity], c[schema.SegmentsSecurity].U8, i)
	s.Security = schema.Null[schema.Security]{V: schema.Security(security.V), OK: security.OK}
	if carried := &c[schema.SegmentsCarried]; !carried.Null(i) {
		s.Carried = carried.Str[i]
	}
	return s
}

// null returns a value of a column.
func null[T any](v *schema.Vector, values []T, i int) schema.Null[T] {
	if v.Null(i) {
		return schema.Null[T]{}
	}
	return schema.Of(values[i])
}

func signed(x schema.Null[uint32]) schema.Null[int32] {
	return schema.Null[int32]{V: int32(x.V), OK: x.OK}
}
