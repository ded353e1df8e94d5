package packets

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
)

// A unitLister lists a stream whose protocol makes the lines itself.
type unitLister struct {
	*Lister
	listing decode.Listing
	lines   decode.Lister // of the run of the stream since the last break
}

// ListUnits lists a stream whose protocol makes the lines itself. It fails with [ErrPast] after the
// last offset.
func ListUnits(l *Lister, listing decode.Listing, stream decode.Stream) error {
	return (&unitLister{Lister: l, listing: listing}).list(stream)
}

func (l *unitLister) list(stream decode.Stream) error {
	l.lines = l.listing.NewLister()
	err := decode.EachPiece(stream, func(piece *decode.Piece, before decode.Break) error {
		if before != decode.NoBreak {
			if err := l.take(true); err != nil {
				return err
			}
			l.lines = l.listing.NewLister()
		}
		l.note(len(piece.Data) / l.listing.UnitBytes())
		l.data = append(l.data, piece.Data...)
		l.offsets.AppendAll(piece.Offsets)
		return l.take(false)
	})
	if err != nil {
		return err
	}
	return l.take(true)
}

// take lists what is settled, and forgets it.
func (l *unitLister) take(last bool) error {
	settled, err := l.lines.List(l.data, last, l.emitUnits)
	if err != nil {
		return err
	}
	l.drop(settled, l.listing.UnitBytes())
	return nil
}

func (l *unitLister) emitUnits(at, units int, text decode.PacketText) error {
	for i, f := range text.Fields {
		if unit, ok := f.Value.(decode.UnitIndex); ok {
			text.Fields[i].Value = fmt.Sprintf("0x%08x", l.offsets.At(int(unit)))
		}
	}
	return l.put(Line{
		Offset: int64(l.offsets.At(at / l.listing.UnitBytes())), Len: int64(units), Bytes: text.Owed,
		PacketText: text,
	})
}
