// Package pipestat has what the encoders of ETMv1 and ETMv2 share: the FIFO between
// the macrocell and the pins of its trace port, the samples that leave it, and the
// truth of a stream whose unit is a sample. Section numbers are those of
// docs/etmv2.md.
//
// Its API is not stable (docs/guide/library.md).
package pipestat

import "github.com/tracelake/tracelake/decode/port"

// A FIFO has the bytes that wait for the pins (§4.2, §5.6).
type FIFO struct {
	Width port.Width
	bytes []fifoByte
	// half is the high nibble of a byte whose low nibble is out (4 pins).
	half   uint8
	halved bool
}

type fifoByte struct {
	value uint8
	first bool // of an address of ETMv1
}

// Append puts bytes into the FIFO.
func (f *FIFO) Append(b []byte) {
	for _, v := range b {
		f.bytes = append(f.bytes, fifoByte{value: v})
	}
}

// AppendAddress puts the bytes of an address of ETMv1 into the FIFO, the first of
// which comes out with TRACESYNC.
func (f *FIFO) AppendAddress(b []byte) {
	n := len(f.bytes)
	f.Append(b)
	f.bytes[n].first = true
}

// Len is how many bytes wait, without one that is half out.
func (f *FIFO) Len() int { return len(f.bytes) }

// Empty reports that nothing waits.
func (f *FIFO) Empty() bool { return len(f.bytes) == 0 && !f.halved }

// Addresses is how many addresses of ETMv1 wait with all their bytes.
func (f *FIFO) Addresses() int {
	n := 0
	for i := range f.bytes {
		if f.bytes[i].first {
			n++
		}
	}
	return n
}

// Drop takes the newest n bytes back that are not out yet: an overflow lost them.
// It returns how many it took.
func (f *FIFO) Drop(n int) int {
	n = min(n, len(f.bytes))
	f.bytes = f.bytes[:len(f.bytes)-n]
	return n
}

// Halved reports that a byte is half out.
func (f *FIFO) Halved() bool { return f.halved }

// Half takes the high nibble of the byte that is half out, if there is one.
func (f *FIFO) Half() (nibble uint8, ok bool) {
	nibble, ok = f.half, f.halved
	f.halved = false
	return nibble, ok
}

// Pins are what the FIFO drives in one sample: Mask has the pins that it drives.
type Pins struct {
	Packet, Mask uint16
	Sync         bool // TRACESYNC
}

// Next returns what goes out in a sample: low nibble first on 4 pins, up to two
// bytes on 16, of which the second is not the first of an address.
func (f *FIFO) Next() Pins {
	if v, ok := f.Half(); ok {
		return Pins{Packet: uint16(v), Mask: 0xF}
	}
	if len(f.bytes) == 0 {
		return Pins{}
	}
	b := f.take()
	p := Pins{Packet: uint16(b.value), Mask: 0xFF, Sync: b.first}
	switch {
	case f.Width == 4:
		p.Packet, p.Mask = p.Packet&0xF, 0xF
		f.half, f.halved = b.value>>4, true
	case f.Width == 16 && len(f.bytes) > 0 && !f.bytes[0].first:
		p.Packet |= uint16(f.take().value) << 8
		p.Mask = 0xFFFF
	}
	return p
}

func (f *FIFO) take() fifoByte {
	b := f.bytes[0]
	f.bytes = f.bytes[1:]
	return b
}
