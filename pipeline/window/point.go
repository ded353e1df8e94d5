package window

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/schema"
)

// A Kind is what a point of a capture is given by.
type Kind uint8

// Kinds of points.
const (
	ByOffset    Kind = iota // capture offset, in bytes
	BySeq                   // ordinal of an instruction of a source
	ByTimestamp             // its value, in ticks
	BySegment               // ordinal of a segment of a source
)

var kinds = [...]string{"offset", "seq", "timestamp", "segment"}

func (k Kind) String() string { return kinds[k] }

// OfOneSource reports that the points of each source are its own.
func (k Kind) OfOneSource() bool { return k == BySeq || k == BySegment }

// A Point is a place in a capture.
type Point struct {
	Kind Kind
	N    int64 // not below 0
}

// String returns the point as ParsePoint reads it.
func (p Point) String() string { return fmt.Sprintf("%s=%d", p.Kind, p.N) }

// ParsePoint reads a point: a capture offset as 0x400 or 1024, or offset=, seq=,
// timestamp= or segment= and a number.
func ParsePoint(text string) (Point, error) {
	name, number, named := strings.Cut(text, "=")
	if !named {
		name, number = kinds[ByOffset], text
	}
	for k, known := range kinds {
		if name != known {
			continue
		}
		n, err := strconv.ParseUint(number, 0, 63)
		if err != nil {
			return Point{}, fmt.Errorf("%q is no %s", number, name)
		}
		return Point{Kind(k), int64(n)}, nil
	}
	return Point{}, fmt.Errorf("%q is none of offset, seq, timestamp and segment", name)
}

// A Span is a stretch of a capture. NULL is its start, or its end.
type Span struct {
	From, To schema.Null[Point] // To is after the last: seq=9 ends before instruction 9
}

// ParseAround reads a point with how much is wanted before and after it: seq=1000±50, or
// with +- in place of ±.
func ParseAround(text string) (Span, error) {
	at, by, ok := strings.Cut(text, "±")
	if !ok {
		at, by, ok = strings.Cut(text, "+-")
	}
	if !ok {
		return Span{}, fmt.Errorf("%q has no ± or +-", text)
	}
	p, err := ParsePoint(at)
	if err != nil {
		return Span{}, err
	}
	n, err := strconv.ParseUint(by, 0, 63)
	if err != nil {
		return Span{}, fmt.Errorf("%q is no number", by)
	}
	to := int64(math.MaxInt64) - 1
	if p.N <= to-int64(n) {
		to = p.N + int64(n)
	}
	return Span{From: schema.Of(Point{p.Kind, max(p.N-int64(n), 0)}), To: schema.Of(Point{p.Kind, to + 1})}, nil
}

// OfOneSource reports that the span means one source.
func (s *Span) OfOneSource() bool {
	return s.From.OK && s.From.V.Kind.OfOneSource() || s.To.OK && s.To.V.Kind.OfOneSource()
}

// String returns the span in words: "from seq=5 to seq=9".
func (s *Span) String() string {
	var words []string
	if s.From.OK {
		words = append(words, "from "+s.From.V.String())
	}
	if s.To.OK {
		words = append(words, "to "+s.To.V.String())
	}
	return strings.Join(words, " ")
}

// A Ring is a buffer that is read from a capture offset on, and round.
type Ring struct {
	Start, Size int64
}

// place returns where in reading order a capture offset is.
func (r *Ring) place(offset int64) int64 {
	if offset < r.Start {
		return offset + r.Size - r.Start
	}
	return offset - r.Start
}

// end returns where in reading order bytes before a capture offset end.
func (r *Ring) end(offset int64) int64 {
	if offset >= r.Size {
		offset = 0
	}
	if at := r.place(offset); at > 0 {
		return at
	}
	return r.Size
}
