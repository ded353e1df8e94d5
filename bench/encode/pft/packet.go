package pft

import (
	"math/bits"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/step"
	codec "github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// This file makes the packets of a PTM: which bytes an address and a number
// need.

// branchPacket is a branch address packet (§4.5.4). One of an exception has all
// five address bytes, as has one into another instruction set.
func (e *Encoder) branchPacket(to step.Place, exception uint16) codec.Packet {
	p := codec.Packet{Kind: codec.BranchAddress, Exception: exception}
	n := e.addressBytes(to)
	if exception != 0 {
		n = encode.MaxAddressBytes
	}
	n = e.vary.more(e.vary.Addresses, n, encode.MaxAddressBytes)
	p.Info = e.vary.more(e.vary.Information, e.information(to, exception, n), 2)
	if p.Info > 0 {
		n = max(n, 2) // one byte has no room to say that information follows
		p.AltISA, p.NS, p.Hyp = to.ISA == schema.T32EE, to.Security != schema.Secure, p.Info > 1 && to.Security == schema.Hyp
	}
	setAddress(&p, to, n)
	return p
}

// information is how many information bytes a branch packet of n address bytes
// needs: one for an exception, a change of NS or AltISA, or where five bytes
// alone would mean Thumb; two if it enters or leaves Hyp mode, is an exception
// inside, or has a number beyond 15.
//
// Decoders may not agree on whether the return stack changes the state that a
// packet without information keeps. So NS and Hyp are sent if either the packet's
// or the return stack's state differs.
func (e *Encoder) information(to step.Place, exception uint16, n uint8) uint8 {
	from, implied := e.stated.Place, e.stated.security
	security := to.Security != from.Security || to.Security != implied
	thumbEE := to.ISA == schema.T32EE
	altISA := thumbEE != (from.ISA == schema.T32EE) || thumbEE != (e.core.next.ISA == schema.T32EE) ||
		thumbEE && n == encode.MaxAddressBytes
	hyp := to.Security == schema.Hyp || from.Security == schema.Hyp || implied == schema.Hyp
	switch {
	case exception > 15 || hyp && (security || exception != 0):
		return 2
	case security || altISA || exception != 0:
		return 1
	}
	return 0
}

// waypointPacket is a waypoint update packet (§4.5.5).
func (e *Encoder) waypointPacket(at step.Place) codec.Packet {
	p := codec.Packet{Kind: codec.WaypointUpdate}
	setAddress(&p, at, e.vary.more(e.vary.Addresses, e.addressBytes(at), encode.MaxAddressBytes))
	return p
}

// addressBytes is how many address bytes a place needs: enough for the highest bit
// that changed, and all where the instruction set is not the one stated last.
//
// Decoders do not agree on whether a waypoint update changes what an address is
// compressed against and the instruction set it is in, and the document does not
// say it plainly. So after an update an address has enough bytes for both readings.
func (e *Encoder) addressBytes(at step.Place) uint8 {
	if at.ISA != e.stated.ISA || at.ISA != e.stated.updated.ISA || at.ISA != e.core.next.ISA {
		return encode.MaxAddressBytes
	}
	changed := (at.Address ^ e.stated.Address) | (at.Address ^ e.stated.updated.Address)
	n := uint8(1)
	for n < encode.MaxAddressBytes && changed>>(addressBits[n-1]+encode.UnitBits(at.ISA)) != 0 {
		n++
	}
	return n
}

// addressBits is how many address bits one to four address bytes have.
var addressBits = [4]uint8{6, 12, 19, 26}

// setAddress puts a place into n address bytes. The fifth has the instruction set,
// with ThumbEE as Thumb.
func setAddress(p *codec.Packet, at step.Place, n uint8) {
	unit := encode.UnitBits(at.ISA)
	p.AddressBytes, p.AddressBits = n, 32-unit
	p.Address = at.Address >> unit
	if n == encode.MaxAddressBytes {
		p.ISA = min(at.ISA, schema.T32)
		return
	}
	p.AddressBits = addressBits[n-1]
	p.Address &= 1<<p.AddressBits - 1
}

// countBytes is how many bytes the count of p takes: 4 bits in the first, 7 in
// each other (§4.4).
func (e *Encoder) countBytes(p *codec.Packet) uint8 {
	n := 1 + uint8((bits.Len32(p.Cycles>>4)+6)/7)
	if p.Kind != codec.ISync { // where the zeros of a Context ID can follow, longer ones imitate an A-sync
		n = e.vary.more(e.vary.Counts, n, maxCountBytes)
	}
	if p.Kind == codec.Atom {
		n-- // the first is the header
	}
	return n
}

const maxCountBytes = 5
