package rows

import (
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/tally"
	"github.com/tracelake/tracelake/schema"
)

// This file turns rows as the stitcher emits them into rows of batches.

func fillException(batch *schema.Batch, b *stitch.Base, x *stitch.Exception) {
	row := &x.Row
	epoch, cycle := b.At(row.Point)
	schema.AppendExceptions(batch, b.Keys(row.Key), x.Ordinal, row.Event, row.Number, row.Type, row.ReturnAddress,
		row.Target, row.Resume, row.Cycles,
		epoch, cycle, x.Timestamp, b.ContextIDOr(row.ContextID), b.VMIDOr(row.VMID), schema.Of(row.Security),
		row.ExceptionLevel)
}

func fillEpoch(batch *schema.Batch, b *stitch.Base, x *schema.CountSum) {
	schema.AppendEpochs(batch, b.Source, x.Epoch, x.Kind, x.Counts, x.Unknown, x.Cycles, x.Gap)
}

func fillTimestamp(batch *schema.Batch, b *stitch.Base, x *schema.Timestamp) {
	epoch, cycle := b.At(x.Point)
	schema.AppendTimestamps(batch, b.Keys(x.Key), x.Value, x.KnownBits, epoch, cycle)
}

func fillContext(batch *schema.Batch, b *stitch.Base, x *schema.Context) {
	schema.AppendContexts(batch, b.Keys(x.Key), x.ContextID, x.VMID, schema.Of(x.Security), x.ISA, x.ExceptionLevel)
}

func fillDataAccess(batch *schema.Batch, b *stitch.Base, x *schema.DataAccess) {
	seq := schema.Null[int64]{V: x.Seq, OK: !x.NoInstruction}
	schema.AppendDataAccesses(batch, b.Source, seq, x.Segment, x.Offset, x.Position, x.Address, x.Value, x.Size, x.Access,
		x.Tag, x.State)
}

func fillEvent(batch *schema.Batch, b *stitch.Base, x *schema.Event) {
	schema.AppendEvents(batch, b.Keys(x.Key), x.Event, x.Address, x.Detail)
}

func fillLoss(batch *schema.Batch, b *stitch.Base, x *schema.Loss) {
	schema.AppendLosses(batch, b.Keys(x.Key), x.Bytes, x.Reason, x.Detail)
}

func fillSegment(batch *schema.Batch, b *stitch.Base, x *schema.Segment) {
	at := &x.Start
	schema.AppendSegments(batch, b.Keys(x.Key), x.Bytes, x.BytesDecoded, x.BytesLost, x.BytesUnplaced, x.Instructions,
		x.Exceptions,
		x.Address, x.Reason, schema.Of(at.StreamOffset), at.Epoch, at.Cycle, schema.Of(at.Ordinal),
		at.Timestamp, at.ContextID, at.VMID, at.Security, at.Carried, schema.Of(at.DecodeFrom), x.Stack,
		at.ExceptionLevel)
}

func fillPacket(batch *schema.Batch, b *stitch.Base, x *schema.Packet) {
	schema.AppendPackets(batch, b.Keys(x.Key), x.Type, x.Bytes, x.Fields)
}

func fillCodeBlock(batch *schema.Batch, b *stitch.Base, x *stitch.CodeBlock) {
	block, i := x.Block, x.Position
	schema.AppendCodeBlocks(batch, b.Source, int32(x.Number), uint16(i), block.Address[i], block.Size[i],
		block.Key.ISA, block.Opcode[i], schema.Kind(block.Kind[i]))
}

func fillCount(batch *schema.Batch, b *stitch.Base, x *tally.Count) {
	schema.AppendCounts(batch, b.Source, x.Address, x.ISA, x.Executed, x.Failed, x.Unknown, x.FirstSeq, x.Timed, x.Cycles,
		x.CyclesSpread)
}

func fillEdge(batch *schema.Batch, b *stitch.Base, x *tally.Edge) {
	schema.AppendEdges(batch, b.Source, x.From, x.To, x.Kind, x.Outcome, x.N, x.Cycles)
}
