package plan

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/verdict"
)

// A NothingError says that nothing was decoded, and the likely causes, the worst
// first.
type NothingError struct {
	Word   verdict.Word // NothingDecoded or, where packets were decoded without a program, PacketsOnly
	Causes []string
	// Missing is the memory that was needed, by source.
	Missing []SourceMissing
}

func (e *NothingError) Error() string {
	if len(e.Causes) == 0 {
		return e.Verdict()
	}
	return e.Verdict() + ": " + strings.Join(e.Causes, "; ")
}

// Verdict is the word, of which "" is [verdict.NothingDecoded].
func (e *NothingError) Verdict() string { return string(cmp.Or(e.Word, verdict.NothingDecoded)) }

// A SourceMissing is the memory that a source needs and that is missing.
type SourceMissing struct {
	Source uint8
	Missing
}

// Missing is the memory that was needed and is in no image.
type Missing struct {
	Wanted []MissingMemory `json:"missing_memory"` // most stops first
	// OtherStops are the stops in memory of no range: at most 65,536 pages are
	// counted separately.
	OtherStops int64 `json:"missing_memory_other_stops"`
}

// MissingMemory is a range of memory that was wanted.
type MissingMemory struct {
	First string `json:"first"` // lowest and highest address wanted, hex
	Last  string `json:"last"`
	Stops int64  `json:"stops"`
	// File is the file that was mapped there, of a recording of perf, and Remedy what to do to have it.
	File   string `json:"file,omitempty"`
	Remedy string `json:"remedy,omitempty"`
}

// MissingIn returns the memory that decoding needed and did not find: of files that are not found, which ones.
func MissingIn(m *image.Missing, unfound capture.Unfound) Missing {
	missing := Missing{Wanted: []MissingMemory{}, OtherStops: m.Other()}
	for _, r := range m.Ranges() {
		w := MissingMemory{First: r.First.Hex(), Last: r.Last.Hex(), Stops: r.Stops}
		if file := unfound.At(r.First); file != nil {
			w.File, w.Remedy = file.Name, file.Remedy
		}
		missing.Wanted = append(missing.Wanted, w)
	}
	return missing
}

// An UnknownSourceError says that a source that was asked for is not in the
// capture.
type UnknownSourceError struct {
	Source uint8
	Known  []uint8 // the sources of the capture, ascending
}

func (e *UnknownSourceError) Error() string {
	return "source " + schema.SourceText(e.Source) + " is not in the capture; " + e.Remedy()
}

// Remedy lists the sources there are.
func (e *UnknownSourceError) Remedy() string {
	if len(e.Known) == 0 {
		return "it has none"
	}
	words := make([]string, len(e.Known))
	for i, id := range e.Known {
		words[i] = schema.SourceText(id)
	}
	return "the sources are " + strings.Join(words, ", ")
}

// layoutError names the buffer in what is wrong with its layout, nil if nothing is.
func layoutError(buffer string, err error) error {
	spoiled, isSpoiled := errors.AsType[*decode.SpoiledError](err)
	switch {
	case err == nil:
		return nil
	case isSpoiled:
		return &NothingError{Causes: []string{buffer + ": " + spoiled.Reason}}
	case errors.Is(err, decode.ErrRing):
		return Usagef("%s: %w", buffer, err)
	}
	return fmt.Errorf("%s: %w", buffer, err)
}

// A usageError says that the command line is wrong about a capture.
type usageError struct{ error }

// Usagef returns an error that is one of usage ([capture.ErrUsage]), and what it wraps.
func Usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

func (e *usageError) Unwrap() error { return e.error }

// Is reports that the error is one of usage.
func (e *usageError) Is(target error) bool { return target == capture.ErrUsage }

// errSamples says that samples have no window without an index.
var errSamples = Usagef("a window of samples can only be found with an index; " +
	"give --index DIR, a dataset of the whole capture")
