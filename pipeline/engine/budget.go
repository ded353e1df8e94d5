package engine

import (
	"context"
	"iter"
	"sync"
)

// A Budget bounds the bytes that wait between two stages. Whoever makes them
// takes from it, and they are given back once they wait no more. One goroutine
// may wait for room.
type Budget struct {
	limit int64
	freed chan struct{}

	mu   sync.Mutex
	used int64
	most int64 // that were ever used
}

// NewBudget returns a budget of so many bytes.
func NewBudget(limit int64) *Budget { return &Budget{limit: limit, freed: make(chan struct{}, 1)} }

// Take takes n bytes, also where the limit is passed: what was begun is finished.
func (b *Budget) Take(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used += n
	b.most = max(b.most, b.used)
}

// Give gives n bytes back.
func (b *Budget) Give(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	select {
	case b.freed <- struct{}{}:
	default: // it is said already
	}
}

// Room waits until less than the limit is used.
func (b *Budget) Room(ctx context.Context) error {
	for !b.hasRoom() {
		select {
		case <-b.freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Most returns the most bytes that were ever used.
func (b *Budget) Most() int64 { return b.most }

func (b *Budget) hasRoom() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used < b.limit
}

// Throttled yields items as long as there is room in b for what becomes of them.
func Throttled[T any](ctx context.Context, b *Budget, items iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for item, err := range items {
			if err == nil {
				err = b.Room(ctx)
			}
			if !yield(item, err) {
				return
			}
		}
	}
}
