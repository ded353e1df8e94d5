package synth_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/synth"
	"github.com/tracelake/tracelake/schema"
)

// etmSteps reads words of the form PLACE[>NEXT] or !EXCEPTION:PLACE>HANDLER,
// places as [parsePlace] has them, each with any of /N, /cc=CYCLES, /ctx=ID,
// /vmid=ID, /number=IRQ, /ret, /off, /overflow, /trigger and
// /d=ADDRESS:VALUE:SIZE:ACCESS[:failed|:register],…; addresses and values are in
// hex.
func etmSteps(t *testing.T, program *synth.Program, list string) synth.Steps {
	t.Helper()
	var steps []synth.Step
	for word := range strings.FieldsSeq(list) {
		steps = append(steps, etmStep(t, program, word))
	}
	return all(steps)
}

func etmStep(t *testing.T, program *synth.Program, word string) synth.Step {
	t.Helper()
	var s synth.Step
	parts := strings.Split(word, "/")
	from, to, branches := strings.Cut(parts[0], ">")
	if name, at, ok := strings.Cut(from, ":"); ok {
		s.Entered, s.Exception = true, schema.ExceptionType(slices.Index(schema.ExceptionTypeNames, name[1:]))
		from = at
	}
	s.At = parsePlace(t, from)
	if !s.Entered {
		var err error
		if s.Instruction, err = program.Instruction(s.At); err != nil {
			t.Fatal(err)
		}
	}
	s.Next = s.At
	s.Next.Address += uint32(s.Instruction.Size)
	if branches {
		s.Next = parsePlace(t, to)
	}
	for _, p := range parts[1:] {
		name, value, _ := strings.Cut(p, "=")
		n, _ := strconv.ParseUint(value, 10, 32)
		switch name {
		case "N":
			s.Failed = true
		case "cc":
			s.Cycles = uint32(n)
		case "ctx":
			s.ContextID = uint32(n)
		case "vmid":
			s.VMID = uint8(n)
		case "number":
			s.Number = uint16(n)
		case "ret":
			s.Returns = true
		case "off":
			s.Trace = synth.TraceOff
		case "overflow":
			s.Trace = synth.Overflowed
		case "trigger":
			s.Trigger = true
		case "d":
			for transfer := range strings.SplitSeq(value, ",") {
				s.Transfers = append(s.Transfers, etmTransfer(t, transfer))
			}
		default:
			t.Fatalf("step %q", word)
		}
	}
	return s
}

func etmTransfer(t *testing.T, text string) synth.Transfer {
	t.Helper()
	f := strings.Split(text, ":")
	address, err1 := strconv.ParseUint(f[0], 16, 32)
	value, err2 := strconv.ParseUint(f[1], 16, 32)
	size, err3 := strconv.ParseUint(f[2], 10, 8)
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatalf("transfer %q", text)
	}
	x := synth.Transfer{Address: uint32(address), Value: uint32(value), Size: uint8(size), Access: schema.Access(slices.Index(schema.AccessNames, f[3]))}
	x.StoreFailed, x.Register = slices.Contains(f, "failed"), slices.Contains(f, "register")
	return x
}
