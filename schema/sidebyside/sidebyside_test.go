package sidebyside

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
)

// Each number is worked on once, by as many goroutines as there are cores.
func TestDo(t *testing.T) {
	const n = 1000
	var times [n]atomic.Int32
	var most atomic.Int64
	before := runtime.NumGoroutine()
	err := Do(t.Context(), n, func(_ context.Context, i int) error {
		times[i].Add(1)
		most.Store(max(most.Load(), int64(runtime.NumGoroutine()-before)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range times {
		if got := times[i].Load(); got != 1 {
			t.Errorf("%d is worked on %d times", i, got)
		}
	}
	if got := most.Load(); got > int64(runtime.GOMAXPROCS(0)) {
		t.Errorf("%d goroutines", got)
	}
}

// An error, and the end of the context, stop everything.
func TestDoStops(t *testing.T) {
	bad := errors.New("bad")
	var calls atomic.Int64
	err := Do(t.Context(), 1_000_000, func(_ context.Context, i int) error {
		calls.Add(1)
		if i == 3 {
			return bad
		}
		return nil
	})
	if !errors.Is(err, bad) || calls.Load() == 1_000_000 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Do(done, 5, func(context.Context, int) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v of a context that is done", err)
	}
}
