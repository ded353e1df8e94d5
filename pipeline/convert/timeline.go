package convert

import (
	"fmt"
	"io"

	"github.com/tracelake/tracelake/pipeline/report/timeline"
)

// Timelines calls a function with timelines, one at a time, and fails if that does.
type Timelines func(do func(*timeline.Timeline) error) error

// sourceText names the source of a timeline; with several datasets its directory, too.
func sourceText(t *timeline.Timeline, several bool) string {
	text := fmt.Sprintf("source %#x", t.Source)
	if t.Core != "" {
		text += " " + t.Core
	}
	if several {
		text = t.Dir + " " + text
	}
	return text
}

// An output gathers what is appended to b, and writes it now and then: a timeline is long.
type output struct {
	b   []byte
	w   io.Writer
	err error // the first
}

// spillBytes is how long b may become.
const spillBytes = 1 << 16

// spill writes b if it is long, and returns the first error there was.
func (o *output) spill() error {
	if len(o.b) < spillBytes {
		return o.err
	}
	return o.flush()
}

// flush writes b.
func (o *output) flush() error {
	if o.err == nil {
		_, o.err = o.w.Write(o.b)
	}
	o.b = o.b[:0]
	return o.err
}
