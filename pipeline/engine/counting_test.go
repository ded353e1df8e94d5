package engine

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

// While one worker encodes a row group, the other counts whatever comes.
func TestCountingBesideRowGroups(t *testing.T) {
	workers := NewWorkers(2)
	workers <- struct{}{} // a row group is encoded, and does not end
	c := NewCounting(t.Context(), workers)
	var counted atomic.Int64
	for range 100 {
		if err := c.Go(func() { counted.Add(1) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Wait(); err != nil || counted.Load() != 100 {
		t.Errorf("%d jobs counted, error %v", counted.Load(), err)
	}
}

// What is not counted because the export was given up is an error.
func TestCountingGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	workers := NewWorkers(1)
	workers <- struct{}{}
	c := NewCounting(ctx, workers)
	cancel()
	if err := c.Go(func() { t.Error("counted without a token") }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}
