package convert

import (
	"fmt"

	"github.com/tracelake/tracelake/pipeline/report"
)

// Timelines calls a function with timelines, one at a time, and fails if that does.
type Timelines func(do func(*report.Timeline) error) error

// sourceText names the source of a timeline; with several datasets its directory, too.
func sourceText(t *report.Timeline, several bool) string {
	text := fmt.Sprintf("source %#x", t.Source)
	if t.Core != "" {
		text += " " + t.Core
	}
	if several {
		text = t.Dir + " " + text
	}
	return text
}
