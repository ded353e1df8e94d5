package pft

import (
	"fmt"
	"math/bits"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/async"
	"github.com/tracelake/tracelake/schema"
)

// Append appends the bytes of p to dst and returns the extended slice. It is
// the inverse of [Config.Parse] for every packet that Parse can return; bits
// that Parse ignores are written as hardware does.
//
// The encoding follows the numbers of bytes in p (AddressBytes, Info, CycleBytes,
// TimestampBytes); nothing is shortened or lengthened. Len counts for A-syncs
// only, which have at least five zeros whatever it is. Append panics if p has no
// kind.
func (c *Config) Append(dst []byte, p Packet) []byte {
	switch p.Kind {
	case ASync:
		return async.Short.Append(dst, p.Len)
	case ISync:
		return c.appendISync(dst, &p)
	case Atom:
		return appendAtom(dst, &p)
	case BranchAddress:
		dst = appendAddress(dst, &p, p.Info > 0)
		dst = appendInformation(dst, &p)
		return appendCount(dst, &p, 0)
	case WaypointUpdate:
		dst = appendAddress(append(dst, headerWaypointUpdate), &p, p.Info > 0)
		if p.Info > 0 {
			dst = append(dst, decode.Flag(p.AltISA, infoAltISA))
		}
		return dst
	case Trigger:
		return append(dst, headerTrigger)
	case ContextID:
		return decode.AppendLittleEndian(append(dst, headerContextID), p.ContextID, c.ContextIDBytes)
	case VMID:
		return append(dst, headerVMID, p.VMID)
	case Timestamp:
		return c.appendTimestamp(dst, &p)
	case ExceptionReturn:
		return append(dst, headerExceptionReturn)
	case Ignore:
		return append(dst, headerIgnore)
	default:
		panic(fmt.Sprintf("pft: Append of a packet of kind %d", p.Kind))
	}
}

// appendAtom appends an atom packet, in the cycle-accurate form if it has a
// count.
func appendAtom(dst []byte, p *Packet) []byte {
	if p.HasCycles {
		return appendCycles(dst, p.Cycles, p.CycleBytes+1, 0x80|p.Atoms<<1)
	}
	n := p.AtomCount
	return append(dst, 0x80|1<<(n+1)|bits.Reverse8(p.Atoms)>>(7-n))
}

func (c *Config) appendISync(dst []byte, p *Packet) []byte {
	address := p.Address
	if p.ISA != schema.A32 {
		address |= 1
	}
	dst = decode.AppendLittleEndian(append(dst, headerISync), uint32(address), 4)
	dst = append(dst, byte(p.Reason)<<isyncReasonShift|isyncOne|
		decode.Flag(p.NS, isyncNS)|decode.Flag(p.AltISA, isyncAltISA)|decode.Flag(p.Hyp, isyncHyp))
	dst = appendCount(dst, p, 0x80)
	return decode.AppendLittleEndian(dst, p.ContextID, c.ContextIDBytes)
}

func (c *Config) appendTimestamp(dst []byte, p *Packet) []byte {
	dst = append(dst, headerTimestamp|decode.Flag(p.ClockChange, headerTimestampClock))
	dst = c.TimestampCode().Append(dst, p.Timestamp, p.TimestampBytes)
	return appendCount(dst, p, 0)
}

// appendCount appends the count of a packet that has it after other fields; rest
// is the rest of its first byte.
func appendCount(dst []byte, p *Packet, rest byte) []byte {
	if !p.HasCycles {
		return dst
	}
	return appendCycles(dst, p.Cycles, p.CycleBytes, rest)
}
