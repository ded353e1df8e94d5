package keep

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/keep/archive"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Redecode decodes again the capture that the dataset or archive in dir is of, with the
// options that it recorded and another program, and replaces it: by what export or
// [Archive] make of the capture with that program. input is the capture, "" that in the
// archive. Of opt it takes the files of the command line, of which those of a flag replace all
// that were recorded of it, and Workers, Tool, Run and Progress.
//
// It fails with a [*capture.InputError] if that is not the one which was decoded, or a
// file of the command line is missing that was recorded and is not given. After an error
// dir is as it was.
func Redecode(ctx context.Context, dir, input string, opt Options, export Export) (before schema.Totals, err error) {
	open := dataset.Open
	if archive.Is(dir) {
		open = dataset.OpenAny // it has all that its dataset is made of
	}
	r, err := openRecord(dir, opt.Capture.ImageStore, open)
	if err != nil {
		return before, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	x := &redecoder{record: r, dir: dir, input: input, opt: opt, export: export}
	if err := x.open(); err != nil {
		return before, err
	}
	defer func() { err = errors.Join(err, x.close()) }()
	from, err := x.reopen()
	if err != nil {
		return before, err
	}
	from.Reuse = newReuse(r, opt.Families)
	defer from.Reuse.close()
	err = x.rewrite(ctx, from)
	if bad, ok := errors.AsType[*capture.InputError](err); ok {
		err = bad // whatever it kept from being written
	}
	return r.Dataset.Manifest.Totals, err
}

// rewrite replaces the dataset or archive.
func (x *redecoder) rewrite(ctx context.Context, from *Reopen) error {
	if x.record.archive != nil {
		return x.rewriteArchive(ctx, from)
	}
	o := from.Options
	o.Overwrite = true
	return x.export(ctx, x.input, x.dir, o, from)
}

// A redecoder decodes one capture again.
type redecoder struct {
	record     *Record
	dir, input string
	opt        Options
	export     Export
	stored     *archive.Archive // that the capture is in, nil: in none
	other      bool             // it is another than the record's
}

// open opens the archive that the capture is in.
func (x *redecoder) open() (err error) {
	switch {
	case x.input == "" && x.record.archive == nil:
		return &capture.InputError{
			File: x.dir, Problem: "holds no capture",
			Remedy: "give the one that it is of with --capture",
		}
	case x.input == "":
		x.input, x.stored = x.dir, x.record.archive
	case archive.Is(x.input):
		x.stored, err = archive.Open(x.input, x.opt.Capture.ImageStore)
		x.other = true
	case x.record.archive == nil:
		err = noStore(x.dir, &x.opt.Capture)
	}
	return err
}

func (x *redecoder) close() error {
	if x.other && x.stored != nil {
		return x.stored.Close()
	}
	return nil
}

// reopen says how the capture is decoded again.
func (x *redecoder) reopen() (*Reopen, error) {
	recorded := x.record.recorded()
	if x.record.Dataset.Manifest.Window != nil {
		return nil, &capture.InputError{
			File: x.dir, Problem: "is a window of its capture",
			Remedy: "export the window again",
		}
	}
	if recorded == nil {
		return nil, &capture.InputError{File: x.dir, Problem: "was written by an earlier program, which did not " +
			"record its options", Remedy: "export the capture again"}
	}
	kept, c := *recorded, x.opt.Capture
	for _, f := range []struct {
		given []string
		kept  *[]schema.Argument
	}{{c.ELFs, &kept.ELFs}, {c.Images, &kept.Images}, {c.Symbols, &kept.Symbols}} {
		if len(f.given) > 0 { // of what perf recorded the others stay
			*f.kept = slices.DeleteFunc(slices.Clone(*f.kept), func(a schema.Argument) bool { return !a.Mapped })
		}
	}
	o, missing, err := x.record.options(&kept, x.input, x.stored, c)
	if err != nil {
		return nil, err
	}
	for _, a := range missing {
		if !a.Mapped || !c.NamesPrograms() {
			return nil, missingArgument(x.dir, recorded, a)
		}
	}
	o.Workers, o.Tool, o.Run, o.Progress = x.opt.Workers, x.opt.Tool, x.opt.Run, x.opt.Progress
	o.Families = x.opt.Families
	return &Reopen{Input: x.input, Options: o, inputs: x.record.Dataset.Manifest.Inputs, recorded: recorded}, nil
}

// rewriteArchive replaces the archive: the files of the capture stay as they are packed.
func (x *redecoder) rewriteArchive(ctx context.Context, from *Reopen) error {
	old := x.record.archive
	create := archive.CreateOptions{
		Images: cmp.Or(x.opt.Capture.ImageStore, old.Store()), Level: old.Index.Level, Overwrite: true,
	}
	w, err := archive.Create(x.dir, create)
	if err != nil {
		return err
	}
	a := &archiver{opt: ArchiveOptions{Export: from.Options, CreateOptions: create}, out: w}
	err = x.write(ctx, a, from)
	if err == nil {
		err = w.Complete(a.index())
	}
	if err != nil {
		return errors.Join(err, w.Abandon())
	}
	return w.Close()
}

// write writes the dataset and the files of the capture.
func (x *redecoder) write(ctx context.Context, a *archiver, from *Reopen) (err error) {
	o := a.opt.Export
	if err = x.export(ctx, x.input, a.out.Dataset(), o, from); err != nil {
		return err
	}
	if a.Input, err = Open(ctx, x.input, o.Families, o.Capture); err != nil {
		return err
	}
	defer a.Close()
	for _, in := range a.Capture.Inputs {
		if err := x.addInput(a, in); err != nil {
			return err
		}
	}
	return nil
}

// addInput adds a file of the capture: as the archive has it, or a program that is given.
func (x *redecoder) addInput(a *archiver, in *capture.Input) error {
	switch in.Kind {
	case capture.INIFile, capture.TraceFile:
		return a.out.AddFrom(x.record.archive, in.Path)
	}
	f, err := x.openImage(in)
	if err != nil {
		return fmt.Errorf("read %s: %w", in.Path, err)
	}
	defer f.Close()
	return a.out.AddImage(in.Path, in.Kind == capture.ArgumentFile, hex.EncodeToString(in.SHA256[:]), in.Bytes,
		io.NewSectionReader(f, 0, in.Bytes))
}

// openImage opens a file of program memory: an archive has it, or the user.
func (x *redecoder) openImage(in *capture.Input) (f capture.File, err error) {
	from := x.stored
	if from == nil {
		from = x.record.archive
	}
	switch {
	case in.Kind == capture.ArgumentFile:
		f, _, err = from.OpenArgument(in.Name)
	case x.stored != nil:
		f, _, err = from.Open(in.Path)
		return f, err
	default:
		err = fs.ErrNotExist
	}
	if errors.Is(err, fs.ErrNotExist) {
		return os.Open(in.Name)
	}
	return f, err
}
