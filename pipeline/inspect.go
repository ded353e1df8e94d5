package pipeline

import (
	"context"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/archive"
	"github.com/tracelake/tracelake/pipeline/identify"
	"github.com/tracelake/tracelake/pipeline/verdict"
	"github.com/tracelake/tracelake/schema"
)

// An Inspection says what is in a capture and whether it would decode.
type Inspection struct {
	SchemaVersion int                `json:"schema_version"`
	Input         string             `json:"input"`
	Description   string             `json:"description,omitempty"`
	TimestampHz   uint64             `json:"timestamp_hz,omitempty"`
	Buffers       []BufferInspection `json:"buffers"`
	Sources       []SourceInspection `json:"sources"`
	Images        []ImageInspection  `json:"images"`
	Notes         []string           `json:"notes"`
	// Found says what the input is if it is no capture; Guess how it was found out how
	// to read a raw file.
	Found *identify.Finding `json:"found,omitempty"`
	Guess *Guess            `json:"guess,omitempty"`
	// Lines are what to type next.
	Lines []string `json:"type"`
}

// A BufferInspection says what is in a buffer.
type BufferInspection struct {
	schema.BufferBytes
	Format      string `json:"format"`
	FrameOffset int64  `json:"frame_offset"`
	Looked      int64  `json:"looked_at"` // bytes of it that were counted
}

// A SourceInspection is a source and the result of decoding a sample of it.
type SourceInspection struct {
	Source    string            `json:"source"` // as [schema.SourceText] writes it
	Name      string            `json:"name,omitempty"`
	Protocol  string            `json:"protocol,omitempty"`
	Version   string            `json:"version,omitempty"`
	Core      string            `json:"core,omitempty"`
	Buffer    string            `json:"buffer,omitempty"`
	Status    string            `json:"status"`
	Problem   string            `json:"problem,omitempty"`
	Unit      string            `json:"unit"`
	Bytes     int64             `json:"bytes"` // in units
	Layout    string            `json:"layout,omitempty"`
	Settings  []string          `json:"settings,omitempty"` // what the registers say, in words
	Registers map[string]string `json:"registers"`
	Sample    *Sample           `json:"sample,omitempty"`
	Guessed   *Guessed          `json:"guessed,omitempty"` // of a raw file
	Answers   []Answer          `json:"answers,omitempty"` // as far as the sample shows
	// Statuses are those of the first samples of a trace port; Trials how settings did
	// that were left to be found, the best first.
	Statuses *Statuses `json:"statuses,omitempty"`
	Trials   []Trial   `json:"trials,omitempty"`
	// Suggested are values of registers with which the sample reads better.
	Suggested []Suggestion `json:"suggested,omitempty"`
}

// A Trial is a [decode.Trial].
type Trial struct {
	Settings string `json:"settings"`
	Checks   int64  `json:"checks"`
	Right    int64  `json:"right"`
	Errors   int64  `json:"errors"`
}

// A Sample is the result of decoding the first bytes of a stream.
type Sample struct {
	Bytes        int64            `json:"bytes"`
	Asyncs       int64            `json:"a_syncs"`
	Segments     int64            `json:"segments"`
	FirstCut     *int64           `json:"first_cut,omitempty"` // capture offset of the first I-sync decoded
	BytesDecoded int64            `json:"bytes_decoded"`
	BytesLost    int64            `json:"bytes_lost"`
	Unplaced     int64            `json:"bytes_unplaced"`
	Instructions int64            `json:"instructions"`
	Exceptions   int64            `json:"exceptions"`
	Estimate     int64            `json:"instructions_estimated"` // for the whole stream
	Missing                       // the ranges most often needed
	Verdict      *verdict.Verdict `json:"verdict"`
	Agreements
}

// An ImageInspection is a region of program memory.
type ImageInspection struct {
	File    string `json:"file"`
	BuildID string `json:"build_id,omitempty"`
	Address string `json:"address"` // hex
	Bytes   int64  `json:"bytes"`
	Space   string `json:"space,omitempty"`
	Core    string `json:"core,omitempty"`
}

// Inspect says what input is. Of a capture it looks at the first part: 64 MiB of each
// buffer and 1 MiB of each source, so that its time is bounded. A raw file without
// --protocol is read in every way there is.
func Inspect(ctx context.Context, input string, opt capture.Options) (*Inspection, error) {
	return inspectAs(ctx, input, opt, protocols())
}

// inspectAs is Inspect with these protocols.
func inspectAs(ctx context.Context, input string, opt capture.Options, families []decode.Family) (*Inspection, error) {
	in := &Inspection{
		SchemaVersion: schema.Version, Input: input,
		Buffers: []BufferInspection{}, Sources: []SourceInspection{}, Images: []ImageInspection{}, Notes: []string{}, Lines: []string{},
	}
	u, err := capture.Unpack(ctx, input, &opt)
	if err != nil {
		return nil, err
	}
	defer u.Close()
	opt.Unpacked = u
	if opt.Protocol == "" && !archive.Is(input) {
		if done, err := in.find(ctx, input, opt, families); done || err != nil {
			return in, err
		}
	}
	s, err := openSession(ctx, input, sessionOptions{capture: opt, workers: 1, sample: true, protocols: families})
	if err != nil {
		return nil, err
	}
	defer s.close()
	in.Lines = append(in.Lines, exportLine(input, "run", &opt, nil))
	return in, in.add(ctx, s)
}

// find says what input is if it is no capture. It reports whether that is so.
func (in *Inspection) find(ctx context.Context, input string, opt capture.Options, families []decode.Family) (done bool, err error) {
	found, err := identify.Path(input)
	if u := opt.Unpacked; u != nil {
		found, err = identify.Content(u.Name, u.File)
	}
	switch {
	case err != nil, found.Kind == identify.Snapshot:
		return false, nil // opening it says more
	case found.Kind == identify.Empty:
		return true, &capture.InputError{File: input, Problem: "is " + found.What, Remedy: found.Do, Err: capture.ErrEmpty}
	case found.Kind == identify.Unknown:
		if known, err := capture.KnowsHeader(input, families, &opt); known || err != nil {
			return false, err
		}
		return true, in.identify(ctx, input, opt, families)
	}
	in.Found = found
	if opt.Unpacked == nil { // else the lines name a file that is not there
		in.Lines = append(in.Lines, found.Lines...)
	}
	return true, nil
}

// add adds what is in a capture. Buffers and memory are those of the first.
func (in *Inspection) add(ctx context.Context, s *session) error {
	c := s.capture
	in.Description, in.TimestampHz = c.Description, c.TimestampHz
	if len(in.Buffers) == 0 {
		in.addBuffers(s)
	}
	for _, src := range s.plan.sources {
		si, err := s.inspect(ctx, src)
		if err != nil {
			return err
		}
		in.Sources = append(in.Sources, si)
	}
	for _, n := range s.plan.notes {
		if !slices.Contains(in.Notes, n) {
			in.Notes = append(in.Notes, n)
		}
	}
	return nil
}

// addBuffers adds the buffers and the program memory of a capture.
func (in *Inspection) addBuffers(s *session) {
	for _, b := range s.plan.buffers {
		bi := BufferInspection{BufferBytes: s.plan.account(b), Format: b.Format.String(), FrameOffset: b.layout.Offset, Looked: b.looked}
		bi.Bytes = b.Size
		in.Buffers = append(in.Buffers, bi)
	}
	for i := range s.capture.Regions {
		r := imageRegion(&s.capture.Regions[i])
		in.Images = append(in.Images, ImageInspection{
			File: r.File, BuildID: r.BuildID, Address: fmt.Sprintf("0x%08x", r.Address), Bytes: r.Bytes, Space: r.Space, Core: r.Core,
		})
	}
}

// inspect looks at a source.
func (s *session) inspect(ctx context.Context, src *sourcePlan) (SourceInspection, error) {
	si := SourceInspection{
		Source: schema.SourceText(src.ID), Name: src.Name, Protocol: src.Protocol, Version: src.version(), Core: src.Core,
		Status: schema.SourceStatusNames[src.status], Problem: src.problem, Registers: src.registers(),
		Unit: src.unit().String(), Bytes: src.bytes,
	}
	for _, t := range src.trials {
		si.Trials = append(si.Trials, Trial(t))
	}
	if src.layout != nil {
		si.Layout = src.layout.Name()
	}
	if src.buffer != nil {
		si.Buffer = src.buffer.Name
	}
	if src.protocol != nil {
		si.Settings = src.protocol.Words()
	}
	if src.status != schema.StatusDecoded {
		return si, nil
	}
	if err := src.findSync(src.protocol); err != nil {
		return si, err
	}
	var e evidence
	if err := s.decode(ctx, src, e.sinks(), nil); err != nil {
		return si, err
	}
	if err := s.judge(ctx, src); err != nil {
		return si, err
	}
	si.Sample, si.Answers = src.sampled(), e.answers(src)
	var err error
	if si.Statuses, err = src.countStatuses(sampleBytes); err != nil {
		return si, err
	}
	si.Suggested, err = s.suggestions(ctx, src)
	return si, err
}

// sampled returns the result of the first bytes of a source, after they were
// decoded.
func (s *sourcePlan) sampled() *Sample {
	o := &s.outcome
	t := &o.Totals
	out := &Sample{
		Bytes: t.Bytes, BytesDecoded: t.BytesDecoded, BytesLost: t.BytesLost, Unplaced: t.BytesUnplaced,
		Asyncs: o.Asyncs, Segments: t.Segments, Instructions: t.Instructions, Exceptions: t.Exceptions,
		Missing: missingMemory(&o.Missing), Verdict: s.verdict, Agreements: s.agreements(),
	}
	if o.FirstCut.OK {
		out.FirstCut = &o.FirstCut.V
	}
	if t.Bytes > 0 {
		out.Estimate = int64(float64(t.Instructions) * s.scale() * float64(s.bytes) / float64(t.Bytes))
	}
	missing := len(out.Wanted)
	out.Wanted = out.Wanted[:min(missing, inspectMissing)]
	return out
}
