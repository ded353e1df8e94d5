package etmv1

import (
	"fmt"

	"github.com/tracelake/tracelake/bench/encode/pipestat"
	"github.com/tracelake/tracelake/decode/port"
)

// Options say what an ETM traces and how.
type Options struct {
	port.Config
	pipestat.Options
}

// name is that of the encoder, in errors.
const name = "etmv1"

// mostFIFO is how many bytes a FIFO has at the most.
const mostFIFO = 1 << 10

// version12 is the first version with Context IDs, and reason 4, as ETMVERSION has it.
const version12 = 0x12

// check returns an error for options that no ETM has.
func (o *Options) check() error {
	if o.ContextIDBytes > 0 && o.Number < version12 {
		return fmt.Errorf("encode/etmv1: v%s has no Context IDs", o.Version())
	}
	return o.Check(name, mostFIFO)
}
