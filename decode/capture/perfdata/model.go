package perfdata

import "io"

// A Part is a file of a recording: perf.data, or one of those in a directory of that name
// (§10).
type Part struct {
	Name string // as shown to the user
	Data io.ReaderAt
	Size int64 // bytes
}

// A File is what a recording tells, but for the trace itself. It is never changed.
type File struct {
	Piped bool // recorded to a pipe (§10)

	// Features; empty or 0 where the file has none (§9).
	Hostname    string
	OSRelease   string // of the kernel
	PerfVersion string
	Arch        string // as uname -m
	CommandLine []string
	CPUsPresent int
	CPUsOnline  int

	ClockID    int32           // clockid_t of every Time; NoClock: perf's own
	Conversion *TimeConversion // nil: not recorded

	Metadata Metadata
	Rings    []Ring
	Pieces   []Piece // by Time, then in file order
	Events   []Event // by Time, then in file order

	// What Events and Maps refer to by index.
	Names   []string // of commands, files and symbols, and build IDs, as recorded; Names[0] is ""
	Maps    []Map
	Symbols []Symbol
	Pokes   []Poke

	BuildIDs []BuildID
	Notes    []string // for the user, a sentence each without a full stop
}

// NoClock is the clock ID of a recording that chose no clock.
const NoClock int32 = -1

// A TimeConversion relates the architected counter, in ticks, to the time of records, in
// nanoseconds (§8).
type TimeConversion struct {
	Shift, Multiplier, Zero uint64
	// Short counters have only the bits of Mask, and went on from Cycles.
	Short        bool
	Cycles, Mask uint64
}

// A Kind is the architecture of a trace unit.
type Kind uint8

// The kinds.
const (
	ETMv3 Kind = iota + 1
	PTM
	ETMv4
	ETE
)

var kinds = []string{ETMv3: "ETMv3", PTM: "PTM", ETMv4: "ETMv4", ETE: "ETE"}

func (k Kind) String() string { return kinds[k] }

// Metadata are what AUXTRACE_INFO tells of the trace units (§4).
type Metadata struct {
	Version  uint64
	PMU      uint32 // number of perf's event source
	Snapshot bool   // the trace is what was left in rings that were overwritten
	CPUs     []CPU  // in the order of the file; no two have one number
}

// A CPU is one that was traced (§4).
type CPU struct {
	CPU       int16
	Kind      Kind
	Registers []Register // in the order of the file
	Timestamp TimestampSource
	TraceIDs  []TraceID // all that it had, in file order; none if the file gives none
}

// A Register is one of a trace unit, by Arm's name.
type Register struct {
	Name  string
	Value uint64
}

// A TimestampSource is the counter of which a trace unit tells the value.
type TimestampSource uint8

// The sources.
const (
	UnknownTimestamps TimestampSource = iota
	VirtualCounter
	PhysicalCounter
)

// A TraceID is what the bytes of a CPU are marked with (§5).
type TraceID struct {
	ID   uint8
	Sink uint32 // within which the ID is unique; 0: in all
}

// A Ring is one of the buffers into which the kernel copied trace (§6).
type Ring struct {
	Index uint32 // as perf numbers them
	CPU   int16  // −1: of one thread
	TID   int32  // of a ring of one thread
	// Bytes that were recorded. All but Padding and Unclaimed are in pieces.
	Bytes     int64
	Padding   int64
	Unclaimed int64 // no AUX record tells of them
}

// A Piece is the trace of one run of a tracer: what one AUX record tells of (§6). Nothing
// carries over from one piece to the next.
type Piece struct {
	Time    uint64 // of its end; 0: not recorded
	Offset  int64  // in the file of its part
	Size    int64  // bytes there
	Missing int64  // bytes that the AUX record promises and no AUXTRACE holds
	PID     int32  // −1: not recorded
	TID     int32  // −1: not recorded
	Ring    int32  // index in Rings; −1 if there are no bytes
	Sink    uint32 // of the CPU at that time; 0: not recorded
	CPU     int16  // −1: not recorded
	Part    int16
	Flags   PieceFlags
	TraceID uint8 // of the CPU at that time; 0: not recorded
	Raw     bool  // the bytes of one trace unit, and no frames
}

// PieceFlags are what the kernel says of a piece (§6).
type PieceFlags uint8

// The flags, by perf's bits.
const (
	Truncated PieceFlags = 1 << iota // the buffer was full: what came after is lost
	Overwrite                        // of a snapshot: what came before was overwritten
	Partial                          // with gaps inside
	Collision                        // two tracers wanted the buffer
)

// An EventKind is a record's type.
type EventKind uint8

// The kinds, by perf's numbers (§3).
const (
	MapEvent           EventKind = 1 // MMAP and MMAP2
	CommEvent          EventKind = 3
	ExitEvent          EventKind = 4
	ForkEvent          EventKind = 7
	TraceStartEvent    EventKind = 12
	SwitchEvent        EventKind = 14
	SwitchCPUWideEvent EventKind = 15
	SymbolEvent        EventKind = 17
	PokeEvent          EventKind = 20
)

// An Event is a change of processes, of what they map, or of the kernel's code (§7).
type Event struct {
	Time uint64 // 0: from the beginning, or not recorded
	PID  int32  // −1: the kernel, or not recorded
	TID  int32
	// The parent of a fork or an exit; of a switch of the whole CPU the other thread: the next
	// one of a switch out, the one before of a switch in.
	OtherPID, OtherTID int32
	Index              uint32 // of a comm in Names, of a map in Maps, and so on
	CPU                int16  // −1: not recorded
	Kind               EventKind
	Out                bool // of a switch: the thread leaves the CPU
	// Exec: of a comm, another program was loaded; of a fork, the process ran before the recording, and its maps
	// are recorded.
	Exec bool
}

// A Map is a stretch of a file in an address space (§7).
type Map struct {
	Addr, Size uint64 // bytes
	FileOffset uint64 // of Addr
	Name       uint32 // in Names, as recorded: no path to open, and nothing to show unescaped
	BuildID    uint32 // in Names; 0: not recorded
	Executable bool
	Mode       Mode
}

// A Mode is the processor mode that a record is about.
type Mode uint8

// The modes, by perf's numbers (§3).
const (
	UnknownMode Mode = iota
	Kernel
	User
	Hypervisor
	GuestKernel
	GuestUser
)

// A Symbol is kernel code that came or went without a file (KSYMBOL).
type Symbol struct {
	Addr       uint64
	Size       uint32 // bytes
	Name       uint32 // in Names
	Type       uint16 // 1 BPF, 2 out of line
	Unregister bool
}

// A Poke is a change of kernel code in place (TEXT_POKE).
type Poke struct {
	Addr     uint64
	Old, New []byte
}

// A BuildID identifies a file that was mapped (§9).
type BuildID struct {
	Name string // as recorded, as that of a Map
	ID   string // bytes without zeros at the end
	PID  int32  // −1: the kernel
	Mode Mode
}
