package schema

// Options are the options of the command line that matter to what is decoded of a
// capture, and which tables are written of it. With them and the capture a dataset can
// be made again.
type Options struct {
	Protocol     string     `json:"protocol,omitempty"`
	Regs         []string   `json:"regs,omitempty"` // NAME=VALUE
	Framed       bool       `json:"framed,omitempty"`
	AllowOutside bool       `json:"allow_outside,omitempty"`
	Buffer       string     `json:"buffer,omitempty"`
	FrameOffset  *int64     `json:"frame_offset,omitempty"`
	RingStart    *int64     `json:"ring_start,omitempty"`
	ELFs         []Argument `json:"elf,omitempty"`
	Images       []Argument `json:"image,omitempty"`
	Symbols      []Argument `json:"symbols,omitempty"`

	Sources     []uint16          `json:"sources,omitempty"` // trace IDs; none: all
	TaskNames   map[uint32]string `json:"tasks,omitempty"`   // by Context ID
	TimestampHz uint64            `json:"timestamp_hz,omitempty"`
	CycleHz     uint64            `json:"cycle_hz,omitempty"`
	Tables      []string          `json:"tables,omitempty"`       // beside those always written; none: those written by default
	AddedTables []string          `json:"added_tables,omitempty"` // beside those
	PacketsOnly bool              `json:"packets_only,omitempty"`
}

// An Argument is one of the command line that names a file: it is Before + File +
// After.
type Argument struct {
	Before string `json:"before,omitempty"` // "CORE="
	File   string `json:"file"`             // without directories
	After  string `json:"after,omitempty"`  // "@ADDR"
	SHA256 string `json:"sha256"`
	// Mapped says that it is none of the command line, but was found as what a process or the kernel had mapped
	// while perf recorded.
	Mapped bool `json:"mapped,omitempty"`
}
