package isa_test

import (
	"bufio"
	"bytes"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// TestSilicon follows the reference listings of real captures: each instruction
// is followed by the one that isa expects, and in PFT, ETMv4 and ETE an instruction has
// an outcome if and only if it is a waypoint or P0 instruction. Those that ETE passes on
// the way to a source address have none, and were not taken.
func TestSilicon(t *testing.T) {
	captures := []struct {
		folder, source string
		outcomes       bool // of waypoints or P0 instructions alone
		passed         int  // conditional branches, on the way to source addresses
		min            int  // lines to compare, else the test has no force
		// wrong are ranges of the listing that are known to be wrong.
		wrong []offsetRange
	}{
		{"opencsd-trace_cov_a15", "02", true, 0, 57, nil},
		{"opencsd-tc2-ptm-rstk-t32", "02", true, 0, 192_073, nil},
		{"opencsd-TC2", "13", true, 0, 9_548, nil},
		{"opencsd-TC2", "10", false, 0, 7_205, nil},
		{"opencsd-TC2", "11", false, 0, 7_471, nil},
		{"opencsd-TC2", "12", false, 0, 1_947, nil},
		{"stm32f105-m3-etmv34-itm-swo", "02", false, 0, 1_200, nil},
		{"am243x-r5f-etmv3-freertos-002b37c", "10", false, 0, 232_205, nil},
		{"am243x-r5f-etmv3-zephyr-e9185a9", "10", false, 0, 354_936 - 2_269 - 2, []offsetRange{
			{23584, 24056}, // older ring content after an entry to debug state: 2,269 instructions that never ran
			{65357, 65357}, // the vectors that ran are not those of the ELF: here is the
			{65437, 65437}, // opcode of a direct branch to another address
		}},
		{"am243x-r5f-etmv3-threadx-ce42d22", "10", false, 0, 256_395, nil},
		{"etm4-juno-uname-002", "16", true, 0, 31_566, nil},
		{"ete-002-ack_test_scr", "02", true, 38, 5_146, nil},
		{"ete-src_addr", "02", true, 62, 12_625, nil},
		{"ete-ete_spec_1", "01", true, 0, 254, nil},
		{"ete-trace_file_cid_vmid", "02", true, 0, 29_127, nil},
		{"ete-ts_marker", "01", true, 0, 1_050, nil},
	}
	for _, c := range captures {
		t.Run(c.folder+"/"+c.source, func(t *testing.T) {
			file := filepath.Join(shared.File(t, "captures"), c.folder, "expected", c.source+".tsv.gz")
			passed := checkListing(t, file, c.outcomes, c.min, c.wrong)
			if passed != c.passed {
				t.Errorf("%d conditional branches without outcome, want %d", passed, c.passed)
			}
		})
	}
}

// An offsetRange is a range of capture offsets, both ends included.
type offsetRange struct{ first, last int }

func (s offsetRange) holds(offset int) bool { return s.first <= offset && offset <= s.last }

// A step is an instruction of a listing and what it was said to do.
type step struct {
	isa.Instruction
	offset  int // in the capture
	address schema.Address
	in      schema.ISA
	outcome string // E, N or ?
}

// checkListing returns the number of conditional branches that were passed without an
// outcome.
func checkListing(t *testing.T, file string, outcomes bool, min int, wrong []offsetRange) (passed int) {
	t.Helper()
	lines, steps := 0, 0
	var last *step
	for text := range listing(t, file) {
		switch kind, rest, _ := strings.Cut(text, "\t"); kind {
		case "I":
			s := parseStep(t, rest)
			if slices.ContainsFunc(wrong, func(w offsetRange) bool { return w.holds(s.offset) }) {
				last = nil
				continue
			}
			lines++
			switch ends := s.Flow != isa.None && s.Flow != isa.DataBarrier; {
			case !outcomes || ends == (s.outcome != "?"):
			case s.in == schema.A64 && s.Conditional(s.in):
				passed++
			default:
				t.Errorf("%s: %v, flow %v", text, s.Kind, s.Flow)
			}
			if last != nil && (last.Flow != isa.Indirect || last.outcome != "E") {
				steps++
				if address, in := last.next(); s.address != address || s.in != in {
					t.Errorf("%s: %08x at %08x %v before it leads to %08x %v",
						text, last.Opcode, last.address, last.outcome, address, in)
				}
			}
			last = &s
		case "C", "T", "P": // do not touch the flow
		default:
			last = nil
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	if lines < min {
		t.Errorf("%d instructions, want %d", lines, min)
	}
	t.Logf("%d instructions, %d steps between them", lines, steps)
	return passed
}

// parseStep reads the fields of an I line after the letter: offset, address,
// size, isa, opcode, outcome.
func parseStep(t *testing.T, fields string) step {
	t.Helper()
	f := strings.Split(fields, "\t")
	if len(f) != 6 {
		t.Fatalf("%q: want six fields", fields)
	}
	number := func(text string, base int) uint64 {
		n, err := strconv.ParseUint(text, base, 64)
		if err != nil {
			t.Fatalf("%q: %v", fields, err)
		}
		return n
	}
	s := step{offset: int(number(f[0], 10)), address: schema.Address(number(f[1], 16)), outcome: f[5]}
	size, opcode := number(f[2], 10), uint32(number(f[4], 16))
	switch {
	case f[3] == "a64":
		s.in, s.Instruction = schema.A64, isa.A64(opcode, s.address)
	case f[3] == "a32":
		s.in, s.Instruction = schema.A32, isa.PFT.A32(opcode, s.address)
	case size == 4:
		s.in, s.Instruction = schema.T32, isa.PFT.T32(uint16(opcode>>16), uint16(opcode), s.address, false)
	default:
		s.in, s.Instruction = schema.T32, isa.PFT.T32(uint16(opcode), 0, s.address, false)
	}
	if uint64(s.Size) != size || s.Opcode != opcode {
		t.Fatalf("%q: got %+v", fields, s.Instruction)
	}
	return s
}

// next returns where s goes; s is no taken indirect branch.
func (s *step) next() (schema.Address, schema.ISA) {
	if s.Flow == isa.Direct && s.outcome == "E" {
		return s.Target, s.TargetISA
	}
	return s.address + schema.Address(s.Size), s.in
}

// listing returns the lines of a compressed file.
func listing(t *testing.T, file string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		s := bufio.NewScanner(bytes.NewReader(shared.Read(t, file)))
		for s.Scan() && yield(s.Text()) {
		}
		if err := s.Err(); err != nil {
			t.Fatal(err)
		}
	}
}
