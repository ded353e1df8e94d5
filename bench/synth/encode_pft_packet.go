package synth

import (
	"math/bits"

	"github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// This file makes the packets of a PTM: which bytes an address and a number
// need.

// branchPacket is a branch address packet (§4.5.4). One of an exception has all
// five address bytes, as has one into another instruction set.
func (e *PFT) branchPacket(to Place, exception uint16) pft.Packet {
	p := pft.Packet{Kind: pft.BranchAddress, Exception: exception}
	n := e.addressBytes(to)
	if exception != 0 {
		n = maxAddressBytes
	}
	n = e.vary.more(e.vary.Addresses, n, maxAddressBytes)
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
// Decoders may not agree on whether the return stack changes what a packet without
// information leaves as it is. So NS and Hyp are sent if either has another state.
func (e *PFT) information(to Place, exception uint16, n uint8) uint8 {
	from, implied := e.stated.Place, e.stated.security
	security := to.Security != from.Security || to.Security != implied
	thumbEE := to.ISA == schema.T32EE
	altISA := thumbEE != (from.ISA == schema.T32EE) || thumbEE != (e.core.next.ISA == schema.T32EE) || thumbEE && n == maxAddressBytes
	hyp := to.Security == schema.Hyp || from.Security == schema.Hyp || implied == schema.Hyp
	switch {
	case exception > 15 || hyp && (security || exception != 0):
		return 2
	case security || altISA || exception != 0:
		return 1
	}
	return 0
}

// waypointPacket is a waypoint update packet (§4.5.6).
func (e *PFT) waypointPacket(at Place) pft.Packet {
	p := pft.Packet{Kind: pft.WaypointUpdate}
	setAddress(&p, at, e.vary.more(e.vary.Addresses, e.addressBytes(at), maxAddressBytes))
	return p
}

const maxAddressBytes = 5

// addressBytes is how many address bytes tell a place: enough for the highest
// bit that changed, and all where the instruction set is not the one stated last.
//
// Decoders do not agree on whether a waypoint update changes what an address is
// compressed against and the instruction set it is in, and the document does not
// say it plainly. So after one there are enough bytes for both.
func (e *PFT) addressBytes(at Place) uint8 {
	if at.ISA != e.stated.ISA || at.ISA != e.stated.updated.ISA || at.ISA != e.core.next.ISA {
		return maxAddressBytes
	}
	changed := (at.Address ^ e.stated.Address) | (at.Address ^ e.stated.updated.Address)
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

// countBytes is how many bytes the count of p takes: 4 bits in the first, 7 in
// each other (§4.4).
func (e *PFT) countBytes(p *pft.Packet) uint8 {
	n := 1 + uint8((bits.Len32(p.Cycles>>4)+6)/7)
	if p.Kind != pft.ISync { // where the zeros of a Context ID can follow, longer ones imitate an A-sync
		n = e.vary.more(e.vary.Counts, n, maxCountBytes)
	}
	if p.Kind == pft.Atom {
		n-- // the first is the header
	}
	return n
}

const maxCountBytes = 5

// timestampBytes is how many bytes hold the given number of bits of a timestamp:
// 7 in each, 8 in the ninth.
func timestampBytes(n int) uint8 {
	return uint8(max(1, min((n+6)/7, 9)))
}
