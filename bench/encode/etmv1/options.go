package etmv1

import (
	"errors"
	"fmt"

	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/decode/port"
)

// Options say what an ETM traces and how.
type Options struct {
	port.Config

	// Program is the code that is executed. It says what an exception interrupts:
	// without it no interrupted SVC or branch is known as such.
	Program *program.Program
	// FIFO is how many bytes the FIFO has; 0 is 60.
	FIFO int
	// SyncPeriod is after how many samples without a full address the next indirect
	// branch sends one; after half as many more any branch does (§4.6). 0 is never.
	SyncPeriod int
	// Idle is the share of cycles without an instruction, from 0 to less than 1,
	// beside those that the FIFO needs. In cycle-accurate trace 0 is as many as the
	// steps cost.
	Idle float64
	// DropDisabled leaves out the samples that a capture device may drop (§3.1).
	DropDisabled bool
	// Whole is how many samples a record of the capture has: the last one is filled
	// with samples of disabled trace; 0 is one.
	Whole int
	// Lost is how many samples of the stream, from its start, are gone: the truth is
	// that of the rest. It is known only of a stream without variation.
	Lost int64
	// Variation makes the stream one that the specification allows, rather than
	// the one hardware is likely to send; nil is hardware.
	Variation *Variation
}

// defaultFIFO is how many bytes a FIFO has that the options do not size (§6.5).
const (
	defaultFIFO = 60
	leastFIFO   = 20
	mostFIFO    = 1 << 10
)

// The versions, as ETMVERSION has them.
const (
	version12 = 0x12 // the first with Context IDs, and reason 4
)

// check returns an error for options that no ETM has.
func (o *Options) check() error {
	switch {
	case o.FIFO < leastFIFO || o.FIFO > mostFIFO:
		return fmt.Errorf("encode/etmv1: a FIFO of %d bytes: %d to %d go", o.FIFO, leastFIFO, mostFIFO)
	case o.ContextIDBytes > 0 && o.Number < version12:
		return fmt.Errorf("encode/etmv1: v%s has no Context IDs", o.Version())
	case o.Idle < 0 || o.Idle >= 1:
		return fmt.Errorf("encode/etmv1: %v is no share of idle cycles: 0 to less than 1 are", o.Idle)
	case o.Lost > 0 && o.Variation != nil:
		return errors.New("encode/etmv1: the truth of what is left of a varied stream is not known")
	}
	return nil
}
