package pipeline

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/window"
	"github.com/tracelake/tracelake/schema"
)

// A Window is the part of a capture that is decoded: whole segments.
type Window struct {
	window.Span
	// Index is the directory of a dataset of the whole capture; "": there is none, and the
	// bytes of the window are decoded as a capture of their own.
	Index string
}

// A windowing is a window that is decoded.
type windowing struct {
	*Window
	index  *window.Index // nil: none
	inputs []schema.InputFile
	// other names the sources whose segments have other instructions in the index.
	other []string
}

// openWindow opens the index of a window, if there is one. The caller closes it.
func openWindow(w *Window) (*windowing, error) {
	x := &windowing{Window: w}
	if w.Index == "" {
		return x, x.checkOffsets()
	}
	var err error
	x.index, err = window.OpenIndex(w.Index)
	return x, err
}

// openWindow opens the index of a window of the capture: that of an archive is its own, if
// no other is given.
func (s *session) openWindow(input string, w *Window) (err error) {
	if s.archive != nil && w.Index == "" {
		w = &Window{Span: w.Span, Index: input}
	}
	if s.window, err = openWindow(w); err != nil {
		return err
	}
	return s.window.checkCapture(s.inputs)
}

// A windowError says that a window cannot be one. It is one of usage.
type windowError struct{ text string }

func (e *windowError) Error() string { return e.text }

// Is reports that the error is one of usage.
func (e *windowError) Is(target error) bool { return target == capture.ErrUsage }

func windowErrorf(format string, args ...any) error {
	return &windowError{fmt.Sprintf(format, args...)}
}

// checkOffsets fails if the window is not given by offsets: nothing else can be found
// without an index.
func (w *windowing) checkOffsets() error {
	for _, p := range []schema.Null[window.Point]{w.From, w.To} {
		if p.OK && p.V.Kind != window.ByOffset {
			return windowErrorf("%s can only be found with an index; give --index DIR, a dataset of the whole capture", p.V)
		}
	}
	return nil
}

func (w *windowing) close() error {
	if w == nil || w.index == nil {
		return nil
	}
	return w.index.Close()
}

// notOf returns the error that the index is of another capture, or of another decode.
func (w *windowing) notOf(format string, args ...any) error {
	return fmt.Errorf("%s: is no index of this capture: %s; give the dataset that was made of it", w.Index, fmt.Sprintf(format, args...))
}

// checkCapture fails if the files of the capture are not those of the index, as far as can
// be said without reading them: a wrong one shows as soon as its first segment is decoded.
func (w *windowing) checkCapture(inputs []input) error {
	if w.index == nil {
		return nil
	}
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
	w.inputs = w.index.Manifest.Inputs
	return nil
}

// hashed returns the files of the capture with the hashes that the index has. Without an
// index those of trace data are not known: not all of it is read.
func (w *windowing) hashed(inputs []input) *hashing {
	h := &hashing{files: w.inputs, done: make(chan struct{}), cancel: func() {}}
	close(h.done)
	for i := range inputs {
		in := &inputs[i]
		if w.index != nil {
			break
		}
		x := schema.InputFile{Path: in.Path, Bytes: in.Bytes}
		if in.opened == nil {
			x.SHA256 = fmt.Sprintf("%x", in.SHA256)
		}
		h.files = append(h.files, x)
	}
	return h
}

// census returns what the index says of a buffer in frames, nil if there is no index.
func (w *windowing) census(b *bufferPlan) (*frame.Census, error) {
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
		return censusOf(&known)
	}
	return nil, w.notOf("it has no buffer %s", b.Name)
}

// censusOf returns the census that a manifest tells.
func censusOf(b *schema.BufferBytes) (*frame.Census, error) {
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
		ID: o["id"], Aux: o["aux"], Padding: o["padding"], Reserved: o["reserved"], Flush: o["flush"], Trigger: o["trigger"],
		Unknown: o["unknown"], Sync: o["sync"], Unaligned: o["unaligned"], Incomplete: o["incomplete"],
	}
	return c, nil
}

// clip leaves only the bytes of a window without an index of a buffer.
func (w *windowing) clip(b *bufferPlan) error {
	if w == nil || w.index != nil {
		return nil
	}
	if b.RingStart != 0 {
		return windowErrorf("a window of a ring can only be found with an index; give --index DIR, a dataset of the whole capture")
	}
	b.clipped = true
	if w.To.OK {
		b.looked = min(b.looked, w.To.V.N)
	}
	if b.from = w.From.V.N; b.from >= b.looked {
		return windowErrorf("buffer %s has nothing %s: it has %d bytes", b.Name, &w.Span, b.Size)
	}
	return nil
}

// errSamples says that samples have no window without an index.
var errSamples = windowErrorf("a window of samples can only be found with an index; give --index DIR, a dataset of the whole capture")

// place finds the segments of the window, of each source that is decoded.
func (w *windowing) place(p *plan) error {
	if w == nil || w.index == nil {
		return nil
	}
	var decoded []*sourcePlan
	for _, s := range p.sources {
		if s.status == schema.StatusDecoded {
			decoded = append(decoded, s)
		}
	}
	if w.OfOneSource() && len(decoded) > 1 {
		var ids []string
		for _, s := range decoded {
			ids = append(ids, schema.SourceText(s.ID))
		}
		return windowErrorf("%s is of one source, and there are %s; give --source ID", &w.Span, strings.Join(ids, ", "))
	}
	p.sources = nil // what else there is is of the whole
	var nothing error
	for _, s := range decoded {
		switch err := w.placeSource(s); {
		case err != nil:
			return err
		case s.window != nil:
			p.sources = append(p.sources, s)
		case nothing == nil:
			nothing = w.nothingOf(s)
		}
	}
	if len(p.sources) == 0 && nothing != nil {
		return nothing
	}
	return nil
}

// nothingOf returns the error that nothing of a source is in the window.
func (w *windowing) nothingOf(s *sourcePlan) error {
	known := w.index.Source(s.ID)
	return windowErrorf("source %s has nothing %s; %s has %d segments of it, with %d instructions",
		schema.SourceText(s.ID), &w.Span, w.Index, known.Segments, known.Instructions)
}

// placeSource finds the segments of the window that a source has; none if it has nothing
// there.
func (w *windowing) placeSource(s *sourcePlan) error {
	known := w.index.Source(s.ID)
	switch {
	case known == nil:
		return w.notOf("it has no source %s", schema.SourceText(s.ID))
	case known.Protocol != s.Protocol || known.Version != s.version():
		return w.notOf("source %s is %s %s there, and %s %s here", schema.SourceText(s.ID), known.Protocol, known.Version, s.Protocol, s.version())
	case !maps.Equal(known.Registers, s.registers()):
		return w.notOf("source %s has other registers", schema.SourceText(s.ID))
	}
	var err error
	s.window, err = w.index.Range(s.ID, &w.Span, window.Ring{Start: s.buffer.RingStart, Size: s.buffer.Size})
	return err
}

// explain says that an index is not of the capture, if decoding cannot begin where it says.
func (w *windowing) explain(err error) error {
	if errors.Is(err, errNoCut) || errors.Is(err, frame.ErrNoByte) {
		return w.notOf("%v", err)
	}
	return err
}

// errPastWindow ends decoding after the last segment of a window.
var errPastWindow = errors.New("past the window")

// begin returns the stream of a source from where decoding begins, and how many bytes come
// before the first cut: noLead if that is still to be found.
func (s *sourcePlan) begin() (stream decode.Stream, lead int, err error) {
	if s.window == nil || s.window.FromStart() {
		return s.stream(), engine.NoLead, nil
	}
	at, unitBytes := &s.window.Begin, s.unitBytes()
	lead = leadOf(s.protocol, at.Reason)
	switch b := s.buffer; {
	case b.framed && (b.layout.Steady || b.layout.Sync && b.RingStart == 0):
		stream, err = frame.NewReaderAt(b.data, b.looked, b.layout, s.ID, at.ByteOffset)
	case b.framed || s.layout != nil:
		stream = &skippedStream{Stream: s.stream(), unitBytes: int(unitBytes), left: at.StreamOffset*unitBytes - int64(lead)}
	default:
		raw := newRawStream(b.data, b.looked, b.RingStart)
		raw.read = min(at.StreamOffset, b.looked)
		stream = raw
	}
	if err == nil {
		stream, err = s.checkCut(stream, lead, at.ByteOffset)
	}
	return stream, lead, err
}

// leadOf returns how many bytes before a cut its decoder has to see.
func leadOf(p decode.Protocol, reason schema.ISyncReason) int {
	if l, ok := p.(decode.Leader); ok {
		return l.Lead(reason)
	}
	return 0
}

// prepare makes a stitcher of a source that begins where its window does, and a check of its
// segments; nil if it has no window.
func (w *windowing) prepare(s *sourcePlan, to stitch.Sinks) (*stitch.Stitcher, *window.Check, error) {
	if s.window == nil {
		return stitch.New(s.ID, s.protocol.TimestampCode(), to), nil, nil
	}
	check := window.NewCheck(s.window, to.Segments)
	to.Segments = check
	st := stitch.New(s.ID, s.protocol.TimestampCode(), to)
	if err := s.window.Prepare(st); err != nil {
		return nil, nil, fmt.Errorf("%s: %w; export the whole capture again", w.Index, err)
	}
	return st, check, nil
}

// describe says in a manifest which part of the capture a dataset is of.
func (w *windowing) describe(m *schema.Manifest, p *plan) {
	if w == nil {
		return
	}
	m.Window = &schema.Window{}
	if w.From.OK {
		m.Window.From = w.From.V.String()
	}
	if w.To.OK {
		m.Window.To = w.To.V.String()
	}
	if w.index == nil {
		m.Notes = append(m.Notes, fmt.Sprintf("a window of the capture %s, decoded without an index: segment, seq, epoch and all that counts begin at 0 in it", &w.Span))
		return
	}
	m.Window.Index = w.index.Hash
	for _, s := range p.sources {
		if r := s.window; r != nil {
			m.Window.Sources = append(m.Window.Sources, schema.SourceWindow{Source: s.ID, First: r.First, Last: r.Last, Seq: r.Left.Seq})
			m.Notes = append(m.Notes, fmt.Sprintf("a window of the capture %s: segments %d to %d of source %s", &w.Span, r.First, r.Last, schema.SourceText(s.ID)))
		}
	}
	if len(w.other) > 0 {
		m.Notes = append(m.Notes, fmt.Sprintf("the index has other instructions of source %s: it was decoded with other program memory, and seq, ordinal and epoch count on from it",
			strings.Join(w.other, ", ")))
	}
}

// finish fails if the segments of a source are not those of the index.
func (w *windowing) finish(s *sourcePlan, check *window.Check) error {
	if check == nil {
		return nil
	}
	if err := check.Finish(); err != nil {
		return w.notOf("%v", err)
	}
	if check.Other {
		w.other = append(w.other, schema.SourceText(s.ID))
	}
	return nil
}
