package synth

import (
	"testing"

	"github.com/tracelake/tracelake/schema"
)

// The code of the sample, as the disassembler has it (objdump -d).
func TestELFCode(t *testing.T) {
	_, f := sampleProgram(t)
	code := ELFCode(f)
	for _, tt := range []struct {
		at   Place
		want bool
	}{
		{Place{Address: 0x40007ffc}, false},                   // before all
		{Place{Address: 0x40008000}, true},                    // vectors
		{Place{Address: 0x4000801c}, true},                    // the last one
		{Place{Address: 0x40008020}, false},                   // its literal
		{Place{Address: 0x40008024}, true},                    // start
		{Place{Address: 0x40008024, ISA: schema.T32}, false},  // which is A32
		{Place{Address: 0x4000882c}, false},                   // crc32, which is T32
		{Place{Address: 0x4000882c, ISA: schema.T32}, true},   //
		{Place{Address: 0x4000882c, ISA: schema.T32EE}, true}, // mapping symbols do not tell these apart
		{Place{Address: 0x40008bd0, ISA: schema.T32}, false},  // read-only data
	} {
		if got := code(tt.at); got != tt.want {
			t.Errorf("code at %s: %v", tt.at, got)
		}
	}
}
