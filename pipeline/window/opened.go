package window

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// A Window is the part of a capture that is decoded: whole segments.
type Window struct {
	Span
	// Index is the directory of a dataset of the whole capture; "": there is none, and the
	// bytes of the window are decoded as a capture of their own.
	Index string
}

// An Opened is a window with its index open. nil is a window of all there is.
type Opened struct {
	*Window
	index  *Index // nil: none
	ranges map[*plan.Source]*Range
	// other names the sources whose segments have other instructions in the index.
	other []string
}

// Open opens the index of a window of the capture of these files, if it has one. The caller closes it.
func Open(w *Window, inputs engine.Inputs) (*Opened, error) {
	x := &Opened{Window: w}
	if w.Index == "" {
		return x, x.checkOffsets()
	}
	var err error
	if x.index, err = OpenIndex(w.Index); err != nil {
		return x, err
	}
	return x, x.checkCapture(inputs)
}

// checkOffsets fails if the window is not given by offsets: nothing else can be found
// without an index.
func (w *Opened) checkOffsets() error {
	for _, p := range []schema.Null[Point]{w.From, w.To} {
		if p.OK && p.V.Kind != ByOffset {
			return plan.Usagef("%s can only be found with an index; give --index DIR, a dataset of the whole capture",
				p.V)
		}
	}
	return nil
}

// Close closes the index.
func (w *Opened) Close() error {
	if w == nil || w.index == nil {
		return nil
	}
	return w.index.Close()
}

// notOf returns the error that the index is of another capture, or of another decode.
func (w *Opened) notOf(format string, args ...any) error {
	return fmt.Errorf("%s: is no index of this capture: %s; give the dataset that was made of it", w.Index,
		fmt.Sprintf(format, args...))
}

// checkCapture fails if the files of the capture are not those of the index, as far as can
// be said without reading them: a wrong one shows as soon as its first segment is decoded.
func (w *Opened) checkCapture(inputs engine.Inputs) error {
	known := map[string]schema.InputFile{}
	for _, in := range w.index.Manifest.Inputs {
		known[in.Path] = in
	}
	for i := range inputs {
		in := &inputs[i]
		k, ok := known[in.Path]
		switch {
		case !ok, in.Kind == capture.MemoryFile, in.Kind == capture.ArgumentFile:
			continue // another name, or another program: then instructions differ
		case k.Bytes != in.Bytes:
			return w.notOf("%s has %d bytes, the index says %d", in.Path, in.Bytes, k.Bytes)
		case in.Kind == capture.INIFile && k.SHA256 != fmt.Sprintf("%x", in.SHA256):
			return w.notOf("%s is another file", in.Path)
		}
	}
	return nil
}

// Hashed returns the files of the capture with the hashes that the index has. Without an
// index those of trace data are not known: not all of it is read.
func (w *Opened) Hashed(inputs engine.Inputs) *engine.Hashing {
	if w.index != nil {
		return inputs.Given(w.index.Manifest.Inputs)
	}
	var files []schema.InputFile
	for i := range inputs {
		in := &inputs[i]
		x := schema.InputFile{Path: in.Path, Bytes: in.Bytes}
		if in.Opened == nil {
			x.SHA256 = fmt.Sprintf("%x", in.SHA256)
		}
		files = append(files, x)
	}
	return inputs.Given(files)
}

// StreamIndex returns what the index says of a buffer in frames, nil if there is no index.
func (w *Opened) StreamIndex(b *plan.Buffer) (*frame.Census, error) {
	if w == nil || w.index == nil {
		return nil, nil
	}
	for _, known := range w.index.Manifest.Buffers {
		if known.Name != b.Name {
			continue
		}
		if known.Bytes != b.Size {
			return nil, w.notOf("buffer %s has %d bytes, the index says %d", b.Name, b.Size, known.Bytes)
		}
		return streamIndexOf(&known)
	}
	return nil, w.notOf("it has no buffer %s", b.Name)
}

// streamIndexOf returns what a manifest says of a buffer.
func streamIndexOf(b *schema.BufferBytes) (*frame.Census, error) {
	c := &frame.Census{}
	for text, n := range b.Streams {
		id, err := strconv.ParseUint(text, 0, 8)
		if err != nil || int(id) >= len(c.Streams) || n < 0 {
			return nil, fmt.Errorf("index: buffer %s has no stream %q of %d bytes", b.Name, text, n)
		}
		c.Streams[id] = n
	}
	o := b.Overhead
	c.Overhead = frame.Overhead{
		ID: o["id"], Aux: o["aux"], Padding: o["padding"], Reserved: o["reserved"], Flush: o["flush"],
		Trigger: o["trigger"],
		Unknown: o["unknown"], Sync: o["sync"], Unaligned: o["unaligned"], Incomplete: o["incomplete"],
	}
	return c, nil
}

// Clip leaves only the bytes of a window without an index of a buffer.
func (w *Opened) Clip(b *plan.Buffer) error {
	if w == nil || w.index != nil {
		return nil
	}
	if b.RingStart != 0 {
		return plan.Usagef("a window of a ring can only be found with an index; " +
			"give --index DIR, a dataset of the whole capture")
	}
	b.Clipped = true
	if w.To.OK {
		b.Looked = min(b.Looked, w.To.V.N)
	}
	if b.From = w.From.V.N; b.From >= b.Looked {
		return plan.Usagef("buffer %s has nothing %s: it has %d bytes", b.Name, &w.Span, b.Size)
	}
	return nil
}

// Place finds the segments of the window, and returns the sources that have some. Without an index
// it returns all sources of the plan.
func (w *Opened) Place(p *plan.Plan) (in []*plan.Source, err error) {
	if w == nil || w.index == nil {
		return p.Sources, nil
	}
	decoded := p.Decoded()
	if w.OfOneSource() && len(decoded) > 1 {
		var ids []string
		for _, s := range decoded {
			ids = append(ids, schema.SourceText(s.ID))
		}
		return nil, plan.Usagef("%s is of one source, and there are %s; give --source ID", &w.Span,
			strings.Join(ids, ", "))
	}
	w.ranges = map[*plan.Source]*Range{}
	var nothing error
	for _, s := range decoded { // what else there is is of the whole
		r, err := w.rangeOf(s)
		switch {
		case err != nil:
			return nil, err
		case r != nil:
			w.ranges[s] = r
			in = append(in, s)
		case nothing == nil:
			known := w.index.Source(s.ID)
			nothing = plan.Usagef("source %s has nothing %s; %s has %d segments of it, with %d instructions",
				schema.SourceText(s.ID), &w.Span, w.Index, known.Segments, known.Instructions)
		}
	}
	if len(in) == 0 && nothing != nil {
		return nil, nothing
	}
	return in, nil
}

// rangeOf finds the segments of the window that a source has; nil if it has nothing there.
func (w *Opened) rangeOf(s *plan.Source) (*Range, error) {
	known, id := w.index.Source(s.ID), schema.SourceText(s.ID)
	switch {
	case known == nil:
		return nil, w.notOf("it has no source %s", id)
	case known.Protocol != s.Protocol || known.Version != s.Version:
		return nil, w.notOf("source %s is %s %s there, and %s %s here", id, known.Protocol, known.Version, s.Protocol,
			s.Version)
	case !maps.Equal(known.Registers, s.RegisterTexts()):
		return nil, w.notOf("source %s has other registers", id)
	}
	r, err := w.index.Range(s.ID, &w.Span, Ring{Start: s.Buffer.RingStart, Size: s.Buffer.Size})
	if err != nil || r == nil || !r.Left.Stack.OK {
		return r, err
	}
	r.Stack, err = w.index.path(s.ID, r.Left.Stack.V)
	return r, err
}

// Range returns the segments of a source; nil: all that are decoded.
func (w *Opened) Range(s *plan.Source) *Range {
	if w == nil {
		return nil
	}
	return w.ranges[s]
}

// Job makes the job of a source that of the window. It fails then if the segments of the source are not
// those of the index.
func (w *Opened) Job(j *engine.Job) {
	r := w.Range(j.Source)
	if r == nil {
		return
	}
	check := &check{to: j.To.Segments, want: r.checked}
	j.To.Segments = check.add
	j.To.Counted = false // counts are handed on once a unit, of which only some may be in the window
	j.Start = engine.FromStart(j.Source)
	j.Start.Prepare = func(st *stitch.Stitcher) error {
		if err := r.Prepare(st); err != nil {
			return fmt.Errorf("%s: %w; export the whole capture again", w.Index, err)
		}
		return nil
	}
	if !r.FromStart() {
		at := &r.Begin
		lead := Lead(j.Source.Bound, at)
		j.Start.Lead = lead.Bytes
		j.Start.Stream = func(notes *[]string) (decode.Stream, error) {
			stream, err := j.Source.StreamAt(at.StreamOffset, at.ByteOffset, lead, notes)
			if err == nil {
				stream, err = CheckCut(j.Source, stream, lead.Bytes, at.ByteOffset)
			}
			if errors.Is(err, ErrNoCut) || errors.Is(err, frame.ErrNoByte) {
				return nil, w.notOf("%v", err) // decoding cannot begin where the index says
			}
			return stream, err
		}
	}
	j.Done = func() error {
		if err := check.finish(); err != nil {
			return fmt.Errorf("source %s: %w", schema.SourceText(j.Source.ID), w.notOf("%v", err))
		}
		if check.other {
			w.other = append(w.other, schema.SourceText(j.Source.ID))
		}
		return nil
	}
}

// Lead returns what the decoder of a segment has to see before its cut. Of a [decode.Leader], whose
// stream is never in frames, the offset is not known.
func Lead(p decode.Protocol, at *Segment) decode.Lead {
	if l, ok := p.(decode.Leader); ok {
		return decode.Lead{Bytes: l.Lead(at.Reason)}
	}
	return at.Lead(p.TimestampCode())
}

// Describe says in a manifest which part of the capture a dataset of these sources is of.
func (w *Opened) Describe(m *schema.Manifest, sources []*plan.Source) {
	if w == nil {
		return
	}
	note := func(format string, args ...any) { m.Notes = append(m.Notes, fmt.Sprintf(format, args...)) }
	m.Window = &schema.Window{}
	if w.From.OK {
		m.Window.From = w.From.V.String()
	}
	if w.To.OK {
		m.Window.To = w.To.V.String()
	}
	if w.index == nil {
		note("a window of the capture %s, decoded without an index: "+
			"segment, seq, epoch and all that counts begin at 0 in it", &w.Span)
		return
	}
	m.Window.Index = w.index.Hash
	for _, s := range sources {
		if r := w.ranges[s]; r != nil {
			m.Window.Sources = append(m.Window.Sources,
				schema.SourceWindow{Source: s.ID, First: r.First, Last: r.Last, Seq: r.Left.Seq})
			note("a window of the capture %s: segments %d to %d of source %s", &w.Span, r.First, r.Last,
				schema.SourceText(s.ID))
			if text := r.clock.note(); text != "" && w.To.OK && w.To.V.Kind == ByTimestamp {
				note("source %s: %s", schema.SourceText(s.ID), text)
			}
		}
	}
	if len(w.other) > 0 {
		note("the index has other instructions of source %s: "+
			"it was decoded with other program memory, and seq, ordinal and epoch count on from it",
			strings.Join(w.other, ", "))
	}
}

// Options adds the window to the options of a plan; index is what counts the frames of a buffer.
func (w *Opened) Options(opt *plan.Options, index func(context.Context, *plan.Buffer) (*frame.Census, error)) {
	opt.Clip = w.Clip
	opt.Index = func(ctx context.Context, b *plan.Buffer) (*frame.Census, error) {
		if known, err := w.StreamIndex(b); err != nil || known != nil {
			return known, err
		}
		return index(ctx, b)
	}
}
