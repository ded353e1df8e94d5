package keep

import (
	"context"
	"math"

	"github.com/tracelake/tracelake/schema"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/keep/archive"
)

// An Input is an open capture, as it is or in an archive.
type Input struct {
	Capture *capture.Capture
	Files   engine.Inputs
	Archive *archive.Archive // nil: the input is none

	options   capture.Options   // with which it was opened
	temporary *capture.Unpacked // nil: the input is read where it is, or the caller unpacked it
}

// Open opens the capture at input. Of an archive the options that are not given are as they were
// recorded. The caller closes it.
func Open(ctx context.Context, input string, families []decode.Family, opt capture.Options) (in *Input, err error) {
	in = &Input{}
	if opt.Unpacked == nil {
		if in.temporary, err = capture.Unpack(ctx, input, &opt); err != nil {
			return nil, err
		}
		opt.Unpacked = in.temporary
	}
	in.options = opt
	if err := in.open(input, families); err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

func (in *Input) open(input string, families []decode.Family) (err error) {
	if err := in.openArchive(input); err != nil {
		return err
	}
	if in.Capture, err = capture.Open(input, families, in.options); err != nil {
		return err
	}
	if in.Archive != nil {
		if err := in.Archive.CheckInputs(in.Capture.Inputs); err != nil {
			return err
		}
	}
	in.Files, err = engine.InputsOf(in.Capture)
	return err
}

// openArchive opens input if it is an archive, and sets the options to open the capture
// in it.
func (in *Input) openArchive(input string) error {
	if in.options.Unpacked != nil || in.options.Stored != nil || !archive.Is(input) {
		return noStore(input, &in.options)
	}
	a, err := archive.Open(input, in.options.ImageStore)
	if err != nil {
		return err
	}
	in.Archive = a
	with, missing := a.Apply(in.options)
	for _, x := range missing {
		with.Notes = append(with.Notes,
			x.File+" is not in the archive: give it again, or where it is with --images DIR")
	}
	in.options = with
	return nil
}

// Sources returns the sources to decode: those asked for, or those that an archive records; nil is all.
func (in *Input) Sources(asked []uint8) []uint8 {
	if asked == nil && in.Archive != nil {
		return sourcesOf(&in.Archive.Index.Options.Options)
	}
	return asked
}

// unpacked reports that the capture was unpacked into a temporary file.
func (in *Input) unpacked() bool { return in.options.Unpacked != nil }

// Close closes the capture.
func (in *Input) Close() {
	if in.Capture != nil {
		in.Capture.Close()
	}
	if in.Archive != nil {
		in.Archive.Close()
	}
	in.temporary.Close()
}

// noStore fails if images of an archive are given, but the input is none.
func noStore(input string, opt *capture.Options) error {
	if opt.ImageStore == "" {
		return nil
	}
	return &capture.InputError{
		File: input, Problem: "is no archive, and --images is where archives keep program memory",
		Remedy: "leave it out; --image FILE@ADDR is program memory", Err: capture.ErrUsage,
	}
}

// sourcesOf returns the sources that were decoded, nil for all. Numbers that are no
// trace ID are those of no source.
func sourcesOf(r *schema.Options) []uint8 {
	var ids []uint8
	for _, id := range r.Sources {
		if id <= math.MaxUint8 {
			ids = append(ids, uint8(id))
		}
	}
	return ids
}
