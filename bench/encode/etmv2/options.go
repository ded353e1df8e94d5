package etmv2

import (
	"errors"
	"fmt"

	"github.com/tracelake/tracelake/bench/encode/pipestat"
	codec "github.com/tracelake/tracelake/decode/etmv2"
)

// Options say what an ETM traces and how.
type Options struct {
	codec.Config
	pipestat.Options
	// Variation makes the stream one that the specification allows, rather than
	// the one hardware is likely to send; nil is hardware.
	Variation *Variation
}

// check returns an error for options that no ETM has.
func (o *Options) check() error {
	if err := o.Check("etmv2", o.MaxTFOValue(), o.Variation != nil); err != nil {
		return err
	}
	switch {
	case o.CycleAccurate && o.TFO == codec.TFOPlain:
		return errors.New("encode/etmv2: TFO=plain leaves no code for idle cycles of cycle-accurate trace")
	case o.SyncPeriod != 0 && o.SyncPeriod <= o.FIFO:
		return fmt.Errorf("encode/etmv2: synchronisation every %d samples, but the FIFO has %d bytes", o.SyncPeriod, o.FIFO)
	}
	return nil
}
