package decode

import (
	"slices"
	"unsafe"

	"github.com/tracelake/tracelake/schema"
)

// A RowKind is a kind of rows in a [Result]. A new kind is a field there, a
// constant here, and a line in [Result.lists].
type RowKind uint8

// The kinds of rows.
const (
	Blocks RowKind = iota
	Runs
	Costs
	Offsets
	Stretches
	Firsts
	Turns
	Failures
	Steps
	StepCycles
	Exits
	Spans
	Exceptions
	Counts
	Sums
	Timestamps
	Contexts
	Data
	Events
	Losses
	Packets
	rowKinds
)

// lists returns the rows of every kind.
func (r *Result) lists() [rowKinds]list {
	return [rowKinds]list{
		Blocks: &r.Blocks, Runs: &r.Runs, Costs: &r.Costs, Offsets: &r.Offsets,
		Stretches: &r.Stretches, Firsts: &r.Firsts, Turns: &r.Turns, Failures: &r.Failures,
		Steps: &r.Steps, StepCycles: &r.StepCycles, Exits: &r.Exits, Spans: &r.Spans,
		Exceptions: &r.Exceptions, Counts: &r.Counts, Sums: &r.Sums, Timestamps: &r.Timestamps,
		Contexts: &r.Contexts, Data: &r.Data, Events: &r.Events, Losses: &r.Losses, Packets: &r.Packets,
	}
}

// Ends are how many rows of each kind a result has at some point, as at the end of
// a segment.
type Ends [rowKinds]int

// Ends returns how many rows of each kind r has.
func (r *Result) Ends() (e Ends) {
	for kind, rows := range r.lists() {
		e[kind] = rows.len()
	}
	return e
}

func (r *Result) grow(room Ends) {
	for kind, rows := range r.lists() {
		rows.grow(room[kind])
	}
}

// Clip gives back the room of r that its rows do not need, where that is much:
// rows may wait for long. Memory of a [Pool] stays as it is.
func (r *Result) Clip() {
	for kind, rows := range r.lists() {
		if r.pool == nil || !pooled(RowKind(kind)) {
			rows.clip()
		}
	}
}

// Bytes returns the memory that r takes up.
func (r *Result) Bytes() int64 {
	n := sizeOf(r.Segments)
	for _, rows := range r.lists() {
		n += rows.bytes()
	}
	for i := range r.Packets {
		n += int64(len(r.Packets[i].Bytes) + len(r.Packets[i].Fields))
	}
	for i := range r.Segments {
		if in := r.Segments[i].Inside; in != nil {
			n += in.Bytes()
		}
	}
	return n
}

// Truncate drops the rows after an end, but no blocks and exits: they are no rows of their
// own, and a walk may come back to them.
func (r *Result) Truncate(to Ends) {
	for kind, rows := range r.lists() {
		if k := RowKind(kind); k != Blocks && k != Exits {
			rows.truncate(to[kind])
		}
	}
}

// Lower has the ordinals of the rows at the end of a range not count n instructions from seq
// on, which were taken back.
func (r *Result) Lower(from, to Ends, seq, n int64) {
	for kind, rows := range r.lists() {
		rows.lower(from[kind], to[kind], seq, n)
	}
}

// A list is the rows of one kind, whatever their type.
type list interface {
	len() int
	grow(n int)
	clip()
	bytes() int64
	truncate(n int)
	lower(from, to int, seq, n int64)
}

// Rows are rows in the order of their packets.
type Rows[T any] []T

// keyed is a row with a [schema.Key].
type keyed interface {
	RowKey() *schema.Key
	// NamesEarlier reports that the ordinal of the row may be lower than that of
	// the previous row.
	NamesEarlier() bool
}

func (r *Rows[T]) len() int       { return len(*r) }
func (r *Rows[T]) grow(n int)     { *r = slices.Grow(*r, n) }
func (r *Rows[T]) clip()          { *r = clipped(*r) }
func (r *Rows[T]) bytes() int64   { return sizeOf(*r) }
func (r *Rows[T]) truncate(n int) { *r = (*r)[:n] }

func (r *Rows[T]) lower(from, to int, seq, n int64) {
	for i := to - 1; i >= from; i-- {
		switch row, ok := any(&(*r)[i]).(keyed); {
		case !ok:
			return
		case row.RowKey().Seq > seq:
			row.RowKey().Seq = max(seq, row.RowKey().Seq-n)
		case !row.NamesEarlier():
			return
		}
	}
}

// clipped returns s in memory of its own length, if most of what it has is room.
func clipped[S ~[]T, T any](s S) S {
	if cap(s) <= 2*len(s) {
		return s
	}
	return append(make(S, 0, len(s)), s...)
}

// sizeOf returns the bytes of memory of s.
func sizeOf[T any](s []T) int64 {
	var x T
	return int64(cap(s)) * int64(unsafe.Sizeof(x))
}
