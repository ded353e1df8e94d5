package engine

import (
	"math"
	"runtime/debug"
	"testing"
)

// The limit is set once, when decoding begins, by how many workers there are; that of
// the environment is left alone.
func TestLimitMemory(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	debug.SetMemoryLimit(math.MaxInt64)
	shown := 0
	t.Setenv("GOMEMLIMIT", "")
	progress := LimitMemory(2, func(Progress) { shown++ })
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		t.Errorf("%d bytes before anything is decoded", limit)
	}
	progress(Progress{})
	limit := debug.SetMemoryLimit(-1)
	if least := int64(ownMemory + 2*workerMemory); limit < least || limit > least+1<<30 {
		t.Errorf("the limit is %d bytes, want %d and what was in use", limit, least)
	}
	debug.SetMemoryLimit(math.MaxInt64)
	progress(Progress{})
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 || shown != 2 {
		t.Errorf("set again, %d bytes; progress shown %d times", limit, shown)
	}
	t.Setenv("GOMEMLIMIT", "1GiB")
	if LimitMemory(2, nil) != nil {
		t.Error("the limit of the environment is replaced")
	}
}
