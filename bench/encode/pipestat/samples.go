package pipestat

import (
	"io"

	"github.com/tracelake/tracelake/decode/port"
)

// Samples takes what is on the pins, one sample a core clock, and writes it as
// records of [port.SampleBytes].
type Samples struct {
	Out   io.Writer
	Width port.Width
	// DropDisabled drops the samples that a capture device may drop (§3.1).
	DropDisabled bool
	// Undefined returns what is on pins that nothing drives; nil: 0.
	Undefined func() uint16

	n   int64
	buf []byte
	err error
}

// statusTD is PIPESTAT of a cycle in which nothing is traced, in both protocols.
const statusTD = 7

// Count is how many samples were written: the place of the next one.
func (s *Samples) Count() int64 { return s.n }

// Err returns the first error of the writer.
func (s *Samples) Err() error { return s.err }

// Write writes a sample, unless it may be dropped and is. It reports whether it
// wrote it.
func (s *Samples) Write(status uint8, p Pins) bool {
	packet := p.Packet
	if s.Undefined != nil {
		packet |= s.Undefined() &^ p.Mask
	}
	packet &= uint16(1<<s.Width - 1)
	if s.DropDisabled && status == statusTD && packet&1 == 0 {
		return false
	}
	s.put(port.NewSample(status, p.Sync, packet))
	return true
}

// Fill writes samples of disabled trace until there are whole records of n samples
// each. It returns how many it wrote.
func (s *Samples) Fill(n int) int {
	filled := 0
	for ; n > 1 && s.n%int64(n) != 0; filled++ {
		s.put(port.NewSample(statusTD, false, 0))
	}
	return filled
}

func (s *Samples) put(sample port.Sample) {
	s.buf = port.Append(s.buf[:0], sample)
	s.n++
	if s.err == nil {
		_, s.err = s.Out.Write(s.buf)
	}
}
