package sample_test

import (
	"bytes"
	"compress/gzip"
	"testing"

	"github.com/tracelake/tracelake/bench/recording"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/bench/sample/internal/remake"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/schema"
)

// The recording of the ARM926EJ-S is one of its ELF file, to the end: as many
// instructions and exceptions as QEMU logged and the program printed (README.md),
// each at its vector, and nothing else that goes there.
func TestARM926(t *testing.T) {
	program, err := remake.LoadProgram(sample.ARM926())
	if err != nil {
		t.Fatal(err)
	}
	text, err := gzip.NewReader(bytes.NewReader(sample.ARM926Recording()))
	if err != nil {
		t.Fatal(err)
	}
	vectors := map[schema.ExceptionType]schema.Address{
		schema.ExcUndefined: 0x04, schema.ExcSVC: 0x08, schema.ExcPrefetchAbort: 0x0C, schema.ExcDataAbort: 0x10,
		schema.ExcIRQ: 0x18, schema.ExcFIQ: 0x1C,
	}
	const beyond = 0x20
	got := make(map[schema.ExceptionType]int)
	contexts := make(map[uint32]bool)
	instructions, t32, calls := 0, 0, 0
	var last step.Step
	for s, err := range recording.Read(text, program.Program, schema.Secure) {
		switch {
		case err != nil:
			t.Fatal(err)
		case instructions > 0 && s.At != last.Next && s.Exception != schema.ExcUndefined:
			t.Fatalf("after %+v comes %+v", last, s)
		case s.Entered:
			got[s.Exception]++
			if s.Next.Address != vectors[s.Exception] {
				t.Errorf("%s goes to %s", s.Exception, s.Next)
			}
		default:
			instructions++
			contexts[s.ContextID] = true
			if s.Next.Address < beyond && s.At.Address >= beyond {
				t.Errorf("%s goes to a vector", s.At)
			}
			if s.At.ISA == schema.T32 {
				t32++
				calls += int(s.Instruction.Size/2 - 1)
				if s.Instruction.Size == 4 && s.Instruction.Kind != schema.KindCall {
					t.Errorf("%s: T32 of 32 bits, opcode 0x%x", s.At, s.Instruction.Opcode)
				}
			}
		}
		last = s
	}
	for x, want := range map[schema.ExceptionType]int{
		schema.ExcUndefined: 8, schema.ExcSVC: 20, schema.ExcPrefetchAbort: 4, schema.ExcDataAbort: 4,
		schema.ExcIRQ: 0x3c, schema.ExcFIQ: 0x22,
	} {
		if got[x] != want {
			t.Errorf("%s %d times, want %d", x, got[x], want)
		}
	}
	if instructions != 247_891 || t32 < 100_000 || calls < 500 || len(contexts) != 6 {
		t.Errorf("%d instructions, %d of T32, %d BL and BLX of them; %d contexts", instructions, t32, calls, len(contexts))
	}
}
