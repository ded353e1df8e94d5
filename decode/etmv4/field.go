package etmv4

import (
	"encoding/binary"
	"io"
	"math/bits"

	"github.com/tracelake/tracelake/decode"
)

// A Field is a number in as many bytes as it takes: seven bits a byte, low first, where
// bit 7 says that more follow.
type Field struct {
	Value uint32
	// Bytes it takes: 1 to 5. In [Config.Append], 0 is as few as the value needs.
	Bytes uint8
}

// more is the bit of a byte that announces another one.
const more = 0x80

// The longest fields.
const (
	maxFieldBytes  = 5
	maxCyclesBytes = 3
)

// length is how many bytes the field takes.
func (f Field) length() int {
	if f.Bytes > 0 {
		return int(f.Bytes)
	}
	return max(1, (bits.Len32(f.Value)+6)/7)
}

func (f Field) append(dst []byte) []byte {
	return decode.AppendSevens(dst, uint64(f.Value), f.length())
}

// A reader reads the payload of a packet. After it has failed, what it reads is 0.
type reader struct {
	b     []byte // begins with the header
	n     int    // bytes read
	codec decode.Codec
	err   error
}

func (r *reader) byte() byte {
	if r.n >= len(r.b) {
		r.fail(io.ErrUnexpectedEOF)
		return 0
	}
	r.n++
	return r.b[r.n-1]
}

// word returns the next eight bytes; those that there are none of are 0.
func (r *reader) word() uint64 {
	var b [8]byte
	copy(b[:], r.b[r.n:])
	return binary.LittleEndian.Uint64(b[:])
}

// skip passes n bytes.
func (r *reader) skip(n int) {
	if n > len(r.b)-r.n {
		r.fail(io.ErrUnexpectedEOF)
		return
	}
	r.n += n
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// bad fails since the payload is wrong.
func (r *reader) bad(reason string) { r.fail(r.codec.Bad(r.b[0], reason)) }

// number reads n bytes, the low one first.
func (r *reader) number(n int) (v uint64) {
	for i := range n {
		v |= uint64(r.byte()) << (8 * i)
	}
	return v
}

// sevens reads a number in at most so many bytes of seven bits, after shift bits of it in
// first, which says whether bytes follow. It returns how many it read.
func (r *reader) sevens(first uint64, follow bool, shift, most int) (v uint64, n int) {
	v = first
	for ; follow && r.err == nil; n++ {
		if n == most {
			r.bad("a field that does not end in its last byte")
			break
		}
		x := r.byte()
		v |= uint64(x&^more) << shift
		follow, shift = x&more != 0, shift+7
	}
	return v, n
}

// field reads a field of at most so many bytes.
func (r *reader) field(most int) Field {
	v, n := r.sevens(0, true, 0, most)
	return Field{Value: uint32(v), Bytes: uint8(n)}
}
