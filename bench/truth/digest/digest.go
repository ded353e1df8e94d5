// Package digest keeps the truth of a source in short: totals, hashes of the long
// tables, and the rows of three short ones.
//
// Its API is not stable (docs/guide/library.md).
package digest

import (
	"encoding/binary"
	"hash"
	"hash/fnv"

	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/schema"
)

// A Digest is [truth.Rows] that are kept in short: totals, hashes of the long tables,
// and the rows of three short ones.
type Digest struct {
	truth           Truth
	program, timing hash.Hash64
	buffer          []byte // scratch
}

// New returns the digest of a source without rows.
func New(source uint8) *Digest {
	return &Digest{
		truth:   Truth{Source: source, Counts: make(map[string]Counts)},
		program: fnv.New64a(), timing: fnv.New64a(),
	}
}

// Truth returns the truth of the rows so far.
func (d *Digest) Truth() *Truth {
	t := d.truth
	if t.Instructions > 0 {
		t.Program, t.Timing = Hash(d.program.Sum64()), Hash(d.timing.Sum64())
	}
	return &t
}

// The outcomes of instructions as they are hashed.
const (
	hashedFailed   = 0
	hashedExecuted = 1
	hashedUnknown  = 2
)

// Instruction implements [truth.Rows]. The hashes are of these numbers, least
// significant byte first: address (4 bytes, 8 from 2³² on), size (1), isa (1: its position in
// the enum), executed (1: 0 false, 1 true, 2 NULL); and cycles, cycle, timestamp
// and context_id (9 each: 1 and the value, or 0 and 0 for NULL), then exception_level and
// transaction (likewise) unless both are NULL.
func (d *Digest) Instruction(row *truth.Instruction) {
	t := &d.truth
	t.Instructions++
	outcome := uint8(hashedUnknown)
	switch {
	case !row.Executed.OK:
		t.Unknown++
	case row.Executed.V:
		t.Executed++
		outcome = hashedExecuted
	default:
		t.Failed++
		outcome = hashedFailed
	}
	d.buffer = binary.LittleEndian.AppendUint32(d.buffer[:0], uint32(row.Address))
	if row.Address >= schema.End32 {
		d.buffer = binary.LittleEndian.AppendUint64(d.buffer[:0], uint64(row.Address))
	}
	d.buffer = append(d.buffer, row.Size, uint8(row.ISA), outcome)
	d.program.Write(d.buffer)
	d.buffer = appendTold(d.buffer[:0], uint64(row.Cycles.V), row.Cycles.OK)
	d.buffer = appendTold(d.buffer, uint64(row.Cycle.V), row.Cycle.OK)
	d.buffer = appendTold(d.buffer, row.Timestamp.V, row.Timestamp.OK)
	d.buffer = appendTold(d.buffer, uint64(row.ContextID.V), row.ContextID.OK)
	if level, in := row.ExceptionLevel, row.Transaction; level.OK || in.OK {
		d.buffer = appendTold(d.buffer, uint64(level.V), level.OK)
		d.buffer = appendTold(d.buffer, number(in.V), in.OK)
	}
	d.timing.Write(d.buffer)
}

// appendTold appends a value, 0 if the trace does not say it.
func appendTold(b []byte, v uint64, ok bool) []byte {
	b = append(b, uint8(number(ok)))
	return binary.LittleEndian.AppendUint64(b, v*number(ok))
}

// number is 1 for true.
func number(x bool) uint64 {
	if x {
		return 1
	}
	return 0
}

// Exception implements [truth.Rows].
func (d *Digest) Exception(row *truth.Exception) {
	x := Exception{
		Seq: row.Seq, Event: schema.ExceptionEventNames[row.Event], Number: pointer(row.Number),
		ReturnAddress: (*Address)(pointer(row.ReturnAddress)), Target: (*Address)(pointer(row.Target)),
		Cycle: pointer(row.Cycle), Timestamp: pointer(row.Timestamp), ContextID: pointer(row.ContextID),
		ExceptionLevel: pointer(row.ExceptionLevel),
	}
	if row.Type.OK {
		x.Type = row.Type.V.String()
	}
	d.truth.Exceptions = append(d.truth.Exceptions, x)
}

// pointer is v as JSON has it: nil is NULL.
func pointer[T any](v schema.Null[T]) *T {
	if !v.OK {
		return nil
	}
	return &v.V
}

// CycleCount implements [truth.Rows].
func (d *Digest) CycleCount(row *truth.CycleCount) {
	t := &d.truth
	if t.Cycles == nil {
		t.Cycles = new(int64)
	}
	if row.Cycle.OK {
		*t.Cycles = row.Cycle.V
	}
	counts := t.Counts[schema.CountKindNames[row.Kind]]
	counts.Rows++
	counts.Cycles += row.Cycles.V
	t.Counts[schema.CountKindNames[row.Kind]] = counts
}

// Timestamp implements [truth.Rows].
func (d *Digest) Timestamp(row *truth.Timestamp) {
	d.truth.Timestamps = append(d.truth.Timestamps, Timestamp{
		Seq: row.Seq, Timestamp: row.Timestamp.V, Cycle: pointer(row.Cycle),
	})
}

// Context implements [truth.Rows].
func (d *Digest) Context(row *truth.Context) {
	d.truth.Contexts = append(d.truth.Contexts, Context{
		Seq: row.Seq, ContextID: pointer(row.ContextID), VMID: pointer(row.VMID), Security: row.Security.String(),
		ExceptionLevel: pointer(row.ExceptionLevel),
	})
}

// Loss implements [truth.Rows].
func (d *Digest) Loss(row *truth.Loss) {
	if !row.Segment.OK { // else the segment counts it
		d.truth.Bytes += row.Bytes
	}
}

// Segment implements [truth.Rows].
func (d *Digest) Segment(row *truth.Segment) {
	d.truth.Segments++
	d.truth.Bytes += row.Bytes
}

// DataAccess implements [truth.Rows]: a digest has none.
func (d *Digest) DataAccess(*truth.DataAccess) {}

// Event implements [truth.Rows]: a digest has none.
func (d *Digest) Event(*truth.Event) {}
