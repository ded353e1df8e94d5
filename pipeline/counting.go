package pipeline

import (
	"context"

	"github.com/tracelake/tracelake/pipeline/rows"
)

// A counting has the workers of an export count what ran. It implements
// [tally.Workers].
type counting struct {
	*exporter
	ctx context.Context
}

// Go implements [tally.Workers].
func (c counting) Go(bytes int64, work func()) error {
	return c.submit(c.ctx, job{Job: rows.Job{Bytes: bytes}, count: work, done: func() error { return nil }})
}

// Wait implements [tally.Workers].
func (c counting) Wait() error {
	done := make(chan struct{})
	last := job{count: func() {}, done: func() error {
		close(done)
		return nil
	}}
	if err := c.submit(c.ctx, last); err != nil {
		return err
	}
	select {
	case <-done:
		return nil
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
}
