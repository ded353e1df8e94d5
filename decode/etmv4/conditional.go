package etmv4

import "github.com/tracelake/tracelake/decode"

// Conditional is the payload of a conditional instruction or result: what is sent, whose
// meaning depends on the packets before.
type Conditional struct {
	// Variant is the low bits of the header: of an instruction of format 2 which keys it
	// has (0: the next, 1: the same, 2: the next and the one after); of a result of format
	// 2 or 4 its token.
	Variant uint8
	// Elements of an instruction of format 3, of which SameKey says that the last has the
	// key of the one before.
	Elements uint8
	SameKey  bool
	Key      Field // of an instruction of format 1
	// Results of format 1, one or two. KeyStep is how many keys a result of format 2 is
	// after the last one, 1 or 2.
	Results     [2]Result
	ResultCount uint8
	KeyStep     uint8
	// Tokens of a result of format 3: two bits each, in 12.
	Tokens uint16
}

// A Result is one result of a conditional result packet of format 1.
type Result struct {
	Key   uint64
	Bytes uint8 // 1 to 6; in [Config.Append], 0 is as few as the key needs
	Value uint8 // RESULT, four bits
	CI    bool
}

// The headers of conditional instructions and results.
const (
	headerConditional2 = 0x40 // instruction
	headerResult4      = 0x44
	headerResult2      = 0x48
	headerResult2Next  = 0x4c
	headerResult3      = 0x50
	headerResult1Two   = 0x68
	headerConditional1 = 0x6c
	headerConditional3 = 0x6d
	headerResult1      = 0x6e

	lowTwoBits = 3
)

func (p *Packet) parseConditional(r *reader) {
	h, x := r.b[0], &p.Conditional
	if p.Kind == ConditionalInstruction {
		p.parseConditionalInstruction(r)
		return
	}
	switch {
	case h < headerResult2:
		p.Format, x.Variant = 4, h&lowTwoBits
	case h < headerResult3:
		p.Format, x.Variant, x.KeyStep = 2, h&lowTwoBits, 1+h>>2&1
	case h < headerResult1Two:
		p.Format, x.Tokens = 3, uint16(h&0xf)<<8|uint16(r.byte())
	case h < headerConditional1:
		p.Format, x.ResultCount = 1, 2
		x.Results[0].parse(r, h&1 != 0)
		x.Results[1].parse(r, h&2 != 0)
	default:
		p.Format, x.ResultCount = 1, 1
		x.Results[0].parse(r, h&1 != 0)
	}
}

func (p *Packet) parseConditionalInstruction(r *reader) {
	switch x := &p.Conditional; r.b[0] {
	case headerConditional1:
		p.Format, x.Key = 1, r.field(maxFieldBytes)
	case headerConditional3:
		y := r.byte()
		p.Format, x.Elements, x.SameKey = 3, y>>1&0x3f, y&1 != 0
	default:
		p.Format, x.Variant = 2, r.b[0]&lowTwoBits
	}
}

// The first byte of a result: C KEY[2:0] RESULT[3:0].
const (
	resultMask     = 0xf
	resultKeyShift = 4
	resultKeyBits  = 3
	maxResultBytes = 6
)

func (x *Result) parse(r *reader, ci bool) {
	first := r.byte()
	key, n := r.sevens(uint64(first>>resultKeyShift&7), first&more != 0, resultKeyBits, maxResultBytes-1)
	*x = Result{Key: key, Bytes: uint8(1 + n), Value: first & resultMask, CI: ci}
}

// length is how many bytes the result takes.
func (x *Result) length() int {
	n := 1
	for key := x.Key >> resultKeyBits; key > 0; key >>= 7 {
		n++
	}
	return max(n, int(x.Bytes))
}

func (x *Result) append(dst []byte) []byte {
	n := x.length()
	key, first := x.Key>>resultKeyBits, byte(x.Key&7)<<resultKeyShift|x.Value&resultMask
	if n == 1 {
		return append(dst, first)
	}
	return decode.AppendSevens(append(dst, first|more), key, n-1)
}

// appendConditional appends a conditional instruction or result.
func (p *Packet) appendConditional(dst []byte) []byte {
	x := &p.Conditional
	if p.Kind == ConditionalInstruction {
		switch p.Format {
		case 1:
			return x.Key.append(append(dst, headerConditional1))
		case 2:
			return append(dst, headerConditional2|x.Variant)
		default:
			return append(dst, headerConditional3, x.Elements<<1|decode.Flag(x.SameKey, 1))
		}
	}
	switch p.Format {
	case 1:
		ci := decode.Flag(x.Results[0].CI, 1)
		if x.ResultCount == 1 {
			return x.Results[0].append(append(dst, headerResult1|ci))
		}
		dst = append(dst, headerResult1Two|ci|decode.Flag(x.Results[1].CI, 2))
		return x.Results[1].append(x.Results[0].append(dst))
	case 2:
		return append(dst, headerResult2+4*(x.KeyStep-1)|x.Variant)
	case 3:
		return append(dst, headerResult3|byte(x.Tokens>>8), byte(x.Tokens))
	default:
		return append(dst, headerResult4|x.Variant)
	}
}
