package files

import (
	"path"
	"strings"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/image/jit"
	"github.com/tracelake/tracelake/decode/process"
)

// isDump reports whether a name is that of a jitdump, which its process maps so that a recording
// has the name.
func isDump(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, "jit-") && strings.HasSuffix(base, ".dump")
}

// Jitdump returns what the jitdump that a process maps tells, or nil if m is a map of another file.
// It fails with a [*Missing].
func (f *Finder) Jitdump(m *process.Map) (*jit.Dump, error) {
	if !isDump(m.File.Name) {
		return nil, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	p, err := f.program(m.File)
	switch {
	case err != nil:
	case p.dump.Counter:
		err = &image.FormatError{
			Problem: "has times of the processor's counter (" + p.Path + ")",
			Remedy:  "run the program so that its jitdump has those of perf's clock (perf record -k mono)",
		}
	default:
		return p.dump, nil
	}
	return nil, f.miss(process.Part{From: m.Address, To: m.End(), Map: m}, err)
}

// JitEvents are the events by which the code of a jitdump, which is mapped as a file, is where it
// was when: [Finder.User] has the bytes.
func JitEvents(d *jit.Dump, file process.File, pid int32) []process.Event {
	var events []process.Event
	for _, c := range d.Codes {
		events = append(events, process.Event{
			Kind: process.Mapped, Time: c.Time, PID: pid, TID: pid, Executable: true,
			Map: process.Map{Address: c.Address, Size: c.Size, Offset: c.Offset, File: file},
		})
	}
	return events
}
