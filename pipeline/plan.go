package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/schema"
)

// A plan says what is in the buffers of a capture and what becomes of each
// source.
type plan struct {
	buffers []*bufferPlan
	sources []*sourcePlan // by buffer, then as configured, then by ID
	notes   []string
}

// A bufferPlan is a buffer with the count of what is in it.
type bufferPlan struct {
	*capture.Buffer
	data   io.ReaderAt
	framed bool
	layout frame.Layout
	census *frame.Census // framed buffers
}

// A sourcePlan is a source that was configured or seen.
type sourcePlan struct {
	*capture.Source
	buffer   *bufferPlan // nil: none is configured for it
	bytes    int64
	status   schema.SourceStatus
	protocol decode.Protocol // status decoded
	problem  string          // why it is not
}

// stream returns the bytes of the source.
func (s *sourcePlan) stream() decode.Stream {
	b := s.buffer
	if b.framed {
		return frame.NewReader(b.data, b.Size, b.layout, s.ID)
	}
	return newRawStream(b.data, b.Size, b.RingStart)
}

// lossReason is why all bytes of a source that is not decoded are lost.
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

// doubt notes what the decoder of a source met and its registers do not allow.
func (p *plan) doubt(s *sourcePlan, q *decode.Quality) {
	for _, packets := range q.Undefined {
		p.note("source %s has %s, which version %s of %s does not have: is ETMIDR right? --reg ETMIDR=VALUE corrects it",
			s.Name, packets, s.protocol.Version(), s.Protocol)
	}
}

// makePlan reads every buffer once.
func makePlan(ctx context.Context, c *capture.Capture) (*plan, error) {
	p := &plan{notes: slices.Clone(c.Warnings)}
	for _, b := range c.Buffers {
		bp, err := planBuffer(ctx, c, b)
		if err != nil {
			return nil, err
		}
		if bp.layout.Offset != 0 {
			p.note("buffer %s: frames begin at offset %d", b.Name, bp.layout.Offset)
		}
		p.buffers = append(p.buffers, bp)
	}
	placed := map[*capture.Source]bool{}
	for _, b := range p.buffers {
		p.planSources(c, b, placed)
	}
	for _, s := range c.Sources {
		if !placed[s] {
			p.addSource(s, nil, 0)
		}
	}
	return p, nil
}

func (p *plan) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// planBuffer finds out how the bytes of a buffer lie and counts them.
func planBuffer(ctx context.Context, c *capture.Capture, b *capture.Buffer) (*bufferPlan, error) {
	bp := &bufferPlan{Buffer: b, data: stoppable{ctx, b.Data}, framed: b.Format != capture.SourceData}
	if !bp.framed || b.Size == 0 {
		bp.framed = false
		return bp, nil
	}
	opt := frame.DetectOptions{Sync: b.Format == capture.DStream, RingStart: b.RingStart}
	if b.FrameOffset != nil {
		opt.Offset = schema.Of(*b.FrameOffset)
	}
	for _, s := range c.SourcesIn(b) {
		opt.Configured = append(opt.Configured, s.ID)
	}
	opt.Score = asyncScore(c, b)
	var err error
	if bp.layout, err = frame.Detect(bp.data, b.Size, opt); err != nil {
		return nil, dressBuffer(c, b, err)
	}
	if bp.census, err = frame.Scan(bp.data, b.Size, bp.layout); err != nil {
		return nil, err
	}
	return bp, nil
}

// dressBuffer says which buffer is not in frames.
func dressBuffer(c *capture.Capture, b *capture.Buffer, err error) error {
	if _, ok := errors.AsType[*frame.NotFramesError](err); !ok {
		return err
	}
	remedy := "if it is one unformatted stream, set format=source_data in trace.ini"
	if c.Template != nil {
		remedy = "if it is one unformatted stream, leave out --framed"
	}
	return &NothingError{Causes: []string{fmt.Sprintf("buffer %s: %v; %s", b.Name, err, remedy)}}
}

// asyncScore rates an alignment by its A-syncs, as far as the protocols of the
// buffer's sources are known.
func asyncScore(c *capture.Capture, b *capture.Buffer) func(id uint8, stream []byte) int {
	bound := map[uint8]decode.Protocol{}
	sources := c.SourcesIn(b)
	for _, s := range sources {
		if protocol, _, err := bind(s); err == nil {
			bound[s.ID] = protocol
		}
	}
	var template decode.Protocol
	if c.Template != nil {
		template, _, _ = bind(c.Template)
	}
	return func(id uint8, stream []byte) int {
		protocol := bound[id]
		if protocol == nil {
			protocol = template
		}
		if protocol == nil {
			return 0
		}
		return protocol.CountSyncs(stream)
	}
}

// bind binds the protocol of a source to its registers.
func bind(s *capture.Source) (decode.Protocol, []string, error) {
	if s.Problem != "" {
		return nil, nil, errors.New(s.Problem)
	}
	b, ok := protocols[s.Protocol]
	if !ok {
		name := s.Type
		if name == "" {
			name = "of unknown type"
		}
		return nil, nil, fmt.Errorf("source %s is %s, which is not supported", s.Name, name)
	}
	return b(decode.Source{Registers: s.Registers, CoreType: s.CoreType, Profile: string(s.Profile)})
}

// planSources plans the sources of a buffer: those configured for it, then
// those seen in it.
func (p *plan) planSources(c *capture.Capture, b *bufferPlan, placed map[*capture.Source]bool) {
	seen := map[uint8]bool{}
	for _, s := range c.SourcesIn(b.Buffer) {
		seen[s.ID] = true
		n := b.bytes(s.ID)
		last := s.Buffers[len(s.Buffers)-1] == b.Buffer
		if placed[s] || n == 0 && !last {
			if placed[s] && n > 0 {
				p.note("source %s also has %d bytes in buffer %s, which are not decoded; --buffer %s chooses that", s.Name, n, b.Name, b.Name)
			}
			continue
		}
		placed[s] = true
		p.addSource(s, b, n)
	}
	if b.census == nil {
		return
	}
	for id := range b.census.Streams {
		n, id := b.census.Streams[id], uint8(id)
		if n == 0 || seen[id] || !frame.IsSource(id) {
			continue
		}
		if c.Template != nil {
			p.addSource(c.Template.WithID(id), b, n)
			continue
		}
		p.sources = append(p.sources, &sourcePlan{
			Source: &capture.Source{ID: id}, buffer: b, bytes: n, status: schema.StatusUnconfigured,
			problem: fmt.Sprintf("source 0x%02x is in buffer %s, but not configured", id, b.Name),
		})
	}
}

// bytes returns the length of a source's stream.
func (b *bufferPlan) bytes(id uint8) int64 {
	if b.census == nil {
		return b.Size
	}
	return b.census.Streams[id]
}

// addSource plans a configured source.
func (p *plan) addSource(s *capture.Source, b *bufferPlan, n int64) {
	sp := &sourcePlan{Source: s, buffer: b, bytes: n}
	protocol, notes, err := bind(s)
	switch {
	case err != nil:
		sp.status, sp.problem = schema.StatusUnsupported, err.Error()
	default:
		sp.protocol = protocol
		p.notes = append(p.notes, notes...)
	}
	if n == 0 {
		sp.status = schema.StatusEmpty
	}
	p.sources = append(p.sources, sp)
}

// stoppable is an io.ReaderAt that fails once its context is done.
type stoppable struct {
	ctx context.Context
	io.ReaderAt
}

func (s stoppable) ReadAt(p []byte, off int64) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.ReaderAt.ReadAt(p, off)
}

// triggers calls told with the capture offset of each trigger of the buffer.
func (b *bufferPlan) triggers(told func(offset int64) error) error {
	if b.census == nil || b.census.Overhead.Trigger == 0 {
		return nil
	}
	r := frame.NewReader(b.data, b.Size, b.layout, frame.TriggerID)
	for {
		piece, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range piece.Data {
			if err := told(int64(piece.Offset(i))); err != nil {
				return err
			}
		}
	}
}

// account says what the bytes of a buffer are.
func (p *plan) account(b *bufferPlan) schema.BufferBytes {
	a := schema.BufferBytes{Name: b.Name, Bytes: b.Size, Streams: map[string]int64{}, Overhead: map[string]int64{}}
	if b.census == nil {
		for _, s := range p.sources {
			if s.buffer == b {
				a.Streams[fmt.Sprintf("%02x", s.ID)] = s.bytes
			}
		}
		return a
	}
	for id, n := range b.census.Streams {
		if n > 0 && frame.IsSource(uint8(id)) {
			a.Streams[fmt.Sprintf("%02x", id)] = n
		}
	}
	o := &b.census.Overhead
	a.Overhead = map[string]int64{
		"id": o.ID, "aux": o.Aux, "padding": o.Padding, "reserved": o.Reserved, "flush": o.Flush, "trigger": o.Trigger,
		"unknown": o.Unknown, "sync": o.Sync, "unaligned": o.Unaligned, "incomplete": o.Incomplete,
	}
	return a
}
