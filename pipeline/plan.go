package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/verdict"
	"github.com/tracelake/tracelake/pipeline/window"
	"github.com/tracelake/tracelake/schema"
)

// A plan says what is in the buffers of a capture and how each source is decoded.
type plan struct {
	capture   *capture.Capture
	protocols []decode.Family
	windowing *windowing                      // nil: all is decoded
	near      *stretch                        // nil: all bytes are counted
	bound     map[*capture.Source]*sourcePlan // every configured source
	framed    map[uint8]*sourcePlan           // those of a raw file in frames, as they are met
	buffers   []*bufferPlan
	sources   []*sourcePlan // by buffer, then as configured, then by ID
	notes     []string
}

// A sourcePlan is a source that was configured or seen, and its outcome.
type sourcePlan struct {
	*capture.Source
	protocol decode.Protocol // nil: problem says why
	problem  string
	notes    []string // about its protocol, for the user
	// streamNotes are what its stream said at its end.
	streamNotes []string

	buffer *bufferPlan   // nil: none is configured for it
	window *window.Range // segments to decode; nil: all
	layout decode.Layout // of a protocol whose units are not the bytes of the buffer
	bytes  int64         // units of its stream: see [decode.Protocol]
	sample int           // bytes of its stream to decode; 0: all
	status schema.SourceStatus

	statuses *Statuses      // of a source with a layout and no cut
	trials   []decode.Trial // of settings that were left to be found, the best first
	outcome  stitch.Outcome
	// callsLeftOut is how many rows of `calls` were more than the dataset has.
	callsLeftOut int64
	looked       *image.Pages         // of program memory, by its decoders
	before       *schema.SourceTotals // it was not decoded: it is as it was
	causes       causes
	// firstSync is where in the stream packets could first be read; NULL: nowhere in its
	// first part, or nobody has looked.
	firstSync schema.Null[int64]
	verdict   *verdict.Verdict // of a source that was decoded, once judged
	kept      *keptSample      // of its stream, that attempts read
}

// stream returns the bytes of the source.
func (s *sourcePlan) stream() decode.Stream {
	var stream decode.Stream
	switch b := s.buffer; {
	case b.framed:
		stream = frame.NewReader(b.data, b.looked, b.layout, s.ID)
	case s.layout != nil:
		stream = laidStream{s.layout.Stream(b.data, b.RingStart), b.Name, &s.streamNotes}
	default:
		raw := newRawStream(b.data, b.looked, b.RingStart)
		raw.read = b.from
		stream = raw
	}
	if s.sample > 0 {
		return s.sampleOf(stream)
	}
	return stream
}

// version returns the version of the source's protocol, "" if it is not known.
func (s *sourcePlan) version() string {
	if s.protocol == nil {
		return s.Version
	}
	return s.protocol.Version()
}

// unitBytes returns the bytes of one unit of the source's stream.
func (s *sourcePlan) unitBytes() int64 {
	if s.protocol == nil {
		return 1
	}
	return int64(s.protocol.UnitBytes())
}

// unit returns the unit in which lengths of the source are counted.
func (s *sourcePlan) unit() schema.SourceUnit { return unitOf(s.protocol) }

// unitOf returns the unit of a protocol, that of bytes if it is nil.
func unitOf(p decode.Protocol) schema.SourceUnit {
	if p != nil && p.UnitBytes() > 1 {
		return schema.UnitSamples
	}
	return schema.UnitBytes
}

// registers returns the values of the source's registers by name.
func (s *sourcePlan) registers() map[string]string {
	values := map[string]string{}
	for i := range s.Registers {
		name, value := s.Registers[i].Text()
		values[name] = value
	}
	return values
}

// lossReason returns why all bytes of a source that is not decoded are lost.
func (s *sourcePlan) lossReason() schema.LossReason {
	if s.status == schema.StatusUnconfigured {
		return schema.LossUnconfigured
	}
	return schema.LossUnsupported
}

// tracesData says whether a source that is decoded traces data.
func (p *plan) tracesData() bool {
	return slices.ContainsFunc(p.sources, func(s *sourcePlan) bool {
		return s.status == schema.StatusDecoded && s.protocol.TracesData()
	})
}

// noteStream notes what a source's stream said at its end.
func (p *plan) noteStream(s *sourcePlan) {
	for _, note := range s.streamNotes {
		p.note("source %s: %s", s.Name, note)
	}
}

// warnUndefined notes the packets of a source that its registers do not allow.
func (p *plan) warnUndefined(s *sourcePlan) {
	for _, packets := range s.outcome.Quality.Undefined {
		p.note("source %s has %s, which version %s of %s does not have: is ETMIDR right? --reg ETMIDR=VALUE corrects it",
			s.Name, packets, s.protocol.Version(), s.Protocol)
	}
}

// warnExpansion notes that a source makes far more instructions of a byte than
// any program does: five atoms of a byte of PFT, with blocks of ten instructions,
// are fifty.
func (p *plan) warnExpansion(s *sourcePlan) {
	if t := &s.outcome.Totals; t.Bytes > 0 && t.Instructions/t.Bytes >= maxPerByte {
		p.note("source %s has %d instructions for each byte of trace: is this the program that ran? straight code without branches, as of erased memory, does this",
			s.Name, t.Instructions/t.Bytes)
	}
}

// planOptions say what to plan.
type planOptions struct {
	protocols []decode.Family
	sample    bool       // only the first part of each buffer
	window    *windowing // nil: all is decoded
	near      *stretch   // nil: all bytes are counted
}

// makePlan binds every source, then reads every buffer once, with the tokens of
// workers: of a sample only the first part.
func makePlan(ctx context.Context, c *capture.Capture, tokens engine.Workers, opt planOptions) (*plan, error) {
	p := &plan{
		capture: c, protocols: opt.protocols, windowing: opt.window, near: opt.near, notes: slices.Clone(c.Warnings),
		bound: map[*capture.Source]*sourcePlan{}, framed: map[uint8]*sourcePlan{},
	}
	for _, s := range c.Sources {
		p.bound[s] = p.bindSource(s)
	}
	for _, b := range c.Buffers {
		bp := &bufferPlan{Buffer: b, looked: b.Size, data: contextReaderAt{ctx, b.Data}, framed: b.Format != capture.SourceData && b.Size > 0}
		if opt.sample {
			bp.looked = min(b.Size, inspectBytes)
		}
		if err := opt.window.clip(bp); err != nil {
			return nil, err
		}
		if err := p.readFrames(ctx, tokens, bp); err != nil {
			return nil, err
		}
		p.buffers = append(p.buffers, bp)
	}
	placed := map[*capture.Source]bool{}
	for _, b := range p.buffers {
		if err := p.planSources(b, placed); err != nil {
			return nil, err
		}
	}
	for _, s := range c.Sources {
		if !placed[s] {
			if err := p.place(p.bound[s], nil, 0); err != nil {
				return nil, err
			}
		}
	}
	for _, s := range p.sources {
		if opt.sample {
			s.sample = sampleBytes
		}
	}
	return p, nil
}

func (p *plan) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// bindSource binds a source to its protocol.
func (p *plan) bindSource(s *capture.Source) *sourcePlan {
	sp := &sourcePlan{Source: s}
	var err error
	if sp.protocol, sp.notes, err = p.bind(s); err != nil {
		sp.protocol, sp.status, sp.problem = nil, schema.StatusUnsupported, err.Error()
	}
	return sp
}

// bind binds the protocol of a source to its registers. The notes are for the
// user.
func (p *plan) bind(s *capture.Source) (decode.Protocol, []string, error) {
	if s.Problem != "" {
		return nil, nil, errors.New(s.Problem)
	}
	i := slices.IndexFunc(p.protocols, func(f decode.Family) bool { return f.Name == s.Protocol })
	if i < 0 {
		return nil, nil, fmt.Errorf("source %s is %s, which is not supported", s.Name, cmp.Or(s.Type, "of unknown type"))
	}
	return p.protocols[i].Bind(decode.Source{Registers: s.Registers, CoreType: s.CoreType, Profile: string(s.Profile)})
}

// inFrames returns the source of a trace ID of a raw file in frames, bound when
// it is first met; nil for other captures, where sources are configured.
func (p *plan) inFrames(id uint8) *sourcePlan {
	if p.capture.Template == nil {
		return nil
	}
	if p.framed[id] == nil {
		p.framed[id] = p.bindSource(p.capture.Template.WithID(id))
	}
	return p.framed[id]
}

// planSources plans the sources of a buffer: those configured for it, then
// those seen in it.
func (p *plan) planSources(b *bufferPlan, placed map[*capture.Source]bool) error {
	seen := map[uint8]bool{}
	for _, s := range p.capture.SourcesIn(b.Buffer) {
		seen[s.ID] = true
		n := p.bytesIn(b, s)
		last := s.Buffers[len(s.Buffers)-1] == b.Buffer
		if placed[s] || n == 0 && !last {
			if placed[s] && n > 0 {
				p.note("source %s also has %d bytes in buffer %s, which are not decoded; --buffer %s chooses that", s.Name, n, b.Name, b.Name)
			}
			continue
		}
		placed[s] = true
		if err := p.place(p.bound[s], b, n); err != nil {
			return err
		}
	}
	if b.census == nil {
		return nil
	}
	for id := range b.census.Streams {
		n, id := b.census.Streams[id], uint8(id)
		if n == 0 || seen[id] || !frame.IsSource(id) {
			continue
		}
		if s := p.inFrames(id); s != nil {
			if err := p.place(s, b, n); err != nil {
				return err
			}
			continue
		}
		p.sources = append(p.sources, &sourcePlan{
			Source: &capture.Source{ID: id}, buffer: b, bytes: n, status: schema.StatusUnconfigured,
			problem: fmt.Sprintf("source %s is in buffer %s, but not configured", schema.SourceText(id), b.Name),
		})
	}
	return nil
}

// bytesIn returns the length of a source's stream in a buffer.
func (p *plan) bytesIn(b *bufferPlan, s *capture.Source) int64 {
	switch {
	case b.census == nil:
		return b.looked - b.from
	case p.unframed(s):
		return 0
	}
	return b.census.Streams[s.ID]
}

// scale returns the size of the buffer relative to the bytes looked at, by which
// the stream of the source is longer than it is known to be.
func (s *sourcePlan) scale() float64 {
	if s.layout != nil {
		return 1
	}
	return float64(s.buffer.Size) / float64(max(1, s.buffer.looked))
}

// place says where the stream of a bound source is, and how long: n bytes of the
// buffer.
func (p *plan) place(s *sourcePlan, b *bufferPlan, n int64) error {
	s.buffer, s.bytes = b, n
	p.sources = append(p.sources, s)
	if b != nil && b.framed && p.unframed(s.Source) {
		s.refuse(fmt.Sprintf("source %s is %s, which formatter frames never carry, but buffer %s is in frames; if it holds this source alone, set format=source_data in trace.ini",
			s.Name, s.Protocol, b.Name))
		return nil
	}
	p.notes = append(p.notes, s.notes...)
	if err := s.layUnits(); err != nil {
		if p.capture.Raw() {
			return err
		}
		s.refuse(fmt.Sprintf("source %s: %v", s.Name, err))
	}
	if s.bytes == 0 {
		s.status = schema.StatusEmpty
		return nil
	}
	return p.tune(s)
}

// refuse says why a source is not decoded.
func (s *sourcePlan) refuse(problem string) {
	s.protocol, s.status, s.problem = nil, schema.StatusUnsupported, problem
}

// unframed reports whether frames never carry the protocol of a source.
func (p *plan) unframed(s *capture.Source) bool {
	i := slices.IndexFunc(p.protocols, func(f decode.Family) bool { return f.Name == s.Protocol })
	return i >= 0 && p.protocols[i].Unframed
}
