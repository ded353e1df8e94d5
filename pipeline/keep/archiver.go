package keep

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/keep/archive"
	"github.com/tracelake/tracelake/pipeline/keep/archive/seekable"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/parquetfile"
)

// ArchiveOptions say what to archive and how.
type ArchiveOptions struct {
	Export Options // of the dataset; the level and the tables are not asked for
	archive.CreateOptions
	// Packing, if not nil, is called now and then, by one goroutine, with the bytes of
	// trace data that are packed.
	Packing func(done, total int64)
}

// An Archived says what was archived.
type Archived struct {
	Trace, Packed int64 // bytes of trace data, and of it in frames
	Kept          int64 // of Packed: what was packed before the archive was interrupted
	Dataset       int64 // bytes of the parts of the tables
	Images        int
	Memory        int64 // bytes of the images, packed
}

// An Export makes a dataset in dir of the capture at input. from, if not nil, is what it is made of
// again.
type Export func(ctx context.Context, input, dir string, o Options, from *Reopen) error

// Archive puts the capture at input into an archive in dir. It fails as export does,
// but not if nothing was decoded: what was not decoded now may be with an image that
// comes later.
func Archive(ctx context.Context, input, dir string, opt ArchiveOptions, export Export) (*Archived, error) {
	e := &opt.Export
	if archive.Is(input) {
		return nil, &capture.InputError{File: input, Problem: "is an archive already", Remedy: "copy its directory"}
	}
	unpacked, err := capture.Unpack(ctx, input, &e.Capture)
	if err != nil {
		return nil, err
	}
	defer unpacked.Close()
	e.Capture.Unpacked = unpacked
	opt.Level = cmp.Or(opt.Level, seekable.Best)
	a := &archiver{opt: opt, export: export}
	if err := a.bind(input); err != nil {
		return nil, err
	}
	w, err := archive.Create(dir, a.opt.CreateOptions)
	if err != nil {
		return nil, err
	}
	a.out = w
	err = a.run(ctx, input)
	if err == nil {
		err = w.Complete(a.index())
	}
	if err == nil {
		err = a.reopen(input)
	}
	if err != nil {
		return nil, w.Stop(err)
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return &a.done, nil
}

// bind says what a resumable archive depends on: as [Options.Resumption], but for options that
// make no difference to how the trace is packed.
func (a *archiver) bind(input string) error {
	e := &a.opt.Export
	if !e.Resumable && !e.Resume {
		return nil
	}
	c, err := capture.Open(input, e.Families, e.Capture)
	if err != nil {
		return err
	}
	defer c.Close()
	inputs, err := engine.InputsOf(c)
	if err != nil {
		return err
	}
	bound := []dataset.Bound{
		{Name: "the version of tracelake", Value: e.Tool.Version},
		{Name: "--level", Value: a.opt.Level},
	}
	a.opt.Resumption = &dataset.Resumption{
		Resume: e.Resume, Bound: append(bound, boundInputs(inputs, e.Capture.Unpacked != nil)...),
		Hashes: func() ([]dataset.Bound, error) { return boundHashes(a.decoded), nil },
	}
	return nil
}

// reopen opens the capture in the archive, and checks that it is what was archived: a
// snapshot may name a file in a way that leads to it in its own directory alone.
func (a *archiver) reopen(input string) error {
	archived, err := archive.Open(a.out.Folder(), a.opt.Images)
	if err != nil {
		return err
	}
	defer archived.Close()
	opt, _ := archived.Apply(capture.Options{})
	c, err := capture.Open(a.out.Folder(), a.opt.Export.Families, opt)
	if err == nil {
		defer c.Close()
		err = archived.CheckInputs(c.Inputs)
	}
	if err != nil {
		return &capture.InputError{
			File: input, Problem: fmt.Sprintf("cannot be opened from its archive (%v)", err),
			Remedy: "name files relative to the snapshot's directory, without ..", Err: err,
		}
	}
	return nil
}

// An archiver writes one archive.
type archiver struct {
	*Input
	opt     ArchiveOptions
	export  Export
	out     *archive.Writer
	done    Archived
	total   int64 // bytes of trace data
	decoded []schema.InputFile
}

// run writes the dataset, and then the files of the capture.
func (a *archiver) run(ctx context.Context, input string) (err error) {
	o := a.opt.Export
	o.Level, o.Format, o.Codec = schema.LevelNone, schema.Parquet, parquetfile.ZSTD11.String() // kept for years
	o.Tables, o.Added, o.Without, o.Overwrite, o.AllowNothing = nil, nil, LargeTables(), false, true
	o.Resumable, o.Resume = false, false // of the archive, not of its dataset, which is small
	if err = a.export(ctx, input, a.out.Dataset(), o, nil); err != nil {
		return err
	}
	d, err := dataset.Open(a.out.Dataset())
	if err != nil {
		return err
	}
	defer d.Close()
	for _, f := range d.Manifest.Tables {
		a.done.Dataset += f.Bytes
	}
	a.decoded = d.Manifest.Inputs
	if err := a.out.Bind(); err != nil {
		return err
	}
	if a.Input, err = Open(ctx, input, o.Families, o.Capture); err != nil {
		return err
	}
	defer a.Close()
	for _, in := range a.Capture.Inputs {
		if in.Kind == capture.TraceFile {
			a.total += in.Bytes
		}
	}
	for i, in := range a.Capture.Inputs {
		if i >= len(a.decoded) || a.decoded[i].Path != in.Path {
			return &engine.ChangedError{Path: in.Path}
		}
		if err := a.add(ctx, in, a.decoded[i].SHA256); err != nil {
			return err
		}
	}
	a.done.Images, a.done.Memory = a.out.Images()
	return nil
}

// add adds a file of the capture, which had that hash when it was decoded.
func (a *archiver) add(ctx context.Context, in *capture.Input, sum string) error {
	if in.Kind == capture.TraceFile {
		return a.addTrace(ctx, in, sum)
	}
	if hex.EncodeToString(in.SHA256[:]) != sum {
		return &engine.ChangedError{Path: in.Path}
	}
	f, err := os.Open(in.Name)
	if err != nil {
		return fmt.Errorf("read %s: %w", in.Path, err)
	}
	defer f.Close()
	if in.Kind != capture.INIFile {
		return a.out.AddImage(in.Path, in.Kind == capture.ArgumentFile, sum, in.Bytes, io.LimitReader(f, in.Bytes))
	}
	text, err := io.ReadAll(io.LimitReader(f, in.Bytes))
	if err != nil {
		return fmt.Errorf("read %s: %w", in.Path, err)
	}
	if now := sha256.Sum256(text); now != in.SHA256 {
		return &engine.ChangedError{Path: in.Path}
	}
	return a.out.AddFile(in.Path, text)
}

// A block is bytes of trace data that make a frame.
type block struct {
	data  []byte
	frame []byte // at first the one that an interrupted archive has in its place, or nil
	kept  bool   // it was packed before
}

// pack makes the frame, unless it was kept.
func (a *archiver) pack(_ context.Context, b block) (block, error) {
	if len(b.frame) > 0 && a.out.Packer.Holds(b.frame, b.data) {
		b.kept = true
		return b, nil
	}
	b.frame = a.out.Packer.Pack(b.data)
	return b, nil
}

// addTrace packs a file of trace data.
func (a *archiver) addTrace(ctx context.Context, in *capture.Input, sum string) error {
	out, err := a.out.AddTrace(in.Path)
	if err != nil {
		return err
	}
	h := sha256.New()
	err = engine.Ordered(ctx, engine.NewWorkers(max(1, a.opt.Export.Workers)), blocks(in, out.Kept), a.pack,
		func(b block) error {
			h.Write(b.data)
			a.done.Trace += int64(len(b.data))
			a.done.Packed += int64(len(b.frame))
			if b.kept {
				a.done.Kept += int64(len(b.frame))
			}
			if a.opt.Packing != nil {
				a.opt.Packing(a.done.Trace, a.total)
			}
			return out.Add(b.frame, len(b.data))
		})
	if err == nil {
		err = ctx.Err()
	}
	if err == nil && hex.EncodeToString(h.Sum(nil)) != sum {
		err = &engine.ChangedError{Path: in.Path}
	}
	if err != nil {
		out.Abandon()
		return err
	}
	return out.Close(sum)
}

// blocks reads a file in blocks of a frame each, with the frames that are kept of it.
func blocks(in *capture.Input, kept *seekable.Frames) iter.Seq2[block, error] {
	return func(yield func(block, error) bool) {
		for at := int64(0); at < in.Bytes; at += seekable.FrameBytes {
			data := make([]byte, min(seekable.FrameBytes, in.Bytes-at))
			n, err := in.Data.ReadAt(data, at)
			if n == len(data) {
				err = nil
			} else if errors.Is(err, io.EOF) {
				err = &engine.ChangedError{Path: in.Path}
			}
			if !yield(block{data: data, frame: kept.Next()}, err) {
				return
			}
		}
	}
}

// index returns what archive.json says of the capture.
func (a *archiver) index() *archive.Index {
	e := &a.opt.Export
	return &archive.Index{
		Tool: e.Tool, Begin: a.Capture.Inputs[0].Path, Raw: a.Capture.Inputs[0].Kind == capture.TraceFile, Level: a.opt.Level,
		Options: archive.Options{Options: *e.Recorded(a.Input), Labels: e.Labels},
	}
}
