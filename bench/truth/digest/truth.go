package digest

import (
	"fmt"
	"strconv"

	"github.com/tracelake/tracelake/schema"
)

// A Truth is the truth of one source in short, as a [Digest] makes it: what a
// right decoder makes of the stream, NULL (nil) where the protocol traces no value.
// Instructions that no packet traces are not in it.
type Truth struct {
	Source       uint8 `json:"source"`
	Bytes        int64 `json:"bytes"` // of the stream
	Segments     int64 `json:"segments"`
	Instructions int64 `json:"instructions"`
	Executed     int64 `json:"executed"`
	Failed       int64 `json:"failed"`
	Unknown      int64 `json:"unknown"`
	// Cycles is the sum of the last epoch; NULL without cycle accuracy.
	Cycles *int64 `json:"cycles"`

	// Program is the hash of address, size, isa and executed of each row of
	// instructions, Timing that of cycles, cycle, timestamp, context_id, exception_level and transaction:
	// see [Digest.Instruction].
	Program Hash `json:"program"`
	Timing  Hash `json:"timing"`

	Counts     map[string]Counts `json:"cycle_counts"` // by kind
	Exceptions []Exception       `json:"exceptions"`
	Contexts   []Context         `json:"contexts"`
	Timestamps []Timestamp       `json:"timestamps"`
}

// Counts are the rows of cycle_counts of one kind.
type Counts struct {
	Rows   int64 `json:"rows"`
	Cycles int64 `json:"cycles"`
}

// An Exception is a row of exceptions.
type Exception struct {
	Seq           int64    `json:"seq"`
	Event         string   `json:"event"`
	Type          string   `json:"type,omitempty"`
	Number        *uint16  `json:"number,omitempty"`
	ReturnAddress *Address `json:"return_address,omitempty"`
	Target        *Address `json:"target,omitempty"`
	Cycle         *int64   `json:"cycle,omitempty"`
	Timestamp     *uint64  `json:"timestamp,omitempty"`
	ContextID     *uint32  `json:"context_id,omitempty"`
	// ExceptionLevel is that of the handler of an entry.
	ExceptionLevel *uint8 `json:"exception_level,omitempty"`
}

// A Context is a row of contexts.
type Context struct {
	Seq       int64   `json:"seq"`
	ContextID *uint32 `json:"context_id"`
	VMID      *uint32 `json:"vmid"`
	Security  string  `json:"security"`
	// ExceptionLevel is of protocols that trace it.
	ExceptionLevel *uint8 `json:"exception_level,omitempty"`
}

// A Timestamp is a row of timestamps.
type Timestamp struct {
	Seq       int64  `json:"seq"`
	Timestamp uint64 `json:"timestamp"`
	Cycle     *int64 `json:"cycle,omitempty"`
}

// An Address is written in hexadecimal.
type Address schema.Address

// MarshalText writes a as [schema.Address.Hex] does.
func (a Address) MarshalText() ([]byte, error) { return []byte(schema.Address(a).Hex()), nil }

// UnmarshalText reads what MarshalText writes.
func (a *Address) UnmarshalText(b []byte) error {
	v, err := strconv.ParseUint(string(b), 0, 64)
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
