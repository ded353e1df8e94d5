package pipeline

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// This file turns rows as decoders report them into rows of batches.

// An exceptionRow is an exception with what the stitcher knows of it.
type exceptionRow struct {
	schema.Exception
	ordinal   int64
	timestamp schema.Null[uint64]
}

func exceptionRows(b base, u *decode.Result, exceptions []schema.Exception) []exceptionRow {
	rows := make([]exceptionRow, len(exceptions))
	for i, x := range exceptions {
		rows[i] = exceptionRow{Exception: x, ordinal: b.ordinal + int64(i), timestamp: timestampOf(b, u, x.Timestamp)}
	}
	return rows
}

// timestampOf returns the last timestamp seen, given the index of its row.
func timestampOf(b base, u *decode.Result, index int32) schema.Null[uint64] {
	for index >= b.timestamps && u.Timestamps[index].Unknown {
		index--
	}
	if index < b.timestamps {
		return b.timestamp
	}
	return rowTimestamp(u.Timestamps[index].Value)
}

func fillException(batch *schema.Batch, b *base, x *exceptionRow) {
	epoch, cycle := b.at(x.Point)
	schema.AppendExceptions(batch, b.keys(x.Key), x.ordinal, x.Event, x.Number, x.Type, x.ReturnAddress, x.Target, x.Resume,
		epoch, cycle, x.timestamp, x.ContextID, b.vmidOr(x.VMID), schema.Of(x.Security))
}

func fillCycleCount(batch *schema.Batch, b *base, x *schema.CycleCount) {
	epoch, cycle := b.at(x.Point)
	schema.AppendCycleCounts(batch, b.keys(x.Key), schema.Null[int32]{V: epoch, OK: !x.OutOfEpoch}, x.Cycles, cycle, x.Kind, x.Late)
}

func fillTimestamp(batch *schema.Batch, b *base, x *schema.Timestamp) {
	epoch, cycle := b.at(x.Point)
	schema.AppendTimestamps(batch, b.keys(x.Key), rowTimestamp(x.Value), x.KnownBits, epoch, cycle)
}

func fillContext(batch *schema.Batch, b *base, x *schema.Context) {
	schema.AppendContexts(batch, b.keys(x.Key), x.ContextID, x.VMID, schema.Of(x.Security), x.ISA)
}

func fillDataAccess(batch *schema.Batch, b *base, x *schema.DataAccess) {
	seq := schema.Null[int64]{V: x.Seq, OK: !x.NoInstruction}
	schema.AppendDataAccesses(batch, b.source, seq, x.Segment, x.Offset, x.Position, x.Address, x.Value, x.Size, x.Access, x.Tag, x.State)
}

func fillEvent(batch *schema.Batch, b *base, x *schema.Event) {
	schema.AppendEvents(batch, b.keys(x.Key), x.Event, x.Address, x.Detail)
}

func fillLoss(batch *schema.Batch, b *base, x *schema.Loss) {
	schema.AppendLosses(batch, b.keys(x.Key), x.Bytes, x.Reason, x.Detail)
}

func fillSegment(batch *schema.Batch, b *base, x *schema.Segment) {
	schema.AppendSegments(batch, b.keys(x.Key), x.Bytes, x.BytesDecoded, x.BytesLost, x.BytesUnplaced, x.Instructions, x.Exceptions,
		x.Address, x.Reason)
}

func fillPacket(batch *schema.Batch, b *base, x *schema.Packet) {
	schema.AppendPackets(batch, b.keys(x.Key), x.Type, x.Bytes, x.Fields)
}

// A codeBlock is an instruction of a code block with its numbers.
type codeBlock struct {
	number   uint32
	position int
	block    *schema.Block
}

func fillCodeBlock(batch *schema.Batch, b *base, x *codeBlock) {
	schema.AppendCodeBlocks(batch, b.source, int32(x.number), uint16(x.position), x.block.Address[x.position], x.block.Size[x.position],
		x.block.Key.ISA, x.block.Opcode[x.position], schema.Kind(x.block.Kind[x.position]))
}
