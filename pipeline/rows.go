package pipeline

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// This file turns rows as decoders tell them into cells, in the order of the
// columns in schema/tables.go.

// An exceptionRow is an exception with what the stitcher knows of it.
type exceptionRow struct {
	schema.Exception
	ordinal   int64
	timestamp schema.Null[uint64]
}

func exceptionRows(b base, u *decode.Unit, exceptions []schema.Exception) []exceptionRow {
	rows := make([]exceptionRow, len(exceptions))
	for i, x := range exceptions {
		rows[i] = exceptionRow{Exception: x, ordinal: b.ordinal + int64(i), timestamp: timestampOf(b, u, x.Timestamp)}
	}
	return rows
}

// timestampOf returns the last timestamp seen, given the index of its row.
func timestampOf(b base, u *decode.Unit, index int32) schema.Null[uint64] {
	for index >= b.timestamps && u.Timestamps[index].Unknown {
		index--
	}
	if index < b.timestamps {
		return b.timestamp
	}
	return rowTimestamp(u.Timestamps[index].Value)
}

func fillException(r *schema.Row, b *base, x *exceptionRow) {
	epoch, cycle := b.at(x.Point)
	b.key(r, x.Key)
	r.Int64(x.ordinal)
	r.Enum(uint8(x.Event))
	r.NullUint16(x.Number)
	r.NullEnum(schema.Null[uint8]{V: uint8(x.Type.V), OK: x.Type.OK})
	r.NullUint32(x.ReturnAddress)
	r.NullUint32(x.Target)
	r.NullUint8(x.Resume)
	r.Int32(epoch)
	r.NullInt64(cycle)
	r.NullUint63(x.timestamp)
	r.NullUint32(x.ContextID)
	r.NullUint8(b.vmidOr(x.VMID))
	r.Enum(uint8(x.Security))
}

func fillCycleCount(r *schema.Row, b *base, x *schema.CycleCount) {
	epoch, cycle := b.at(x.Point)
	b.key(r, x.Key)
	if x.OutOfEpoch {
		r.NullInt32(schema.Null[int32]{})
	} else {
		r.NullInt32(schema.Of(epoch))
	}
	r.NullInt64(x.Cycles)
	r.NullInt64(cycle)
	r.Enum(uint8(x.Kind))
	r.Bool(x.Late)
}

func fillTimestamp(r *schema.Row, b *base, x *schema.Timestamp) {
	epoch, cycle := b.at(x.Point)
	b.key(r, x.Key)
	r.NullUint63(rowTimestamp(x.Value))
	r.Uint8(x.KnownBits)
	r.Int32(epoch)
	r.NullInt64(cycle)
}

func fillContext(r *schema.Row, b *base, x *schema.Context) {
	b.key(r, x.Key)
	r.NullUint32(x.ContextID)
	r.NullUint8(x.VMID)
	r.Enum(uint8(x.Security))
	r.NullEnum(schema.Null[uint8]{V: uint8(x.ISA.V), OK: x.ISA.OK})
}

func fillDataAccess(r *schema.Row, b *base, x *schema.DataAccess) {
	seq := schema.Null[int64]{V: x.Seq, OK: !x.NoInstruction}
	r.Uint8(b.source)
	r.NullInt64(seq)
	r.NullInt32(x.Segment)
	r.Int64(x.Offset)
	r.Uint16(x.Position)
	r.NullUint32(x.Address)
	r.NullUint63(x.Value)
	r.NullUint8(x.Size)
	r.NullEnum(schema.Null[uint8]{V: uint8(x.Access.V), OK: x.Access.OK})
	r.NullUint8(x.Tag)
	r.Enum(uint8(x.State))
}

func fillEvent(r *schema.Row, b *base, x *schema.Event) {
	b.key(r, x.Key)
	r.Enum(uint8(x.Event))
	r.NullUint32(x.Address)
	r.NullString(x.Detail)
}

func fillLoss(r *schema.Row, b *base, x *schema.Loss) {
	b.key(r, x.Key)
	r.Int64(x.Bytes)
	r.Enum(uint8(x.Reason))
	r.NullString(x.Detail)
}

func fillSegment(r *schema.Row, b *base, x *schema.Segment) {
	b.key(r, x.Key)
	r.Int64(x.Bytes)
	r.Int64(x.BytesDecoded)
	r.Int64(x.BytesLost)
	r.Int64(x.BytesUnplaced)
	r.Int64(x.Instructions)
	r.Int64(x.Exceptions)
	r.NullUint32(x.Address)
	r.Enum(uint8(x.Reason))
}

func fillPacket(r *schema.Row, b *base, x *schema.Packet) {
	b.key(r, x.Key)
	r.String(x.Type)
	r.Bytes(x.Bytes)
	r.String(x.Fields)
}

// A codeBlock is an instruction of a code block with its numbers.
type codeBlock struct {
	number   uint32
	position int
	block    *schema.Block
}

func fillCodeBlock(r *schema.Row, b *base, x *codeBlock) {
	r.Uint8(b.source)
	r.Int32(int32(x.number))
	r.Uint16(uint16(x.position))
	r.Uint32(x.block.Address[x.position])
	r.Uint8(x.block.Size[x.position])
	r.Enum(uint8(x.block.Key.ISA))
	r.Uint32(x.block.Opcode[x.position])
	r.Enum(x.block.Kind[x.position])
}
