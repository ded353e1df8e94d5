package pipeline

import (
	"context"
	"iter"

	"golang.org/x/sync/errgroup"
)

// A workers is a set of tokens: a goroutine that computes holds one.
type workers chan struct{}

func newWorkers(n int) workers { return make(workers, n) }

// compute calls work with a token.
func (w workers) compute(ctx context.Context, work func() error) error {
	select {
	case w <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-w }()
	return work()
}

// ordered calls work on every item, each call holding a token, and passes the
// results to emit one by one in the order of the items. At most 2×cap(tokens)
// results wait at any moment, so memory does not grow with the input.
//
// The first error, from work, emit or ctx, stops everything; ordered returns it
// once no goroutine it started is left.
//
// Items start in order: emit waits for the oldest, and with any other order it
// could wait for one that never gets a token. Several calls may share tokens,
// since work never waits for what another stage does.
func ordered[T, R any](ctx context.Context, tokens workers, items iter.Seq2[T, error],
	work func(context.Context, T) (R, error), emit func(R) error,
) error {
	g, ctx := errgroup.WithContext(ctx)
	slots := make(chan chan R, 2*cap(tokens)) // in item order; each is filled by its worker
	g.Go(func() error {
		defer close(slots)
		for item, err := range items {
			if err != nil {
				return err
			}
			slot := make(chan R, 1)
			select {
			case slots <- slot:
			case <-ctx.Done():
				return ctx.Err()
			}
			select {
			case tokens <- struct{}{}:
			case <-ctx.Done():
				return ctx.Err()
			}
			g.Go(func() error {
				defer func() { <-tokens }()
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
