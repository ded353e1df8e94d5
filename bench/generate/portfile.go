package generate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// This file writes captures of trace ports: a raw file, the program, and how to
// export it.

// RawFolder is the folder of a capture of a trace port, in place of a snapshot.
const RawFolder = "capture"

// exportFile has the command that exports the capture.
const exportFile = "export.txt"

// A PortFile is the file of the samples of a trace port, and what has to be said of
// it.
type PortFile struct {
	port.File
	Regs []string // for --reg, beside what the file says
	// A ring may be as an ETB holds it. Then its registers, which are known once it is
	// written, say where the oldest word is.
	etb    bool
	status []string
}

// newPortFile returns the file of a port. Words are options of the protocol that are
// not as they are by default.
func newPortFile(c port.Config, s *Samples, words []string) *PortFile {
	f := &PortFile{File: port.File{Config: c, ETMCR: controlRegister(&c), Dropped: s.DropDisabled}, etb: s.ETB}
	if c.CaptureLayout != port.LayoutETMS {
		f.Regs = append(f.Regs, "ETMVERSION="+c.Version())
		if c.CaptureLayout != port.LayoutDump && c.CaptureLayout != port.LayoutDumpOld {
			f.Regs = append(f.Regs, fmt.Sprintf("ETMCR=0x%08X", f.ETMCR), "LAYOUT="+c.CaptureLayout.String())
		}
	}
	if c.HighVectors {
		f.Regs = append(f.Regs, "HIVECS=1")
	}
	f.Regs = append(f.Regs, words...)
	return f
}

// controlRegister is ETMCR of a port (docs/etmv2.md §2).
func controlRegister(c *port.Config) uint32 {
	size := map[port.Width]uint32{4: 0, 8: 1, 16: 2}[c.Width]
	return encode.Bit(c.MonitorCPRT, 1) | encode.Bit(c.DataValue, 2) | encode.Bit(c.DataAddress, 3) | size<<4 |
		encode.Bit(c.BranchOutput, 8) | encode.Bit(c.CycleAccurate, 12) | encode.ContextIDSize(c.ContextIDBytes)<<14
}

// words are what has to be said for --reg.
func (f *PortFile) words() []string { return append(slices.Clip(f.Regs), f.status...) }

// name is the name of the file.
func (f *PortFile) name() string {
	if f.CaptureLayout == port.LayoutETMS {
		return "capture.etms"
	}
	return "capture." + strings.ReplaceAll(f.CaptureLayout.String(), "-", "")
}

// writePort writes the samples of the core, its program and how to export them, into
// dir, and the rows that are traced.
func (c *Capture) writePort(ctx context.Context, dir string, ds *dataset.Writer) (*schema.Manifest, error) {
	core := &c.Cores[0]
	totals, err := c.writeSamples(ctx, filepath.Join(dir, core.Port.name()), ds)
	if err != nil {
		return nil, err
	}
	m := c.manifest()
	for i := range core.Memory {
		r := &core.Memory[i]
		if err := os.WriteFile(filepath.Join(dir, memoryFile(r)), r.Bytes, 0o666); err != nil {
			return nil, err
		}
		m.Images = append(m.Images, schema.ImageRegion{File: memoryFile(r), Address: r.Address, Bytes: int64(len(r.Bytes))})
	}
	m.Sources = []schema.SourceTotals{c.portRow(totals)}
	return m, os.WriteFile(filepath.Join(dir, exportFile), []byte(c.ExportCommand("")+"\n"), 0o666)
}

// memoryFile is the name of the file of a region of the program.
func memoryFile(r *image.Region) string { return fmt.Sprintf("program_%08x.bin", r.Address) }

// An Input is what a command that reads a capture takes.
type Input struct {
	Path     string
	Protocol string   // "": the file says it
	Regs     []string // NAME=VALUE
	Images   []string // FILE@ADDRESS
}

// Input returns what a command takes to read the capture, which was written into dir.
func (c *Capture) Input(dir string) Input {
	core, folder := &c.Cores[0], filepath.Join(dir, c.Folder())
	if core.Port == nil {
		return Input{Path: folder}
	}
	in := Input{Path: filepath.Join(folder, core.Port.name()), Regs: core.Port.words()}
	if core.Port.CaptureLayout != port.LayoutETMS {
		in.Protocol = core.Protocol
	}
	for i := range core.Memory {
		r := &core.Memory[i]
		in.Images = append(in.Images, fmt.Sprintf("%s@0x%08x", filepath.Join(folder, memoryFile(r)), r.Address))
	}
	return in
}

// ExportCommand is the command that exports the capture, which was written into dir.
func (c *Capture) ExportCommand(dir string) string {
	in := c.Input(dir)
	words := []string{"tracelake export", in.Path}
	if in.Protocol != "" {
		words = append(words, "--protocol", in.Protocol)
	}
	for _, r := range in.Regs {
		words = append(words, "--reg", r)
	}
	for _, image := range in.Images {
		words = append(words, "--image", image)
	}
	return strings.Join(append(words, "-o run"), " ")
}

// portRow is the row of `sources` of a raw file.
func (c *Capture) portRow(totals schema.Totals) schema.SourceTotals {
	core := &c.Cores[0]
	status := schema.StatusDecoded
	if totals.Bytes == 0 {
		status = schema.StatusEmpty
	}
	return schema.SourceTotals{
		Name: core.Port.name(), Protocol: core.Protocol, Version: core.Version, Buffer: core.Port.name(),
		Status: schema.SourceStatusNames[status], Unit: schema.SourceUnitNames[schema.UnitSamples], Totals: totals,
		Registers: core.Port.registers(),
	}
}

// registers are what the file says of itself, and what has to be said of it.
func (f *PortFile) registers() map[string]string {
	registers := map[string]string{"ETMCR": fmt.Sprintf("0x%08X", f.ETMCR), "LAYOUT": f.CaptureLayout.String()}
	if f.CaptureLayout == port.LayoutETMS {
		registers["ETMVERSION"], registers["PORTSIZE"] = f.Version(), strconv.Itoa(int(f.Width))
	}
	for _, word := range f.words() {
		name, value, _ := strings.Cut(word, "=")
		registers[name] = value
	}
	return registers
}

// writeSamples writes the raw file. What is left of a ring is known only when all was
// traced: then it is traced twice.
func (c *Capture) writeSamples(ctx context.Context, name string, ds *dataset.Writer) (schema.Totals, error) {
	var lost int64
	file, turn := c.Cores[0].Port, turned{}
	if c.Ring > 0 {
		all := &portWriter{}
		if err := c.traceSamples(ctx, all, truth.NoRows(), 0); err != nil {
			return schema.Totals{}, err
		}
		lost = file.lost(all.samples, c.Ring)
		turn = file.turn(all.samples, c.Ring)
	}
	f, err := os.Create(name)
	if err != nil {
		return schema.Totals{}, err
	}
	defer f.Close()
	out, err := newPortWriter(f, file, lost)
	if err != nil {
		return schema.Totals{}, err
	}
	out.turn = turn
	rows := c.Cores[0].rows(NewDatasetRows(ds, 0, &out.offsets, 0))
	if err := c.traceSamples(ctx, out, rows, lost); err != nil {
		return schema.Totals{}, err
	}
	if err := errors.Join(out.close(f), turn.apply(f), f.Close()); err != nil {
		return schema.Totals{}, err
	}
	return rows.Finish()
}

// traceSamples traces the only core.
func (c *Capture) traceSamples(ctx context.Context, out io.Writer, rows truth.Rows, lost int64) error {
	return c.mix(ctx, &buffer{}, []encode.Encoder{c.Cores[0].encoder(out, rows, lost)})
}

// lost is how many of so many samples a ring of so many bytes has lost: whole
// records.
func (f *PortFile) lost(samples int64, ring int) int64 {
	bytes, each := f.RecordBytes()
	kept := int64(ring/bytes) * int64(each)
	return max(0, (samples-kept+int64(each)-1)/int64(each)*int64(each))
}

// A portWriter writes records of samples as a layout has them, but for the first
// ones, and knows where they go. Its zero value counts them.
type portWriter struct {
	out     *port.Writer
	file    *PortFile
	offsets Offsets
	lost    int64
	samples int64
	turn    turned
}

func newPortWriter(w io.Writer, f *PortFile, lost int64) (*portWriter, error) {
	out, err := port.NewWriter(w, f.File)
	return &portWriter{out: out, file: f, lost: lost}, err
}

// Write takes whole records.
func (p *portWriter) Write(records []byte) (int, error) {
	for i := 0; i < len(records); i += port.SampleBytes {
		at := p.samples
		p.samples++
		if p.out == nil {
			continue
		}
		p.offsets.Place(decode.CaptureOffset(p.turn.offset(p.file.Offset(max(0, at-p.lost)))))
		if at < p.lost {
			continue
		}
		if _, err := p.out.Write(records[i : i+port.SampleBytes]); err != nil {
			return i, err
		}
	}
	return len(records), nil
}

// close ends the file, whose header has the number of samples.
func (p *portWriter) close(f *os.File) error {
	if err := p.out.Close(); err != nil {
		return err
	}
	header := p.file.File
	header.Samples = uint32(p.samples - p.lost)
	_, err := f.WriteAt(header.Header(), 0)
	return err
}
