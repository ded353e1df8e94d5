// Package process follows the processes of a recording: which files are mapped where in which
// process, what its threads are called, and which thread a CPU runs, each at any time.
//
// A [Timeline] is made once from the events that perf records beside the trace, and answers
// from then on. All times are those of perf's clock, in nanoseconds.
// The rules are those of docs/perfdata.md, §7.
//
// Its API is not stable (docs/guide/library.md).
package process

import "github.com/tracelake/tracelake/schema"

// KernelPID is the process of the maps of the kernel and its modules.
const KernelPID = -1

// A Kind is what happened in an [Event].
type Kind uint8

// The kinds. Every event of a user process also says that its thread belongs to its process.
const (
	// Seen tells nothing else.
	Seen Kind = iota
	// Mapped adds Map to the process if it is Executable: other maps hold no code.
	Mapped
	// Forked begins a process with the maps of its parent, or, where Parent is PID, a thread.
	Forked
	// Synthesized begins a process that ran before the recording (FORK with misc bit 13): its own
	// maps follow, so it gets none of its parent.
	Synthesized
	// Named gives the thread its Name.
	Named
	// Executed gives the thread its Name and drops the maps of its process.
	Executed
	// SwitchedIn begins a run of the thread on CPU.
	SwitchedIn
	// SwitchedOut ends a run of the thread on CPU.
	SwitchedOut
)

// An Event is one change of a process. There is none for an exit: what the kernel does then
// is traced after it, and what a number that is used again means is said by its fork.
type Event struct {
	Kind              Kind
	Time              uint64 // 0: it was so from the beginning
	PID, TID          int32
	Parent, ParentTID int32 // of Forked and Synthesized
	CPU               int32 // of SwitchedIn and SwitchedOut
	Name              string
	Map               Map
	Executable        bool // of Mapped
}

// A Map is a range of addresses at which a file is mapped.
type Map struct {
	Address schema.Address
	Size    uint64 // in bytes
	Offset  uint64 // of the first byte in the file; of the kernel, the address of its first symbol, or 0
	File    File
}

// End returns the address after m, at most the last one of 64 bits.
func (m *Map) End() schema.Address {
	return m.Address + schema.Address(min(m.Size, uint64(schema.MaxAddress-m.Address)))
}

// A File is a file that was mapped.
type File struct {
	Name    string // as recorded: a path, or the like of "[vdso]"
	BuildID string // in hex; "" where the recording has none
}
