package keep

import (
	"testing"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// What was executed at an address is read as its instruction set says, wherever memory is.
func TestInstructionAt(t *testing.T) {
	const kernel = 0xffff_ffc0_0008_1000
	b := []byte{0xc0, 0x03, 0x5f, 0xd6, 0x70, 0x47, 0x00, 0xf0}
	m := image.New(
		image.Region{Address: kernel, Bytes: b}, image.Region{Address: 0x8000, Bytes: b},
		image.Region{Address: 0xffff_fffe, Bytes: b[:2]}, image.Region{Address: 0, Bytes: b[2:4]},
	)
	for _, tt := range []struct {
		name    string
		address schema.Address
		set     schema.ISA
		opcode  uint32 // 0: there is none
		size    uint8
	}{
		{"A64", kernel, schema.A64, 0xd65f03c0, 4},
		{"A64 below 2³²", 0x8000, schema.A64, 0xd65f03c0, 4},
		{"A32", 0x8000, schema.A32, 0xd65f03c0, 4},
		{"T32", 0x8004, schema.T32, 0x4770, 2},
		{"T32 round 2³²", 0xffff_fffe, schema.T32, 0x03c0, 2},
		{"A32 round 2³²", 0xffff_fffe, schema.A32, 0xd65f03c0, 4},
		{"nothing", 0x9000, schema.A64, 0, 0},
	} {
		in, ok := instructionAt(m, tt.address, tt.set)
		if ok != (tt.opcode != 0) || in.Opcode != tt.opcode || in.Size != tt.size {
			t.Errorf("%s: %#x of %d bytes, %t, want %#x of %d", tt.name, in.Opcode, in.Size, ok, tt.opcode, tt.size)
		}
	}
}
