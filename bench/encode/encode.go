// Package encode has what all encoders share: the recorder of their truth, sizes of
// fields, and registers. Each encoder is a package below.
//
// Its API is not stable (docs/guide/library.md).
package encode

import (
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/schema"
)

// An Encoder makes a trace stream of steps, and the truth of it.
type Encoder interface {
	// Step traces one step. It fails if s does not start where the step before left
	// the core, if it cannot be traced, or if the writer of the stream failed.
	Step(s *step.Step) error
	// Close sends what waits to be sent, and ends the stream and its truth.
	Close() error
}

// All traces all steps, and closes the encoder. It fails if a step has an error or
// cannot be traced.
func All(e Encoder, steps step.Steps) error {
	for s, err := range steps {
		if err != nil {
			return err
		}
		if err := e.Step(&s); err != nil {
			return err
		}
	}
	return e.Close()
}

// MinASync is how many bytes the shortest A-sync has: five zeros and 0x80.
const MinASync = 6

// MaxAddressBytes is how many bytes a whole address takes.
const MaxAddressBytes = 5

// UnitBits is the number of low address bits that are always 0 and not sent.
func UnitBits(set schema.ISA) uint8 {
	if set == schema.A32 {
		return 2
	}
	return 1
}

// TimestampBytes is how many bytes hold the given number of bits of a timestamp:
// 7 in each, 8 in the ninth.
func TimestampBytes(n int) uint8 {
	return uint8(max(1, min((n+6)/7, 9)))
}

// TimestampBits is how many of the low bits of a timestamp of width bits n bytes
// send.
func TimestampBits(n, width uint8) uint8 {
	if n == TimestampBytes(int(width)) {
		return width
	}
	return min(7*n, width)
}

// ContextIDBits is as much of a Context ID as so many bytes have.
func ContextIDBits(id uint32, bytes int) uint32 {
	return uint32(uint64(id) & (1<<(8*bytes) - 1))
}

// ContextIDSize is ETMCR[15:14] for a Context ID of 0, 1, 2 or 4 bytes.
func ContextIDSize(bytes int) uint32 {
	return map[int]uint32{0: 0, 1: 1, 2: 2, 4: 3}[bytes]
}

// Bit is a register with bit n set, or 0.
func Bit(set bool, n uint) uint32 {
	if set {
		return 1 << n
	}
	return 0
}

// ExceptionNumbers are the numbers of exceptions of profiles A and R in branch packets (IHI 0035B,
// table 4.9; docs/etmv3.md §3.4.4).
var ExceptionNumbers = map[schema.ExceptionType]uint16{
	schema.ExcDebug: 1, schema.ExcSMC: 2, schema.ExcHyp: 3, schema.ExcAsyncDataAbort: 4, schema.ExcThumbEE: 5,
	schema.ExcReset: 8, schema.ExcUndefined: 9, schema.ExcSVC: 10, schema.ExcPrefetchAbort: 11, schema.ExcDataAbort: 12,
	schema.ExcGeneric: 13, schema.ExcIRQ: 14, schema.ExcFIQ: 15,
}
