package pipeline

import (
	"errors"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/program"
	"github.com/tracelake/tracelake/pipeline/code"
	"github.com/tracelake/tracelake/pipeline/tally"
	"github.com/tracelake/tracelake/schema"
)

// programs reads the program files of the capture, and notes what they lack.
func (s *session) programs() ([]code.Program, error) {
	return readPrograms(s.capture, s.plan.note)
}

// readPrograms reads the program files of a capture; note is called with what they lack.
func readPrograms(c *capture.Capture, note func(format string, args ...any)) ([]code.Program, error) {
	var programs []code.Program
	for i := range c.Programs {
		f := &c.Programs[i]
		p, err := program.Read(f.File, f.Base)
		if bad, ok := errors.AsType[*image.FormatError](err); ok {
			return nil, &capture.InputError{File: f.Name, Problem: bad.Problem, Remedy: bad.Remedy, Err: err}
		}
		if err != nil {
			return nil, err
		}
		for _, lack := range p.Notes {
			note("%s: %s", f.Name, lack)
		}
		programs = append(programs, code.Program{Program: p, Core: f.Core})
	}
	return code.Check(programs)
}

// writePrograms writes the tables of the program, and returns the rows of `images`
// for program files.
func (e *exporter) writePrograms() []schema.ImageRegion {
	images := code.Images(e.programs, e.executed)
	for _, file := range code.Idle(images) {
		e.plan.note("nothing was executed in %s: is it the program that ran?", file)
	}
	code.Write(e.out, e.programs, e.executed)
	return images
}

// executed returns what a source of a core executed.
func executed(core string, counts []tally.Count) code.Executed {
	x := code.Executed{Core: core}
	for i := range counts {
		c := &counts[i]
		x.Instructions = append(x.Instructions, code.Instruction{Address: c.Address, ISA: c.ISA, Size: c.Size, Opcode: c.Opcode})
	}
	return x
}
