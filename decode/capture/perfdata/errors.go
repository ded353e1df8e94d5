package perfdata

import (
	"errors"
	"fmt"
)

// ErrNoTrace is the kind of an [*Error] of a file without any CoreSight trace.
var ErrNoTrace = errors.New("no trace")

// noPlace is the offset of what has no place in a file.
const noPlace = -1

// An Error names what is wrong with a file, where, and what to do about it.
type Error struct {
	File    string // name of the part
	Offset  int64  // in the part; −1: no place of it
	Problem string // continues the sentence: "ends inside its header"
	Remedy  string
	Err     error // may be nil
}

func (e *Error) Error() string {
	if e.Offset == noPlace {
		return fmt.Sprintf("%s: %s; %s", e.File, e.Problem, e.Remedy)
	}
	return fmt.Sprintf("%s: at offset %#x: %s; %s", e.File, e.Offset, e.Problem, e.Remedy)
}

func (e *Error) Unwrap() error { return e.Err }

// What to do about a bad file.
const (
	copyAgain   = "copy it again"
	recordAgain = "record it again"
	recordPlain = "record it again, without -z"
	recordTrace = "record with perf record -e cs_etm// or simpleperf record -e cs-etm"
)
