package pipeline

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

// While one worker encodes a row group, the other counts whatever comes.
func TestCountingBesideRowGroups(t *testing.T) {
	tokens := newWorkers(2)
	tokens <- struct{}{} // a row group is encoded, and does not end
	c := &counting{ctx: t.Context(), tokens: tokens, queued: newBudget(10)}
	var counted atomic.Int64
	for range 100 {
		if err := c.Go(1, func() { counted.Add(1) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Wait(); err != nil || counted.Load() != 100 {
		t.Errorf("%d jobs counted, error %v", counted.Load(), err)
	}
	if c.queued.most > 10 || c.queued.used != 0 {
		t.Errorf("%d bytes waited at most, %d wait still", c.queued.most, c.queued.used)
	}
}

// What is not counted because the export was given up is an error.
func TestCountingGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	tokens := newWorkers(1)
	tokens <- struct{}{}
	c := &counting{ctx: ctx, tokens: tokens, queued: newBudget(2)}
	work := func() { t.Error("counted without a token") }
	for range 2 {
		if err := c.Go(1, work); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if err := c.Go(1, work); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := c.Wait(); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
