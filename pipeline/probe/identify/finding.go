package identify

import "os"

// A Kind is what a file or directory is.
type Kind string

// The kinds.
const (
	Snapshot  Kind = "snapshot"  // a capture: its directory, or its ini file
	Dataset   Kind = "dataset"   // what export writes, or a file of it
	Program   Kind = "program"   // an ELF file, or a program in another format
	Part      Kind = "part"      // another ini file of a snapshot
	Recording Kind = "recording" // a capture: a file of Linux perf or simpleperf
	Foreign   Kind = "foreign"   // a file of another tool
	Directory Kind = "directory" // any other directory
	Empty     Kind = "empty"     // a file without bytes
	Unknown   Kind = "unknown"   // any other file: raw trace, perhaps
)

// headBytes is how much of a file is read that a directory holds, traceBytes of one that is given: trace
// synchronises now and then only.
const (
	headBytes  = 4 << 10
	traceBytes = 1 << 20
)

const unknownFile = "a file of no known format"

// A Finding is what something is, and what to do with it.
type Finding struct {
	Kind  Kind     `json:"kind"`
	What  string   `json:"what"`           // in words: "an ELF file of 32-bit Arm"
	Do    string   `json:"do,omitempty"`   // what to do, in a sentence
	Lines []string `json:"type,omitempty"` // what to type
	// Streams are sources in formatter frames, of an unknown file, that are of no protocol which is decoded.
	Streams map[uint8]*Finding `json:"-"`
}

// Sentence says of an input what it is and what to do with it.
func (f *Finding) Sentence(input string) string {
	s := input + ": is " + f.What
	if f.Do != "" {
		s += "; " + f.Do
	}
	return s
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// An Error says that an input is no capture, and what it is.
type Error struct {
	Input string
	Found *Finding
}

func (e *Error) Error() string { return e.Found.Sentence(e.Input) }
