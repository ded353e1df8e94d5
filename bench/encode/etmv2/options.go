package etmv2

import (
	"errors"
	"fmt"

	"github.com/tracelake/tracelake/bench/program"
	codec "github.com/tracelake/tracelake/decode/etmv2"
)

// Options say what an ETM traces and how.
type Options struct {
	codec.Config

	// Program is the code that is executed. Instructions that did not complete are
	// no steps and come from it: without it no exception cancels an instruction.
	Program *program.Program
	// FIFO is how many bytes the FIFO has; 0 is 60.
	FIFO int
	// SyncPeriod is ETMSYNCFR: after how many samples synchronisation is due. 0 is
	// never.
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
// leastFIFO is what the largest TFO packet and group take.
const (
	defaultFIFO = 60
	leastFIFO   = 20
)

// check returns an error for options that no ETM has.
func (o *Options) check() error {
	switch most := o.MaxTFOValue(); {
	case o.FIFO < leastFIFO || o.FIFO > most:
		return fmt.Errorf("encode/etmv2: a FIFO of %d bytes: %d to %d go", o.FIFO, leastFIFO, most)
	case o.CycleAccurate && o.TFO == codec.TFOPlain:
		return errors.New("encode/etmv2: TFO=plain leaves no code for idle cycles of cycle-accurate trace")
	case o.Idle < 0 || o.Idle >= 1:
		return fmt.Errorf("encode/etmv2: %v is no share of idle cycles: 0 to less than 1 are", o.Idle)
	case o.SyncPeriod != 0 && o.SyncPeriod <= o.FIFO:
		return fmt.Errorf("encode/etmv2: synchronisation every %d samples, but the FIFO has %d bytes", o.SyncPeriod, o.FIFO)
	case o.Lost > 0 && o.Variation != nil:
		return errors.New("encode/etmv2: the truth of what is left of a varied stream is not known")
	}
	return nil
}
