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

// A Redecoded is what became of a dataset.
type Redecoded struct {
	*Summary
	Before schema.Totals // of the dataset as it was
	// Segments is how many were decoded: all of the sources that are not kept as they were.
	Segments int64
}

// Redecode decodes again the capture that the dataset or archive in dir is of, with the
// options that it recorded and another program, and replaces it: by what [Export] or
// [Archive] make of the capture with that program. input is the capture, "" that in the
// archive. Of opt it takes the files of the command line, of which those of a flag replace all
// that were recorded of it, and Workers, Tool, Run and Progress.
//
// It fails with a [*capture.InputError] if that is not the one which was decoded, or a
// file of the command line is missing that was recorded and is not given. After an error
// dir is as it was.
func Redecode(ctx context.Context, dir, input string, opt Options) (done *Redecoded, err error) {
	r, err := OpenRecord(dir, opt.Capture.ImageStore)
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
	o.earlier = newEarlier(r)
	defer o.earlier.close()
	summary, err := x.rewrite(ctx, o)
	if bad, ok := errors.AsType[*capture.InputError](err); ok {
		err = bad // whatever it kept from being written
	}
	if err != nil {
		return nil, err
	}
	done = &Redecoded{Summary: summary, Before: r.Dataset.Manifest.Totals}
	for i := range summary.Sources {
		if s := &summary.Sources[i]; !s.Kept {
			done.Segments += s.Segments
		}
	}
	return done, nil
}

// rewrite replaces the dataset or archive.
func (x *redecoder) rewrite(ctx context.Context, o Options) (*Summary, error) {
	if x.record.archive != nil {
		return x.rewriteArchive(ctx, o)
	}
	o.Overwrite = true
	return Export(ctx, x.input, x.dir, o)
}

// A redecoder decodes one capture again.
type redecoder struct {
	record     *Record
	dir, input string
	opt        Options
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

// options returns the options of the export.
func (x *redecoder) options() (Options, error) {
	recorded := x.record.recorded()
	if x.record.Dataset.Manifest.Window != nil {
		return Options{}, &capture.InputError{File: x.dir, Problem: "is a window of its capture", Remedy: "export the window again"}
	}
	if recorded == nil {
		return Options{}, &capture.InputError{File: x.dir, Problem: "was written by an earlier program, which did not record its options", Remedy: "export the capture again"}
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
	o, missing, err := x.record.options(&kept, x.input, x.stored, c)
	if err != nil {
		return o, err
	}
	if len(missing) > 0 {
		return o, missingArgument(x.dir, recorded, missing[0])
	}
	o.Workers, o.Tool, o.Run, o.Progress = x.opt.Workers, x.opt.Tool, x.opt.Run, x.opt.Progress
	o.original = &original{x.record.Dataset.Manifest.Inputs, recorded}
	return o, nil
}

// An original is a capture that was decoded, by the hashes of its files.
type original struct {
	inputs  []schema.InputFile
	options *schema.Options // the files that these name are none of the capture
}

// isArgument says whether the command line named a file.
func (o *original) isArgument(f *schema.InputFile) bool {
	return slices.ContainsFunc(slices.Concat(o.options.ELFs, o.options.Images, o.options.Symbols), func(a schema.Argument) bool {
		return a.File == f.Path && a.SHA256 == f.SHA256
	})
}

// demandOriginal fails with a [*capture.InputError] unless the files of the capture, but those of
// the command line, are those of the original; nil is any. hashed are all files of the capture.
func (s *session) demandOriginal(o *original, hashed []schema.InputFile) error {
	if o == nil {
		return nil
	}
	var own []schema.InputFile
	for i, f := range hashed {
		if s.inputs[i].Kind != capture.ArgumentFile {
			own = append(own, f)
		}
	}
	for i := range o.inputs {
		f := &o.inputs[i]
		switch {
		case len(own) > 0 && own[0].SHA256 == f.SHA256:
			own = own[1:]
		case o.isArgument(f):
		case len(own) == 0:
			return s.otherCapture(f.Path + " is missing")
		default:
			return s.otherCapture(fmt.Sprintf("the SHA-256 of %s is %s, and was %s", own[0].Path, own[0].SHA256, f.SHA256))
		}
	}
	if len(own) > 0 {
		return s.otherCapture("it did not have " + own[0].Path)
	}
	return nil
}

// otherCapture is the error that the capture is not the one that was decoded.
func (s *session) otherCapture(why string) error {
	return &capture.InputError{File: s.capture.Path, Problem: "is not the capture that was decoded: " + why, Remedy: "give that one"}
}
