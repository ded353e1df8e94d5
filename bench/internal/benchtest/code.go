package benchtest

import (
	"encoding/binary"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// A32 is memory with A32 instructions, or with words of data.
func A32(address schema.Address, words ...uint32) image.Region {
	r := image.Region{Address: address}
	for _, w := range words {
		r.Bytes = binary.LittleEndian.AppendUint32(r.Bytes, w)
	}
	return r
}

// T32 is memory with T32 instructions, or with halfwords of data. Instructions of
// 32 bits have their first halfword on top, which is not 0.
func T32(address schema.Address, words ...uint32) image.Region {
	r := image.Region{Address: address}
	for _, w := range words {
		if w>>16 != 0 {
			r.Bytes = binary.LittleEndian.AppendUint16(r.Bytes, uint16(w>>16))
		}
		r.Bytes = binary.LittleEndian.AppendUint16(r.Bytes, uint16(w))
	}
	return r
}
