package plan

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/schema"
)

// New binds every source of a capture to its protocol, then reads every buffer once. It fails with a
// [*NothingError] if a buffer is not as it is said to be, and with an [*UnknownSourceError] if there is
// no source of an ID.
func New(ctx context.Context, c *capture.Capture, opt Options) (*Plan, error) {
	p := &planner{
		Plan: Plan{Capture: c, Families: opt.Families, Notes: slices.Clone(c.Warnings)}, opt: opt,
		bound: map[*capture.Source]*Source{}, framed: map[uint8]*Source{}, placed: map[*capture.Source]bool{},
	}
	for _, s := range c.Sources {
		p.bound[s] = bindSource(s, opt.Families)
	}
	for _, b := range c.Buffers {
		if err := p.planBuffer(ctx, b); err != nil {
			return nil, err
		}
	}
	for _, b := range p.Buffers {
		if err := p.planSources(b); err != nil {
			return nil, err
		}
	}
	for _, s := range c.Sources {
		if !p.placed[s] {
			if err := p.place(p.bound[s], nil, 0); err != nil {
				return nil, err
			}
		}
	}
	if p.silent > 0 {
		p.note("%s of the recording sent no trace", figures.Count(p.silent, "CPU"))
	}
	return &p.Plan, p.selectSources(opt.Sources)
}

// A planner makes a plan.
type planner struct {
	Plan
	opt    Options
	bound  map[*capture.Source]*Source // every configured source
	framed map[uint8]*Source           // those of a raw file in frames, as they are met
	placed map[*capture.Source]bool    // those of which the buffer is known
	silent int64                       // CPUs of a recording of which there is no trace
}

func (p *planner) note(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

// inFrames returns the source of a trace ID of a raw file in frames, bound when
// it is first met; nil for other captures, where sources are configured.
func (p *planner) inFrames(id uint8) *Source {
	if p.Capture.Template == nil {
		return nil
	}
	if p.framed[id] == nil {
		p.framed[id] = bindSource(p.Capture.Template.WithID(id), p.Families)
	}
	return p.framed[id]
}

// planSources plans the sources of a buffer: those configured for it, then
// those seen in it.
func (p *planner) planSources(b *Buffer) error {
	seen := map[uint8]bool{}
	for _, s := range p.Capture.SourcesIn(b.Buffer) {
		seen[s.ID] = true
		n := p.bytesIn(b, s)
		last := s.Buffers[len(s.Buffers)-1] == b.Buffer
		if p.placed[s] || n == 0 && !last {
			if p.placed[s] && n > 0 {
				p.note("source %s also has %d bytes in buffer %s, which are not decoded; --buffer %s chooses that",
					s.Name, n, b.Name, b.Name)
			}
			continue
		}
		p.placed[s] = true
		if n == 0 && p.Capture.Recording != nil {
			p.silent++
			continue
		}
		if err := p.place(p.bound[s], b, n); err != nil {
			return err
		}
	}
	if b.Index == nil {
		return nil
	}
	for id := range b.Index.Streams {
		n, id := b.Index.Streams[id], uint8(id)
		if n == 0 || seen[id] || !frame.IsSource(id) {
			continue
		}
		if s := p.inFrames(id); s != nil {
			if err := p.place(s, b, n); err != nil {
				return err
			}
			continue
		}
		if p.isElsewhere(id) {
			p.note("source %s, which is in another buffer, also has %d bytes in buffer %s, which are not decoded",
				schema.SourceText(id), n, b.Name)
			continue
		}
		p.Sources = append(p.Sources, &Source{
			Source: &capture.Source{ID: id}, Buffer: b, Bytes: n, Status: schema.StatusUnconfigured,
			Problem: fmt.Sprintf("source %s is in buffer %s, but not configured", schema.SourceText(id), b.Name),
		})
	}
	return nil
}

// isElsewhere reports whether an ID that is not configured for a buffer is that of a source of another one: a dataset has
// one source of an ID.
func (p *planner) isElsewhere(id uint8) bool {
	return slices.ContainsFunc(p.Capture.Sources, func(s *capture.Source) bool { return s.ID == id && len(s.Buffers) > 0 }) ||
		slices.ContainsFunc(p.Sources, func(s *Source) bool { return s.ID == id })
}

// bytesIn returns the length of a source's stream in a buffer.
func (p *planner) bytesIn(b *Buffer, s *capture.Source) int64 {
	switch {
	case b.Index == nil:
		return b.Looked - b.From
	case p.unframed(s):
		return 0
	}
	return b.Index.Streams[s.ID]
}

// place says where the stream of a bound source is, and how long: n bytes of the
// buffer.
func (p *planner) place(s *Source, b *Buffer, n int64) error {
	s.Buffer, s.Bytes = b, n
	p.Sources = append(p.Sources, s)
	if b != nil && b.Framed && p.unframed(s.Source) {
		s.refuse(fmt.Sprintf("source %s is %s, which formatter frames never carry, but buffer %s is in frames; "+
			"if it holds this source alone, set format=source_data in trace.ini", s.Name, s.Protocol, b.Name))
		return nil
	}
	for _, n := range s.notes {
		if !slices.Contains(p.Notes, n) { // of sources that lack the same registers
			p.Notes = append(p.Notes, n)
		}
	}
	if err := s.layUnits(); err != nil {
		if p.Capture.Raw() {
			return err
		}
		s.refuse(fmt.Sprintf("source %s: %v", s.Name, err))
	}
	if s.Bytes == 0 {
		s.Status = schema.StatusEmpty
		return nil
	}
	return p.findSettings(s)
}

// findSettings finds the settings that are left to be found, and notes them.
func (p *planner) findSettings(s *Source) error {
	if err := s.FindSettings(s.Stream(nil)); err != nil || len(s.Trials) == 0 {
		return err
	}
	best := &s.Trials[0]
	p.note("source %s: of the settings on trial %s fits best, and is taken: %d of %d checks are right, %d errors",
		s.Name, best.Settings, best.Right, best.Checks, best.Errors)
	if len(s.Trials) > 1 {
		if next := &s.Trials[1]; next.Right == best.Right && next.Checks == best.Checks && next.Errors == best.Errors {
			p.note("source %s: %s fits as well", s.Name, next.Settings)
		}
	}
	return nil
}

// unframed reports whether frames never carry the protocol of a source.
func (p *planner) unframed(s *capture.Source) bool {
	f := family(s, p.Families)
	return f != nil && f.Unframed
}

// selectSources leaves only the sources of these IDs in the plan; nil are all.
func (p *planner) selectSources(ids []uint8) error {
	if ids == nil {
		return nil
	}
	known := map[uint8]bool{}
	for _, s := range p.Sources {
		known[s.ID] = true
	}
	for _, id := range ids {
		if !known[id] {
			return &UnknownSourceError{Source: id, Known: slices.Sorted(maps.Keys(known))}
		}
	}
	p.Sources = slices.DeleteFunc(p.Sources, func(s *Source) bool { return !slices.Contains(ids, s.ID) })
	return nil
}

// planBuffer plans a buffer: what its bytes are.
func (p *planner) planBuffer(ctx context.Context, of *capture.Buffer) error {
	b := &Buffer{Buffer: of, Looked: of.Size, Data: contextReaderAt{ctx, of.Data}}
	b.Framed = of.Format != capture.SourceData && of.Size > 0
	if p.opt.Looked > 0 {
		b.Looked = min(of.Size, p.opt.Looked)
	}
	if p.opt.Clip != nil {
		if err := p.opt.Clip(b); err != nil {
			return err
		}
	}
	p.Buffers = append(p.Buffers, b)
	if !b.Framed {
		return nil
	}
	return p.readFrames(ctx, b)
}

// readFrames finds the frames of a buffer and counts what is in them.
func (p *planner) readFrames(ctx context.Context, b *Buffer) error {
	opt := frame.DetectOptions{Sync: b.Format == capture.DStream, RingStart: b.RingStart, Score: p.asyncScore(b.Buffer)}
	if b.FrameOffset != nil {
		opt.Offset = schema.Of(*b.FrameOffset)
	}
	for _, s := range p.Capture.SourcesIn(b.Buffer) {
		opt.Configured = append(opt.Configured, s.ID)
	}
	size := b.Looked
	if b.Clipped {
		size = b.Size
	}
	found, err := p.layout(b, size, opt)
	if _, ok := errors.AsType[*frame.NotFramesError](err); ok && p.noneDecoded(b.Buffer) {
		p.note("buffer %s: its bytes do not show where frames begin; none of its sources is decoded anyway", b.Name)
		b.Framed = false
		return nil
	}
	if err != nil {
		return p.explainNotFrames(b, err)
	}
	b.Layout = found.Layout
	p.opt.Near.limit(b)
	b.Layout.SkipTo(b.From)
	b.From = min(b.From, b.Layout.Offset)
	p.noteFrames(b, found)
	if b.Index, err = p.opt.Index(ctx, b); err != nil {
		return err
	}
	b.Layout.Steady = b.Index.Steady(&b.Layout)
	b.inStep = b.Layout.Steady
	p.opt.Near.unlimit(b, found.Layout)
	return nil
}

// layout returns how the frames of a buffer lie. Runs begin with a frame.
func (p *planner) layout(b *Buffer, size int64, opt frame.DetectOptions) (frame.Detection, error) {
	if len(b.Runs) > 0 {
		return frame.Detection{Layout: frame.Layout{Runs: b.Runs}}, nil
	}
	return frame.Detect(b.Data, size, opt)
}

// noneDecoded says whether a buffer is of sources of protocols that are not decoded: what is wrong with it says
// nothing of the others.
func (p *planner) noneDecoded(b *capture.Buffer) bool {
	sources := p.Capture.SourcesIn(b)
	isDecoded := func(s *capture.Source) bool { return p.bound[s].Bound != nil }
	return len(sources) > 0 && !slices.ContainsFunc(sources, isDecoded)
}

// noteFrames notes where the first frame of a buffer is, unless it is where
// snapshots always have it. For a raw file it always notes the place, which was
// found from the bytes alone.
func (p *planner) noteFrames(b *Buffer, found frame.Detection) {
	raw, given := p.Capture.Template != nil, b.FrameOffset != nil
	switch {
	case found.Rival.OK:
		p.note("buffer %s: frames begin at offset 0x%x, as far as the streams tell; 0x%x is nearly as likely: "+
			"--frame-offset 0x%x takes it",
			b.Name, found.Offset, found.Rival.V, found.Rival.V)
	case found.Sync && raw:
		p.note("buffer %s: frames are found by the sync packets between them", b.Name)
	case found.Offset != 0, raw && !given:
		p.note("buffer %s: frames begin at offset 0x%x", b.Name, found.Offset)
	}
}

// explainNotFrames says which buffer is not in frames, and what to do.
func (p *planner) explainNotFrames(b *Buffer, err error) error {
	if _, ok := errors.AsType[*frame.NotFramesError](err); !ok {
		return err
	}
	remedy := "if it is one unformatted stream, set format=source_data in trace.ini"
	if p.Capture.Template != nil {
		remedy = "if it is one unformatted stream, leave out --framed"
	}
	for _, other := range p.Capture.Buffers {
		if other != b.Buffer {
			remedy += "; --buffer " + other.Name + " leaves it out"
			break
		}
	}
	return &NothingError{Causes: []string{fmt.Sprintf("buffer %s: %v; %s", b.Name, err, remedy)}}
}

// asyncScore rates an alignment by its A-syncs, as far as the protocols of the
// buffer's sources are known.
func (p *planner) asyncScore(b *capture.Buffer) func(id uint8, stream []byte) int {
	configured := map[uint8]decode.Protocol{}
	for _, s := range p.Capture.SourcesIn(b) {
		if protocol := p.bound[s].Bound; protocol != nil {
			configured[s.ID] = protocol
		}
	}
	return func(id uint8, stream []byte) int {
		protocol := configured[id]
		if s := p.inFrames(id); protocol == nil && s != nil {
			protocol = s.Bound
		}
		if protocol == nil {
			return 0
		}
		return protocol.RateSyncs(stream)
	}
}
