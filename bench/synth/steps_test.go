package synth_test

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/synth"
	"github.com/tracelake/tracelake/schema"
)

// parseSteps reads words of the form PLACE[>NEXT][/N] or
// !EXCEPTION:PLACE>HANDLER, with any of /cc=CYCLES /ctx=ID /vmid=ID, /off where
// tracing is disabled, /full where the FIFO is, and /trigger behind. A place is an address in hex and t or j for T32 or
// ThumbEE (e is a digit), n or h for non-secure or Hyp. Memory is address:bytes.
func parseSteps(t *testing.T, memory, words string) synth.Steps {
	t.Helper()
	program := parseProgram(t, memory)
	var steps []synth.Step
	for word := range strings.FieldsSeq(words) {
		steps = append(steps, parseStep(t, program, word))
	}
	return all(steps)
}

func parseStep(t *testing.T, program *synth.Program, word string) synth.Step {
	t.Helper()
	var s synth.Step
	parts := strings.Split(word, "/")
	from, to, branches := strings.Cut(parts[0], ">")
	if strings.HasPrefix(from, "!") {
		var name string
		name, from, _ = strings.Cut(from[1:], ":")
		kind := slices.Index(schema.ExceptionTypeNames, name)
		if kind < 0 {
			t.Fatalf("exception %q", name)
		}
		s.Entered, s.Exception = true, schema.ExceptionType(kind)
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
		case "off":
			s.Trace = synth.TraceOff
		case "full":
			s.Trace = synth.Overflowed
		case "trigger":
			s.Trigger = true
		default:
			t.Fatalf("step %q", word)
		}
	}
	return s
}

func parsePlace(t *testing.T, s string) synth.Place {
	t.Helper()
	var p synth.Place
	for {
		switch s[len(s)-1] {
		case 't':
			p.ISA = schema.T32
		case 'j':
			p.ISA = schema.T32EE
		case 'n':
			p.Security = schema.NonSecure
		case 'h':
			p.Security = schema.Hyp
		default:
			v, err := strconv.ParseUint(s, 16, 32)
			if err != nil {
				t.Fatalf("place %q: %v", s, err)
			}
			p.Address = uint32(v)
			return p
		}
		s = s[:len(s)-1]
	}
}

func all(steps []synth.Step) synth.Steps {
	return func(yield func(synth.Step, error) bool) {
		for _, s := range steps {
			if !yield(s, nil) {
				return
			}
		}
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
