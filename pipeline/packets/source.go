package packets

import (
	"errors"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/plan"
)

// Before is how far before an offset a list begins at first: if an A-sync lies between, all after
// that is read as ever. If none does, it begins earlier.
const Before = 64 << 10

// List lists the bytes of a source, from some way before the first offset on. It fails with [ErrPast]
// after the last offset.
func (l *Lister) List(s *plan.Source) error {
	if listing, ok := l.Protocol.(decode.Listing); ok {
		return ListUnits(l, listing, s.Stream(nil))
	}
	for back := int64(Before); ; back *= 16 {
		from := *l
		stream, late := s.StreamFrom(max(0, l.From-back))
		from.late = late
		if err := from.list(stream); !errors.Is(err, errLate) {
			return err
		}
	}
}
