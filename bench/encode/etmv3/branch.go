package etmv3

import (
	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/step"
	codec "github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/schema"
)

// This file makes branch packets (§3.4).

// A pause is a load or store multiple of v7-M that an exception paused,
// and how far it had come.
type pause struct {
	address schema.Address
	resume  uint8
}

// payBranch sends the branch packet that is owed.
func (e *Encoder) payBranch() {
	if !e.owes {
		return
	}
	e.owes = false
	e.flush()
	e.between(false)
	if !e.stated.reached.OK && e.vary.Happens(e.vary.Branch) {
		// Several packets for one instruction: the last one counts.
		elsewhere := e.next
		elsewhere.Address = (elsewhere.Address + schema.Address(e.vary.UpTo(1<<uint(e.vary.UpTo(20))))<<2).In32()
		e.sendBranch(e.branchTo(elsewhere, codec.Branch{}), elsewhere)
	}
	r := codec.Branch{}
	if e.paused.OK && e.paused.V.address == e.next.Address {
		r.HasResume, r.Resume = true, e.paused.V.resume
		e.paused.OK = false
	}
	e.sendBranch(e.branchTo(e.next, r), e.next)
	if e.vary.Happens(e.vary.Timestamps) {
		e.timestamp(false)
	}
}

// sendBranch sends a branch packet to a place.
func (e *Encoder) sendBranch(r codec.Branch, to step.Place) int64 {
	at := e.emit(codec.Packet{Kind: codec.BranchAddress, Branch: r})
	e.arrive(r, to)
	e.contextRow(at)
	return at
}

// arrive makes a place the one stated last, by the branch packet r.
func (e *Encoder) arrive(r codec.Branch, to step.Place) {
	e.stated.Place, e.truth.Security, e.stated.packetISA = to, to.Security, to.ISA
	e.stated.reached = schema.Of(to.Address)
	e.stated.after = afterBranch
	if r.Info > 0 {
		e.stated.altISA, e.stated.packetAltISA = r.AltISA, r.AltISA
	}
}

// branchTo makes r a branch to a place, with as many address and information
// bytes as that and its exception need.
func (e *Encoder) branchTo(to step.Place, r codec.Branch) codec.Branch {
	from := &e.stated
	altISA := to.ISA == schema.T32EE
	ns, hyp := to.Security != schema.Secure, to.Security == schema.Hyp
	byte1 := r.Exception > 15 || hyp
	if r.Exception != 0 || r.HasResume || byte1 || to.Security != from.Security || altISA != from.altISA ||
		altISA != from.packetAltISA {
		r.AltISA, r.NS, r.Hyp = altISA, ns, hyp
		// Out of Hyp mode byte 0 is enough (§3.4.3).
		byte1 = byte1 || from.Security == schema.Hyp && !e.vary.Happens(e.vary.Branch)
		r.Info = 1 + btou(byte1) + btou(r.HasResume)
	}
	n := e.addressBytes(to)
	switch {
	case r.Info > 0 && e.opt.AltBranch:
		n = max(n, 2)
	case r.Info > 0:
		n = encode.MaxAddressBytes
	}
	e.setAddress(&r, to, e.vary.Bytes(e.vary.Longer, n, encode.MaxAddressBytes))
	return r
}

// addressBytes is how many address bytes a place needs: enough for the highest
// bit that changed, and all at a change of the instruction set. Hardware also sends
// a change that a direct branch made, though it follows from the flow (§4.2).
func (e *Encoder) addressBytes(to step.Place) uint8 {
	repeats := to.ISA != e.stated.packetISA && !e.vary.Happens(e.vary.Branch)
	if to.ISA != e.stated.ISA || repeats {
		return encode.MaxAddressBytes
	}
	changed := (to.Address ^ e.stated.Address) >> encode.UnitBits(to.ISA)
	n := uint8(1)
	for n < encode.MaxAddressBytes && changed>>e.addressBits(n) != 0 {
		n++
	}
	return n
}

// addressBits is how many address bits one to four address bytes have: in the
// alternative encoding the last one, unless it is the first, has one bit less.
func (e *Encoder) addressBits(n uint8) uint8 {
	bits := 7*n - 1
	if e.opt.AltBranch && n > 1 {
		bits--
	}
	return bits
}

// setAddress puts a place into n address bytes. The fifth has the instruction set,
// with ThumbEE as Thumb.
func (e *Encoder) setAddress(r *codec.Branch, to step.Place, n uint8) {
	unit := encode.UnitBits(to.ISA)
	r.Bytes, r.Bits = n, 32-unit
	r.Address = to.Address >> unit
	if n == encode.MaxAddressBytes {
		r.ISA = min(to.ISA, schema.T32)
		return
	}
	r.Bits = e.addressBits(n)
	r.Address &= 1<<r.Bits - 1
}
