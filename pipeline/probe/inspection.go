package probe

import (
	"context"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/pipeline/code"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/pipeline/probe/identify"
	"github.com/tracelake/tracelake/pipeline/probe/reading"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/verdict"
)

// An Inspection says what is in a capture and whether it would decode.
type Inspection struct {
	SchemaVersion int                `json:"schema_version"`
	Input         string             `json:"input"`
	Verdict       verdict.Word       `json:"verdict,omitempty"` // on the samples, if there are any
	Judged        verdict.Verdict    `json:"-"`                 // with what it rests on
	Description   string             `json:"description,omitempty"`
	TimestampHz   uint64             `json:"timestamp_hz,omitempty"`
	Buffers       []BufferInspection `json:"buffers"`
	Sources       []SourceInspection `json:"sources"`
	Images        []ImageInspection  `json:"images"`
	Notes         []string           `json:"notes"`
	sampled       []*Evidence
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
	Statuses *Statuses     `json:"statuses,omitempty"`
	Trials   []TrialResult `json:"trials,omitempty"`
	// Suggested are values of registers with which the sample reads better.
	Suggested []Suggestion `json:"suggested,omitempty"`

	missing []image.MissingRange // memory that the sample wanted
	id      uint8
	regs    []string // NAME=VALUE of those that are suggested
}

// hasPackets says whether packets were decoded in the sample of a source.
func (x SourceInspection) hasPackets() bool { return x.Sample != nil && x.Sample.BytesDecoded > 0 }

// decodes says whether an export would have something of a source, as far as its sample shows.
func (x SourceInspection) decodes() bool {
	return x.Sample != nil && !x.Sample.Reading.NoProgram &&
		(!x.Sample.Reading.Nothing || x.Sample.Bytes < x.Bytes || len(x.regs) > 0)
}

// contradicted says whether another program ran than memory has, as far as the sample shows.
func (x SourceInspection) contradicted() bool {
	return x.Sample != nil && x.Sample.Reading.Problem == reading.Contradicted
}

// A TrialResult is a [decode.Trial].
type TrialResult struct {
	Settings string `json:"settings"`
	Checks   int64  `json:"checks"`
	Right    int64  `json:"right"`
	Errors   int64  `json:"errors"`
}

// A Sample is the result of decoding the first bytes of a stream.
type Sample struct {
	Bytes        int64            `json:"bytes"`
	Asyncs       int64            `json:"a_syncs"` // from that of the first cut on
	Segments     int64            `json:"segments"`
	FirstCut     *int64           `json:"first_cut,omitempty"` // capture offset of the first cut
	Cut          string           `json:"-"`                   // what people call one
	BytesDecoded int64            `json:"bytes_decoded"`
	BytesLost    int64            `json:"bytes_lost"`
	Unplaced     int64            `json:"bytes_unplaced"`
	Instructions int64            `json:"instructions"`
	Exceptions   int64            `json:"exceptions"`
	Estimate     int64            `json:"instructions_estimated"` // for the whole stream
	plan.Missing                  // the ranges most often needed
	Verdict      *verdict.Word    `json:"verdict"`
	Reading      *reading.Reading `json:"reading"`
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

// add adds what is in a capture. Buffers and memory are those of the first.
func (in *Inspection) add(ctx context.Context, s *inspector) error {
	c := s.plan.Capture
	in.Description, in.TimestampHz = c.Description, c.TimestampHz
	if len(in.Buffers) == 0 {
		in.addBuffers(s)
	}
	in.note(s.plan.Notes)
	programs, err := ReadPrograms(s.plan)
	if err != nil {
		return err
	}
	for _, src := range s.plan.Sources {
		si, e, err := s.inspect(ctx, src, programs)
		if err != nil {
			return err
		}
		if e.Reading != nil {
			in.sampled = append(in.sampled, e)
			in.Judged = programs.Verdict(in.sampled)
			in.Verdict = in.Judged.Word
		}
		in.Sources = append(in.Sources, si)
		in.note(e.Notes())
	}
	return nil
}

// note adds notes, each once.
func (in *Inspection) note(notes []string) {
	for _, n := range notes {
		if !slices.Contains(in.Notes, n) {
			in.Notes = append(in.Notes, n)
		}
	}
}

// addBuffers adds the buffers and the program memory of a capture.
func (in *Inspection) addBuffers(s *inspector) {
	for _, b := range s.plan.Buffers {
		bi := BufferInspection{
			BufferBytes: s.plan.Account(b), Format: b.Format.String(), FrameOffset: b.Layout.Offset,
			Looked: b.Looked,
		}
		bi.Bytes = b.Size
		in.Buffers = append(in.Buffers, bi)
	}
	for i := range s.plan.Capture.Regions {
		r := code.Region(&s.plan.Capture.Regions[i])
		in.Images = append(in.Images, ImageInspection{
			File: r.File, BuildID: r.BuildID, Address: r.Address.Hex(), Bytes: r.Bytes, Space: r.Space,
			Core: r.Core,
		})
	}
}

// inspect looks at a source.
func (s *inspector) inspect(ctx context.Context, src *plan.Source, programs *Programs) (si SourceInspection, e *Evidence, err error) {
	e = NewEvidence(src)
	si = SourceInspection{
		Source: schema.SourceText(src.ID), Name: src.Name, Protocol: src.Protocol, Version: src.Version, Core: src.Core,
		Status: schema.SourceStatusNames[src.Status], Problem: problem(src), Registers: src.RegisterTexts(),
		Unit: src.Unit().String(), Bytes: src.Bytes, id: src.ID,
	}
	for _, t := range src.Trials {
		si.Trials = append(si.Trials, TrialResult(t))
	}
	if src.Layout != nil {
		si.Layout = src.Layout.Name()
	}
	if src.Buffer != nil {
		si.Buffer = src.Buffer.Name
	}
	if src.Bound != nil {
		si.Settings = src.Bound.Words()
	}
	if src.Status != schema.StatusDecoded {
		return si, e, nil
	}
	if err = e.findSync(src.Bound); err != nil {
		return si, e, err
	}
	var seen seen
	first := sample{Source: src, bytes: sampleBytes, firstSync: e.firstSync}
	stream := func(notes *[]string) (decode.Stream, error) { return first.stream(notes), nil }
	job := engine.Job{Source: src, To: e.Tap(seen.sinks()), Start: &engine.Start{Lead: engine.NoLead, Stream: stream}}
	programs.Count(&job, nil)
	if e.Outcome, err = s.engine.Decode(ctx, job); err != nil {
		return si, e, err
	}
	if err = s.prober.Judge(ctx, e); err != nil {
		return si, e, err
	}
	si.Sample, si.Answers, si.missing = sampleOf(e), seen.answers(e), e.Outcome.Missing.Ranges()
	if si.Statuses, err = e.countStatuses(); err != nil {
		return si, e, err
	}
	better, err := s.prober.better(ctx, e)
	if better != nil {
		si.Suggested, si.regs = better.suggested, better.changed()
	}
	return si, e, err
}

// sampleOf returns the result of the first bytes of a source, after they were
// decoded.
func sampleOf(e *Evidence) *Sample {
	o := e.Outcome
	t := &o.Totals
	out := &Sample{
		Bytes: t.Bytes, BytesDecoded: t.BytesDecoded, BytesLost: t.BytesLost, Unplaced: t.BytesUnplaced,
		Asyncs: o.Asyncs, Segments: t.Segments, Instructions: t.Instructions, Exceptions: t.Exceptions,
		Missing: plan.MissingIn(&o.Missing, e.Source.Unfound), Verdict: e.Word(), Reading: e.Reading, Agreements: e.Agreements(),
		Cut: e.Source.Sync.Cut,
	}
	if o.FirstCut.OK {
		out.FirstCut = &o.FirstCut.V
		out.Asyncs++ // before it
	}
	if t.Bytes > 0 {
		scale := 1.0 // of the buffer, by which the stream is longer than it is known to be
		if b := e.Source.Buffer; e.Source.Layout == nil {
			scale = float64(b.Size) / float64(max(1, b.Looked))
		}
		out.Estimate = int64(float64(t.Instructions) * scale * float64(e.Source.Bytes) / float64(t.Bytes))
	}
	out.Wanted = out.Wanted[:min(len(out.Wanted), inspectMissing)]
	return out
}
