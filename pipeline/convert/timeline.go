package convert

import (
	"bufio"
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

// An output gathers what is written, as a timeline is long, and keeps the first error.
type output struct {
	*bufio.Writer
	err error
}

func newOutput(w io.Writer) output { return output{Writer: bufio.NewWriterSize(w, 1<<16)} }

func (o *output) add(b []byte) { _, o.err = o.Write(b) }
