package etmv3

import (
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// The information byte of an I-sync.
const (
	isyncLSiP        = 1 << 7
	isyncReasonShift = 5
	isyncReasonMask  = 3
	isyncJ           = 1 << 4
	isyncNS          = 1 << 3
	isyncAltISA      = 1 << 2 // v3.3 on
	isyncHyp         = 1 << 1 // with virtualization extensions
	isyncOne         = 1 << 0 // always 1
)

// parseISync decodes an I-sync in any of its five forms (§7.10.5, docs/etmv3.md
// §3.5): a count after header 70, Context ID, information, an address except in
// data-only mode, and a second address with LSiP.
func (c *Config) parseISync(p *Packet, b []byte) error {
	q := Packet{Kind: ISync}
	n := 1
	if b[0] == headerISyncCycles {
		cycles, bytes := decode.ParseSevens(b[n:], maxCycleBytes)
		if bytes == 0 {
			return io.ErrUnexpectedEOF
		}
		q.HasCycles, q.Cycles, q.CycleBytes = true, uint32(cycles), uint8(bytes)
		n += bytes
	}
	id := n
	n += c.ContextIDBytes
	if len(b) <= n {
		return io.ErrUnexpectedEOF
	}
	q.ContextID = decode.LittleEndian(b[id:n])
	info := b[n]
	n++
	q.Reason = schema.ISyncReason(info >> isyncReasonShift & isyncReasonMask)
	q.NS = info&isyncNS != 0
	q.Hyp = c.Virtualization && info&isyncHyp != 0
	if !c.DataOnly {
		bytes, err := c.parseISyncAddresses(&q, info, b[0], b[n:])
		if err != nil {
			return err
		}
		n += bytes
	}
	q.Len = n
	*p = q
	return nil
}

// parseISyncAddresses sets the other fields of p from the information byte and the
// bytes b after it, and returns how many bytes it parsed. h is the header. Bad
// packets have the length of good ones.
func (c *Config) parseISyncAddresses(p *Packet, info, h byte, b []byte) (n int, err error) {
	const addressBytes = 4
	if len(b) < addressBytes {
		return 0, io.ErrUnexpectedEOF
	}
	n = addressBytes
	p.AltISA = c.Minor >= minorAltISA && info&isyncAltISA != 0
	p.LSiP = info&isyncLSiP != 0
	p.setState(schema.Address(decode.LittleEndian(b[:addressBytes])), info&isyncJ != 0)
	if p.Reason == schema.ISyncPeriodic && (p.HasCycles || p.LSiP) {
		p.Bad = true
	}
	if p.LSiP {
		address, info, err := c.branchLens(h, b[n:], false)
		if err != nil {
			return 0, err
		}
		c.setBranch(&p.Branch, b[n:n+address], b[n+address:n+address+info])
		n += address + info
	}
	return n, nil
}

// setState sets the address and the instruction set of an I-sync from the address
// with its T bit, from J, and from AltISA, which is already set. A state that is
// not in the table of states makes the packet bad: AltISA without T or with J, and
// ARM state at an address that is no multiple of 4.
func (p *Packet) setState(address schema.Address, j bool) {
	t := address&1 != 0
	switch {
	case j:
		p.Address, p.ISA, p.Bad = address, schema.Jazelle, p.AltISA
	case !t:
		p.Address, p.ISA, p.Bad = address, schema.A32, p.AltISA || address&2 != 0
	case p.AltISA:
		p.Address, p.ISA = address&^1, schema.T32EE
	default:
		p.Address, p.ISA = address&^1, schema.T32
	}
}

func (c *Config) appendISync(dst []byte, p *Packet) []byte {
	if p.HasCycles {
		dst = decode.AppendSevens(append(dst, headerISyncCycles), uint64(p.Cycles), int(p.CycleBytes))
	} else {
		dst = append(dst, headerISync)
	}
	dst = decode.AppendLittleEndian(dst, p.ContextID, c.ContextIDBytes)
	info := byte(p.Reason)<<isyncReasonShift | decode.Flag(p.NS, isyncNS) | decode.Flag(p.Hyp, isyncHyp) | isyncOne
	if c.DataOnly {
		return append(dst, info)
	}
	dst = append(dst, info|decode.Flag(p.LSiP, isyncLSiP)|decode.Flag(p.ISA == schema.Jazelle, isyncJ)|decode.Flag(p.AltISA, isyncAltISA))
	address := p.Address
	if p.ISA == schema.T32 || p.ISA == schema.T32EE {
		address |= 1
	}
	dst = decode.AppendLittleEndian(dst, uint32(address), 4)
	if p.LSiP {
		dst = c.appendBranch(dst, &p.Branch)
	}
	return dst
}
