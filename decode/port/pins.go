package port

// A Position is where the next byte of the FIFO comes out at the earliest
// (docs/etmv2.md §4.2, §5.6).
type Position struct {
	Sample int
	// Second reports that the lower half of the sample is read already (16 pins).
	Second bool
}

// Before reports whether p comes before q.
func (p Position) Before(q Position) bool {
	return p.Sample < q.Sample || p.Sample == q.Sample && q.Second && !p.Second
}

// Pins reads the bytes that samples carry. It knows which samples carry none by their
// status alone, but for what follows a sample of TR or TD, which its protocol says.
//
// A sample without FIFO bytes that is neither TR nor TD, as the value of a TFO, is the
// protocol's to leave out: next passes over it, and From is not called with it.
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
	i := p.at.Sample
	if i >= len(p.records)/SampleBytes {
		return 0, false
	}
	s := At(p.records[i*SampleBytes:])
	if !s.carries() {
		if i, s, ok = p.after(i, false); !ok {
			return 0, false
		}
	}
	p.start = i
	switch p.width {
	case 8:
		p.at.Sample = i + 1
		return byte(s.Packet()), true
	case 4:
		return p.nibbles(i, s)
	}
	if p.at.Second { // so sample i is where the lower half was
		p.at = Position{Sample: i + 1}
		return byte(s.Packet() >> 8), true
	}
	p.at = Position{Sample: i, Second: true}
	return byte(s.Packet()), true
}

// nibbles reads a byte that begins with s, sample i.
func (p *Pins) nibbles(i int, s Sample) (b byte, ok bool) {
	i++
	if i >= len(p.records)/SampleBytes {
		return 0, false
	}
	high := At(p.records[i*SampleBytes:])
	if !high.carries() {
		if i, high, ok = p.after(i, true); !ok {
			return 0, false
		}
	}
	p.at.Sample = i + 1
	return byte(s.Packet()&0xF | high.Packet()<<4), true
}

// after returns the first sample with FIFO bytes after sample i, which has none.
func (p *Pins) after(i int, midByte bool) (int, Sample, bool) {
	for {
		if i++; p.next != nil {
			i = max(i, p.next(i-1, midByte))
		}
		if i >= len(p.records)/SampleBytes {
			return 0, 0, false
		}
		if s := At(p.records[i*SampleBytes:]); s.carries() {
			return i, s, true
		}
	}
}

// PassNibble passes over the next nibble, the second one of a byte that began before the
// records (4 pins).
func (p *Pins) PassNibble() {
	i, ok := p.at.Sample, true
	if i >= len(p.records)/SampleBytes {
		return
	}
	if !At(p.records[i*SampleBytes:]).carries() {
		i, _, ok = p.after(i, true)
	}
	if ok {
		p.at = Position{Sample: i + 1}
	}
}
