package pipeline

import (
	"context"
	"errors"
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/schema"
)

// PacketOptions say which packets to list.
type PacketOptions struct {
	Capture  capture.Options
	Sources  []uint8 // nil: all
	From, To int64   // capture offsets; To < 0: to the end
	Window   *Window // with an index, in place of From and To; nil: there is none
	// Progress, if not nil, is called now and then.
	Progress func(Progress)

	protocols []decode.Family // see Options
}

// A PacketLine is a packet, or a run of bytes that is no packet; or a sample, or a
// run of samples that a capture need not have.
type PacketLine struct {
	Source uint8
	Offset int64
	Len    int64 // units of the stream: bytes, or samples
	// Bytes is the packet; of other bytes the first, at most 16; of a sample those that
	// it owes.
	Bytes []byte
	decode.PacketText
}

// Types of lines that are no packets.
const (
	UnsyncedLine = "unsynced" // before the first A-sync
	LostLine     = "lost"     // not understood, up to the next A-sync
)

// Packets lists the packets of a capture, source by source, in order. Unlike
// [Export] it continues at the A-sync after a loss, not at the I-sync, to show all
// packets.
func Packets(ctx context.Context, input string, opt PacketOptions, emit func(PacketLine) error) error {
	s, err := openNear(ctx, input, &opt)
	if err != nil {
		return err
	}
	defer s.close()
	decoded, at := 0, newProgressing(s.plan, opt.Progress)
	for _, src := range s.plan.sources {
		if src.status != schema.StatusDecoded {
			continue
		}
		decoded++
		l := lister{source: src.ID, protocol: src.protocol, opt: opt, emit: emit, progress: at.source()}
		l.limit(src)
		list := func() error { return l.listNear(src) }
		if listing, ok := src.protocol.(decode.Listing); ok {
			list = func() error { return (&unitLister{lister: l, listing: listing}).list(src.stream()) }
		}
		if err := list(); err != nil && !errors.Is(err, errPastTo) {
			return err
		}
	}
	if decoded == 0 {
		return s.plan.errIfEmpty()
	}
	return nil
}

// errPastTo ends a list after its last packet.
var errPastTo = errors.New("past the last offset")

// A lister lists the packets of one stream.
type lister struct {
	source   uint8
	protocol decode.Protocol
	opt      PacketOptions
	emit     func(PacketLine) error
	progress func(*schema.Totals)
	read     schema.Totals // bytes alone

	data    []byte                // read; from at on not listed
	offsets decode.CaptureOffsets // of its units
	at      int
	synced  bool
	late    bool       // the stream did not begin with its first byte
	lost    int64      // capture offset of the last byte in a gap
	gap     PacketLine // the bytes since the last packet that are none, if not synced
}

func (l *lister) list(stream decode.Stream) error {
	l.gap.Type = UnsyncedLine
	unitBytes := l.protocol.UnitBytes()
	var piece decode.Piece
	for {
		piece.Clear()
		broken, err := stream.Next(&piece)
		if errors.Is(err, io.EOF) {
			return l.finish()
		}
		if err != nil {
			return err
		}
		if broken {
			if err := l.breakOff(); err != nil {
				return err
			}
		}
		l.read.Bytes += int64(len(piece.Data))
		l.progress(&l.read)
		l.drop(l.at, unitBytes)
		l.at = 0
		l.data = append(l.data, piece.Data...)
		l.offsets.AppendAll(piece.Offsets)
		if err := l.take(); err != nil {
			return err
		}
	}
}

// drop drops the first n bytes, which are listed.
func (l *lister) drop(n, unitBytes int) {
	l.data = append(l.data[:0], l.data[n:]...)
	rest := l.offsets.Slice(n/unitBytes, l.offsets.Len())
	l.offsets = decode.CaptureOffsets{}
	l.offsets.AppendAll(rest)
}

// take lists the packets in the bytes read, up to one that is not whole.
func (l *lister) take() error {
	for l.at < len(l.data) {
		if !l.synced {
			more, err := l.sync()
			if err != nil || more {
				return err
			}
		}
		text, err := l.protocol.ParsePacket(l.data[l.at:])
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			l.synced, l.gap = false, PacketLine{PacketText: decode.PacketText{
				Type: LostLine, Fields: []decode.Field{{Name: "reason", Value: err.Error()}},
			}}
			continue
		}
		if err := l.line(PacketLine{Len: int64(text.Len), Bytes: l.data[l.at : l.at+text.Len], PacketText: text}); err != nil {
			return err
		}
		l.at += text.Len
	}
	return nil
}

// sync skips bytes up to the next A-sync. It reports whether it needs more bytes.
func (l *lister) sync() (more bool, err error) {
	rest := l.data[l.at:]
	n, ok := l.protocol.Resync(rest)
	l.lose(n)
	if l.isLate() {
		return false, errLate
	}
	if !ok {
		return true, nil
	}
	l.synced = true
	return false, l.endGap()
}

// lose adds the next n bytes to the gap.
func (l *lister) lose(n int) {
	if n <= 0 {
		return
	}
	const shown = 16
	if l.gap.Len == 0 {
		l.gap.Offset = l.offset()
	}
	if room := shown - len(l.gap.Bytes); room > 0 {
		l.gap.Bytes = append(l.gap.Bytes, l.data[l.at:l.at+min(room, n)]...)
	}
	l.gap.Len += int64(n)
	l.at += n
	l.lost = int64(l.offsets.At((l.at - 1) / l.protocol.UnitBytes()))
}

// endGap lists the gap.
func (l *lister) endGap() error {
	if l.isLate() {
		return errLate
	}
	gap := l.gap
	l.gap = PacketLine{PacketText: decode.PacketText{Type: LostLine}}
	if gap.Len == 0 {
		return nil
	}
	return l.put(gap)
}

// line lists what begins at the next byte.
func (l *lister) line(p PacketLine) error {
	p.Offset = l.offset()
	return l.put(p)
}

// offset returns the capture offset of the next byte's unit.
func (l *lister) offset() int64 { return int64(l.offsets.At(l.at / l.protocol.UnitBytes())) }

func (l *lister) put(p PacketLine) error {
	if p.Offset < l.opt.From {
		return nil
	}
	if l.opt.To >= 0 && p.Offset >= l.opt.To {
		return errPastTo
	}
	p.Source = l.source
	return l.emit(p)
}

// breakOff ends the gap or the packet where the input broke.
func (l *lister) breakOff() error {
	l.lose(len(l.data) - l.at)
	if err := l.endGap(); err != nil {
		return err
	}
	l.synced = false
	return nil
}

func (l *lister) finish() error {
	l.gap.Fields = append(l.gap.Fields, decode.Field{Name: "reason", Value: "the stream ends"})
	return l.breakOff()
}
