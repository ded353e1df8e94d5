package etmv4

import "github.com/tracelake/tracelake/decode"

// The fields of addresses and contexts, which several packets share.

// addressShift is how many low bits of the address are not sent, as they are always 0.
func (p *Packet) addressShift() int {
	if p.IS1 {
		return 1
	}
	return 2
}

// An addressCode is how a header codes an address.
type addressCode struct {
	form  Form
	entry uint8
	is1   bool
}

// addressHeaders are the headers of packets with addresses: the first of three, one for
// each entry of the history, or of two, for IS0 and IS1.
var addressHeaders = []struct {
	kind  Kind
	form  Form
	first byte
}{
	{AddressContext, Long32, 0x82},
	{AddressContext, Long64, 0x85},
	{Address, ExactMatch, 0x90},
	{Address, ShortAddress, 0x95},
	{Address, Long32, 0x9a},
	{Address, Long64, 0x9d},
	{Q, ExactMatch, 0xa0},
	{Q, ShortAddress, 0xa5},
	{Q, Long32, 0xaa},
	{SourceAddress, ExactMatch, 0xb0},
	{SourceAddress, ShortAddress, 0xb4},
	{SourceAddress, Long32, 0xb6},
	{SourceAddress, Long64, 0xb8},
}

// addressCodes are the codes of all headers; those of packets without address have none.
var addressCodes = makeAddressCodes()

func makeAddressCodes() (t [256]addressCode) {
	for _, a := range addressHeaders {
		if a.form == ExactMatch {
			for entry := range byte(historyEntries) {
				t[a.first+entry] = addressCode{form: a.form, entry: entry}
			}
			continue
		}
		t[a.first], t[a.first+1] = addressCode{form: a.form}, addressCode{form: a.form, is1: true}
	}
	return t
}

// addressHeader returns the header of a packet with an address, false if there is none.
func (p *Packet) addressHeader() (byte, bool) {
	for _, a := range addressHeaders {
		if a.kind == p.Kind && a.form == p.Form {
			return a.first + p.Entry + decode.Flag(p.IS1, 1), true
		}
	}
	return 0, false
}

// parseAddress reads an address. The lowest byte has seven bits, from bit 2 or 1 on; the
// second one of IS0 has seven as well.
func (p *Packet) parseAddress(r *reader) {
	a := addressCodes[r.b[0]]
	p.Form, p.Entry, p.IS1 = a.form, a.entry, a.is1
	n := 0
	p.Address, p.AddressBits, n = a.read(r.word())
	r.skip(n)
}

// read returns the address that a word begins with, how many bits of it were sent, and in how many
// bytes.
func (a addressCode) read(word uint64) (address uint64, bits uint8, n int) {
	switch a.form {
	case ShortAddress:
		return readShort(word, a.is1)
	case Long32:
		return readLong(word&(1<<32-1), a.is1), 32, 4
	case Long64:
		return readLong(word, a.is1), 64, 8
	default: // no bytes
		return 0, 0, 0
	}
}

// readShort reads a short address: bit 7 of its first byte says that another one follows, all of
// whose bits are of the address.
func readShort(word uint64, is1 bool) (address uint64, bits uint8, n int) {
	shift := 2 - decode.Flag(is1, 1)
	if word&more == 0 {
		return word & 0x7f << shift, 7 + shift, 1
	}
	return (word&0x7f | word>>8&0xff<<7) << shift, 15 + shift, 2
}

// readLong reads a long address.
func readLong(v uint64, is1 bool) uint64 {
	if is1 {
		return v&0x7f<<1 | v&^0xff
	}
	return v&0x7f<<2 | v>>8&0x7f<<9 | v&^0xffff
}

// appendAddress appends the bytes of the address after the header.
func (p *Packet) appendAddress(dst []byte) []byte {
	switch shift := p.addressShift(); p.Form {
	case ShortAddress:
		x := byte(p.Address >> shift & 0x7f)
		if int(p.AddressBits) <= 7+shift {
			return append(dst, x)
		}
		return append(dst, x|more, byte(p.Address>>(7+shift)))
	case Long32, Long64:
		dst = append(dst, byte(p.Address>>shift&0x7f))
		if p.IS1 {
			dst = append(dst, byte(p.Address>>8))
		} else {
			dst = append(dst, byte(p.Address>>9&0x7f))
		}
		n := 4
		if p.Form == Long64 {
			n = 8
		}
		return appendNumber(dst, p.Address>>16, n-2)
	default:
		return dst
	}
}

// appendNumber appends the n low bytes of v.
func appendNumber(dst []byte, v uint64, n int) []byte {
	for range n {
		dst = append(dst, byte(v))
		v >>= 8
	}
	return dst
}

// The information byte of a context: C V NS SF NSE 0 EL.
const (
	contextHasID   = 1 << 7
	contextHasVMID = 1 << 6
	contextNS      = 1 << 5
	contextSF      = 1 << 4
	contextNSE     = 1 << 3
	elMask         = 3
)

func (c *Config) parseContext(x *ContextInfo, r *reader) {
	info := r.byte()
	*x = ContextInfo{
		Sent: true, HasVMID: info&contextHasVMID != 0, HasID: info&contextHasID != 0,
		NS: info&contextNS != 0, NSE: info&contextNSE != 0, SF: info&contextSF != 0, EL: info & elMask,
	}
	if x.HasVMID {
		x.VMID = uint32(r.number(c.VMIDBytes))
	}
	if x.HasID {
		x.ContextID = uint32(r.number(c.ContextIDBytes))
	}
}

// maxAddressContext is the length of the longest packet that completes a position.
const maxAddressContext = 1 + 8 + 1 + 4 + 4

// The headers of Q packets whose address the next address packet tells.
const (
	headerQCount   = 0xac
	headerQNoCount = 0xaf
)

func (p *Packet) parseQ(r *reader) {
	p.parseAddress(r)
	if p.HasCount = r.b[0] != headerQNoCount; p.HasCount {
		p.Count = r.field(maxFieldBytes)
	}
}
