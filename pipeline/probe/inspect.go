package probe

import (
	"context"
	"slices"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/probe/identify"
	"github.com/tracelake/tracelake/schema"
)

// Inspect says what input is. Of a capture it looks at the first part: 64 MiB of each
// buffer and 1 MiB of each source, so that its time is bounded. A raw file without
// --protocol is read in every way there is.
func Inspect(ctx context.Context, input string, opt Options) (*Inspection, error) {
	in := &Inspection{
		SchemaVersion: schema.Version, Input: input, Buffers: []BufferInspection{}, Sources: []SourceInspection{},
		Images: []ImageInspection{}, Notes: []string{}, Lines: []string{},
	}
	u, err := capture.Unpack(ctx, input, &opt.Capture)
	if err != nil {
		return nil, err
	}
	defer u.Close()
	opt.Capture.Unpacked = u
	if opt.Capture.Protocol == "" && !opt.Archived {
		if done, err := in.find(ctx, input, &opt); done || err != nil {
			return in, err
		}
	}
	s, err := opt.sample(ctx, input, opt.Capture, nil)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if err = in.add(ctx, s); err != nil {
		return in, err
	}
	if !slices.ContainsFunc(in.Sources, SourceInspection.hasPackets) {
		return in, nil
	}
	program := in.proposeELF(s, &opt)
	line := exportLine(input, "run", &opt.Capture, nil)
	if !program && !slices.ContainsFunc(in.Sources, SourceInspection.decodes) {
		line += " --packets-only"
	}
	in.Lines = append(in.Lines, line)
	return in, nil
}

// find says what input is if it is no capture. It reports whether that is so.
func (in *Inspection) find(ctx context.Context, input string, opt *Options) (done bool, err error) {
	found, err := identify.Path(input)
	if u := opt.Capture.Unpacked; u != nil {
		found, err = identify.Content(u.Name, u.File)
	}
	switch {
	case err != nil, found.Kind == identify.Snapshot:
		return false, nil // opening it says more
	case found.Kind == identify.Empty:
		return true, &capture.InputError{
			File: input, Problem: "is " + found.What, Remedy: found.Do,
			Err: capture.ErrEmpty,
		}
	case found.Kind == identify.Unknown:
		if known, err := capture.KnowsHeader(input, opt.Families, &opt.Capture); known || err != nil {
			return false, err
		}
		return true, in.identify(ctx, input, opt, found.Streams)
	}
	in.Found = found
	if opt.Capture.Unpacked == nil { // else the lines name a file that is not there
		in.Lines = append(in.Lines, found.Lines...)
	}
	return true, nil
}
