package etmv4

import (
	"fmt"
	"math/bits"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/async"
)

// Append appends the bytes of p to dst and returns the extended slice. It is the inverse of
// [Config.Parse] for every packet that Parse can return; bits that Parse ignores are
// written as trace units do.
//
// The encoding follows the forms, formats and numbers of bytes in p; only where a field
// leaves the number of bytes open, it takes as few as it can. Len counts for A-syncs only,
// which have at least eleven zeros whatever it is. Append panics if no packet has what p
// has: a kind, a form, a sequence of atoms.
func (c *Config) Append(dst []byte, p Packet) []byte {
	switch p.Kind {
	case ASync:
		return async.Long.Append(dst, p.Len)
	case TraceInfo:
		return p.Info.append(dst)
	case Timestamp:
		return p.appendTimestamp(dst)
	case Exception:
		return c.appendException(dst, &p)
	case Instrumentation:
		return appendNumber(append(dst, headerInstrumentation, p.Context.EL), p.Value, 8)
	case CycleCount:
		return c.appendCycleCount(dst, &p)
	case NumberedMarker:
		return append(dst, headerNumberedMarker|p.Marker)
	case UnnumberedMarker:
		return append(dst, headerUnnumberedMarker|p.Marker)
	case Commit, Cancel, Mispredict:
		return p.appendSpeculation(dst)
	case ConditionalInstruction, ConditionalResult:
		return p.appendConditional(dst)
	case Event:
		return append(dst, headerEvent|p.Events)
	case Context:
		if !p.Context.Sent {
			return append(dst, headerContext)
		}
		return c.appendContext(append(dst, headerContext|1), &p.Context)
	case Address, SourceAddress, AddressContext, Q:
		return c.appendWithAddress(dst, &p)
	case Atoms:
		h, ok := atomHeader(atomSequence{p.Atoms, p.AtomCount})
		p.check(ok, "the atoms "+p.atomString())
		return append(dst, h)
	default:
		h, ok := oneValue[p.Kind]
		p.check(ok, "no payload")
		return append(dst, h...)
	}
}

// check panics if no packet of the kind has what p has.
func (p *Packet) check(ok bool, what string) {
	if !ok {
		panic(fmt.Sprintf("etmv4: Append of a packet of kind %d: none has %s", p.Kind, what))
	}
}

// oneValue are the packets of one value.
var oneValue = map[Kind][]byte{
	Discard:           {0, extensionDiscard},
	Overflow:          {0, extensionOverflow},
	TraceOn:           {0x04},
	FunctionReturn:    {0x05},
	ExceptionReturn:   {0x07},
	TransactionStart:  {0x0a},
	TransactionCommit: {0x0b},
	ConditionalFlush:  {0x43},
	Ignore:            {0x70},
	TimestampMarker:   {0x88},
}

// The headers that are not with the packets' other fields.
const (
	headerTraceInfo        = 0x01
	headerTimestamp        = 0x02 // with a count: bit 0
	headerException        = 0x06
	headerInstrumentation  = 0x09
	headerNumberedMarker   = 0x20
	headerUnnumberedMarker = 0x28
	headerEvent            = 0x70
	headerContext          = 0x80 // with a payload: bit 0
)

func (s *TraceInfoSections) append(dst []byte) []byte {
	dst = append(dst, headerTraceInfo)
	x := s.Has
	for n := max(1, s.Controls); n > 1; n-- {
		dst = append(dst, x|more)
		x = 0
	}
	dst = append(dst, x)
	for i, f := range s.fields() {
		if s.Has>>i&1 != 0 {
			dst = f.append(dst)
		}
	}
	return dst
}

func (p *Packet) appendTimestamp(dst []byte) []byte {
	n := p.TimestampBytes
	if n == 0 {
		n = uint8(min(maxTimestampBytes, max(1, (bits.Len64(p.Timestamp)+6)/7)))
	}
	dst = append(dst, headerTimestamp|decode.Flag(p.HasCycles, 1))
	return p.appendCycles(decode.TimestampCode{Bits: 64}.Append(dst, p.Timestamp, n))
}

// appendCycles appends the count of a packet that has it after other fields.
func (p *Packet) appendCycles(dst []byte) []byte {
	if !p.HasCycles {
		return dst
	}
	return p.Cycles.append(dst)
}

func (c *Config) appendException(dst []byte, p *Packet) []byte {
	x := byte(p.Return&2)<<5 | byte(p.Return&1) | byte(p.Exception&exceptionTypeMask)<<1
	dst = append(dst, headerException, x|decode.Flag(p.Long, more))
	switch {
	case p.Long:
		return append(dst, byte(p.Exception>>5&exceptionTypeMask)|decode.Flag(p.Pending, exceptionPending))
	case c.withoutReturn(p):
		return append(dst, eteForm)
	default:
		return dst
	}
}

func (c *Config) appendCycleCount(dst []byte, p *Packet) []byte {
	switch p.Format {
	case 1:
		dst = append(dst, headerCycles1|decode.Flag(!p.HasCycles, 1))
		if p.HasCount {
			dst = p.Count.append(dst)
		}
		return p.appendCycles(dst)
	case 2:
		commits := byte(0xf) // as models send it where there are none
		switch {
		case p.HasCount && p.FromMax:
			commits = byte(p.Count.Value - c.MaxSpec + 15)
		case p.HasCount:
			commits = byte(p.Count.Value - 1)
		}
		return append(dst, headerCycles2|decode.Flag(p.FromMax, 1), commits<<4|byte(p.Cycles.Value))
	default:
		commits := byte(0)
		if p.HasCount {
			commits = byte(p.Count.Value - 1)
		}
		return append(dst, headerCycles3|commits<<2|byte(p.Cycles.Value))
	}
}

func (p *Packet) appendSpeculation(dst []byte) []byte {
	switch {
	case p.Kind == Commit:
		return p.Count.append(append(dst, headerCommit))
	case p.Kind == Mispredict:
		return append(dst, headerMispredict|p.fewAtoms())
	case p.Format == 1:
		return p.Count.append(append(dst, headerCancel1|decode.Flag(p.Mispredict, 1)))
	case p.Format == 2:
		return append(dst, headerCancel2|p.fewAtoms())
	default:
		return append(dst, headerCancel3|byte(p.Count.Value-2)<<1|p.AtomCount)
	}
}

// fewAtoms returns the low bits of the header for the atoms of a mispredict or a cancel.
func (p *Packet) fewAtoms() byte {
	for i, a := range fewAtoms {
		if a == (atomSequence{p.Atoms, p.AtomCount}) {
			return byte(i)
		}
	}
	p.check(false, "the atoms "+p.atomString())
	return 0
}

// appendWithAddress appends a packet with an address, or a Q packet without one.
func (c *Config) appendWithAddress(dst []byte, p *Packet) []byte {
	h, ok := p.addressHeader()
	if p.Kind == Q && p.Form == NoAddress {
		h, ok = headerQNoCount, true
		if p.HasCount {
			h = headerQCount
		}
	}
	p.check(ok, fmt.Sprintf("an address of form %d", p.Form))
	dst = p.appendAddress(append(dst, h))
	switch {
	case p.Kind == AddressContext:
		return c.appendContext(dst, &p.Context)
	case p.Kind == Q && p.HasCount:
		return p.Count.append(dst)
	default:
		return dst
	}
}

func (c *Config) appendContext(dst []byte, x *ContextInfo) []byte {
	dst = append(dst, x.EL|decode.Flag(x.HasID, contextHasID)|decode.Flag(x.HasVMID, contextHasVMID)|
		decode.Flag(x.NS, contextNS)|decode.Flag(x.SF, contextSF)|decode.Flag(x.NSE, contextNSE))
	if x.HasVMID {
		dst = appendNumber(dst, uint64(x.VMID), c.VMIDBytes)
	}
	if x.HasID {
		dst = appendNumber(dst, uint64(x.ContextID), c.ContextIDBytes)
	}
	return dst
}
