package program_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/decode/program"
	"github.com/tracelake/tracelake/decode/program/internal/forge"
	"github.com/tracelake/tracelake/schema"
)

// What code is depends on the dialect, in a program and of one opcode alone: a loop of v8.1-M has branches, and profile M
// has no BLX to A32.
func TestCodeDialects(t *testing.T) {
	const wls, le, blx, enterX = 0xF040C005, 0xF00FC005, 0xF000E802, 0xF3BF8F1F
	var code []byte
	words := []uint32{wls, le, blx, enterX}
	for _, w := range words {
		code = append(code, forge.T32(uint16(w>>16), uint16(w))...)
	}
	f := forge.File{
		Sections: []forge.Section{forge.Code(".text", 0x8000, code)},
		Symbols:  []forge.Symbol{mapping("$t", 0x8000)},
	}
	for _, tt := range []struct {
		dialect isa.Dialect
		want    []string
	}{
		{isa.PFT, []string{"other", "other", "call 8010 a32", "branch 8010 t32ee"}},
		{isa.ETMv4, []string{"other", "other", "call 8010 a32", "other"}},
		{isa.ETMv4M, []string{"branch 800c t32 conditional", "branch 8000 t32 conditional", "other", "other"}},
	} {
		p, err := program.Read(open(f.Bytes()), nil, tt.dialect)
		if err != nil {
			t.Fatal(err)
		}
		var got, alone []string
		for i, x := range p.Code {
			got = append(got, flowOf(&x))
			one := program.Alone(tt.dialect, x.Address, schema.T32, words[i], 4)
			alone = append(alone, flowOf(&one))
		}
		if !slices.Equal(got, tt.want) || !slices.Equal(alone, tt.want) {
			t.Errorf("dialect %d: %q, alone %q, want %q", tt.dialect, got, alone, tt.want)
		}
	}
}

// flowOf returns the kind of an instruction, and its target and condition if it has them.
func flowOf(x *program.Instruction) string {
	text := x.Kind.String()
	if x.Target.OK {
		text += fmt.Sprintf(" %x %s", x.Target.V, x.TargetISA.V)
	}
	if x.Conditional {
		text += " conditional"
	}
	return text
}
