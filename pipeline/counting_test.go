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
	c := &counting{ctx: t.Context(), tokens: tokens}
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
	tokens := newWorkers(1)
	tokens <- struct{}{}
	c := &counting{ctx: ctx, tokens: tokens}
	cancel()
	if err := c.Go(func() { t.Error("counted without a token") }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}
