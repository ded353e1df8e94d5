package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/archive"
	"github.com/tracelake/tracelake/schema"
)

// RedecodeOptions say how to decode a capture again, with another program.
type RedecodeOptions struct {
	// Capture has the program: files of a flag take the place of all that were recorded of it.
	Capture  capture.Options
	Workers  int // at least 1
	Tool     schema.Tool
	Run      schema.Export
	Progress func(Progress) // as in [Options]
}

// A Redecoded is what became of a dataset.
type Redecoded struct {
	*Summary
	Before schema.Totals // of the dataset as it was
}

// Redecode decodes again the capture that the dataset or archive in dir is of, with the
// options that it recorded and another program, and replaces it: by what [Export] or
// [Archive] make of the capture with that program. input is the capture, "" that in the archive.
// It fails with a [*capture.InputError] if that is not the one which was decoded, or a
// file of the command line is missing that was recorded and is not given. After an error
// dir is as it was.
func Redecode(ctx context.Context, dir, input string, opt RedecodeOptions) (done *Redecoded, err error) {
	r, err := OpenRecord(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	x := &redecoder{record: r, dir: dir, input: input, opt: opt}
	if err := x.open(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.close()) }()
	o, err := x.options()
	if err != nil {
		return nil, err
	}
	done = &Redecoded{Before: r.Dataset.Manifest.Totals}
	if r.archive != nil {
		done.Summary, err = x.rewriteArchive(ctx, o)
		return done, err
	}
	o.Overwrite = true
	done.Summary, err = Export(ctx, x.input, dir, o)
	return done, err
}

// A redecoder decodes one capture again.
type redecoder struct {
	record     *Record
	dir, input string
	opt        RedecodeOptions
	stored     *archive.Archive // that the capture is in, nil: in none
	other      bool             // it is another than the record's
}

// open opens the archive that the capture is in.
func (x *redecoder) open() (err error) {
	switch {
	case x.input == "" && x.record.archive == nil:
		return &capture.InputError{File: x.dir, Problem: "holds no capture", Remedy: "give the one that it is of with --capture"}
	case x.input == "":
		x.input, x.stored = x.dir, x.record.archive
	case archive.Is(x.input):
		x.stored, err = archive.Open(x.input)
		x.other = true
	}
	return err
}

func (x *redecoder) close() error {
	if x.other && x.stored != nil {
		return x.stored.Close()
	}
	return nil
}

// options returns the options of the export.
func (x *redecoder) options() (Options, error) {
	recorded := x.record.recorded()
	if recorded == nil {
		return Options{}, &capture.InputError{File: x.dir, Problem: "was written by an earlier program, which did not record its options", Remedy: "export the capture again"}
	}
	o, _, err := x.record.Options(x.input, x.opt.Capture)
	if err != nil {
		return o, err
	}
	kept, c := *recorded, x.opt.Capture
	for _, f := range []struct {
		given []string
		kept  *[]schema.Argument
	}{{c.ELFs, &kept.ELFs}, {c.Images, &kept.Images}, {c.Symbols, &kept.Symbols}} {
		if len(f.given) > 0 {
			*f.kept = nil
		}
	}
	var missing []*schema.Argument
	switch {
	case x.stored != nil:
		c.Stored = x.stored
		o.Capture, missing = x.stored.ApplyTo(c, &kept)
	case x.record.archive != nil:
		o.Capture, missing = x.record.archive.ApplyTo(c, &kept)
	default:
		o.Capture, missing = c.With(&kept, func(*schema.Argument) string { return "" })
	}
	if len(missing) > 0 {
		return o, missingArgument(x.dir, recorded, missing[0])
	}
	o.Workers, o.Tool, o.Run, o.Progress = x.opt.Workers, x.opt.Tool, x.opt.Run, x.opt.Progress
	o.inputs = withoutArguments(x.record.Dataset.Manifest.Inputs, recorded)
	return o, nil
}

// withoutArguments returns the files of a capture without those of the command line.
func withoutArguments(inputs []schema.InputFile, recorded *schema.Options) []schema.InputFile {
	return slices.DeleteFunc(slices.Clone(inputs), func(f schema.InputFile) bool {
		return slices.ContainsFunc(slices.Concat(recorded.ELFs, recorded.Images, recorded.Symbols), func(a schema.Argument) bool {
			return a.File == f.Path && a.SHA256 == f.SHA256
		})
	})
}

// demandInputs fails with a [*capture.InputError] unless the files of the capture, but those of the
// command line, are the ones wanted; nil are any. hashed are all files of the capture.
func (s *session) demandInputs(wanted, hashed []schema.InputFile) error {
	if wanted == nil {
		return nil
	}
	left := wanted
	for i := range s.inputs {
		if s.inputs[i].Kind == capture.ArgumentFile {
			continue
		}
		now := hashed[i]
		if len(left) == 0 {
			return s.otherCapture(now.Path + " is no file of that one")
		}
		if now.SHA256 != left[0].SHA256 {
			return s.otherCapture(fmt.Sprintf("the SHA-256 of %s is %s, and was %s", now.Path, now.SHA256, left[0].SHA256))
		}
		left = left[1:]
	}
	if len(left) > 0 {
		return s.otherCapture(left[0].Path + " is missing")
	}
	return nil
}

// otherCapture is the error that the capture is not the one that was decoded.
func (s *session) otherCapture(why string) error {
	return &capture.InputError{File: s.capture.Path, Problem: "is not the capture that was decoded: " + why, Remedy: "give that one"}
}
