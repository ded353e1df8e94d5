package port

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
)

// ErrRing is the kind of a [*FormatError] about the start of the ring: the command line
// is wrong, not the capture.
var ErrRing = decode.ErrRing

// A FormatError is bytes of a capture that its layout cannot have.
type FormatError struct {
	Layout  Layout
	Offset  int64 // in the capture
	Problem string
	Remedy  string
	Err     error // may be nil
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("layout %s: offset 0x%x: %s; %s", e.Layout, e.Offset, e.Problem, e.Remedy)
}

func (e *FormatError) Unwrap() error { return e.Err }
