package image

import "github.com/tracelake/tracelake/schema"

// Processes are the address spaces of a capture that has several: what fetches see depends on the process
// that runs. They do not change and are safe for concurrent use.
type Processes interface {
	// At returns the number of the address space that a core sees at a capture offset, where the trace says
	// these IDs of the process.
	At(offset int64, contextID, vmid schema.Null[uint32]) uint32
	// Memory returns what is seen in an address space.
	Memory(process uint32) *Memory
}

// OfProcesses returns the memory of a core that runs several processes: each sees its own. It has the
// regions, too, which are all program files at their places (see [schema.Block.Place]).
func OfProcesses(p Processes, regions ...Region) *Memory {
	m := New(regions...)
	m.processes = p
	return m
}

// HasProcesses reports whether what fetches see depends on the process.
func (m *Memory) HasProcesses() bool { return m.processes != nil }

// ProcessAt is [Processes.At].
func (m *Memory) ProcessAt(offset int64, contextID, vmid schema.Null[uint32]) uint32 {
	return m.processes.At(offset, contextID, vmid)
}

// Places returns the places of the processes; nil if there are none. m may be nil.
func (m *Memory) Places() schema.Places {
	if m == nil || m.processes == nil {
		return nil
	}
	return func(s schema.State, a schema.Address) schema.Address {
		return a + m.processes.Memory(s.Process).Moved(SpaceOf(s.Security), a)
	}
}

// Process returns what is seen in an address space, watched as m is.
func (m *Memory) Process(process uint32) *Memory { return m.processes.Memory(process).Watched(m.watch) }
