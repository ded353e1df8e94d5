package etmv3

import (
	"errors"
	"fmt"

	"github.com/tracelake/tracelake/bench/program"
	codec "github.com/tracelake/tracelake/decode/etmv3"
)

// Options say what an ETM traces and how.
type Options struct {
	codec.Config
	Source uint8 // CoreSight trace ID

	// Program is the code that is executed. Instructions that did not complete are
	// no steps and come from it: without it no exception cancels an instruction.
	Program *program.Program
	// SyncPeriod is ETMSYNCFR: after how many bytes synchronisation is due, in
	// v3.0 after how many cycles. 0 is never.
	SyncPeriod int
	// Timestamps sends timestamps after each I-sync and each entry to and return
	// from an exception (v3.5). The clock starts at TimestampBase and ticks
	// every CyclesPerTick cycles.
	Timestamps    bool
	TimestampBase uint64
	CyclesPerTick uint64
	// TraceVMID sends VMIDs (ETMCR[30], with virtualization extensions).
	TraceVMID bool
	// MonitorCPRT traces the data of coprocessor register transfers (ETMCR[1]).
	MonitorCPRT bool
	// BigEndian is the endianness of data that D-syncs report.
	BigEndian bool
	// CancelledAlone gives an instruction that will be cancelled a P-header of its
	// own, without a W, and not right after a P-header of one atom or a cancel:
	// OpenCSD cancels no others, and drops the Ws with them. Aborts then cancel
	// nothing in cycle-accurate trace before v3.3, where every atom has a W.
	CancelledAlone bool
	// Lost is how many bytes of the stream, from its start, are gone, as in a ring
	// that wrapped: the truth is that of the rest. It is known only of a stream
	// without variation, in which nothing but the flow continues over an I-sync
	// that is a cut.
	Lost int64
	// Variation makes the stream one that the specification allows, rather than
	// the one hardware is likely to send; nil is hardware.
	Variation *Variation
}

// check returns an error for options that no ETM has.
func (o *Options) check() error {
	switch {
	case o.Timestamps && o.Minor < 5:
		return fmt.Errorf("encode/etmv3: v%s has no timestamps", o.Version())
	case o.TraceVMID && !o.Virtualization:
		return errors.New("encode/etmv3: VMIDs without virtualization extensions")
	case o.AltBranch && o.Minor < 4:
		return fmt.Errorf("encode/etmv3: v%s has no alternative branch encoding", o.Version())
	case o.ProfileM && o.Minor < 4:
		return fmt.Errorf("encode/etmv3: v%s is of no core of v7-M", o.Version())
	case o.DataOnly && !o.DataAddress && !o.DataValue:
		return errors.New("encode/etmv3: data-only mode without data")
	case o.Lost > 0 && o.Variation != nil:
		return errors.New("encode/etmv3: the truth of what is left of a varied stream is not known")
	}
	return nil
}
