package pipeline

import (
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/verdict"
	"github.com/tracelake/tracelake/schema"
)

// causes counts why bytes of a source were lost and why its packets could not be
// placed, as the events and losses pass by.
type causes struct {
	lost, unplaced verdict.Causes
}

// tap returns sinks that count, and hand all rows on.
func (c *causes) tap(to stitch.Sinks) stitch.Sinks {
	to.Events = &tapped[schema.Event]{to.Events, c.event}
	to.Losses = &tapped[schema.Loss]{to.Losses, c.loss}
	return to
}

func (c *causes) event(e *schema.Event) {
	switch e.Event {
	case schema.EventInconsistent, schema.EventNoAddress, schema.EventJazelle, schema.EventBadISync:
	default:
		return // missing memory is ranked: see image.Missing
	}
	text := e.Detail
	if text == "" {
		text = e.Event.String()
	}
	c.unplaced.Add(text, 1, 1)
}

func (c *causes) loss(l *schema.Loss) {
	if l.Reason == schema.LossUnsynced {
		c.lost.Add("no synchronisation at the start", 1, l.Bytes)
		return
	}
	text := l.Detail
	if text == "" {
		text = l.Reason.String()
	}
	c.lost.Add(text, 1, l.Bytes)
}

// A tapped sink shows each row to see, then hands it to next, if that is not nil.
type tapped[T any] struct {
	next stitch.Sink[T]
	see  func(*T)
}

// Add implements [stitch.Sink].
func (s *tapped[T]) Add(b stitch.Base, rows []T) error {
	for i := range rows {
		s.see(&rows[i])
	}
	if s.next == nil {
		return nil
	}
	return s.next.Add(b, rows)
}
