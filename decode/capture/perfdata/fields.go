package perfdata

import (
	"bytes"
	"encoding/binary"
)

// fields are the bytes of a record from which its fields are taken one after the other. Fields
// beyond the end are 0.
type fields struct {
	b     []byte
	short bool // a field was beyond the end
}

// take takes n bytes, or nil if there are fewer.
func (f *fields) take(n int) []byte {
	if n > len(f.b) {
		f.b, f.short = nil, true
		return nil
	}
	b := f.b[:n]
	f.b = f.b[n:]
	return b
}

func (f *fields) u8() uint8 {
	if b := f.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (f *fields) u16() uint16 {
	if b := f.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (f *fields) u32() uint32 {
	if b := f.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (f *fields) u64() uint64 {
	if b := f.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (f *fields) i32() int32 { return int32(f.u32()) }

// text takes the rest, up to its first NUL.
func (f *fields) text() []byte {
	b := f.take(len(f.b))
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return b
}

// str takes a string with its length before it, without the NULs that fill it.
func (f *fields) str() string {
	n := f.u32()
	if uint64(n) > uint64(len(f.b)) {
		f.b, f.short = nil, true
		return ""
	}
	s := fields{b: f.take(int(n))}
	return string(s.text())
}
