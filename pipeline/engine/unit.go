package engine

import (
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/stitch"
)

// A Unit is the bytes of a stream for one worker: whole segments, or a part
// of a long one. The division into units depends only on the bytes.
type Unit struct {
	stitch.Unit // its Rows are nil until they are decoded

	Parts []decode.Part
	Bytes int // in parts
	// uncut, if not nil: the one part is whole segments of the protocol, which the
	// worker cuts, into parts of so many bytes.
	uncut     decode.Protocol
	partBytes int

	chunks []*chunk // the memory of the parts

	// A unit whose first part continues a segment receives the decoder from prev;
	// one whose last part is open sends the decoder to next.
	prev, next chan decode.Decoder
}

// add adds a part, whose bytes are in c.
func (u *Unit) add(p *decode.Part, c *chunk) {
	u.Parts = append(u.Parts, *p)
	u.Bytes += len(p.Data)
	u.Asyncs += len(p.Bounds)
	if n := len(u.chunks); n == 0 || u.chunks[n-1] != c {
		c.retain()
		u.chunks = append(u.chunks, c)
	}
}

// CutUp divides a unit that is not cut yet into segments.
func (u *Unit) CutUp() {
	if u.uncut == nil {
		return
	}
	whole, n, aheadBytes := u.Parts[0], u.uncut.UnitBytes(), u.uncut.AheadBytes()
	cuts := u.uncut.NewCutter().Find(whole.Data, true)
	u.uncut = nil
	u.Parts, u.Asyncs = make([]decode.Part, 0, len(cuts.At)+1), len(cuts.Bounds)
	bounds := cuts.Bounds
	before, beforeAt := whole.Before, whole.BeforeOffset // of the next part
	for from, start, i := 0, true, 0; from < len(whole.Data); {
		end := len(whole.Data) // of the segment
		if i < len(cuts.At) {
			end = cuts.At[i].At
		}
		to := min(end, from+u.partBytes)
		p := decode.Part{
			Data: whole.Data[from:to:to], Offsets: whole.Offsets.Slice(from/n, to/n), Ahead: ahead(&whole, to, aheadBytes),
			Before: before, BeforeOffset: beforeAt,
			Continued: !start, Open: to < end, End: to == len(whole.Data) && whole.End,
		}
		before, beforeAt = nil, 0
		p.Bounds, bounds = boundsIn(bounds, from, to)
		u.Parts = append(u.Parts, p)
		if from, start = to, to == end; start && i < len(cuts.At) {
			if lead := cuts.At[i].Before; lead > 0 {
				before, beforeAt = whole.Data[to-lead:to:to], int64(whole.Offsets.At((to-lead)/n))
			}
			i++
		}
	}
}

// ahead returns the bytes after p.Data[to] that a part ending there shows ahead, at most n.
func ahead(p *decode.Part, to, n int) []byte {
	rest := p.Data[to:]
	switch {
	case len(rest) >= n:
		return rest[:n:n]
	case len(rest) == 0:
		return p.Ahead
	}
	return slices.Concat(rest, p.Ahead[:min(len(p.Ahead), n-len(rest))])
}

// boundsIn returns those of the bounds that end a part, and those after it. Of the part
// they are relative to its start.
func boundsIn(bounds []int, from, to int) (in, after []int) {
	n := 0
	for n < len(bounds) && bounds[n] <= to {
		bounds[n] -= from
		n++
	}
	return bounds[:n:n], bounds[n:]
}

// done ends the use of the bytes of the unit.
func (u *Unit) done() {
	for _, c := range u.chunks {
		c.release()
	}
	u.Parts, u.chunks = nil, nil
}
