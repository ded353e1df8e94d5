package pipeline

import (
	"strconv"

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
	to.Events = stitch.Tee(to.Events, c.event)
	to.Losses = stitch.Tee(to.Losses, c.loss)
	return to
}

func (c *causes) event(_ *stitch.Base, e *schema.Event) {
	switch e.Event {
	case schema.EventInconsistent, schema.EventNoAddress, schema.EventJazelle, schema.EventBadISync:
	default:
		return // missing memory is ranked: see image.Missing
	}
	text := e.Detail
	if _, err := strconv.Atoi(text); text == "" || err == nil { // or how many instructions
		text = e.Event.String()
	}
	c.unplaced.Add(text, 1, 1)
}

func (c *causes) loss(_ *stitch.Base, l *schema.Loss) {
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
