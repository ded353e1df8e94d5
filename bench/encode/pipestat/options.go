package pipestat

import (
	"errors"
	"fmt"

	"github.com/tracelake/tracelake/bench/program"
)

// Options are what the options of both encoders have beside the configuration of the
// port.
type Options struct {
	// Program is the code that is executed. Instructions that an exception interrupts
	// are no steps and come from it: without it none is known.
	Program *program.Program
	// FIFO is how many bytes the FIFO has; 0 is 60.
	FIFO int
	// SyncPeriod is after how many samples synchronisation is due (ETMSYNCFR). ETMv1: so
	// many samples without a full address; then the next indirect branch sends one, and
	// after half as many more any branch (§4.6). 0 is never.
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
// leastFIFO is what the largest packets of one cycle take.
const (
	defaultFIFO = 60
	leastFIFO   = 20
)

// Check sizes the FIFO, and returns an error for options that no macrocell has whose
// FIFO has so many bytes at the most.
func (o *Options) Check(encoder string, mostFIFO int) error {
	if o.FIFO == 0 {
		o.FIFO = defaultFIFO
	}
	switch {
	case o.FIFO < leastFIFO || o.FIFO > mostFIFO:
		return fmt.Errorf("encode/%s: a FIFO of %d bytes: %d to %d go", encoder, o.FIFO, leastFIFO, mostFIFO)
	case o.Idle < 0 || o.Idle >= 1:
		return fmt.Errorf("encode/%s: %v is no share of idle cycles: 0 to less than 1 are", encoder, o.Idle)
	case o.Lost > 0 && o.Variation != nil:
		return errors.New("encode/" + encoder + ": the truth of what is left of a varied stream is not known")
	}
	return nil
}
