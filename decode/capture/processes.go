package capture

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"sync"

	"github.com/tracelake/tracelake/decode/capture/perfdata"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/image/files"
	"github.com/tracelake/tracelake/decode/process"
	"github.com/tracelake/tracelake/schema"
)

// spaces are the address spaces of a recording. What is mapped in one changes with time: each version of it has a
// number of its own.
type spaces struct {
	timeline *process.Timeline
	programs *programs
	images   []image.Region // of the command line, which all see

	mu       sync.Mutex
	numbers  map[mapped]uint32
	mapped   []mapped                 // by number, from 1
	memories map[uint32]*image.Memory // those that were asked for last
}

// mapped is what a process and the kernel have mapped.
type mapped struct{ user, kernel *process.Maps }

// maxMemories is how many memories are kept: each has a piece for each map.
const maxMemories = 256

// number returns the number of what is mapped for a thread at a time. It is for comparing alone: which one it is
// depends on who asked first.
func (s *spaces) number(tid int32, time uint64) uint32 {
	m := mapped{s.timeline.At(tid, time), s.timeline.Kernel(time)}
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok := s.numbers[m]
	if !ok {
		s.mapped = append(s.mapped, m)
		n = uint32(len(s.mapped))
		s.numbers[m] = n
	}
	return n
}

// Memory is that of [image.Processes].
func (s *spaces) Memory(process uint32) *image.Memory {
	s.mu.Lock()
	defer s.mu.Unlock()
	if process == 0 {
		return image.New()
	}
	m := s.memories[process]
	if m == nil {
		if len(s.memories) == maxMemories {
			clear(s.memories)
		}
		m = s.programs.memory(s.images, s.mapped[process-1])
		s.memories[process] = m
	}
	return m
}

// recordedProcesses are the processes of a source of a recording: they implement [image.Processes].
type recordedProcesses struct {
	*spaces
	buffer *recorded
	told   toldBy
	only   int32 // the one process that was traced; −1: there are several
	rings  []perfdata.Ring
}

// toldBy is what tells the process that runs.
type toldBy uint8

const (
	toldByContextID toldBy = iota
	toldByVMID             // CONTEXTIDR_EL2, where the kernel runs at EL2
	toldByRecords          // of the CPU and the time
)

// toldWords say what tells the process, after "the process that runs is told by ".
var toldWords = [...]string{
	toldByContextID: "the Context ID in the trace", toldByVMID: "the VMID in the trace, which is CONTEXTIDR_EL2",
	toldByRecords: "the records of the CPU and the time, as the trace has no Context ID",
}

// The fields of registers that say what trace has of the process.
const (
	configrContextID = 1 << 6
	configrVMID      = 1 << 7
	configrVMIDOpt   = 1 << 15
	etmcrContextID   = 3 << 14
)

// toldBy returns what tells the process in the trace of a source (docs/perfdata.md §7).
func (s *Source) toldBy() toldBy {
	configr, _ := s.Registers.Lookup("TRCCONFIGR")
	etmcr, _ := s.Registers.Lookup("ETMCR")
	switch {
	case configr&configrVMID != 0 && configr&configrVMIDOpt != 0:
		return toldByVMID
	case configr&configrContextID != 0, etmcr&etmcrContextID != 0:
		return toldByContextID
	}
	return toldByRecords
}

// At is that of [image.Processes].
func (p *recordedProcesses) At(offset int64, contextID, vmid schema.Null[uint32]) uint32 {
	piece := p.pieceAt(offset)
	time := piece.Time
	if time == 0 {
		time = math.MaxUint64
	}
	id := contextID
	if p.told == toldByVMID {
		id = vmid
	}
	if p.told != toldByRecords {
		if !id.OK {
			return 0
		}
		return p.number(int32(id.V), time)
	}
	return p.number(p.ran(piece, time), time)
}

// pieceAt returns the piece that a capture offset is in.
func (p *recordedProcesses) pieceAt(offset int64) *perfdata.Piece {
	i := sort.Search(len(p.buffer.Runs), func(i int) bool { return p.buffer.Runs[i] > offset }) - 1
	return &p.buffer.pieces[max(i, 0)]
}

// ran returns the thread that records say a piece is of: the one that the CPU ran then, else that of a ring of one
// thread, else the only process that was traced, else that of the AUX record.
func (p *recordedProcesses) ran(piece *perfdata.Piece, time uint64) int32 {
	if tid, ok := p.timeline.Ran(int32(piece.CPU), time); ok {
		return tid
	}
	if r := &p.rings[piece.Ring]; r.CPU < 0 {
		return r.TID
	}
	if p.only >= 0 {
		return p.only
	}
	return piece.TID
}

// programs are the program files of a recording, each at its place: see [schema.Block.Place].
type programs struct {
	finder  *files.Finder
	homes   map[*files.Program]schema.Address // what leads from the linker's addresses to their places
	order   []*files.Program
	taken   []extent // places, by address
	unfound Unfound
	err     error // the first one that is of no program file
}

type extent struct{ from, to uint64 }

// Unfound are maps of files that were not found.
type Unfound []UnfoundFile

// An UnfoundFile is a map of a file, which has no bytes here.
type UnfoundFile struct {
	From, To schema.Address // without To
	Name     string         // for people to read
	Problem  string         // continues after the name
	Remedy   string
}

// At returns the last map of an address; nil if there is none.
func (u Unfound) At(a schema.Address) *UnfoundFile {
	for i := range slices.Backward(u) {
		if x := &u[i]; a >= x.From && a < x.To {
			return x
		}
	}
	return nil
}

// place gives the file of a map its place: where it was mapped first, if no other file is there.
func (p *programs) place(part process.Part, kernel bool) {
	at, err := p.find(part, kernel)
	if err != nil {
		p.fail(err, part)
		return
	}
	if _, ok := p.homes[at.Program]; ok {
		return
	}
	from, to := at.Program.Extent()
	home := at.Bias
	if p.isTaken(from+home, to+home) {
		home = p.end() - from
	}
	p.take(extent{from + home, to + home})
	p.homes[at.Program] = schema.Address(home)
	p.order = append(p.order, at.Program)
}

func (p *programs) find(part process.Part, kernel bool) (files.Placement, error) {
	if kernel {
		return p.finder.Kernel(part)
	}
	return p.finder.User(part)
}

// fail keeps why a part of a map has no bytes.
func (p *programs) fail(err error, part process.Part) {
	if m, ok := errors.AsType[*files.Missing](err); ok {
		p.unfound = append(p.unfound, UnfoundFile{part.From, part.To, files.Shown(m.File.Name), m.Problem, m.Remedy})
	} else if p.err == nil {
		p.err = err
	}
}

// notMissing returns an error unless it is a file that is missing.
func notMissing(err error) error {
	if _, ok := errors.AsType[*files.Missing](err); ok {
		return nil
	}
	return err
}

func (p *programs) isTaken(from, to uint64) bool {
	i := sort.Search(len(p.taken), func(i int) bool { return p.taken[i].to > from })
	return i < len(p.taken) && p.taken[i].from < to
}

func (p *programs) take(e extent) {
	i := sort.Search(len(p.taken), func(i int) bool { return p.taken[i].from >= e.from })
	p.taken = slices.Insert(p.taken, i, e)
}

// homeAlign is that of places that no map has.
const homeAlign = 1 << 16

// end returns an address of user space after all places there.
func (p *programs) end() uint64 {
	i := sort.Search(len(p.taken), func(i int) bool { return p.taken[i].from >= 1<<63 })
	if i == 0 {
		return homeAlign
	}
	return (p.taken[i-1].to + homeAlign - 1) &^ (homeAlign - 1)
}

// memory returns the memory of what is mapped.
func (p *programs) memory(images []image.Region, m mapped) *image.Memory {
	var regions []image.Region
	add := func(maps *process.Maps, kernel bool) {
		for part := range maps.All() {
			at, err := p.find(part, kernel)
			if err != nil {
				continue
			}
			for _, r := range at.Regions {
				r.Moved = p.homes[at.Program] - schema.Address(at.Bias)
				regions = append(regions, r)
			}
		}
	}
	add(m.user, false)
	add(m.kernel, true)
	return image.New(image.Order(images, regions)...)
}

// addPrograms finds the program files that were mapped, and gives them their places.
func (r *recording) addPrograms() error {
	finder, err := files.New(r.whereFilesAre())
	if err != nil {
		return err
	}
	r.c.closer = append(r.c.closer, finder)
	events, err := r.addJitted(finder, r.processEvents())
	if err != nil {
		return err
	}
	p := &programs{finder: finder, homes: map[*files.Program]schema.Address{}}
	for _, kernel := range []bool{true, false} {
		for i := range events {
			if e := &events[i]; e.Kind == process.Mapped && e.Executable && (e.PID == process.KernelPID) == kernel {
				p.place(process.Part{From: e.Map.Address, To: e.Map.End(), Map: &e.Map}, kernel)
			}
		}
	}
	if p.err != nil {
		return p.err
	}
	r.spaces = &spaces{
		timeline: process.New(events), programs: p, images: r.images, numbers: map[mapped]uint32{},
		memories: map[uint32]*image.Memory{},
	}
	return r.keepPrograms(p)
}

// whereFilesAre says where program files are. An archive has all: those of this machine are others.
func (r *recording) whereFilesAre() files.Options {
	o := files.Options{
		Files: slices.Clone(r.opt.ELFs), Sysroots: r.opt.Sysroots, BuildIDs: slices.Clip(r.opt.Sysroots),
		Vmlinux: r.opt.Vmlinux, Kcore: r.opt.Kcore,
		Open: func(name string) (files.File, int64, error) { return r.openGiven(name) },
	}
	slices.Reverse(o.Files) // what is recorded comes before what is given now
	if r.opt.Arguments == nil {
		o.Host, o.BuildIDs = true, append(o.BuildIDs, debugDirs()...)
	}
	return o
}

// openGiven opens a program file of the command line.
func (r *recording) openGiven(name string) (File, int64, error) {
	f, size, err := r.openArgument(name)
	if err != nil {
		err = unreadable(name, err, "give the program that ran")
	}
	return f, size, err
}

// keepPrograms adds the program files to the capture.
func (r *recording) keepPrograms(p *programs) error {
	for _, program := range p.order {
		if err := r.keepProgram(program); err != nil {
			return err
		}
		home := p.homes[program]
		r.c.Regions = append(r.c.Regions, program.Moved(uint64(home), 0, math.MaxUint64)...)
		if !program.Linked() { // it has no names
			continue
		}
		symbols, err := p.finder.Symbols(program)
		if err != nil {
			return err
		}
		r.c.closer = append(r.c.closer, symbols)
		if !symbols.Own {
			if symbols.SHA256, err = r.keepSymbols(&symbols); err != nil {
				return err
			}
		}
		symbols.Placed = true
		r.c.Programs = append(r.c.Programs, ProgramFile{File: symbols.File, Base: &home})
	}
	return nil
}

// debugDirs are the directories of build IDs that perf keeps, of which there is one at most.
func debugDirs() []string {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	dir := filepath.Join(home, ".debug")
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil
	}
	return []string{dir}
}

// nameTasks names threads as they were called last.
func (r *recording) nameTasks() {
	r.c.TaskNames = map[uint32]string{}
	for i := range r.file.Events {
		if e := &r.file.Events[i]; e.Kind == perfdata.CommEvent {
			r.c.TaskNames[uint32(e.TID)] = r.file.Names[e.Index]
		}
	}
}

// processEvents are what records tell of processes.
func (r *recording) processEvents() []process.Event {
	events := make([]process.Event, 0, len(r.file.Events))
	for i := range r.file.Events {
		if e, ok := r.processEvent(&r.file.Events[i]); ok {
			events = append(events, e)
		}
	}
	return events
}

// processEvent returns an event of a recording as one of processes; false if it is none.
func (r *recording) processEvent(x *perfdata.Event) (process.Event, bool) {
	e := process.Event{Time: x.Time, PID: x.PID, TID: x.TID, Parent: x.OtherPID, ParentTID: x.OtherTID, CPU: int32(x.CPU)}
	switch x.Kind {
	case perfdata.MapEvent:
		m := &r.file.Maps[x.Index]
		e.Kind, e.Executable = process.Mapped, m.Executable
		e.Map = process.Map{
			Address: schema.Address(m.Addr), Size: m.Size, Offset: m.FileOffset,
			File: process.File{Name: r.file.Names[m.Name], BuildID: r.buildID(m)},
		}
	case perfdata.CommEvent:
		e.Kind, e.Name = process.Named, r.file.Names[x.Index]
		if x.Exec {
			e.Kind = process.Executed
		}
	case perfdata.ForkEvent:
		if e.Kind = process.Forked; x.Exec {
			e.Kind = process.Synthesized
		}
	case perfdata.TraceStartEvent:
		e.Kind = process.SwitchedIn
	case perfdata.SwitchEvent, perfdata.SwitchCPUWideEvent:
		e.Kind = process.SwitchedIn
		if x.Out {
			e.Kind = process.SwitchedOut
		}
	default:
		return e, false
	}
	return e, true
}

// buildID returns the build ID of a map in hex: that of its record, else that of the list in the file.
func (r *recording) buildID(m *perfdata.Map) string {
	if m.BuildID != 0 {
		return fmt.Sprintf("%x", r.file.Names[m.BuildID])
	}
	return r.buildIDs[r.file.Names[m.Name]]
}
