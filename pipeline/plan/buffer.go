package plan

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/schema"
)

// A Buffer is a buffer with the counts of its bytes.
type Buffer struct {
	*capture.Buffer
	Data   io.ReaderAt // fails once the plan's context is done
	Looked int64       // how many bytes of it are looked at
	// Of a window without an index: only some bytes are decoded, those from here on.
	Clipped bool
	From    int64
	Framed  bool
	Layout  frame.Layout
	Index   *frame.Census // of a framed buffer: what its bytes are

	inStep bool // the frames that were counted were in step: see Range
}

// A Range is capture offsets near which packets are listed; To is below 0 at the end.
type Range struct{ From, To int64 }

// rangeAhead is how much after a range is looked at to find the sources.
const rangeAhead = 64 << 10

// limit leaves a range of a buffer to count the bytes of, if it is read from its start.
func (n *Range) limit(b *Buffer) {
	if n == nil || b.RingStart != 0 {
		return
	}
	b.From = min(n.From, b.Looked)
	if n.To >= 0 && n.To < b.Looked-rangeAhead {
		b.Looked = max(n.To, b.From) + rangeAhead
	}
}

// unlimit makes all of a buffer be read again. Frames that were in step may not be so further
// on.
func (n *Range) unlimit(b *Buffer, layout frame.Layout) {
	if n == nil {
		return
	}
	b.From, b.Looked, b.Layout = 0, b.Size, layout
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
	found, err := frame.Detect(b.Data, size, opt)
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

// noteFrames notes where the first frame of a buffer is, unless it is where
// snapshots always have it. For a raw file it always notes the place, which was
// found from the bytes alone.
func (p *planner) noteFrames(b *Buffer, found frame.Detection) {
	raw, given := p.Capture.Template != nil, b.FrameOffset != nil
	switch {
	case found.Rival.OK:
		p.note("buffer %s: frames begin at offset 0x%x, as far as the streams tell; 0x%x is nearly as likely: --frame-offset 0x%x takes it",
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

// contextReaderAt is an io.ReaderAt that fails once its context is done.
type contextReaderAt struct {
	ctx context.Context
	io.ReaderAt
}

// ReadAt implements [io.ReaderAt].
func (r contextReaderAt) ReadAt(p []byte, off int64) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.ReaderAt.ReadAt(p, off)
}

// Triggers calls found with the capture offset of each trigger of the buffer.
func (b *Buffer) Triggers(found func(offset int64) error) error {
	if b.Index == nil || b.Index.Overhead.Trigger == 0 {
		return nil
	}
	r := frame.NewReader(b.Data, b.Looked, b.Layout, frame.TriggerID)
	var piece decode.Piece
	for {
		piece.Clear()
		_, err := r.Next(&piece)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range piece.Data {
			if err := found(int64(piece.Offsets.At(i))); err != nil {
				return err
			}
		}
	}
}

// Account says what the bytes of a buffer are.
func (p *Plan) Account(b *Buffer) schema.BufferBytes {
	a := schema.BufferBytes{Name: b.Name, Bytes: b.Looked - b.From, Streams: map[string]int64{}, Overhead: map[string]int64{}}
	if b.Index == nil {
		for _, s := range p.Sources {
			switch {
			case s.Buffer != b:
			case s.Layout != nil:
				overhead, rest := s.Layout.Overhead(), s.Layout.Rest()
				a.Bytes = b.Size
				a.Streams[schema.SourceText(s.ID)] = b.Size - overhead - rest
				a.Overhead["layout"], a.Overhead["incomplete"] = overhead, rest
			default:
				a.Streams[schema.SourceText(s.ID)] = s.Bytes
			}
		}
		return a
	}
	for id, n := range b.Index.Streams {
		if n > 0 && frame.IsSource(uint8(id)) {
			a.Streams[schema.SourceText(uint8(id))] = n
		}
	}
	o := &b.Index.Overhead
	a.Overhead = map[string]int64{
		"id": o.ID, "aux": o.Aux, "padding": o.Padding, "reserved": o.Reserved, "flush": o.Flush, "trigger": o.Trigger,
		"unknown": o.Unknown, "sync": o.Sync, "unaligned": o.Unaligned - b.From, "incomplete": o.Incomplete,
	}
	return a
}
