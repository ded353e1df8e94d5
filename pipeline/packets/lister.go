// Package packets lists the packets of a stream, one after another, also those that no decoder
// reaches.
//
// Its API is not stable (docs/guide/library.md).
package packets

import (
	"errors"
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A Line is a packet, or a run of bytes that is no packet; or a sample, or a
// run of samples that a capture need not have.
type Line struct {
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
	Unsynced = "unsynced" // before the first A-sync
	Lost     = "lost"     // not understood, up to the next A-sync
)

// ErrPast ends a list after its last packet.
var ErrPast = errors.New("past the last offset")

// A Lister lists the packets of one stream.
type Lister struct {
	Source   uint8
	Protocol decode.Protocol
	From, To int64 // capture offsets; To < 0: to the end
	Emit     func(Line) error
	// Progress, if not nil, is called now and then with the bytes read so far.
	Progress func(*schema.Totals)

	read schema.Totals // bytes alone

	data    []byte                // read; from at on not listed
	offsets decode.CaptureOffsets // of its units
	at      int
	synced  bool
	late    bool  // the stream did not begin with its first byte
	lost    int64 // capture offset of the last byte in a gap
	gap     Line  // the bytes since the last packet that are none, if not synced
}

func (l *Lister) list(stream decode.Stream) error {
	l.gap.Type = Unsynced
	unitBytes := l.Protocol.UnitBytes()
	err := decode.EachPiece(stream, func(piece *decode.Piece, before decode.Break) error {
		if before != decode.NoBreak {
			if err := l.breakOff(); err != nil {
				return err
			}
		}
		l.note(len(piece.Data))
		l.drop(l.at, unitBytes)
		l.at = 0
		l.data = append(l.data, piece.Data...)
		l.offsets.AppendAll(piece.Offsets)
		return l.take()
	})
	if err != nil {
		return err
	}
	return l.finish()
}

// drop drops the first n bytes, which are listed.
func (l *Lister) drop(n, unitBytes int) {
	l.data = append(l.data[:0], l.data[n:]...)
	rest := l.offsets.Slice(n/unitBytes, l.offsets.Len())
	l.offsets = decode.CaptureOffsets{}
	l.offsets.AppendAll(rest)
}

// take lists the packets in the bytes read, up to one that is not whole.
func (l *Lister) take() error {
	for l.at < len(l.data) {
		if !l.synced {
			more, err := l.sync()
			if err != nil || more {
				return err
			}
		}
		text, err := l.Protocol.ParsePacket(l.data[l.at:])
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			l.synced, l.gap = false, Line{PacketText: decode.PacketText{
				Type: Lost, Fields: []decode.Field{{Name: "reason", Value: err.Error()}},
			}}
			continue
		}
		p := Line{Offset: l.offset(), Len: int64(text.Len), Bytes: l.data[l.at : l.at+text.Len], PacketText: text}
		if err := l.put(p); err != nil {
			return err
		}
		l.at += text.Len
	}
	return nil
}

// sync skips bytes up to the next A-sync. It reports whether it needs more bytes.
func (l *Lister) sync() (more bool, err error) {
	rest := l.data[l.at:]
	n, ok := l.Protocol.Resync(rest)
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
func (l *Lister) lose(n int) {
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
	l.lost = int64(l.offsets.At((l.at - 1) / l.Protocol.UnitBytes()))
}

// endGap lists the gap.
func (l *Lister) endGap() error {
	if l.isLate() {
		return errLate
	}
	gap := l.gap
	l.gap = Line{PacketText: decode.PacketText{Type: Lost}}
	if gap.Len == 0 {
		return nil
	}
	return l.put(gap)
}

// offset returns the capture offset of the next byte's unit.
func (l *Lister) offset() int64 { return int64(l.offsets.At(l.at / l.Protocol.UnitBytes())) }

func (l *Lister) put(p Line) error {
	if p.Offset < l.From {
		return nil
	}
	if l.To >= 0 && p.Offset >= l.To {
		return ErrPast
	}
	p.Source = l.Source
	return l.Emit(p)
}

// breakOff ends the gap or the packet where the input broke.
func (l *Lister) breakOff() error {
	l.lose(len(l.data) - l.at)
	if err := l.endGap(); err != nil {
		return err
	}
	l.synced = false
	return nil
}

func (l *Lister) finish() error {
	l.gap.Fields = append(l.gap.Fields, decode.Field{Name: "reason", Value: "the stream ends"})
	return l.breakOff()
}

// note notes that so many units were read.
func (l *Lister) note(units int) {
	l.read.Bytes += int64(units)
	if l.Progress != nil {
		l.Progress(&l.read)
	}
}

// errLate says that packets cannot be read yet where the list is to begin.
var errLate = errors.New("no synchronisation before the first offset")

// isLate reports whether a gap before the first synchronisation reaches where the list is to
// begin.
func (l *Lister) isLate() bool {
	return l.late && l.gap.Type == Unsynced && l.gap.Len > 0 && l.lost >= l.From
}
