// Package capture opens what a user has: a snapshot directory, or a raw file
// with its settings. It finds the buffers, the trace sources with their
// registers, and the program memory each source's core sees; it reads no trace
// data.
//
// Section numbers are those of docs/containers.md; the format
// of snapshots is Arm's "Debug and Trace Snapshot File Format" 0.2.
//
// Its API is promised (docs/guide/library.md).
package capture

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture/perfdata"
	"github.com/tracelake/tracelake/decode/image"
)

// Options are what the command line says about an input.
type Options struct {
	Protocol     string   // of a raw file: the name of a [decode.Family]
	Regs         []string // NAME=VALUE of registers and options; beat those of the snapshot
	Framed       bool     // a raw file is in formatter frames
	AllowOutside bool     // a snapshot may name files outside its directory
	Buffer       string   // name of the only buffer to read
	FrameOffset  *int64   // where the first frame starts in the buffer
	RingStart    *int64   // where the oldest byte of the buffer is
	MaxInput     int64    // bytes of standard input or of an unpacked file; 0: DefaultMaxInput
	ELFs         []string // FILE or FILE@BASE
	Images       []string // FILE@ADDR or FILE@ADDR:SPACE
	Symbols      []string // [CORE=]FILE or [CORE=]FILE@BASE
	// Sysroots are directories with the program files of a recording of perf, Vmlinux and Kcore files of
	// its kernel; "": none.
	Sysroots       []string
	Vmlinux, Kcore string

	// Unpacking, if not nil, is called now and then while an input is unpacked, with
	// the bytes of it that were read, and their number; -1: not known.
	Unpacking func(read, total int64)
	// Unpacked is the raw file to open in place of the path; nil: the path is opened.
	Unpacked *Unpacked
	// Stored, if not nil, are the files to open in place of the path and of what it names.
	Stored Stored
	// ImageStore is the directory of the images of an archive, which is the input; "": it is
	// where the archive says.
	ImageStore string
	// Arguments, if not nil, are files to open in place of those that arguments name.
	Arguments StoredArguments
	// Notes are for the user to read, and become warnings.
	Notes []string
}

// NamesPrograms reports whether the command line says where program files are.
func (o *Options) NamesPrograms() bool {
	return len(o.ELFs)+len(o.Images)+len(o.Symbols)+len(o.Sysroots) > 0 || o.Vmlinux != "" || o.Kcore != ""
}

// maxInput returns how many bytes an input may have that is unpacked.
func (o *Options) maxInput() int64 {
	if o.MaxInput == 0 {
		return DefaultMaxInput
	}
	return o.MaxInput
}

// A Capture is an open input. It is not changed once open and is safe for
// concurrent use.
type Capture struct {
	Path        string // as given
	Description string // of the snapshot
	// Buffers are those to read, in the order of the snapshot. None means that
	// the snapshot has no trace.
	Buffers []*Buffer
	// Sources are the configured trace sources, in the order of devices. There
	// are none for a raw file in frames.
	Sources []*Source
	// Template is what every source of a raw file in frames is made from, by
	// [Source.WithID]; nil otherwise.
	Template *Source
	// Regions is all program memory, in order: command line, then by device.
	Regions []image.Region
	// Programs are the program files of the command line: ELFs, then Symbols.
	Programs []ProgramFile
	// Arguments are the files that the command line names.
	Arguments FileArguments
	// TimestampHz is the frequency of the timestamps, or 0 if not given.
	TimestampHz uint64
	// Inputs are all files that were opened, each once, in that order.
	Inputs []*Input
	// Warnings are for the user to read; none of them keeps the capture from
	// being decoded.
	Warnings []string

	// TaskNames are names of tasks by their Context ID, as a recording of perf has them.
	TaskNames map[uint32]string
	// Recording is what a recording of perf tells beside the trace; nil: the input is none.
	Recording *perfdata.File

	ini    string // name of the file that would name the trace
	closer []io.Closer
}

// A Format is how the bytes of a buffer are to be read (§5.4).
type Format uint8

// The formats.
const (
	CoreSight  Format = iota // formatter frames, from memory
	SourceData               // the bytes of one source
	DStream                  // formatter frames with sync packets
)

var formatNames = []string{"coresight", "source_data", "dstream_coresight"}

func (f Format) String() string { return formatNames[f] }

// A Buffer is the trace data of one buffer.
type Buffer struct {
	ID     string // name of its section
	Name   string
	Files  []string // as the snapshot names them
	Format Format
	// Data is the bytes of all files in sequence: capture offsets are positions
	// in it. It is safe for concurrent use until the capture is closed.
	Data io.ReaderAt
	Size int64 // bytes of Data
	// RingStart is where the oldest byte of Data is, if the user gave it: reading
	// starts there and wraps round.
	RingStart int64
	// Runs are where, in Data, another run of the trace unit begins, rising from 0: nothing continues
	// from the bytes before, and in frames one begins there. nil: it is all one, however it lies.
	Runs []int64
	// FrameOffset is where the first frame starts, if the user gave it.
	FrameOffset *int64
}

// A Source is a configured trace source.
type Source struct {
	ID       uint8  // trace ID; 0 for a raw stream, or if no register has it
	Name     string // of its device
	Type     string // as written: "PTM1.1"
	Protocol string // name of a [decode.Family], or ""
	Version  string // of the protocol, "1.1"; "" if not known
	Core     string // name of the core it traces; may be ""
	CoreType string // as written; may be ""
	Profile  Profile
	// Registers are those of its device, as given and as set on the command
	// line. Those of a raw file include the defaults.
	Registers Registers
	// Memory is what its core sees; never nil.
	Memory *image.Memory
	// Unfound are the files that its processes map and that were not found, in a recording of perf.
	Unfound Unfound
	// Buffers may hold its data: the first that has bytes of its ID does, the
	// others are not decoded. None means that no buffer is configured for it.
	Buffers []*Buffer
	// Problem is why it cannot be decoded, naming file and register; "" if
	// nothing is known to be wrong.
	Problem string

	file      string // its device's ini file
	splitData bool   // it sends data in a stream of its own
}

// WithID returns a copy of a template for the source of that ID. Where data are in a stream of their
// own, the ID of the instructions is even, and that of the data follows.
func (s *Source) WithID(id uint8) *Source {
	c := *s
	c.ID = id
	c.Name = fmt.Sprintf("0x%02x", id)
	if s.splitData && id&1 == 1 {
		c.Problem = s.dataTrace()
	}
	return &c
}

// dataTrace is the problem of a stream of data.
func (s *Source) dataTrace() string { return s.Protocol + " data trace" }

// Raw reports whether the input is a raw file, with its settings on the command line.
func (c *Capture) Raw() bool { return c.ini == "" && c.Recording == nil }

// SourcesIn returns the sources that may have data in b.
func (c *Capture) SourcesIn(b *Buffer) []*Source {
	var in []*Source
	for _, s := range c.Sources {
		if slices.Contains(s.Buffers, b) {
			in = append(in, s)
		}
	}
	return in
}

// Check checks that there is anything to decode: it fails with an [*InputError] if
// the snapshot has no trace, or, wrapping [ErrEmpty], if all buffers are empty.
func (c *Capture) Check() error {
	if len(c.Buffers) == 0 {
		return &InputError{
			File: c.ini, Section: "trace", Key: "metadata", Problem: "is missing: the snapshot holds no trace",
			Remedy: "add metadata=trace.ini if there is one",
		}
	}
	var names []string
	for _, b := range c.Buffers {
		if b.Size > 0 {
			return nil
		}
		names = append(names, b.Name)
	}
	return &InputError{
		File: c.Path, Problem: "buffer " + strings.Join(names, ", ") + " is empty",
		Remedy: "nothing was traced, or the buffer was not read out", Err: ErrEmpty,
	}
}

// Close closes the files of the buffers and of the programs.
func (c *Capture) Close() error {
	var errs []error
	for _, f := range c.closer {
		errs = append(errs, f.Close())
	}
	c.closer = nil
	return errors.Join(errs...)
}

// howToName is the remedy for an input that is no capture.
const howToName = "give the snapshot directory or a raw file with --protocol"

// Open opens a snapshot, by its directory or its ini file, or a raw file. It
// fails with an [*InputError]; one that wraps [ErrUsage] is for the command line.
// decoded are the families that the caller decodes; sources of others are named,
// as far as they are known.
func Open(path string, decoded []decode.Family, opt Options) (*Capture, error) {
	r := &reader{opt: opt, families: newFamilies(decoded), c: &Capture{Path: path}}
	for _, note := range opt.Notes {
		r.add("%s", note)
	}
	if err := r.openPath(path); err != nil {
		r.c.Close()
		return nil, err
	}
	r.c.Warnings = r.list
	return r.c, nil
}

// A reader reads one input into a capture.
type reader struct {
	warnings
	opt      Options
	families families
	protocol string // of a raw file
	c        *Capture
	dir      *folder // of a snapshot

	inputs   map[string]*Input    // by path
	trace    map[string]traceFile // open files of buffers, by path
	dumps    map[dumpKey][]byte   // memory that was read
	memory   uint64               // bytes of it
	compared int                  // bytes of it compared with other memory

	images  []image.Region // of the command line
	regs    []Register     // of the command line
	devices []*device
	narrow  *InputError // of the command line, if no core has AArch64
}

func (r *reader) openPath(path string) error {
	if r.opt.Unpacked != nil {
		return r.openRaw(path)
	}
	if r.opt.Stored != nil {
		name, raw := r.opt.Stored.Begin()
		if raw {
			return r.openRaw(path)
		}
		return r.openSnapshot(path, name)
	}
	info, err := os.Stat(path)
	if err != nil {
		return unreadable(path, err, howToName)
	}
	dir, name := path, "snapshot.ini"
	isINI := strings.EqualFold(filepath.Ext(path), ".ini")
	switch {
	case info.IsDir():
		if _, err := os.Stat(filepath.Join(path, name)); errors.Is(err, fs.ErrNotExist) {
			if IsRecordingDir(path) {
				return r.openRecordingDir(path)
			}
			return &InputError{File: path, Problem: "is a directory without snapshot.ini", Remedy: howToName, Err: err}
		}
	case isINI && r.opt.Protocol == "" || filepath.Base(path) == name:
		dir, name = filepath.Dir(path), filepath.Base(path)
	case filepath.Base(path) == dataFile && IsRecordingDir(filepath.Dir(path)): // more of it may be beside
		return r.openRecordingDir(filepath.Dir(path))
	default:
		return r.openRaw(path)
	}
	return r.openSnapshot(dir, name)
}
