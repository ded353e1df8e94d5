package probe

import (
	"context"
	"errors"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/plan"
)

// Options say what to inspect, and how.
type Options struct {
	Capture  capture.Options
	Families []decode.Family
	Archived bool // the input is an archive
	// Open opens a capture.
	Open func(ctx context.Context, input string, opt capture.Options) (*Opened, error)
}

// An Opened is a capture to inspect.
type Opened struct {
	Capture *capture.Capture
	Sources []uint8 // those to inspect; nil: all
	Close   func()
}

// An inspector inspects the first part of a capture.
type inspector struct {
	plan   *plan.Plan
	engine *engine.Engine
	prober *Prober
	close  func()
}

// sample opens a capture and plans its first part, also if there is no trace in it; of the sources
// those given, or those of the capture. The caller closes it.
func (o *Options) sample(ctx context.Context, input string, opt capture.Options, sources []uint8) (*inspector, error) {
	c, err := o.Open(ctx, input, opt)
	if err != nil {
		return nil, err
	}
	if sources == nil {
		sources = c.Sources
	}
	x := &inspector{engine: engine.New(1), close: c.Close}
	if err = c.Capture.Check(); !errors.Is(err, capture.ErrEmpty) {
		x.plan, err = plan.New(ctx, c.Capture, plan.Options{
			Families: o.Families, Sources: sources, Looked: inspectBytes, Index: x.engine.Workers.Index,
		})
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	x.prober = New(x.plan, false)
	return x, nil
}
