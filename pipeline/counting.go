package pipeline

import (
	"context"
	"sync"
)

// A counting counts what ran, with the workers that decode. It implements
// [tally.Workers]. A job of runs waits for no row group before it, which takes
// fifty times as long, and for nothing but a token: runs that wait would leave the
// cache.
type counting struct {
	ctx    context.Context
	tokens workers
	open   sync.WaitGroup
}

// Go implements [tally.Workers].
func (c *counting) Go(work func()) error {
	select {
	case c.tokens <- struct{}{}:
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
	c.open.Go(func() {
		defer func() { <-c.tokens }()
		work()
	})
	return nil
}

// Wait implements [tally.Workers].
func (c *counting) Wait() error {
	c.open.Wait()
	return nil
}
