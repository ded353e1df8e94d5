package tally

import (
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// Sinks returns sinks that have t count what they are given, and hand it on. What
// is counted is final: what a cancel takes back never gets here.
func (t *Tally) Sinks(to stitch.Sinks) stitch.Sinks {
	to.Runs = stitch.TeeRuns(to.Runs, t.add)
	to.Exceptions = stitch.Tee(to.Exceptions, t.exception)
	to.Events = stitch.Tee(to.Events, t.event)
	to.Losses = stitch.Tee(to.Losses, t.loss)
	return to
}

func (t *Tally) exception(b *stitch.Base, x *stitch.Exception) {
	if x.Row.Event == schema.ExceptionEntry {
		t.mark(b, x.Row.Key, mark{what: entry, returnAddress: x.Row.ReturnAddress})
	}
}

func (t *Tally) event(b *stitch.Base, x *schema.Event) {
	switch {
	case x.Event == schema.EventDebugExit:
		t.mark(b, x.Key, mark{what: debugExit})
	case x.Event.Restarts(), losesFlow(x.Event):
		t.mark(b, x.Key, mark{what: gap})
	}
}

// losesFlow says whether what ran after an event may be missing, so that the next
// row is not where the last instruction went. After inconsistent it is: the trace
// says so, and the program does not.
func losesFlow(e schema.EventKind) bool {
	switch e {
	case schema.EventUnmapped, schema.EventNoAddress, schema.EventJazelle, schema.EventDiscontinuity:
		return true
	}
	return false
}

func (t *Tally) loss(b *stitch.Base, x *schema.Loss) { t.mark(b, x.Key, mark{what: gap}) }
