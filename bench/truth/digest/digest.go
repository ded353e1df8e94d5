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
// significant byte first: address (4 bytes), size (1), isa (1: its position in
// the enum), executed (1: 0 false, 1 true, 2 NULL); and cycles, cycle, timestamp
// and context_id (9 each: 1 and the value, or 0 and 0 for NULL).
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
	var b [36]byte
	binary.LittleEndian.PutUint32(b[:], uint32(row.Address))
	b[4], b[5], b[6] = row.Size, uint8(row.ISA), outcome
	d.program.Write(b[:7])
	clear(b[:7])
	putTold(b[0:], uint64(row.Cycles.V), row.Cycles.OK)
	putTold(b[9:], uint64(row.Cycle.V), row.Cycle.OK)
	putTold(b[18:], row.Timestamp.V, row.Timestamp.OK)
	putTold(b[27:], uint64(row.ContextID.V), row.ContextID.OK)
	d.timing.Write(b[:])
}

func putTold(b []byte, v uint64, ok bool) {
	if ok {
		b[0] = 1
		binary.LittleEndian.PutUint64(b[1:], v)
	}
}

// Exception implements [truth.Rows].
func (d *Digest) Exception(row *truth.Exception) {
	x := Exception{
		Seq: row.Seq, Event: schema.ExceptionEventNames[row.Event], Number: pointer(row.Number),
		ReturnAddress: (*Address)(pointer(row.ReturnAddress)), Target: (*Address)(pointer(row.Target)),
		Cycle: pointer(row.Cycle), Timestamp: pointer(row.Timestamp), ContextID: pointer(row.ContextID),
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
