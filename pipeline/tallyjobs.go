package pipeline

import (
	"context"

	"github.com/tracelake/tracelake/pipeline/rows"
)

// tallyJobs are jobs of an export that count what ran. They implement
// [tally.Workers].
type tallyJobs struct {
	*exporter
	ctx context.Context
}

// Go implements [tally.Workers].
func (c tallyJobs) Go(bytes int64, work func()) error {
	return c.submit(c.ctx, job{Job: rows.Job{Bytes: bytes}, count: work, done: func() error { return nil }})
}

// Wait implements [tally.Workers].
func (c tallyJobs) Wait() error {
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
