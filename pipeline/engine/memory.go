package engine

import (
	"os"
	"runtime"
	"runtime/debug"
)

// What an export takes, in bytes, beside what it holds when it begins to decode. The garbage
// collector alone would let it take up to twice what is in use at once.
const (
	ownMemory    = 16 << 20
	workerMemory = 140 << 20 // for each worker
)

// gcPercent is what the heap grows by between two collections, in percent, as far as the limit lets it: that there are
// fewer of them is worth 5 % of an export.
const gcPercent = 200

// LimitMemory has the garbage collector keep the process near the memory that an export by so many
// workers needs: when decoding begins, it sets the soft limit of the process
// ([debug.SetMemoryLimit]), and lets the heap grow up to it, unless the environment says otherwise (GOMEMLIMIT, GOGC). It is for
// commands, whose process does nothing else. It returns what is to be called with the progress of the
// export, in place of progress, which may be nil.
func LimitMemory(workers int, progress func(Progress)) func(Progress) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return progress
	}
	needed, limited := int64(ownMemory+max(1, workers)*workerMemory), false
	return func(at Progress) {
		if !limited {
			limited = true
			debug.SetMemoryLimit(inUse() + needed)
			if os.Getenv("GOGC") == "" {
				debug.SetGCPercent(gcPercent)
			}
		}
		if progress != nil {
			progress(at)
		}
	}
}

// inUse is how much of the heap is in use: memory of the program, symbols.
func inUse() int64 {
	runtime.GC() // without what was in use while they were read
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
