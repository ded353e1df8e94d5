package pipeline

import (
	"context"
	"errors"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/packets"
	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/pipeline/probe"
)

// PacketOptions say which packets to list.
type PacketOptions struct {
	Capture  capture.Options
	Sources  []uint8 // nil: all
	From, To int64   // capture offsets; To < 0: to the end
	Window   *Window // with an index, in place of From and To; nil: there is none
	// Progress, if not nil, is called now and then.
	Progress func(Progress)

	families []decode.Family // nil: all
}

// PacketLine is a line of a list of packets.
type PacketLine = packets.Line

// Packets lists the packets of a capture, source by source, in order. Unlike
// [Export] it continues at the A-sync after a loss, not at the I-sync, to show all
// packets.
func Packets(ctx context.Context, input string, opt PacketOptions, emit func(PacketLine) error) error {
	s, err := openNear(ctx, input, &opt)
	if err != nil {
		return err
	}
	defer s.close()
	decoded, at := s.plan.Decoded(), engine.NewProgressing(s.plan, opt.Progress)
	for _, src := range decoded {
		l := packets.Lister{
			Source: src.ID, Protocol: src.Bound, From: opt.From, To: opt.To, Emit: emit,
			Progress: at.Source(),
		}
		if r := s.window.Range(src); r != nil {
			l.From, l.To = r.Offsets()
		}
		if err := l.List(src); err != nil && !errors.Is(err, packets.ErrPast) {
			return err
		}
	}
	if len(decoded) > 0 {
		return nil
	}
	return probe.ErrIfEmpty(probe.EvidenceOf(s.plan.Sources))
}

// openNear opens a session to list packets, of which only what is near them is planned; all of
// the capture if that has no source that was asked for.
func openNear(ctx context.Context, input string, opt *PacketOptions) (*session, error) {
	all := Options{Capture: opt.Capture, Sources: opt.Sources, Families: opt.families, Window: opt.Window}
	if opt.Window != nil || opt.From <= packets.Before && opt.To < 0 {
		return open(ctx, input, all, nil)
	}
	s, err := open(ctx, input, all, &plan.Range{From: max(0, opt.From-packets.Before), To: opt.To})
	switch _, unknown := errors.AsType[*plan.UnknownSourceError](err); {
	case unknown:
	case err != nil:
		return nil, err
	case len(s.plan.Decoded()) > 0:
		return s, nil
	default:
		s.close()
	}
	return open(ctx, input, all, nil)
}
