package synth

import (
	"math/bits"

	"github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// This file makes the packets of a PTM: which bytes an address and a number
// need, and what synchronisation consists of.

// branchPacket is a branch address packet (§4.5.4). One of an exception has all
// five address bytes, as has one into another instruction set.
func (e *PFT) branchPacket(to Place, exception uint16, cycles *uint32) pft.Packet {
	p := pft.Packet{Kind: pft.BranchAddress, Exception: exception}
	p.Info = e.information(to, exception)
	n := e.addressBytes(to)
	switch {
	case exception != 0:
		n = maxAddressBytes
	case p.Info > 0:
		n = max(n, 2) // one byte has no room to say that information follows
	}
	setAddress(&p, to, n)
	if p.Info > 0 {
		p.AltISA, p.NS, p.Hyp = to.ISA == schema.T32EE, to.Security != schema.Secure, p.Info > 1 && to.Security == schema.Hyp
	}
	if cycles != nil {
		p.CyclesTold, p.Cycles, p.CycleBytes = true, *cycles, countBytes(*cycles)
	}
	return p
}

// information is how many information bytes a branch packet needs: one for an
// exception or a change of NS or AltISA; two if it enters or leaves Hyp mode,
// stays there, or has a number beyond 15.
func (e *PFT) information(to Place, exception uint16) uint8 {
	from := e.stated.Place
	changed := to.Security != from.Security || (to.ISA == schema.T32EE) != (from.ISA == schema.T32EE)
	switch {
	case exception == 0 && !changed:
		return 0
	case exception > 15 || to.Security == schema.Hyp || from.Security == schema.Hyp:
		return 2
	}
	return 1
}

// waypointPacket is a waypoint update packet (§4.5.6).
func (e *PFT) waypointPacket(at Place) pft.Packet {
	p := pft.Packet{Kind: pft.WaypointUpdate}
	setAddress(&p, at, e.addressBytes(at))
	return p
}

const maxAddressBytes = 5

// addressBytes is how many address bytes tell a place: enough for the highest
// bit that changed, and all where the instruction set is not the one stated last.
//
// Decoders do not agree on whether a waypoint update changes what an address is
// compressed against, and the document does not say it plainly. So after one
// there are enough bytes for both.
func (e *PFT) addressBytes(at Place) uint8 {
	if at.ISA != e.stated.ISA || e.next.ISA != e.stated.ISA {
		return maxAddressBytes
	}
	changed := (at.Address ^ e.stated.Address) | (at.Address ^ e.stated.updated)
	n := uint8(1)
	for n < maxAddressBytes && changed>>(addressBits[n-1]+unitBits(at.ISA)) != 0 {
		n++
	}
	return n
}

// addressBits is how many address bits one to four address bytes have.
var addressBits = [4]uint8{6, 12, 19, 26}

// unitBits is the number of low address bits that are always 0 and not sent.
func unitBits(set schema.ISA) uint8 {
	if set == schema.A32 {
		return 2
	}
	return 1
}

// setAddress puts a place into n address bytes. The fifth says the instruction
// set, and of ThumbEE that it is Thumb.
func setAddress(p *pft.Packet, at Place, n uint8) {
	unit := unitBits(at.ISA)
	p.AddressBytes, p.AddressBits = n, 32-unit
	p.Address = at.Address >> unit
	if n == maxAddressBytes {
		p.ISA = min(at.ISA, schema.T32)
		return
	}
	p.AddressBits = addressBits[n-1]
	p.Address &= 1<<p.AddressBits - 1
}

// countBytes is how many bytes a cycle count takes: 4 bits in the first, 7 in
// each other (§4.4).
func countBytes(cycles uint32) uint8 {
	return 1 + uint8((bits.Len32(cycles>>4)+6)/7)
}
