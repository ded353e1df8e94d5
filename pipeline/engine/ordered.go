package engine

import (
	"context"
	"iter"

	"golang.org/x/sync/errgroup"
)

// Workers bounds how many goroutines compute: one that does is in it.
type Workers chan struct{}

// NewWorkers returns n workers.
func NewWorkers(n int) Workers { return make(Workers, n) }

// Compute calls work once a worker is free.
func (w Workers) Compute(ctx context.Context, work func() error) error {
	if err := Send(ctx, w, struct{}{}); err != nil {
		return err
	}
	defer func() { <-w }()
	return work()
}

// Send sends x, unless ctx is done first.
func Send[T any](ctx context.Context, to chan<- T, x T) error {
	select {
	case to <- x:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Ordered calls work on every item, each call by a worker, and passes the
// results to emit one by one in the order of the items. At most 2×cap(workers)
// results wait at any moment, so memory does not grow with the input.
//
// The first error, from work, emit or ctx, stops everything; Ordered returns it
// once no goroutine it started is left.
//
// Items start in order: emit waits for the oldest, and with any other order it
// could wait for one that no worker ever begins. Several calls may share workers,
// since work never waits for what another stage does.
func Ordered[T, R any](ctx context.Context, workers Workers, items iter.Seq2[T, error],
	work func(context.Context, T) (R, error), emit func(R) error,
) error {
	g, ctx := errgroup.WithContext(ctx)
	slots := make(chan chan R, 2*cap(workers)) // in item order; each is filled by its worker
	g.Go(func() error {
		defer close(slots)
		for item, err := range items {
			if err != nil {
				return err
			}
			slot := make(chan R, 1)
			if err := Send(ctx, slots, slot); err != nil {
				return err
			}
			if err := Send(ctx, workers, struct{}{}); err != nil {
				return err
			}
			g.Go(func() error {
				defer func() { <-workers }()
				r, err := work(ctx, item)
				if err != nil {
					return err
				}
				slot <- r
				return nil
			})
		}
		return nil
	})
	g.Go(func() error {
		for slot := range slots {
			select {
			case r := <-slot:
				if err := emit(r); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	return g.Wait()
}
