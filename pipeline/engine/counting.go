package engine

import (
	"context"
	"sync"
)

// A Counting counts what ran, with the workers that decode. It implements
// tally.Workers. A job of runs waits for no row group before it, which takes
// fifty times as long, and for nothing but a worker: runs that wait would leave the
// cache.
type Counting struct {
	ctx     context.Context
	workers Workers
	open    sync.WaitGroup
}

// NewCounting returns a counting of what ran, with workers.
func NewCounting(ctx context.Context, workers Workers) *Counting {
	return &Counting{ctx: ctx, workers: workers}
}

// Go implements tally.Workers.
func (c *Counting) Go(work func()) error {
	if err := Send(c.ctx, c.workers, struct{}{}); err != nil {
		return err
	}
	c.open.Go(func() {
		defer func() { <-c.workers }()
		work()
	})
	return nil
}

// Wait implements tally.Workers.
func (c *Counting) Wait() error {
	c.open.Wait()
	return nil
}
