package perfdata

import (
	"fmt"

	"github.com/tracelake/tracelake/decode/figures"
)

// checkMetadata fails if nothing describes the trace.
func (r *reader) checkMetadata() error {
	switch {
	case r.hasMetadata:
		return nil
	case len(r.traces) > 0:
		return r.bad(noPlace, "has trace, but no record describes it (AUXTRACE_INFO)", recordAgain)
	}
	return r.noTrace("has no trace: no record describes any (AUXTRACE_INFO)", recordTrace)
}

// checkTrace fails if there is no byte of trace.
func (r *reader) checkTrace() error {
	var size, missing, unclaimed int64
	for i := range r.f.Pieces {
		size += r.f.Pieces[i].Size
		missing += r.f.Pieces[i].Missing
	}
	for i := range r.f.Rings {
		unclaimed += r.f.Rings[i].Unclaimed
	}
	switch {
	case size > 0:
		return nil
	case missing > 0:
		return r.noTrace(fmt.Sprintf("misses its trace: %s, %s, and no AUXTRACE record holds them",
			figures.Count(int64(len(r.f.Pieces)), "AUX record"), figures.Count(missing, "byte")), recordAgain)
	case unclaimed > 0:
		return r.noTrace("has "+figures.Count(unclaimed, "byte")+" of trace, and no AUX record tells of them",
			recordAgain)
	}
	return r.noTrace("has no trace: its AUX records are empty",
		"record for longer, or what runs on a CPU that is traced")
}

// noTrace returns an error of kind [ErrNoTrace]. What perf inject decoded, or what was cut off,
// is the reason rather than what follows from it.
func (r *reader) noTrace(problem, remedy string) error {
	e := r.bad(noPlace, problem, remedy)
	e.Err = ErrNoTrace
	switch {
	case r.samples && r.branches && len(r.f.Pieces) == 0:
		e.Problem = "has no trace: perf inject decoded it already, to branches"
		e.Remedy = "name the file that perf record wrote"
	case r.cutOff != noPlace:
		e.Offset = r.cutOff
		e.Problem = "ends here, before what is needed: it " + problem
		e.Remedy = "copy it again, or record it again"
	}
	return e
}
