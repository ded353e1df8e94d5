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
	more := ""
	if !program && !slices.ContainsFunc(in.Sources, SourceInspection.decodes) {
		more = " --packets-only"
	}
	in.addLines(input, &opt, more)
	return in, nil
}

// addLines adds what to type next: a line for the sources that read best with the same registers.
func (in *Inspection) addLines(input string, opt *Options, more string) {
	var groups [][]SourceInspection
	for _, x := range in.Sources {
		if !x.hasPackets() && len(x.regs) == 0 {
			continue
		}
		same := func(g []SourceInspection) bool { return slices.Equal(g[0].regs, x.regs) }
		if i := slices.IndexFunc(groups, same); i >= 0 {
			groups[i] = append(groups[i], x)
		} else {
			groups = append(groups, []SourceInspection{x})
		}
	}
	for _, g := range groups {
		with, dir, ids := opt.Capture, "run", []uint8(nil)
		with.Regs = mergeRegisters(with.Regs, g[0].regs)
		if len(groups) > 1 {
			dir += "-" + g[0].Source
			for _, x := range g {
				ids = append(ids, x.id)
			}
		}
		in.Lines = append(in.Lines, exportLine(input, dir, &with, ids)+more)
	}
}

// find says what input is if it is no capture. It reports whether that is so.
func (in *Inspection) find(ctx context.Context, input string, opt *Options) (done bool, err error) {
	found, err := identify.Path(input)
	if u := opt.Capture.Unpacked; u != nil {
		found, err = identify.Content(u.Name, u.File)
	}
	switch {
	case err != nil, found.Kind == identify.Snapshot, found.Kind == identify.Recording:
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
