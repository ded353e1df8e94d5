package code

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/decode/program"
	"github.com/tracelake/tracelake/pipeline/tally"
	"github.com/tracelake/tracelake/schema"
)

func instruction(address schema.Address, isa schema.ISA, size uint8, opcode uint32) tally.Instruction {
	return tally.Instruction{PC: tally.PC{Address: address, ISA: isa}, Size: size, Opcode: opcode}
}

// made returns a program with one section of bytes at an address, one function for
// the whole of it, and an instruction for each of its words.
func made(name, core string, address schema.Address, words ...uint32) Program {
	s := program.Section{Name: ".text", Address: address}
	p := &program.Program{File: name, CodeSHA256: name, SHA256: name}
	for i, w := range words {
		at := address + 4*schema.Address(i)
		s.Bytes = append(s.Bytes, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
		p.Code = append(p.Code, program.Instruction{Address: at, Size: 4, Opcode: w, Function: schema.Of[int32](0), Section: s.Name})
		p.Lines = append(p.Lines, program.Line{Address: at, File: "a.c", Line: 1, Function: schema.Of[int32](0)})
	}
	p.Sections = []program.Section{s}
	p.Functions = []program.Function{{Address: address, Size: uint32(len(s.Bytes)), Name: name}}
	return Program{Program: p, Core: core}
}

const nop, movs = 0xe1a00000, 0xe3b00000

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		name     string
		programs []Program
		want     int            // programs that are left
		overlap  schema.Address // of the error
	}{
		{"one", []Program{made("a", "", 0x8000, nop)}, 1, 0},
		{"twice the same", []Program{made("a", "", 0x8000, nop), made("a", "", 0x8000, nop)}, 1, 0},
		{"side by side", []Program{made("a", "", 0x8000, nop), made("b", "", 0x8004, nop)}, 2, 0},
		{"overlapping", []Program{made("a", "", 0x8000, nop, nop), made("b", "", 0x8004, nop)}, 0, 0x8004},
		{"of two cores", []Program{made("a", "cpu_0", 0x8000, nop), made("b", "cpu_1", 0x8000, nop)}, 2, 0},
		{"the same of two cores", []Program{made("a", "cpu_0", 0x8000, nop), made("a", "cpu_1", 0x8000, nop)}, 2, 0},
		{"of one core and of every core", []Program{made("a", "cpu_0", 0x8000, nop), made("b", "", 0x8000, nop)}, 0, 0x8000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Check(tt.programs)
			if bad, ok := errors.AsType[*OverlapError](err); ok != (tt.overlap != 0) || ok && bad.Address != tt.overlap {
				t.Fatalf("error %v, want one at %#x", err, tt.overlap)
			}
			if len(got) != tt.want {
				t.Errorf("%d programs are left, want %d", len(got), tt.want)
			}
		})
	}
}

func TestImages(t *testing.T) {
	a32 := func(address schema.Address, opcode uint32) tally.Instruction {
		return instruction(address, schema.A32, 4, opcode)
	}
	programs := []Program{made("a", "", 0x8000, nop, nop, nop, 0x46c0bf00), made("b", "cpu_1", 0x9000, nop)}
	programs[1].Base = 0x1000
	for _, tt := range []struct {
		name     string
		executed []Executed
		a, b     any // match
		idle     []string
	}{
		{"nothing", nil, nil, nil, []string{"a", "b"}},
		{"all equal", []Executed{{"cpu_0", []tally.Instruction{a32(0x8000, nop), a32(0x8008, nop)}}}, 1.0, nil, []string{"b"}},
		{"one differs", []Executed{{"cpu_0", []tally.Instruction{a32(0x8000, nop), a32(0x8004, movs)}}}, 0.5, nil, []string{"b"}},
		{"an address counts once", []Executed{
			{"cpu_0", []tally.Instruction{a32(0x8000, nop)}}, {"cpu_1", []tally.Instruction{a32(0x8000, nop), a32(0x8004, movs)}},
		}, 0.5, nil, []string{"b"}},
		{"and is equal if all are", []Executed{
			{"cpu_0", []tally.Instruction{a32(0x8000, movs)}}, {"cpu_1", []tally.Instruction{a32(0x8000, nop)}},
		}, 0.0, nil, []string{"b"}},
		{"another core's", []Executed{{"cpu_0", []tally.Instruction{a32(0x9000, nop)}}}, nil, nil, []string{"a", "b"}},
		{"its own core's", []Executed{{"cpu_1", []tally.Instruction{a32(0x9000, nop)}}}, nil, 1.0, []string{"a"}},
		{"halfwords", []Executed{{"", []tally.Instruction{
			instruction(0x800c, schema.T32, 2, 0xbf00), instruction(0x800e, schema.T32, 2, 0x46c0), instruction(0x8008, schema.T32, 4, 0x0000e1a0),
		}}}, 1.0, nil, []string{"b"}},
		{"words of A64", []Executed{{"", []tally.Instruction{
			instruction(0x8000, schema.A64, 4, nop), instruction(0x800c, schema.A64, 4, 0x46c0bf00),
		}}}, 1.0, nil, []string{"b"}},
		{"beyond the end", []Executed{{"", []tally.Instruction{instruction(0x800e, schema.T32, 4, 0x46c00000)}}}, 0.0, nil, []string{"b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rows := Images(programs, tt.executed)
			var got []any
			for _, r := range rows {
				var match any
				if r.Match != nil {
					match = *r.Match
				}
				got = append(got, match)
			}
			if diff := cmp.Diff([]any{tt.a, tt.b}, got); diff != "" {
				t.Error("match (-want +got)\n" + diff)
			}
			if rows[0].Base != 0 || rows[1].Base != 0x1000 {
				t.Errorf("bases %s and %s", rows[0].Base.Hex(), rows[1].Base.Hex())
			}
			if diff := cmp.Diff(tt.idle, Idle(rows)); diff != "" {
				t.Error("idle (-want +got)\n" + diff)
			}
		})
	}
}

// TestMerge has two programs of which one has sections on both sides of the other.
func TestMerge(t *testing.T) {
	outer, inner := made("low", "", 0x1000, nop), made("inner", "", 0x2000, nop, movs)
	high := made("high", "", 0x3000, nop)
	outer.Functions = append(outer.Functions, high.Functions[0])
	high.Code[0].Function.V, high.Lines[0].Function.V = 1, 1
	outer.Code, outer.Lines = append(outer.Code, high.Code[0]), append(outer.Lines, high.Lines[0])
	for _, order := range [][]Program{{outer, inner}, {inner, outer}} {
		all := merge(order)
		var names []string
		for _, f := range all.Functions {
			names = append(names, f.Name)
		}
		if diff := cmp.Diff([]string{"low", "inner", "high"}, names); diff != "" {
			t.Error("functions (-want +got)\n" + diff)
		}
		var code, lines []string
		for i := range all.Code {
			code = append(code, names[all.Code[i].Function.V])
			lines = append(lines, names[all.Lines[i].Function.V])
		}
		want := []string{"low", "inner", "inner", "high"}
		if diff := cmp.Diff([][]string{want, want}, [][]string{code, lines}); diff != "" {
			t.Error("functions of code and lines (-want +got)\n" + diff)
		}
	}
}
