package generate

import (
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/bench/encode/perfdata"
	"github.com/tracelake/tracelake/bench/program/linker"
	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/decode/image"
)

// Alone is the capture of one of the cores of c.
func (c *Capture) Alone(core int) *Capture {
	alone := *c
	alone.Cores = c.Cores[core : core+1]
	return &alone
}

// buffered is what the trace buffer has at the end.
func (c *Capture) buffered(ctx context.Context) ([]byte, error) {
	var all bytes.Buffer
	none := func(int) (truth.Rows, int64) { return truth.NoRows(), 0 }
	if c.Ring == 0 {
		err := c.trace(ctx, c.newBuffer(&all), none)
		return all.Bytes(), err
	}
	r := &ring{bytes: make([]byte, c.Ring)}
	err := c.trace(ctx, c.newBuffer(r), none)
	return r.unrolled(), err
}

// A PerfThread is a thread that perf records, and the CPU that it runs on.
type PerfThread struct {
	CPU      int // of the first core of a capture; the next core is the next CPU
	Sink     uint32
	PID, TID uint32
}

// RecordPerf has perf record the capture while a thread runs: its cores share the sink, so that the
// trace of all is in the ring of the first CPU, or of the thread.
func (c *Capture) RecordPerf(ctx context.Context, s *perfdata.Session, at PerfThread) error {
	if c.Framing == FramesOfPort {
		return &RecipeError{"perf reads trace from memory, not from a trace port"}
	}
	for i := range c.Cores {
		cpu, err := c.Cores[i].perfCPU(at.CPU+i, s.Simpleperf)
		if err != nil {
			return err
		}
		if err := s.AddCPU(cpu, at.Sink); err != nil {
			return err
		}
	}
	b, err := c.buffered(ctx)
	if err != nil {
		return err
	}
	run := perfdata.Run{CPU: uint32(at.CPU), PID: at.PID, TID: at.TID, Trace: b}
	if c.Framing == NoFrames {
		run.Flags |= perfdata.AUXRaw
	}
	if c.Ring > 0 && len(b) == c.Ring {
		run.Flags |= perfdata.AUXTruncated
	}
	s.Trace(run)
	return nil
}

// The registers of a perf.data file, in its order. What a unit does not have is 0.
var (
	perfETMv3 = []string{"ETMCR", "ETMTRACEIDR", "ETMCCER", "ETMIDR"}
	perfETMv4 = []string{"TRCCONFIGR", "TRCTRACEIDR", "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8", "TRCAUTHSTATUS"}
	perfETE   = append(slices.Clip(perfETMv4), "TRCDEVARCH")
)

// devarchETMv4 is TRCDEVARCH of an ETMv4.0; its minor version is that of TRCIDR1, in other bits.
const devarchETMv4 = 0x47704A13

// perfCPU is the trace unit of the core as perf's metadata has it. Simpleperf gives all units the
// registers of an ETE whose TRCDEVARCH it can read.
func (t *TracedCore) perfCPU(number int, simpleperf bool) (perfdata.CPU, error) {
	cpu := perfdata.CPU{Number: number}
	names := perfETMv4
	switch {
	case t.Protocol == "pft" || t.Protocol == "etmv3":
		cpu.Magic, names = perfdata.ETMv3, perfETMv3
	case t.Protocol == "ete" || t.Protocol == "etmv4" && simpleperf:
		cpu.Magic, names = perfdata.ETE, perfETE
	case t.Protocol == "etmv4":
		cpu.Magic = perfdata.ETMv4
	default:
		return cpu, &RecipeError{fmt.Sprintf("perf does not record %s", t.Protocol)}
	}
	values := map[string]uint32{}
	for _, r := range t.Registers {
		values[r.Name] = r.Value
	}
	if t.Protocol == "etmv4" {
		values["TRCDEVARCH"] = devarchETMv4 | values["TRCIDR1"]>>4&0xF<<16
	}
	for _, name := range names {
		cpu.Parameters = append(cpu.Parameters, uint64(values[name]))
	}
	return cpu, nil
}

// A PerfFile is a program file that processes map, or that a kernel is.
type PerfFile struct {
	Name    string // as perf tells it
	BuildID []byte
	AArch32 bool
	// Regions are the program in memory, as it ran; in the file its addresses are lower by Bias, a
	// multiple of the size of a page.
	Regions []image.Region
	Bias    uint64
	Symbols []linker.Symbol // at addresses of the file
}

// file is what a linker has made.
func (f *PerfFile) file() *linker.File {
	e := &linker.File{AArch32: f.AArch32, Type: elf.ET_DYN, BuildID: f.BuildID, Symbols: f.Symbols}
	for _, r := range f.Regions {
		s := linker.Segment{Address: uint64(r.Address) - f.Bias, Flags: elf.PF_R | elf.PF_X, Bytes: r.Bytes}
		e.Segments = append(e.Segments, s)
	}
	e.Segments = linker.Place(e.Segments)
	return e
}

// ELF is the file.
func (f *PerfFile) ELF() []byte { return f.file().Bytes() }

// maps are those of the file where the program ran, of no process yet.
func (f *PerfFile) maps() []perfdata.Map {
	var maps []perfdata.Map
	for _, s := range f.file().Segments {
		within := s.Address % linker.PageBytes
		bytes := (within + uint64(len(s.Bytes)) + linker.PageBytes - 1) &^ (linker.PageBytes - 1)
		maps = append(maps, perfdata.Map{
			Address: s.Address + f.Bias - within, Length: bytes, Offset: s.Offset - within,
			Prot: perfdata.ProtRead | perfdata.ProtExec, Flags: mapPrivate, Name: f.Name, BuildID: f.BuildID,
		})
	}
	return maps
}

// mapPrivate is MAP_PRIVATE of mmap(2).
const mapPrivate = 2

// Map has a process map the file. In the record is its build ID, or with inodes the place of the
// file, and the build ID is listed when the recording ends.
func (f *PerfFile) Map(s *perfdata.Session, pid uint32, inodes bool) {
	for _, m := range f.maps() {
		m.PID, m.TID = pid, pid
		if inodes {
			m.BuildID, m.Major, m.Minor, m.Inode = nil, 8, 1, uint64(len(f.Name))
		}
		s.Map(m)
	}
	if inodes {
		s.BuildID(perfdata.BuildID{PID: perfdata.KernelPID, ID: f.BuildID, Name: f.Name})
	}
}

// MapKernel says that the file is the kernel, which ran from the address of its symbol _text on.
func (f *PerfFile) MapKernel(s *perfdata.Session, text uint64) {
	m := f.maps()[0]
	m.Length += m.Address - text
	m.Address, m.Offset, m.Name = text, text, "[kernel.kallsyms]_text"
	s.MapKernel(m)
	s.BuildID(perfdata.BuildID{PID: perfdata.KernelPID, Kernel: true, ID: f.BuildID, Name: "[kernel.kallsyms]"})
}
