package capture

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tracelake/tracelake/decode/capture/perfdata"
	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// openRecording opens a recording of Linux perf or of simpleperf (docs/perfdata.md) that is in a file.
func (r *reader) openRecording(name string, f File, size int64) error {
	parts := []perfdata.Part{{Name: name, Data: f, Size: size}}
	if stored := r.opt.Stored; stored != nil { // it was in a directory, if there are others
		var err error
		if parts, err = r.moreParts(parts, func(suffix string) (string, File, int64, error) {
			f, size, err := stored.Open(name + suffix)
			return name + suffix, f, size, err
		}); err != nil {
			return err
		}
	}
	return r.readRecording(parts)
}

// dataFile is the main file of a recording that is in a directory.
const dataFile = "data"

// IsRecordingDir reports whether a directory is a recording of perf (docs/perfdata.md §10).
func IsRecordingDir(dir string) bool {
	name := filepath.Join(dir, dataFile)
	f, _, err := openRegular(name, os.Stat, os.Open)
	if err != nil {
		return false
	}
	defer f.Close()
	is, err := startsRecording(name, f)
	return is && err == nil
}

// openRecordingDir opens a recording that is in a directory.
func (r *reader) openRecordingDir(dir string) error {
	full, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	open := func(suffix string) (string, File, int64, error) {
		path := filepath.Join(full, dataFile+suffix)
		f, size, err := openRegular(path, os.Stat, os.Open)
		return path, f, size, err
	}
	path, f, size, err := open("")
	if err != nil {
		return unreadable(path, err, howToName)
	}
	name := filepath.Base(full) + "/" + dataFile
	r.keep(path, name, f, size)
	parts, err := r.moreParts([]perfdata.Part{{Name: name, Data: f, Size: size}}, open)
	if err != nil {
		return err
	}
	kcore := filepath.Join(full, "kcore_dir", "kcore")
	if _, err := os.Stat(kcore); err == nil && r.opt.Kcore == "" {
		r.opt.Kcore = kcore
	}
	return r.readRecording(parts)
}

// moreParts adds the files beside the main one of a recording: data.0, data.1 and so on.
func (r *reader) moreParts(parts []perfdata.Part, open func(suffix string) (path string, f File, size int64, err error),
) ([]perfdata.Part, error) {
	for i := 0; ; i++ {
		suffix := fmt.Sprintf(".%d", i)
		path, f, size, err := open(suffix)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return parts, nil
		case err != nil:
			return nil, unreadable(path, err, howToName)
		}
		name := parts[0].Name + suffix
		r.keep(path, name, f, size)
		parts = append(parts, perfdata.Part{Name: name, Data: f, Size: size})
	}
}

// readRecording reads a recording that is in these files.
func (r *reader) readRecording(parts []perfdata.Part) error {
	if err := r.checkRecordingFlags(); err != nil {
		return err
	}
	name := parts[0].Name
	file, err := perfdata.Read(parts)
	if err != nil {
		return recordingError(err)
	}
	r.c.Recording = file
	for _, note := range file.Notes {
		r.add("%s", note)
	}
	if err := r.readRecordingFlags(); err != nil {
		return err
	}
	rec := recording{reader: r, file: file, parts: parts, name: name}
	if err := rec.addBuffers(); err != nil {
		return err
	}
	rec.listBuildIDs()
	rec.nameTasks()
	if err := rec.addPrograms(); err != nil {
		return err
	}
	if err := rec.addSources(); err != nil {
		return err
	}
	rec.noteLost()
	return r.readSymbolsFlags()
}

// startsRecording reports whether a file is a recording of perf.
func startsRecording(name string, f File) (bool, error) {
	head := make([]byte, 16)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("read %s: %w", name, err)
	}
	return perfdata.Detect(head[:n]), nil
}

// checkRecordingFlags refuses flags of raw files.
func (r *reader) checkRecordingFlags() error {
	const problem, remedy = "is for raw files, and a recording of perf says it itself", "leave it out"
	switch {
	case r.opt.Protocol != "":
		return usage("--protocol", problem, remedy)
	case r.opt.Framed:
		return usage("--framed", problem, remedy)
	case r.opt.FrameOffset != nil:
		return usage("--frame-offset", problem, remedy)
	case r.opt.RingStart != nil:
		return usage("--ring-start", problem, remedy)
	}
	return nil
}

// recordingError returns the error of a recording as one of the input.
func recordingError(err error) error {
	e, ok := errors.AsType[*perfdata.Error](err)
	if !ok {
		return err
	}
	in := &InputError{File: e.File, Problem: e.Problem, Remedy: e.Remedy, Err: e}
	if e.Offset >= 0 {
		in.Key = fmt.Sprintf("offset 0x%x:", e.Offset)
	}
	if errors.Is(err, perfdata.ErrNoTrace) {
		in.Err = errors.Join(ErrEmpty, e)
	}
	return in
}

// A recording makes buffers and sources of a recording.
type recording struct {
	*reader
	file    *perfdata.File
	parts   []perfdata.Part
	name    string
	buffers []*recorded

	buildIDs map[string]string // of the list in the file: in hex, by name
	spaces   *spaces
}

// readRecordingFlags reads registers and images. Program files have the addresses at which they were mapped.
func (r *reader) readRecordingFlags() error {
	if err := r.readRegisterFlags(); err != nil {
		return err
	}
	for _, arg := range r.opt.Images {
		if err := r.readImageFlag(arg); err != nil {
			return err
		}
	}
	r.c.Regions = append(r.c.Regions, r.images...)
	return nil
}

// listBuildIDs lists the build IDs of the file by name.
func (r *recording) listBuildIDs() {
	r.buildIDs = make(map[string]string, len(r.file.BuildIDs))
	for i := range r.file.BuildIDs {
		x := &r.file.BuildIDs[i]
		r.buildIDs[x.Name] = fmt.Sprintf("%x", x.ID)
	}
}

// A recorded is a buffer of a recording: the pieces of one CPU, if they are no frames, else those of one sink, in
// the order of their time. Each piece is a run of its own.
type recorded struct {
	*Buffer
	cpu    int16 // −1: of frames
	sink   uint32
	data   *concat
	pieces []perfdata.Piece // by where they begin in Data: as Runs
}

// addBuffers makes the buffers, or the one that is chosen.
func (r *recording) addBuffers() error {
	for i := range r.file.Pieces {
		if p := &r.file.Pieces[i]; p.Size > 0 {
			r.bufferOf(p).add(r.parts, p)
		}
	}
	var names []string
	for _, b := range r.buffers {
		b.ID, b.Data, b.Size = b.Name, b.data, b.data.size
		names = append(names, b.Name)
	}
	if r.opt.Buffer != "" {
		r.buffers = slices.DeleteFunc(r.buffers, func(b *recorded) bool { return b.Name != r.opt.Buffer })
		if len(r.buffers) == 0 {
			return usage("--buffer "+r.opt.Buffer, "is no buffer of "+r.name, "there are "+someNames(names))
		}
	}
	for _, b := range r.buffers {
		r.c.Buffers = append(r.c.Buffers, b.Buffer)
	}
	return nil
}

// bufferOf returns the buffer of a piece.
func (r *recording) bufferOf(p *perfdata.Piece) *recorded {
	cpu, sink := int16(-1), p.Sink
	if p.Raw {
		cpu, sink = p.CPU, 0
	}
	i := slices.IndexFunc(r.buffers, func(b *recorded) bool { return b.cpu == cpu && b.sink == sink })
	if i >= 0 {
		return r.buffers[i]
	}
	b := &recorded{Buffer: &Buffer{Files: []string{r.name}, Format: SourceData}, cpu: cpu, sink: sink, data: new(concat)}
	switch {
	case p.Raw:
		b.Name = cpuName(cpu)
	case sink != 0:
		b.Name, b.Format = fmt.Sprintf("sink 0x%x", sink), CoreSight
	default:
		b.Name, b.Format = "trace", CoreSight
	}
	r.buffers = append(r.buffers, b)
	return b
}

func cpuName(cpu int16) string { return fmt.Sprintf("cpu%d", cpu) }

// add adds a piece.
func (b *recorded) add(parts []perfdata.Part, p *perfdata.Piece) {
	b.Runs, b.pieces = append(b.Runs, b.data.size), append(b.pieces, *p)
	b.data.add(io.NewSectionReader(parts[p.Part].Data, p.Offset, p.Size), p.Size)
}

// addSources makes the source of each CPU.
func (r *recording) addSources() error {
	var told [len(toldWords)]bool
	for i := range r.file.Metadata.CPUs {
		cpu := &r.file.Metadata.CPUs[i]
		for _, id := range cpu.TraceIDs {
			s := r.source(cpu, id)
			if len(s.Buffers) == 0 {
				continue
			}
			s.Memory, s.Unfound = r.memoryOf(s), r.spaces.programs.unfound
			if err := r.addSource(s); err != nil {
				return err
			}
			told[s.toldBy()] = true
		}
	}
	for by, words := range toldWords {
		if told[by] {
			r.add("%s: the process that runs is told by %s", r.name, words)
		}
	}
	return nil
}

// memoryOf returns what the core of a source sees.
func (r *recording) memoryOf(s *Source) *image.Memory {
	i := slices.IndexFunc(r.buffers, func(b *recorded) bool { return b.Buffer == s.Buffers[0] })
	p := &recordedProcesses{spaces: r.spaces, buffer: r.buffers[i], told: s.toldBy(), only: r.onlyProcess(), rings: r.file.Rings}
	return image.OfProcesses(p, r.c.Regions...)
}

// onlyProcess returns the process of all pieces; −1 if there are several, or none is known.
func (r *recording) onlyProcess() int32 {
	only := int32(-1)
	for i := range r.file.Pieces {
		switch pid := r.file.Pieces[i].PID; {
		case pid <= 0:
		case only >= 0 && pid != only:
			return -1
		default:
			only = pid
		}
	}
	return only
}

// addSource refuses a second source of one ID: a dataset has one.
func (r *recording) addSource(s *Source) error {
	for _, other := range r.c.Sources {
		if other.ID == s.ID {
			return &InputError{
				File: r.name, Problem: fmt.Sprintf("has the trace ID %s twice: of %s and of %s, which trace to different sinks",
					schema.SourceText(s.ID), other.Name, s.Name),
				Remedy: fmt.Sprintf("export their buffers apart: --buffer '%s', then --buffer '%s'", other.Buffers[0].Name, s.Buffers[0].Name),
			}
		}
	}
	r.c.Sources = append(r.c.Sources, s)
	return nil
}

// recordedTypes are what snapshots call the trace units.
var recordedTypes = map[perfdata.Kind]string{
	perfdata.ETMv3: "ETM3", perfdata.PTM: "PTM", perfdata.ETMv4: "ETM4", perfdata.ETE: "ETE",
}

// source returns the source of a CPU with one of its trace IDs.
func (r *recording) source(cpu *perfdata.CPU, id perfdata.TraceID) *Source {
	name := cpuName(cpu.CPU)
	s := &Source{Name: name, Core: name, Type: recordedTypes[cpu.Kind], Profile: ProfileA, file: r.name}
	s.Protocol, s.Version = r.families.ofType(s.Type)
	for _, x := range cpu.Registers {
		reg := Register{Name: x.Name, Bits: 32, Value: x.Value}
		if reg.Number, reg.HasNumber = registerNumber(x.Name); x.Value >= 1<<32 {
			reg.Bits = 64
		}
		s.Registers = append(s.Registers, reg)
	}
	for _, reg := range r.regs {
		s.Registers = s.Registers.set(reg)
	}
	r.settle(s)
	s.ID = id.ID
	for _, b := range r.buffers {
		if b.cpu == cpu.CPU || b.cpu < 0 && b.sink == id.Sink {
			s.Buffers = append(s.Buffers, b.Buffer)
		}
	}
	return s
}

// noteLost notes what the kernel says was lost.
func (r *recording) noteLost() {
	truncated, missing, bytes := 0, 0, int64(0)
	for i := range r.file.Pieces {
		p := &r.file.Pieces[i]
		if p.Flags&perfdata.Truncated != 0 {
			truncated++
		}
		if p.Missing > 0 {
			missing++
			bytes += p.Missing
		}
	}
	if truncated > 0 {
		r.add("%s: %s of %s are truncated: the buffer was full, and what was traced until the next one is lost; "+
			"record with a larger one (-m ,SIZE)", r.name, figures.Thousands(int64(truncated)),
			figures.Count(int64(len(r.file.Pieces)), "AUX record"))
	}
	if missing > 0 {
		r.add("%s: the trace of %s, %s, is missing in the file", r.name, figures.Count(int64(missing), "AUX record"),
			figures.Count(bytes, "byte"))
	}
}
