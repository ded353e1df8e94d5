package generate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/execute"
	"github.com/tracelake/tracelake/bench/snapshot"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// The folders of a capture that [Capture.Write] makes: the snapshot, and the
// dataset a right decoder makes of it.
const (
	SnapshotFolder = "snapshot"
	TruthFolder    = "truth"
)

// A TracedCore is a core that executes a program, and what traces it.
type TracedCore struct {
	Source    uint8 // CoreSight trace ID
	Type      string
	Protocol  string // as in `sources`: pft, etmv3
	Device    string // as in snapshots, without the version: PTM, ETM
	Version   string // as 1.1
	Registers []snapshot.Register
	Memory    []image.Region // what the snapshot has of its program
	Steps     step.Steps
	// Encoder returns what makes the stream of the steps. The truth is that of the
	// stream without the bytes that are lost from its start.
	Encoder func(w io.Writer, rows truth.Rows, lost int64) encode.Encoder
	// TracesData says that there are rows of `data_accesses`.
	TracesData bool
	// Tasks, if there are any, are those that the core runs: the truth has their stacks.
	Tasks []execute.Task
	// Functions are those of the program that symbols name, by address.
	Functions []Function
	// Port, if not nil, is the file of the samples of a trace port, which has no
	// other source and no snapshot.
	Port *PortFile
}

// Framing is how streams are put into a buffer.
type Framing uint8

// The ways.
const (
	FramesInMemory Framing = iota // as an ETB stores them
	FramesOfPort                  // as a trace port sends them: FSYNCs, HSYNCs
	NoFrames                      // the stream as it is: of one source
)

// A Capture is what is traced.
type Capture struct {
	Description string
	Cores       []TracedCore
	Framing     Framing
	Ring        int    // if not 0, the bytes of a buffer that has the last ones
	Seed        uint64 // of how streams are mixed
	TimestampHz uint64
	Tool        schema.Tool
	Overwrite   bool
	// Progress, if not nil, is called now and then with the number of steps traced.
	// For a ring all are traced twice.
	Progress func(steps int64)
	traced   int64
}

const (
	bufferFile = "trace.bin"
	bufferName = "ETB_0"
	// framesToSync is how many frames of a trace port have one FSYNC.
	framesToSync = 64
)

// Write writes the snapshot and its truth into dir. If it fails it leaves
// nothing but an empty folder. Memory does not depend on how much is traced.
func (c *Capture) Write(ctx context.Context, dir string) (*schema.Manifest, error) {
	if c.Framing == NoFrames && len(c.Cores) > 1 {
		return nil, fmt.Errorf("generate: %d sources do not go into one stream without frames", len(c.Cores))
	}
	snapshotDir := filepath.Join(dir, c.Folder())
	if err := prepare(snapshotDir, c.Overwrite); err != nil {
		return nil, err
	}
	ds, err := dataset.Create(filepath.Join(dir, TruthFolder), dataset.Options{
		Level: schema.LevelInstructions, Without: c.without(), TracesData: c.tracesData(), Overwrite: c.Overwrite,
	})
	if err != nil {
		return nil, err
	}
	m, err := c.write(ctx, snapshotDir, ds)
	if err != nil {
		return nil, errors.Join(err, ds.Abandon(), os.RemoveAll(snapshotDir))
	}
	if err := ds.Close(m); err != nil {
		return nil, errors.Join(err, os.RemoveAll(snapshotDir))
	}
	return m, nil
}

// prepare makes the folder of the snapshot, which must be empty, or with
// overwrite hold nothing but a snapshot.
func prepare(dir string, overwrite bool) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	known := func(e os.DirEntry) bool {
		return !e.IsDir() && (slices.Contains([]string{".ini", ".bin"}, filepath.Ext(e.Name())) || e.Name() == exportFile ||
			strings.HasPrefix(e.Name(), "capture."))
	}
	for _, e := range entries {
		switch {
		case !overwrite:
			return &dataset.ExistsError{
				Dir: dir, Problem: "exists and is not empty",
				Remedy: "choose another directory, or replace it with --overwrite",
			}
		case !known(e):
			return &dataset.ExistsError{
				Dir: dir, Problem: fmt.Sprintf("holds %q, which is no part of a snapshot", e.Name()),
				Remedy: "choose another directory, or remove it",
			}
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o777)
}

// Folder is the folder of the capture in the directory that it is written to.
func (c *Capture) Folder() string {
	if c.Cores[0].Port != nil {
		return RawFolder
	}
	return SnapshotFolder
}

// manifest is that of the truth, without its sources.
func (c *Capture) manifest() *schema.Manifest {
	return &schema.Manifest{
		Tool: c.Tool, Description: c.Description,
		Notes: []string{"the truth of a generated capture: what was executed, as far as the trace tells it"},
	}
}

// without are the tables that the truth does not have.
func (c *Capture) without() []*schema.Table {
	stacks := slices.ContainsFunc(c.Cores, func(core TracedCore) bool { return len(core.Tasks) > 0 })
	return slices.DeleteFunc(schema.Answers(), func(t *schema.Table) bool {
		return stacks && (t == &schema.Stacks || t == &schema.Tasks)
	})
}

// tracesData says whether a core traces data.
func (c *Capture) tracesData() bool {
	return slices.ContainsFunc(c.Cores, func(core TracedCore) bool { return core.TracesData })
}

// write writes the files of the snapshot and the rows of the truth.
func (c *Capture) write(ctx context.Context, dir string, ds *dataset.Writer) (*schema.Manifest, error) {
	if c.Cores[0].Port != nil {
		return c.writePort(ctx, dir, ds)
	}
	totals, err := c.writeBuffer(ctx, filepath.Join(dir, bufferFile), ds)
	if err != nil {
		return nil, err
	}
	m := c.manifest()
	s := &snapshot.Snapshot{Description: c.Description, TimestampHz: c.TimestampHz}
	format := "coresight"
	if c.Framing == NoFrames {
		format = "source_data"
	}
	s.Buffers = []snapshot.Buffer{{Name: bufferName, File: bufferFile, Format: format}}
	files := map[string][]byte{}
	for i := range c.Cores {
		core, source := c.describe(i, files)
		s.Cores, s.Sources = append(s.Cores, core), append(s.Sources, source)
		m.Sources = append(m.Sources, c.row(i, &core, &source, totals[i]))
		for _, d := range core.Dumps {
			m.Images = append(m.Images, schema.ImageRegion{
				File: d.File, Address: d.Address, Bytes: int64(d.Length),
				Core: core.Name,
			})
		}
	}
	maps.Copy(files, s.Files())
	return m, snapshot.WriteFiles(dir, files)
}

// describe returns a core and its source as the snapshot has them, and adds the
// files of its memory.
func (c *Capture) describe(i int, files map[string][]byte) (snapshot.Core, snapshot.Source) {
	t := &c.Cores[i]
	core := snapshot.Core{Name: fmt.Sprintf("cpu_%d", i), Type: t.Type}
	for k, r := range t.Memory {
		name := fmt.Sprintf("cpu_%d_mem_%d.bin", i, k)
		files[name] = r.Bytes
		core.Dumps = append(core.Dumps, snapshot.Dump{File: name, Address: r.Address, Length: uint32(len(r.Bytes))})
	}
	return core, snapshot.Source{
		Name: fmt.Sprintf("%s_%d", t.Device, i), Type: t.Device + t.Version, Core: core.Name, Buffer: bufferName,
		Registers: t.Registers,
	}
}

// row is the row of `sources` of a core.
func (c *Capture) row(i int, core *snapshot.Core, source *snapshot.Source, totals schema.Totals) schema.SourceTotals {
	t := &c.Cores[i]
	status := schema.StatusDecoded
	if totals.Bytes == 0 {
		status = schema.StatusEmpty
	}
	registers := make(map[string]string, len(t.Registers))
	for _, r := range t.Registers {
		registers[r.Name] = fmt.Sprintf("0x%08X", r.Value)
	}
	return schema.SourceTotals{
		Source: t.Source, Name: source.Name, Protocol: t.Protocol, Version: t.Version, Core: core.Name, Buffer: bufferName,
		Status: schema.SourceStatusNames[status], Unit: schema.SourceUnitNames[schema.UnitBytes], Totals: totals,
		TimestampHz: c.TimestampHz, Registers: registers,
	}
}

// writeBuffer writes the trace buffer and the rows that are traced in it.
func (c *Capture) writeBuffer(ctx context.Context, name string, ds *dataset.Writer) ([]schema.Totals, error) {
	if c.Ring > 0 {
		return c.writeRing(ctx, name, ds)
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	totals, err := c.writeTruth(ctx, w, ds, lost{})
	return totals, errors.Join(err, w.Flush(), f.Close())
}

// writeRing traces twice: only when all was written to the ring is it known which
// bytes are lost, and with them the truth of the rest.
func (c *Capture) writeRing(ctx context.Context, name string, ds *dataset.Writer) ([]schema.Totals, error) {
	r := &ring{bytes: make([]byte, c.Ring)}
	b := c.newBuffer(r)
	if err := c.trace(ctx, b, func(int) (truth.Rows, int64) { return truth.NoRows(), 0 }); err != nil {
		return nil, err
	}
	left := r.unrolled()
	gone := lost{capture: r.lost(), streams: map[uint8]int64{}}
	if b.frames == nil {
		gone.streams[c.Cores[0].Source] = r.lost()
	} else {
		count := streamBytes(left)
		for id, o := range b.offsets {
			gone.streams[id] = o.placed - count[id]
		}
	}
	if err := os.WriteFile(name, left, 0o666); err != nil {
		return nil, err
	}
	return c.writeTruth(ctx, io.Discard, ds, gone)
}

// lost is how many bytes are gone from the start of a capture, and of each stream
// in it.
type lost struct {
	capture int64
	streams map[uint8]int64
}

// writeTruth writes the buffer to w, and the rows traced in what is left of it.
func (c *Capture) writeTruth(ctx context.Context, w io.Writer, ds *dataset.Writer, gone lost) ([]schema.Totals, error) {
	b := c.newBuffer(w)
	rows := make([]sourceRows, len(c.Cores))
	err := c.trace(ctx, b, func(i int) (truth.Rows, int64) {
		id := c.Cores[i].Source
		rows[i] = c.Cores[i].rows(NewDatasetRows(ds, id, b.offsets[id], gone.capture))
		return rows[i], gone.streams[id]
	})
	if err != nil {
		return nil, err
	}
	totals := make([]schema.Totals, len(rows))
	for i, r := range rows {
		if totals[i], err = r.Finish(); err != nil {
			return nil, fmt.Errorf("core %d: %w", i, err)
		}
	}
	return totals, nil
}

// sourceRows is the truth of a source.
type sourceRows interface {
	truth.Rows
	// Finish writes the rows that wait, and returns the totals.
	Finish() (schema.Totals, error)
}

// rows adds to the truth of the core its stacks, if it has any.
func (t *TracedCore) rows(rows *DatasetRows) sourceRows {
	if len(t.Tasks) == 0 {
		return rows
	}
	return newStackRows(rows, t.Tasks, t.Functions)
}

// encoder returns what makes the stream of the core and its truth.
func (t *TracedCore) encoder(w io.Writer, rows truth.Rows, lost int64) encode.Encoder {
	e := t.Encoder(w, rows, lost)
	if s, ok := rows.(*stackRows); ok {
		return s.following(e)
	}
	return e
}

// trace traces all cores to b. Rows returns what takes the rows of a core, and how
// many bytes of its stream are lost.
func (c *Capture) trace(ctx context.Context, b *buffer, rows func(core int) (truth.Rows, int64)) error {
	encoders := make([]encode.Encoder, len(c.Cores))
	for i := range c.Cores {
		core := &c.Cores[i]
		r, gone := rows(i)
		encoders[i] = core.encoder(b.stream(core.Source), r, gone)
	}
	return errors.Join(c.mix(ctx, b, encoders), b.flush())
}

// mix lets the cores take steps in turns of random length, until none has any
// left.
func (c *Capture) mix(ctx context.Context, b *buffer, encoders []encode.Encoder) error {
	random := rand.New(rand.NewPCG(c.Seed, 'm'))
	next := make([]func() (step.Step, error, bool), len(c.Cores))
	left := make([]int, len(c.Cores))
	for i := range c.Cores {
		pull, stop := iter.Pull2(c.Cores[i].Steps)
		defer stop()
		next[i], left[i] = pull, i
	}
	const turn = 4096 // steps, at the most
	for len(left) > 0 {
		k := random.IntN(len(left))
		i := left[k]
		for range 1 + random.IntN(turn) {
			s, err, ok := next[i]()
			if err != nil {
				return fmt.Errorf("core %d: %w", i, err)
			}
			if !ok {
				if err := encoders[i].Close(); err != nil {
					return fmt.Errorf("core %d: %w", i, err)
				}
				left = slices.Delete(left, k, k+1)
				break
			}
			if err := encoders[i].Step(&s); err != nil {
				return fmt.Errorf("core %d: %w", i, err)
			}
			c.traced++
		}
		b.halfSync(random)
		if c.Progress != nil {
			c.Progress(c.traced)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return b.err
}
