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

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/keep/archive"
)

// rewriteArchive replaces the archive: the files of the capture stay as they are packed.
func (x *redecoder) rewriteArchive(ctx context.Context, from *Reopen) error {
	old := x.record.archive
	w, err := archive.Create(x.dir, archive.CreateOptions{Images: cmp.Or(x.opt.Capture.ImageStore, old.Store()), Overwrite: true})
	if err != nil {
		return err
	}
	a := &archiver{opt: ArchiveOptions{Export: from.Options, Level: old.Index.Level}, out: w}
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
	return a.out.AddImage(in.Path, in.Kind == capture.ArgumentFile, hex.EncodeToString(in.SHA256[:]), in.Bytes, io.NewSectionReader(f, 0, in.Bytes))
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
