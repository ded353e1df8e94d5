package decode

// A Part is a segment, or a piece of a long one.
type Part struct {
	Data []byte
	// Offsets are the capture offsets of the units of Data: one for each
	// Protocol.UnitBytes of it.
	Offsets CaptureOffsets
	// Ahead are the bytes after Data: Protocol.AheadBytes of them, fewer only
	// at the end of the stream or at a break. The decoder may read Ahead, and
	// does not count it.
	Ahead []byte
	// Before are bytes before Data, as the cut has asked for (see [Cut]): none in
	// a continued part. The decoder may read Before, and does not count it. BeforeOffset is the
	// capture offset of its first byte.
	Before       []byte
	BeforeOffset int64
	// Bounds are positions in Data that no packet reaches past: the ends of
	// A-syncs (see [Cuts]).
	Bounds []int
	// Continued reports that the part continues a segment: its decoder is the
	// one that decoded the previous part. Any other part begins with the I-sync
	// of a cut.
	Continued bool
	// Open reports that more parts of the segment follow.
	Open bool
	// More reports that another part goes into the same result, from the same decoder:
	// what it counts may wait for that, and the runs of both may be of the same blocks.
	More bool
	// Break is what is before a continued part: where there is a break, its bytes, and
	// all up to the next cut, are lost.
	Break Break
	// End reports that the stream ends or breaks after the part: a packet cut
	// off there is a loss.
	End bool
}

// Rest returns a copy of the bytes from i on, where a unit begins, and of the
// offsets of their units.
func (p *Part) Rest(i int) Part {
	if i == len(p.Data) {
		return Part{}
	}
	unitBytes := len(p.Data) / p.Offsets.Len()
	rest := Part{Data: append([]byte(nil), p.Data[i:]...)}
	rest.Offsets.AppendAll(p.Offsets.Slice(i/unitBytes, p.Offsets.Len()))
	return rest
}

// Prepend puts head, the rest of the previous part, in front of p.
func (p *Part) Prepend(head Part) {
	n := len(head.Data)
	if n == 0 {
		return
	}
	p.Data = append(head.Data[:n:n], p.Data...)
	offsets := head.Offsets.Slice(0, head.Offsets.Len())
	offsets.AppendAll(p.Offsets)
	p.Offsets = offsets
	bounds := make([]int, len(p.Bounds))
	for i, end := range p.Bounds {
		bounds[i] = end + n
	}
	p.Bounds = bounds
}
