package pipeline

import (
	"context"
	"errors"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/schema"
)

// This file is how packets from an offset on are listed without all before it. Listing begins
// some way before: if an A-sync lies between, all after that is read as ever. If none does, it
// begins earlier.

const (
	// listBack is how far before an offset the list begins at first.
	listBack = 64 << 10
	// listAhead is how much after the last offset is looked at to find the sources.
	listAhead = 64 << 10
)

// openNear opens a session to list packets, of which only what is near them is planned; all of
// the capture if that has no source that was asked for.
func openNear(ctx context.Context, input string, opt *PacketOptions) (*session, error) {
	all := sessionOptions{capture: opt.Capture, sources: opt.Sources, protocols: opt.protocols, window: opt.Window}
	if opt.Window != nil || opt.From <= listBack && opt.To < 0 {
		return openSession(ctx, input, all)
	}
	near := all
	near.near = &stretch{from: max(0, opt.From-listBack), to: opt.To}
	s, err := openSession(ctx, input, near)
	switch _, unknown := errors.AsType[*UnknownSourceError](err); {
	case unknown:
	case err != nil:
		return nil, err
	case s.plan.decodes():
		return s, nil
	default:
		s.close()
	}
	return openSession(ctx, input, all)
}

// decodes reports whether a source is decoded.
func (p *plan) decodes() bool {
	for _, s := range p.sources {
		if s.status == schema.StatusDecoded {
			return true
		}
	}
	return false
}

// A stretch is capture offsets; to is below 0 at the end.
type stretch struct{ from, to int64 }

// limit leaves a stretch of a buffer to count the bytes of, if it is read from its start.
func (n *stretch) limit(b *bufferPlan) {
	if n == nil || b.RingStart != 0 {
		return
	}
	b.from = min(n.from, b.looked)
	if n.to >= 0 && n.to < b.looked-listAhead {
		b.looked = max(n.to, b.from) + listAhead
	}
}

// unlimit makes all of a buffer be read again. Frames that were in step may not be so further
// on.
func (n *stretch) unlimit(b *bufferPlan, layout frame.Layout) {
	if n == nil {
		return
	}
	b.from, b.looked, b.layout = 0, b.Size, layout
}

// streamFrom returns the stream from an offset on, or all of it if it cannot be told where it
// is there: late says which.
func (s *sourcePlan) streamFrom(offset int64) (stream decode.Stream, late bool) {
	b := s.buffer
	switch {
	case offset == 0, s.layout != nil, b.RingStart != 0, b.framed && !b.inStep && !b.layout.Sync:
		return s.stream(), false
	case b.framed:
		layout := b.layout
		layout.SkipTo(offset)
		return frame.NewReader(b.data, b.looked, layout, s.ID), true
	}
	raw := newRawStream(b.data, b.looked, 0)
	raw.read = min(offset, b.looked)
	return raw, true
}

// limit limits the list to the segments of a window, if the source has one.
func (l *lister) limit(s *sourcePlan) {
	w := s.window
	if w == nil {
		return
	}
	l.opt.From, l.opt.To = w.Left.ByteOffset, -1
	if w.First == 0 {
		l.opt.From = 0
	}
	if w.After.OK {
		l.opt.To = w.After.V
	}
}

// listNear lists a source from some way before the first offset.
func (l *lister) listNear(s *sourcePlan) error {
	for back := int64(listBack); ; back *= 16 {
		from := *l
		stream, late := s.streamFrom(max(0, l.opt.From-back))
		from.late = late
		if err := from.list(stream); !errors.Is(err, errLate) {
			return err
		}
	}
}

// errLate says that packets cannot be read yet where the list is to begin.
var errLate = errors.New("no synchronisation before the first offset")

// isLate reports whether a gap before the first synchronisation reaches where the list is to
// begin.
func (l *lister) isLate() bool {
	return l.late && l.gap.Type == UnsyncedLine && l.gap.Len > 0 && l.lost >= l.opt.From
}
