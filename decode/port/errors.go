package port

import (
	"errors"
	"fmt"
)

// Kinds of [*FormatError], for [errors.Is].
var (
	// ErrRing means that the start of the ring is none: the command line is wrong, not
	// the capture.
	ErrRing = errors.New("start of the ring")
	// ErrUndecodable means that nothing of the capture can be decoded.
	ErrUndecodable = errors.New("undecodable capture")
)

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
