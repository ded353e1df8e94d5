// Package pipeline turns a capture into a dataset. [Export] is all of it:
//
//	capture ──plan──► sources ──engine──► results ──stitch──► runs and rows ──rows──► row-group jobs ──encode──► files
//
// What is a room of its own has a package: plan says what is in a capture and how it is decoded; engine
// decodes, in parallel and in order; probe inspects and judges; window finds segments; keep archives, and
// decodes again what was exported. Here are what users ask for, and the export, which joins them.
//
// Units are decoded, and row groups encoded, in parallel; split, stitch, rows and
// the writing of files are sequential. Units and row groups depend only on the
// data, so every file is the same for any number of workers.
//
// The files are written by schema/dataset, which also reads them back.
//
// Its API is promised (docs/guide/library.md).
package pipeline

import (
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/keep"
	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/pipeline/probe"
	"github.com/tracelake/tracelake/pipeline/window"
)

// What callers name, wherever it is made.
type (
	// Options say what to export and how.
	Options = keep.Options
	// Window is the part of a capture that is decoded.
	Window = window.Window
	// Span is from where to where a window goes.
	Span = window.Span
	// Point is an end of a span, by what its kind says.
	Point = window.Point
	// Inspection is what an input is, and whether it would decode.
	Inspection = probe.Inspection
	// ArchiveOptions say what to archive and how.
	ArchiveOptions = keep.ArchiveOptions
	// VerifyOptions say how to decode a capture again.
	VerifyOptions = keep.VerifyOptions
	// Verified is what became of a dataset that was made again.
	Verified = keep.Verified
	// Progress is how far a decode has come.
	Progress = engine.Progress
	// NothingError says that nothing was decoded, and the likely causes.
	NothingError = plan.NothingError
)

// Kinds of points.
const (
	ByOffset    = window.ByOffset    // capture offset, in bytes
	BySeq       = window.BySeq       // ordinal of an instruction of a source
	ByTimestamp = window.ByTimestamp // its value, in ticks
	BySegment   = window.BySegment   // ordinal of a segment of a source
)

const (
	// DefaultMaxRows is how many rows of `instructions` or of `blocks` a dataset has
	// at most, if nothing else is said. No intact trace of a terabyte makes as many,
	// but a megabyte over straight code of 60,000 instructions could.
	DefaultMaxRows = 100_000_000_000
	// DefaultMostCalls is how many rows of `calls` a source has unless the table was asked for: those of the
	// longest calls. So they cost little of a long capture, and a short one has all.
	DefaultMostCalls = 65_536
)
