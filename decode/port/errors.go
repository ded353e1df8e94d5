package port

import "fmt"

// A FormatError is bytes of a capture that its layout cannot have.
type FormatError struct {
	Layout  Layout
	Offset  int64 // in the capture
	Problem string
	Remedy  string
	Err     error // [decode.ErrRing], or nil
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("layout %s: offset 0x%x: %s; %s", e.Layout, e.Offset, e.Problem, e.Remedy)
}

func (e *FormatError) Unwrap() error { return e.Err }
