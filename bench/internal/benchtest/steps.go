// Package benchtest has what tests of the bench share: steps, programs and code
// written as text, the truth as text, and a stream decoded as a user would.
package benchtest

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// ParseSteps reads steps as [Steps] does, of the program in memory, which is
// words of the form ADDRESS:BYTES.
func ParseSteps(t *testing.T, memory, words string) step.Steps {
	t.Helper()
	return Steps(t, Program(t, memory), words)
}

// Steps reads words of the form PLACE[>NEXT] or !EXCEPTION:PLACE>HANDLER, places
// as [parsePlace] has them, each with any of
//
//	/N                     it fails
//	/cc=CYCLES /ctx=ID /vmid=ID /number=IRQ /ret /trigger
//	/off                   tracing is disabled
//	/full                  the FIFO is full
//	/d=TRANSFER[,…]        its data, as [parseTransfer] has them
func Steps(t *testing.T, program *program.Program, words string) step.Steps {
	t.Helper()
	var steps []step.Step
	for word := range strings.FieldsSeq(words) {
		steps = append(steps, parseStep(t, program, word))
	}
	return All(steps)
}

func parseStep(t *testing.T, program *program.Program, word string) step.Step {
	t.Helper()
	var s step.Step
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
	s.Next.Address += schema.Address(s.Instruction.Size)
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
			s.VMID = uint32(n)
		case "number":
			s.Number = uint16(n)
		case "ret":
			s.Returns = true
		case "off":
			s.Trace = step.TraceOff
		case "full":
			s.Trace = step.Overflowed
		case "trigger":
			s.Trigger = true
		case "d":
			for transfer := range strings.SplitSeq(value, ",") {
				s.Transfers = append(s.Transfers, parseTransfer(t, transfer))
			}
		default:
			t.Fatalf("step %q", word)
		}
	}
	return s
}

// parseTransfer reads ADDRESS:VALUE:SIZE:ACCESS[:failed|:register], address and
// value in hex.
func parseTransfer(t *testing.T, text string) step.Transfer {
	t.Helper()
	f := strings.Split(text, ":")
	address, err1 := strconv.ParseUint(f[0], 16, 32)
	value, err2 := strconv.ParseUint(f[1], 16, 32)
	size, err3 := strconv.ParseUint(f[2], 10, 8)
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatalf("transfer %q", text)
	}
	x := step.Transfer{
		Address: schema.Address(address), Value: uint32(value), Size: uint8(size),
		Access: schema.Access(slices.Index(schema.AccessNames, f[3])),
	}
	x.StoreFailed, x.Register = slices.Contains(f, "failed"), slices.Contains(f, "register")
	return x
}

// parsePlace reads an address in hex, followed by t or j for T32 or ThumbEE (e is
// a digit), n or h for non-secure or Hyp.
func parsePlace(t *testing.T, s string) step.Place {
	t.Helper()
	var p step.Place
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
			p.Address = schema.Address(v)
			return p
		}
		s = s[:len(s)-1]
	}
}

// All is an execution of steps that are known.
func All(steps []step.Step) step.Steps {
	return func(yield func(step.Step, error) bool) {
		for _, s := range steps {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// Unhex reads bytes in hex, with or without spaces.
func Unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Memory reads words of the form ADDRESS:BYTES, in hex.
func Memory(t *testing.T, words string) map[schema.Address][]byte {
	t.Helper()
	memory := make(map[schema.Address][]byte)
	for word := range strings.FieldsSeq(words) {
		address, code, _ := strings.Cut(word, ":")
		memory[parsePlace(t, address).Address] = Unhex(t, code)
	}
	return memory
}

// Program is the program in memory as [Memory] reads it.
func Program(t *testing.T, words string) *program.Program {
	t.Helper()
	var regions []image.Region
	for address, code := range Memory(t, words) {
		regions = append(regions, image.Region{Address: address, Bytes: code})
	}
	return program.New(image.New(regions...))
}
