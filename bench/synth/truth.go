package synth

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/fnv"
	"strconv"

	"github.com/tracelake/tracelake/schema"
)

// A Truth is what a right decoder makes of one source: what the protocol tells
// of the execution, NULL (nil) where it does not. Instructions that no packet
// told any more are not in it.
type Truth struct {
	Source       uint8 `json:"source"`
	Bytes        int64 `json:"bytes"` // of the stream
	Segments     int64 `json:"segments"`
	Instructions int64 `json:"instructions"`
	Executed     int64 `json:"executed"`
	Failed       int64 `json:"failed"`
	Untold       int64 `json:"untold"`
	// Cycles is the sum of the epoch, the only one; NULL without cycle
	// accuracy.
	Cycles *int64 `json:"cycles"`

	// Program is the hash of address, size, isa and executed of each row of
	// instructions, Timing that of cycles, cycle, timestamp and context_id:
	// see [Truth.instruction].
	Program Hash `json:"program"`
	Timing  Hash `json:"timing"`

	Counts     map[string]TruthCounts `json:"cycle_counts"` // by kind
	Exceptions []TruthException       `json:"exceptions"`
	Contexts   []TruthContext         `json:"contexts"`
	Timestamps []TruthTimestamp       `json:"timestamps"`

	program, timing hash.Hash64
	timestamp       *uint64 // last one seen
	contextID       *uint32
}

// TruthCounts are the rows of cycle_counts of one kind.
type TruthCounts struct {
	Rows   int64 `json:"rows"`
	Cycles int64 `json:"cycles"`
}

// A TruthException is a row of exceptions.
type TruthException struct {
	Seq           int64    `json:"seq"`
	Event         string   `json:"event"`
	Type          string   `json:"type,omitempty"`
	Number        *uint16  `json:"number,omitempty"`
	ReturnAddress *Address `json:"return_address,omitempty"`
	Target        *Address `json:"target,omitempty"`
	Cycle         *int64   `json:"cycle,omitempty"`
	Timestamp     *uint64  `json:"timestamp,omitempty"`
	ContextID     *uint32  `json:"context_id,omitempty"`
}

// A TruthContext is a row of contexts.
type TruthContext struct {
	Seq       int64   `json:"seq"`
	ContextID *uint32 `json:"context_id"`
	VMID      *uint8  `json:"vmid"`
	Security  string  `json:"security"`
}

// A TruthTimestamp is a row of timestamps.
type TruthTimestamp struct {
	Seq       int64  `json:"seq"`
	Timestamp uint64 `json:"timestamp"`
	Cycle     *int64 `json:"cycle,omitempty"`
}

// An Address is written in hexadecimal.
type Address uint32

// MarshalText writes a as 0x and eight digits.
func (a Address) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "0x%08x", uint32(a)), nil }

// UnmarshalText reads what MarshalText writes.
func (a *Address) UnmarshalText(b []byte) error {
	v, err := strconv.ParseUint(string(b), 0, 32)
	*a = Address(v)
	return err
}

// A Hash is an FNV-1a hash of 64 bits, written in hexadecimal.
type Hash uint64

// MarshalText writes h as sixteen digits.
func (h Hash) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%016x", uint64(h)), nil }

// UnmarshalText reads what MarshalText writes.
func (h *Hash) UnmarshalText(b []byte) error {
	v, err := strconv.ParseUint(string(b), 16, 64)
	*h = Hash(v)
	return err
}

// newTruth returns the truth of an empty stream.
func newTruth(source uint8, cycleAccurate bool) *Truth {
	t := &Truth{
		Source: source, Counts: make(map[string]TruthCounts),
		program: fnv.New64a(), timing: fnv.New64a(),
	}
	if cycleAccurate {
		t.Cycles = new(int64)
	}
	return t
}

// outcome is the executed column of a row: what the protocol tells.
type outcome uint8

const (
	failed outcome = iota
	executed
	untold
)

// An instructionRow is a row of instructions.
type instructionRow struct {
	step    Step
	outcome outcome
	cycles  *uint32
}

// instruction enters a row. The hashes are of these numbers, least significant
// byte first: address (4 bytes), size (1), isa (1: its position in the enum),
// executed (1: 0 false, 1 true, 2 NULL); and cycles, cycle, timestamp and
// context_id (9 each: 1 and the value, or 0 and 0 for NULL).
func (t *Truth) instruction(row *instructionRow) {
	t.Instructions++
	switch row.outcome {
	case failed:
		t.Failed++
	case executed:
		t.Executed++
	case untold:
		t.Untold++
	}
	var b [36]byte
	binary.LittleEndian.PutUint32(b[:], row.step.At.Address)
	b[4], b[5], b[6] = row.step.Instruction.Size, uint8(row.step.At.ISA), uint8(row.outcome)
	t.program.Write(b[:7])
	clear(b[:7])
	if row.cycles != nil {
		putTold(b[0:], uint64(*row.cycles))
		putTold(b[9:], uint64(*t.Cycles))
	}
	if t.timestamp != nil {
		putTold(b[18:], *t.timestamp)
	}
	if t.contextID != nil {
		putTold(b[27:], uint64(*t.contextID))
	}
	t.timing.Write(b[:])
	t.Program, t.Timing = Hash(t.program.Sum64()), Hash(t.timing.Sum64())
}

func putTold(b []byte, v uint64) {
	b[0] = 1
	binary.LittleEndian.PutUint64(b[1:], v)
}

// count enters a row of cycle_counts that belongs to the epoch.
func (t *Truth) count(kind schema.CountKind, cycles uint32) {
	*t.Cycles += int64(cycles)
	t.countRow(kind, cycles)
}

// countRow enters a row of cycle_counts.
func (t *Truth) countRow(kind schema.CountKind, cycles uint32) {
	name := schema.CountKindNames[kind]
	row := t.Counts[name]
	row.Rows++
	row.Cycles += int64(cycles)
	t.Counts[name] = row
}

// entry enters an exception entry that left the core at returnTo.
func (t *Truth) entry(kind schema.ExceptionType, number uint16, returnTo, target uint32) {
	t.Exceptions = append(t.Exceptions, TruthException{
		Seq: t.Instructions, Event: schema.ExceptionEventNames[schema.ExceptionEntry],
		Type: kind.String(), Number: &number,
		ReturnAddress: (*Address)(&returnTo), Target: (*Address)(&target),
		Cycle: t.cycle(), Timestamp: t.timestamp, ContextID: t.contextID,
	})
}

// exceptionReturn enters the return by the last instruction.
func (t *Truth) exceptionReturn() {
	t.Exceptions = append(t.Exceptions, TruthException{
		Seq: t.Instructions, Event: schema.ExceptionEventNames[schema.ExceptionReturn],
		Cycle: t.cycle(), Timestamp: t.timestamp, ContextID: t.contextID,
	})
}

// context enters the context from here on, if it changed.
func (t *Truth) context(contextID *uint32, vmid *uint8, security schema.Security) {
	t.contextID = contextID
	row := TruthContext{Seq: t.Instructions, ContextID: contextID, VMID: vmid, Security: security.String()}
	if n := len(t.Contexts); n > 0 {
		last := &t.Contexts[n-1]
		if same(last.ContextID, contextID) && same(last.VMID, vmid) && last.Security == row.Security {
			return
		}
	}
	t.Contexts = append(t.Contexts, row)
}

// same says whether a and b are the same value, or both NULL.
func same[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// timestampIs enters a timestamp packet.
func (t *Truth) timestampIs(value uint64) {
	t.timestamp = &value
	t.Timestamps = append(t.Timestamps, TruthTimestamp{Seq: t.Instructions, Timestamp: value, Cycle: t.cycle()})
}

// cycle is a copy of the sum of cycles so far.
func (t *Truth) cycle() *int64 {
	if t.Cycles == nil {
		return nil
	}
	c := *t.Cycles
	return &c
}
