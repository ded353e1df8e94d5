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
}

// name is that of the encoder, in errors.
const name = "etmv2"

// check returns an error for options that no ETM has.
func (o *Options) check() error {
	if err := o.Check(name, o.MaxTFOValue()); err != nil {
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
