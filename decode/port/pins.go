package port

// A Position is where the next byte of the FIFO comes out at the earliest
// (docs/etmv2.md §4.2, §5.6).
type Position struct {
	Sample int
	// Second reports that the lower half of the sample is read already (16 pins).
	Second bool
}

// Pins reads the bytes that samples carry. It knows which samples carry none by their
// status alone, but for what follows a sample of TR or TD, which its protocol says.
//
// What fails for want of samples leaves the position as it was: it can be tried again
// with more of them.
type Pins struct {
	records []byte
	at      Position
	start   int
	width   Width
	next    func(i int, midByte bool) int
}

// NewPins returns a reader without samples. Next is asked about samples without FIFO
// bytes, those of TR and TD: which is the first after sample i that may carry some?
// MidByte reports that the first nibble of a byte came before sample i (4 pins). Next
// may be nil: then it is i+1.
func NewPins(w Width, next func(i int, midByte bool) int) Pins {
	return Pins{width: w, next: next}
}

// Reset begins to read other records, whole ones, at a position in them.
func (p *Pins) Reset(records []byte, at Position) { p.records, p.at = records, at }

// At returns the position.
func (p *Pins) At() Position { return p.at }

// Seek sets the position.
func (p *Pins) Seek(at Position) { p.at = at }

// From moves the position on to a sample, if it is before that.
func (p *Pins) From(sample int) {
	if p.at.Sample < sample {
		p.at = Position{Sample: sample}
	}
}

// Start is the sample in which the byte began that was read last.
func (p *Pins) Start() int { return p.start }

// Next reads a byte. It fails if the samples end before it does.
func (p *Pins) Next() (b byte, ok bool) {
	i, s, ok := p.carrying(p.at.Sample, false)
	if !ok {
		return 0, false
	}
	switch second := p.at.Second && i == p.at.Sample; {
	case p.width == 8:
		p.at, b = Position{Sample: i + 1}, byte(s.Packet())
	case p.width == 4:
		j, high, ok := p.carrying(i+1, true)
		if !ok {
			return 0, false
		}
		p.at, b = Position{Sample: j + 1}, byte(s.Packet()&0xF|high.Packet()<<4)
	case second:
		p.at, b = Position{Sample: i + 1}, byte(s.Packet()>>8)
	default:
		p.at, b = Position{Sample: i, Second: true}, byte(s.Packet())
	}
	p.start = i
	return b, true
}

// carrying returns the first sample from i on that carries FIFO bytes.
func (p *Pins) carrying(i int, midByte bool) (int, Sample, bool) {
	for uint(i) < uint(len(p.records)/SampleBytes) {
		s := At(p.records[i*SampleBytes:])
		switch {
		case s.Status()&^1 != StatusTR: // neither TR nor TD
			return i, s, true
		case p.next == nil:
			i++
		default:
			i = max(i+1, p.next(i, midByte))
		}
	}
	return 0, 0, false
}

// Read appends n bytes to dst.
func (p *Pins) Read(dst []byte, n int) ([]byte, bool) {
	before, m := p.at, len(dst)
	for range n {
		b, ok := p.Next()
		if !ok {
			p.at = before
			return dst[:m], false
		}
		dst = append(dst, b)
	}
	return dst, true
}

// ReadContinued appends bytes to dst up to one with bit 7 clear, most at most.
func (p *Pins) ReadContinued(dst []byte, most int) ([]byte, bool) {
	before, n := p.at, len(dst)
	for range most {
		b, ok := p.Next()
		if !ok {
			p.at = before
			return dst[:n], false
		}
		dst = append(dst, b)
		if b&more == 0 {
			break
		}
	}
	return dst, true
}

// Skip leaves out n bytes.
func (p *Pins) Skip(n int) bool {
	before := p.at
	for range n {
		if _, ok := p.Next(); !ok {
			p.at = before
			return false
		}
	}
	return true
}
