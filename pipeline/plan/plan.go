// Package plan says what is in the buffers of a capture, and how each source is decoded: by which
// protocol, with which settings and program. It reads the first bytes of a source and the frames of a
// buffer, and decodes nothing.
package plan

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/schema"
)

// A Plan is the buffers of a capture and its sources.
type Plan struct {
	Capture  *capture.Capture
	Families []decode.Family
	Buffers  []*Buffer
	Sources  []*Source // by buffer, then as configured, then by ID
	Notes    []string  // for the user
}

// Options say what to plan.
type Options struct {
	Families []decode.Family // protocols that are decoded
	Sources  []uint8         // trace IDs; nil: all
	Looked   int64           // bytes of each buffer to look at; 0: all
	Near     *Range          // of whose bytes the frames are counted; nil: all
	// Clip, if not nil, leaves only some bytes of a buffer.
	Clip func(*Buffer) error
	// Index says what is in the frames of a buffer.
	Index func(context.Context, *Buffer) (*frame.Census, error)
}

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
	return &p.Plan, p.selectSources(opt.Sources)
}

// TracesData says whether a source that is decoded traces data.
func (p *Plan) TracesData() bool {
	return slices.ContainsFunc(p.Decoded(), func(s *Source) bool { return s.Bound.TracesData() })
}

// Decoded returns the sources that have bytes and a decoder.
func (p *Plan) Decoded() []*Source {
	var decoded []*Source
	for _, s := range p.Sources {
		if s.Status == schema.StatusDecoded {
			decoded = append(decoded, s)
		}
	}
	return decoded
}

// A planner makes a plan.
type planner struct {
	Plan
	opt    Options
	bound  map[*capture.Source]*Source // every configured source
	framed map[uint8]*Source           // those of a raw file in frames, as they are met
	placed map[*capture.Source]bool    // those of which the buffer is known
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
				p.note("source %s also has %d bytes in buffer %s, which are not decoded; --buffer %s chooses that", s.Name, n, b.Name, b.Name)
			}
			continue
		}
		p.placed[s] = true
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
		p.Sources = append(p.Sources, &Source{
			Source: &capture.Source{ID: id}, Buffer: b, Bytes: n, Status: schema.StatusUnconfigured,
			Problem: fmt.Sprintf("source %s is in buffer %s, but not configured", schema.SourceText(id), b.Name),
		})
	}
	return nil
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
	p.Notes = append(p.Notes, s.notes...)
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
