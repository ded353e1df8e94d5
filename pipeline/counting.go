package pipeline

import (
	"context"
	"sync"

	"github.com/tracelake/tracelake/pipeline/rows"
)

// A counting has the workers of an export count what ran in one source. It
// implements [tally.Workers].
type counting struct {
	*exporter
	ctx  context.Context //nolint:containedctx // that of one call of decodeAll
	open sync.WaitGroup  // jobs that are not done
}

// Go implements [tally.Workers].
func (c *counting) Go(bytes int64, work func()) error {
	c.open.Add(1)
	return c.submit(c.ctx, job{Job: rows.Job{Bytes: bytes}, count: func() {
		defer c.open.Done()
		work()
	}})
}

// Wait implements [tally.Workers]. What is not begun when the export ends will
// never be done.
func (c *counting) Wait() error {
	done := make(chan struct{})
	go func() {
		c.open.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
}
