package perfdata

import "slices"

// What misc of a record says: which mode the CPU was in, and one bit that each type has its own
// use for.
const (
	MiscKernel   = 1
	MiscUser     = 2
	miscData     = 1 << 13 // MMAP: not executable
	miscExec     = 1 << 13 // COMM: by exec
	miscOut      = 1 << 13 // SWITCH: the thread leaves the CPU
	miscBuildID  = 1 << 14 // MMAP2: a build ID in place of the inode
	miscIDLength = 1 << 15 // build ID: its length is given
)

// KernelPID is the pid of maps of the kernel.
const KernelPID = 0xFFFFFFFF

// A Map says what lies in an address space: Length bytes from Address on are those of a file from
// Offset on.
type Map struct {
	PID, TID                uint32
	Address, Length, Offset uint64
	Prot, Flags             uint32 // as of mmap(2); MMAP has whether Prot has ProtExec, and no more
	Name                    string

	// BuildID, if there is one, is in the record in place of the file's place.
	BuildID           []byte
	Major, Minor      uint32
	Inode, Generation uint64
}

// The bits of Map.Prot.
const (
	ProtRead  = 1
	ProtWrite = 2
	ProtExec  = 4
)

func (m *Map) mode() uint16 {
	if m.PID == KernelPID {
		return MiscKernel
	}
	return MiscUser
}

// body is what MMAP and MMAP2 begin with.
func (m *Map) body() []byte {
	return append(halves(m.PID, m.TID), words(m.Address, m.Length, m.Offset)...)
}

// MMAP is the map as a record MMAP.
func (m *Map) MMAP() Record {
	r := Record{Type: TypeMMAP, Misc: m.mode(), Body: append(m.body(), name(m.Name)...)}
	if m.Prot&ProtExec == 0 {
		r.Misc |= miscData
	}
	return r
}

// MMAP2 is the map as a record MMAP2. A build ID has 20 bytes at the most.
func (m *Map) MMAP2() Record {
	r := Record{Type: TypeMMAP2, Misc: m.mode(), Body: m.body()}
	if m.BuildID == nil {
		r.Body = append(append(r.Body, halves(m.Major, m.Minor)...), words(m.Inode, m.Generation)...)
	} else {
		r.Misc |= miscBuildID
		r.Body = append(append(r.Body, byte(len(m.BuildID)), 0, 0, 0), idField(m.BuildID)...)
	}
	r.Body = append(append(r.Body, halves(m.Prot, m.Flags)...), name(m.Name)...)
	return r
}

// idBytes is the room for a build ID.
const idBytes = 20

func idField(id []byte) []byte {
	return append(slices.Clip(id), make([]byte, idBytes-len(id))...)
}

// Comm says how a thread is called from now on.
func Comm(pid, tid uint32, comm string, exec bool) Record {
	r := Record{Type: TypeComm, Body: append(halves(pid, tid), name(comm)...)}
	if exec {
		r.Misc |= miscExec
	}
	return r
}

// A Task is a thread and the one that made it.
type Task struct{ PID, ParentPID, TID, ParentTID uint32 }

// Fork says that the task begins.
func (t Task) Fork(time uint64) Record { return t.record(TypeFork, time) }

// Exit says that the task ends.
func (t Task) Exit(time uint64) Record { return t.record(TypeExit, time) }

func (t Task) record(kind uint32, time uint64) Record {
	return Record{Type: kind, Body: append(halves(t.PID, t.ParentPID, t.TID, t.ParentTID), words(time)...)}
}

// ITraceStart says that the trace of a thread begins.
func ITraceStart(pid, tid uint32) Record {
	return Record{Type: TypeITraceStart, Body: halves(pid, tid)}
}

// Switch says that the thread of the trailer comes to its CPU, or leaves it.
func Switch(out bool) Record { return Record{Type: TypeSwitch, Misc: switchMisc(out)} }

// SwitchCPUWide is Switch with the other thread: the one that comes, if this one leaves.
func SwitchCPUWide(out bool, pid, tid uint32) Record {
	return Record{Type: TypeSwitchCPUWide, Misc: switchMisc(out), Body: halves(pid, tid)}
}

func switchMisc(out bool) uint16 {
	if out {
		return miscOut
	}
	return 0
}

// HardwareID says which trace ID the CPU of the trailer has from now on, in minor version 0.
func HardwareID(id uint8) Record { return Record{Type: TypeAUXOutputHWID, Body: words(uint64(id))} }

// SinkID is HardwareID in minor version 1: the ID is unique among the CPUs of one sink.
func SinkID(id uint8, sink uint32) Record {
	return Record{Type: TypeAUXOutputHWID, Body: words(1<<56 | uint64(sink)<<8 | uint64(id))}
}

// Lost says that n records of an event are missing.
func Lost(id, n uint64) Record { return Record{Type: TypeLost, Body: words(id, n)} }

// LostSamples says that n samples are missing.
func LostSamples(n uint64) Record { return Record{Type: TypeLostSamples, Body: words(n)} }

// KSymbol says that code of the kernel has come to an address, of which there is no file. Kind is
// 1 for BPF, 2 for code out of line; flag 1: it has gone.
func KSymbol(address uint64, length uint32, kind, flags uint16, symbol string) Record {
	b := order.AppendUint32(words(address), length)
	b = order.AppendUint16(order.AppendUint16(b, kind), flags)
	return Record{Type: TypeKSymbol, Body: append(b, name(symbol)...)}
}

// TextPoke says that code of the kernel was changed.
func TextPoke(address uint64, old, code []byte) Record {
	b := order.AppendUint16(words(address), uint16(len(old)))
	b = order.AppendUint16(b, uint16(len(code)))
	return Record{Type: TypeTextPoke, Misc: MiscKernel, Body: padded(append(append(b, old...), code...), 8)}
}

// A Clock is how a counter's value becomes ns of perf's clock: zero + value·mult >> shift.
type Clock struct{ Shift, Mult, Zero uint64 }

// Record is the clock as a record TIME_CONV.
func (c Clock) Record() Record {
	const mask, capabilities = 1<<56 - 1, 1 | 1<<8 // the counter's width; that Zero and mask hold
	return Record{Type: TypeTimeConv, Body: words(c.Shift, c.Mult, c.Zero, 0, mask, capabilities)}
}

// FinishedRound says that no later record is of an earlier time.
func FinishedRound() Record { return Record{Type: TypeFinishedRound} }

// FinishedInit says that what was there before the recording began has been told.
func FinishedInit() Record { return Record{Type: TypeFinishedInit} }
