package program_test

import (
	"testing"

	"github.com/tracelake/tracelake/bench/internal/benchtest"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/schema"
)

// The code of the sample, as the disassembler has it (objdump -d).
func TestELFCode(t *testing.T) {
	_, f := benchtest.Sample(t)
	code := program.Code(f)
	for _, tt := range []struct {
		at   step.Place
		want bool
	}{
		{step.Place{Address: 0x40007ffc}, false},                   // before all
		{step.Place{Address: 0x40008000}, true},                    // vectors
		{step.Place{Address: 0x4000801c}, true},                    // the last one
		{step.Place{Address: 0x40008020}, false},                   // its literal
		{step.Place{Address: 0x40008024}, true},                    // start
		{step.Place{Address: 0x40008024, ISA: schema.T32}, false},  // which is A32
		{step.Place{Address: 0x4000882c}, false},                   // crc32, which is T32
		{step.Place{Address: 0x4000882c, ISA: schema.T32}, true},   //
		{step.Place{Address: 0x4000882c, ISA: schema.T32EE}, true}, // mapping symbols do not distinguish T32 and ThumbEE
		{step.Place{Address: 0x40008bd0, ISA: schema.T32}, false},  // read-only data
	} {
		if got := code(tt.at); got != tt.want {
			t.Errorf("code at %s: %v", tt.at, got)
		}
	}
}
