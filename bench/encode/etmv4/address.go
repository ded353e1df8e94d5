package etmv4

import (
	"github.com/tracelake/tracelake/bench/step"
	codec "github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/schema"
)

// This file codes addresses (§3.7, §4.1): which form an address needs.

// addressed returns a packet of a kind with the address of a place, in the shortest form that
// such packets have; false if they have none that is long enough.
//
// In AArch32 entry 0 of the history may have bits above 32. Decoders do not agree on what
// becomes of them, so an address then has all bits.
func (e *Encoder) addressed(kind codec.Kind, at step.Place) (p codec.Packet, ok bool) {
	p = codec.Packet{Kind: kind, Address: uint64(at.Address), IS1: at.ISA == schema.T32}
	if kind == codec.SourceAddress && p.Address&3 == 0 && e.vary.Happens(e.vary.Addresses) {
		p.IS1 = true // it is no instruction set there
	}
	forms := e.forms(&p)
	i := 0
	for i < len(forms)-1 && e.vary.Happens(e.vary.Addresses) {
		i++
	}
	if len(forms) == 0 {
		return p, false
	}
	p = forms[i]
	return p, true
}

// forms are the packets with the address of p, shortest first.
func (e *Encoder) forms(p *codec.Packet) (forms []codec.Packet) {
	last := e.state.History[0].Address
	add := func(form codec.Form, bits uint8) {
		x := *p
		x.Form, x.AddressBits, x.Address = form, bits, p.Address&(1<<bits-1)
		if bits == 64 {
			x.Address = p.Address
		}
		if bits == 64 || last>>bits == p.Address>>bits {
			forms = append(forms, x)
		}
	}
	if p.Kind != codec.AddressContext {
		for i, h := range e.state.History {
			if h == (codec.Target{Address: p.Address, IS1: p.IS1}) {
				forms = append(forms, codec.Packet{Kind: p.Kind, Form: codec.ExactMatch, Entry: uint8(i)})
			}
		}
		short := uint8(9)
		if p.IS1 {
			short = 8
		}
		add(codec.ShortAddress, short)
		add(codec.ShortAddress, short+8)
	}
	add(codec.Long32, 32)
	if p.Kind != codec.Q {
		add(codec.Long64, 64)
	}
	return forms
}

// sendAddress sends the address of a place alone: a target, or what an exception or Q waits for.
func (e *Encoder) sendAddress(to step.Place) {
	p, _ := e.addressed(codec.Address, to)
	e.flow.is1 = p.IS1 || p.Form == codec.ExactMatch && e.state.History[p.Entry].IS1
	e.emit(p)
}
