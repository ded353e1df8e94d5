package main

import (
	"io"
	"math"
	"runtime/debug"
	"testing"

	"github.com/tracelake/tracelake/pipeline"
)

// The memory of an export is limited, with progress and without.
func TestBeginLimitsMemory(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	t.Setenv("GOMEMLIMIT", "")
	for _, noProgress := range []bool{false, true} {
		debug.SetMemoryLimit(math.MaxInt64)
		r, o := reporting{stderr: io.Discard, noProgress: noProgress}, pipeline.Options{}
		_, done := r.begin(&o, "capture")
		o.Progress(pipeline.Progress{})
		done()
		if debug.SetMemoryLimit(-1) == math.MaxInt64 {
			t.Errorf("no limit, with --no-progress %v", noProgress)
		}
	}
}
