package identify

import (
	"fmt"
	"os"
)

// A Kind is what a file or directory is.
type Kind string

// The kinds.
const (
	Snapshot  Kind = "snapshot"  // a capture: its directory, or its ini file
	Dataset   Kind = "dataset"   // what export writes, or a file of it
	Program   Kind = "program"   // an ELF file, or a program in another format
	Part      Kind = "part"      // another ini file of a snapshot
	Foreign   Kind = "foreign"   // a file of another tool
	Directory Kind = "directory" // any other directory
	Empty     Kind = "empty"     // a file without bytes
	Unknown   Kind = "unknown"   // any other file: raw trace, perhaps
)

// A Finding is what something is, and what to do with it.
type Finding struct {
	Kind  Kind     `json:"kind"`
	What  string   `json:"what"`           // in words: "an ELF file of 32-bit Arm"
	Do    string   `json:"do,omitempty"`   // what to do, in a sentence
	Lines []string `json:"type,omitempty"` // what to type
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
