package pipeline

import (
	"context"
	"iter"
	"sync"
)

// A budget bounds the bytes that wait between two stages. Whoever makes them
// takes from it, and they are given back once they wait no more. One goroutine
// may wait for room.
type budget struct {
	limit int64
	freed chan struct{}

	mu   sync.Mutex
	used int64
	most int64 // that were ever used
}

func newBudget(limit int64) *budget { return &budget{limit: limit, freed: make(chan struct{}, 1)} }

// take takes n bytes, also where the limit is passed: what was begun is finished.
func (b *budget) take(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used += n
	b.most = max(b.most, b.used)
}

// give gives n bytes back.
func (b *budget) give(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	select {
	case b.freed <- struct{}{}:
	default: // it is said already
	}
}

// room waits until less than the limit is used.
func (b *budget) room(ctx context.Context) error {
	for !b.hasRoom() {
		select {
		case <-b.freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (b *budget) hasRoom() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used < b.limit
}

// throttled yields items as long as there is room in b for what becomes of them.
func throttled[T any](ctx context.Context, b *budget, items iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for item, err := range items {
			if err == nil {
				err = b.room(ctx)
			}
			if !yield(item, err) {
				return
			}
		}
	}
}
