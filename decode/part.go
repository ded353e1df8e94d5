package decode

// A Part is a segment, or a piece of a long one.
type Part struct {
	Data []byte
	// Offsets are the capture offsets of the bytes of Data.
	Offsets []CaptureOffset
	// Ahead are the bytes after Data, at most Protocol.AheadBytes, fewer only
	// at the end of the stream or a break: the decoder may read them, and does
	// not count them.
	Ahead []byte
	// Bounds are positions in Data that no packet reaches past: the ends of
	// A-syncs (see [Cuts]).
	Bounds []int
	// Continued says that the part goes on a segment: the decoder is the one
	// that decoded the part before. Otherwise it begins with the I-sync of a
	// cut.
	Continued bool
	// Open says that more parts of the segment follow.
	Open bool
	// Break says, of a continued part, that the input broke before it: its
	// bytes, and all up to the next cut, are lost.
	Break bool
	// End says that the stream ends or breaks behind the part: a packet cut
	// off there is a loss.
	End bool
}

// Rest returns the bytes from i on, with their offsets, in memory of their own.
func (p *Part) Rest(i int) Part {
	return Part{
		Data:    append([]byte(nil), p.Data[i:]...),
		Offsets: append([]CaptureOffset(nil), p.Offsets[i:]...),
	}
}

// Prepend puts head, the rest of the part before, in front of p.
func (p *Part) Prepend(head Part) {
	n := len(head.Data)
	if n == 0 {
		return
	}
	p.Data = append(head.Data[:n:n], p.Data...)
	p.Offsets = append(head.Offsets[:n:n], p.Offsets...)
	bounds := make([]int, len(p.Bounds))
	for i, end := range p.Bounds {
		bounds[i] = end + n
	}
	p.Bounds = bounds
}
