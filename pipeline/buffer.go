package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/schema"
)

// A bufferPlan is a buffer with the counts of its bytes.
type bufferPlan struct {
	*capture.Buffer
	looked int64 // how many bytes of it are looked at
	// Of a window without an index: only some bytes are decoded, those from here on.
	clipped bool
	from    int64
	inStep  bool // those counted were: see stretch
	data    io.ReaderAt
	framed  bool
	layout  frame.Layout
	census  *frame.Census // framed buffers
}

// readFrames finds the frames of a buffer and counts what is in them.
func (p *plan) readFrames(ctx context.Context, tokens engine.Workers, b *bufferPlan) error {
	if !b.framed {
		return nil
	}
	opt := frame.DetectOptions{Sync: b.Format == capture.DStream, RingStart: b.RingStart, Score: p.asyncScore(b.Buffer)}
	if b.FrameOffset != nil {
		opt.Offset = schema.Of(*b.FrameOffset)
	}
	for _, s := range p.capture.SourcesIn(b.Buffer) {
		opt.Configured = append(opt.Configured, s.ID)
	}
	size := b.looked
	if b.clipped {
		size = b.Size
	}
	found, err := frame.Detect(b.data, size, opt)
	if err != nil {
		return p.explainNotFrames(b, err)
	}
	b.layout = found.Layout
	p.near.limit(b)
	b.layout.SkipTo(b.from)
	b.from = min(b.from, b.layout.Offset)
	p.noteFrames(b, found)
	if b.census, err = p.windowing.census(b); err == nil && b.census == nil {
		b.census, err = takeCensus(ctx, tokens, b)
	}
	if err != nil {
		return err
	}
	b.layout.Steady = b.census.Steady(&b.layout)
	b.inStep = b.layout.Steady
	p.near.unlimit(b, found.Layout)
	return nil
}

// explainNotFrames says which buffer is not in frames, and what to do.
func (p *plan) explainNotFrames(b *bufferPlan, err error) error {
	if _, ok := errors.AsType[*frame.NotFramesError](err); !ok {
		return err
	}
	remedy := "if it is one unformatted stream, set format=source_data in trace.ini"
	if p.capture.Template != nil {
		remedy = "if it is one unformatted stream, leave out --framed"
	}
	return &NothingError{Causes: []string{fmt.Sprintf("buffer %s: %v; %s", b.Name, err, remedy)}}
}

// asyncScore rates an alignment by its A-syncs, as far as the protocols of the
// buffer's sources are known.
func (p *plan) asyncScore(b *capture.Buffer) func(id uint8, stream []byte) int {
	configured := map[uint8]decode.Protocol{}
	for _, s := range p.capture.SourcesIn(b) {
		if protocol := p.bound[s].protocol; protocol != nil {
			configured[s.ID] = protocol
		}
	}
	return func(id uint8, stream []byte) int {
		protocol := configured[id]
		if s := p.inFrames(id); protocol == nil && s != nil {
			protocol = s.protocol
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

// triggers calls found with the capture offset of each trigger of the buffer.
func (b *bufferPlan) triggers(found func(offset int64) error) error {
	if b.census == nil || b.census.Overhead.Trigger == 0 {
		return nil
	}
	r := frame.NewReader(b.data, b.looked, b.layout, frame.TriggerID)
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

// account says what the bytes of a buffer are.
func (p *plan) account(b *bufferPlan) schema.BufferBytes {
	a := schema.BufferBytes{Name: b.Name, Bytes: b.looked - b.from, Streams: map[string]int64{}, Overhead: map[string]int64{}}
	if b.census == nil {
		for _, s := range p.sources {
			switch {
			case s.buffer != b:
			case s.layout != nil:
				s.accountLayout(&a)
			default:
				a.Streams[schema.SourceText(s.ID)] = s.bytes
			}
		}
		return a
	}
	for id, n := range b.census.Streams {
		if n > 0 && frame.IsSource(uint8(id)) {
			a.Streams[schema.SourceText(uint8(id))] = n
		}
	}
	o := &b.census.Overhead
	a.Overhead = map[string]int64{
		"id": o.ID, "aux": o.Aux, "padding": o.Padding, "reserved": o.Reserved, "flush": o.Flush, "trigger": o.Trigger,
		"unknown": o.Unknown, "sync": o.Sync, "unaligned": o.Unaligned - b.from, "incomplete": o.Incomplete,
	}
	return a
}
