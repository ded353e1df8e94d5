package capture

import (
	"io"
	"io/fs"
)

// A File is an open file of a capture, of which any place can be read.
type File interface {
	io.ReaderAt
	io.Closer
	// Stat describes the file where it is, which is another size if it is packed.
	Stat() (fs.FileInfo, error)
	// Name is the path by which the file was opened.
	Name() string
}

// Stored are the files of a capture that are not where they were: an archive has
// them. Names are those that the capture was opened with; they are keys, not paths.
type Stored interface {
	// Begin returns the name of the file to begin with: a raw file, or the ini file of a
	// snapshot.
	Begin() (name string, raw bool)
	// Open opens the file whose [Input.Path] was name, and returns how many bytes it
	// holds. Its error is for the user, and wraps [fs.ErrNotExist] if the file was left out.
	Open(name string) (File, int64, error)
}

// StoredArguments are files of program memory or names that are not where they were.
type StoredArguments interface {
	// OpenArgument opens a file that an argument names. Its error wraps [fs.ErrNotExist]
	// if name is none of these files: it is a path then.
	OpenArgument(name string) (File, int64, error)
}

// An InputKind is what a file of a capture is for.
type InputKind uint8

// The kinds.
const (
	INIFile      InputKind = iota // of a snapshot
	MemoryFile                    // program memory that a snapshot names
	ArgumentFile                  // program memory or names of the command line
	TraceFile                     // trace data
)

var inputKinds = []string{"ini", "memory", "argument", "trace"}

func (k InputKind) String() string { return inputKinds[k] }

// A FileArgument is an argument of the command line that names a file: what is before the
// name, as CORE=, and after it, as @ADDR.
type FileArgument struct {
	Before, File, After string
	// Mapped is what a program file that perf recorded is known as, whether it was given or found; "" of others.
	Mapped string
	Input  *Input
}

// FileArguments are those of each flag, in order.
type FileArguments struct {
	ELFs, Images, Symbols []FileArgument
}

// argument returns the argument arg, which names a file that was opened.
func (r *reader) argument(before, name, arg string) FileArgument {
	return FileArgument{Before: before, File: name, After: arg[len(before)+len(name):], Input: r.inputs[argumentKey(name)]}
}

// argumentKey identifies a file that the command line names.
func argumentKey(name string) string { return "command line: " + name }
