package pipeline

import (
	"context"
	"sync"
)

// A counting counts what ran, with the workers that decode. It implements
// [tally.Workers]. A job of runs waits for no other: were they in one order with
// row groups, which take fifty times as long, workers would wait for work.
type counting struct {
	ctx    context.Context
	tokens workers
	queued *budget // runs that wait to be counted
	open   sync.WaitGroup
}

// Go implements [tally.Workers].
func (c *counting) Go(bytes int64, work func()) error {
	if err := c.queued.room(c.ctx); err != nil {
		return err
	}
	c.queued.take(bytes)
	c.open.Go(func() {
		defer c.queued.give(bytes)
		// Without ctx nothing is counted, and Wait says so.
		_ = c.tokens.compute(c.ctx, func() error { work(); return nil })
	})
	return nil
}

// Wait implements [tally.Workers].
func (c *counting) Wait() error {
	c.open.Wait()
	return c.ctx.Err()
}
