package perfdata

import (
	"errors"
	"fmt"
)

// Kinds of [*Error], for [errors.Is].
var (
	// ErrNoTrace means that the file holds no CoreSight trace at all.
	ErrNoTrace = errors.New("no trace")
)

// An Error names what is wrong with a file, where, and what to do about it.
type Error struct {
	File    string // name of the part
	Offset  int64  // in the part; −1: no place of it
	Problem string // continues the sentence: "ends inside its header"
	Remedy  string
	Err     error // may be nil
}

func (e *Error) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("%s: %s; %s", e.File, e.Problem, e.Remedy)
	}
	return fmt.Sprintf("%s: at offset %#x: %s; %s", e.File, e.Offset, e.Problem, e.Remedy)
}

func (e *Error) Unwrap() error { return e.Err }
