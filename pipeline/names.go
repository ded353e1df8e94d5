package pipeline

import (
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/keep"
	"github.com/tracelake/tracelake/pipeline/packets"
	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/pipeline/window"
)

// What callers of this package name, wherever it is made.
type (
	// Options say what to export and how.
	Options = keep.Options
	// Window is the part of a capture that is decoded.
	Window = window.Window
	// Progress is how far a decode has come.
	Progress = engine.Progress
	// PacketLine is a line of a list of packets.
	PacketLine = packets.Line
	// NothingError says that nothing was decoded, and the likely causes.
	NothingError = plan.NothingError
)

const (
	// DefaultMaxRows is how many rows of `instructions` or of `blocks` a dataset has
	// at most, if nothing else is said. No intact trace of a terabyte makes as many,
	// but a megabyte over straight code of 60,000 instructions could.
	DefaultMaxRows = 100_000_000_000
	// DefaultMaxCalls is how many rows of `calls` a source has unless the table was asked for.
	DefaultMaxCalls = 4_000_000
)
