package etmv1

import (
	"github.com/tracelake/tracelake/decode/port"

	"github.com/tracelake/tracelake/schema"
)

// A received is an address as it came out of the FIFO, with its Context ID.
type received struct {
	Address
	// Target is the whole address: the low bits that were sent, and those of the
	// address before it. Bit 0 is set for Thumb code. In Jazelle state, Jazelle is
	// set even if the J bit was not sent.
	target    schema.Address
	contextID uint32

	start, last int64 // its first and last sample,
	half        bool  // of which the upper half is free (16 pins)
	// unknown: a TRACESYNC cut it short, or bits were not sent that no address
	// before it had.
	unknown bool
}

// addresses reads the addresses from the pins in their order, whatever branches have
// them: even those that none has are what later ones are compressed against
// (docs/etmv2.md §4.4).
type addresses struct {
	width   port.Width
	idBytes int

	reading bool
	current received
	ids     int   // bytes of the Context ID still to come
	low     bool  // the low nibble of a byte was read (4 pins):
	nibble  uint8 // this

	base    schema.Address // the address before, if known
	jazelle bool
	known   bool

	first int64 // ordinal of the first of those that came
	came  queue[received]
}

// take takes a sample that carries bytes.
func (a *addresses) take(s port.Sample, at int64) {
	if s.Sync() {
		a.begin(at)
	}
	if !a.reading {
		return
	}
	packet := s.Packet()
	switch a.width {
	case 4:
		if a.low = !a.low; a.low {
			a.nibble = uint8(packet & 0xF)
			return
		}
		a.push(a.nibble|uint8(packet<<4), at, false)
	case 16:
		if a.push(uint8(packet), at, true); a.reading {
			a.push(uint8(packet>>8), at, false)
		}
	default:
		a.push(uint8(packet), at, false)
	}
}

// begin begins an address. One that is not whole yet is cut short.
func (a *addresses) begin(at int64) {
	if a.reading {
		a.current.unknown, a.known = true, false
		a.came.push(a.current)
	}
	a.reading, a.low, a.ids = true, false, 0
	a.current = received{start: at}
}

// push takes a byte of the address or of its Context ID. half reports that the upper
// half of the sample is still to be read.
func (a *addresses) push(b byte, at int64, half bool) {
	x := &a.current
	x.last, x.half = at, half
	if a.ids > 0 {
		x.contextID |= uint32(b) << (8 * (a.idBytes - a.ids))
		a.ids--
	} else if x.push(b) {
		a.merge()
		if x.HasContextID() {
			a.ids = a.idBytes
		}
	} else {
		return
	}
	if a.ids == 0 {
		a.came.push(*x)
		a.reading = false
	}
}

// merge completes the address by the one before it.
func (a *addresses) merge() {
	x := &a.current
	if x.Full() {
		a.known, a.jazelle = true, x.Jazelle
	}
	mask := schema.Address(1<<x.Bits() - 1)
	a.base = a.base&^mask | x.Address.Address
	x.target, x.unknown, x.Jazelle = a.base, !a.known, a.jazelle
}

// find returns the address of an ordinal, nil if it did not come whole.
func (a *addresses) find(own int64) *received {
	if i := own - a.first; own != none && i >= 0 && i < int64(a.came.len()) {
		return &a.came.all()[i]
	}
	return nil
}

// forget drops the addresses before an ordinal.
func (a *addresses) forget(own int64) {
	n := min(max(0, own-a.first), int64(a.came.len()))
	a.first += n
	a.came.drop(int(n))
}
