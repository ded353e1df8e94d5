package capture

import (
	"errors"
	"fmt"
	"strings"
)

// Kinds of [*InputError], for [errors.Is].
var (
	// ErrEmpty means that a capture has no trace data: nothing can be decoded.
	ErrEmpty = errors.New("empty capture")
	// ErrUsage means that the command line is wrong, not the capture.
	ErrUsage = errors.New("wrong usage")
	// ErrAArch32 means that an argument needs a core of AArch64, and none is traced.
	ErrAArch32 = errors.New("only cores of AArch32 are traced")
	// ErrNoProtocol means that a raw file does not say what its protocol is, and nobody else did.
	ErrNoProtocol = fmt.Errorf("%w: no protocol", ErrUsage)
)

// An InputError names what is wrong with the user's input, where, and what to do
// about it.
type InputError struct {
	File    string // as named by the user or the snapshot; or a flag
	Line    int    // from 1; 0 if the section and key say where
	Section string // without brackets; may be ""
	Key     string // may be ""
	Problem string // continues the sentence: `names "cpu_3.ini", which does not exist`
	Remedy  string
	Err     error // may be nil
}

func (e *InputError) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	b.WriteString(":")
	if e.Section != "" {
		fmt.Fprintf(&b, " [%s]", e.Section)
	}
	if e.Key != "" {
		b.WriteString(" " + e.Key)
	}
	fmt.Fprintf(&b, " %s; %s", e.Problem, e.Remedy)
	return b.String()
}

func (e *InputError) Unwrap() error { return e.Err }

// usage returns the error for a wrong flag.
func usage(flag, problem, remedy string) *InputError {
	return &InputError{File: flag, Problem: problem, Remedy: remedy, Err: ErrUsage}
}
