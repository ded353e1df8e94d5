package main

import (
	"github.com/tracelake/tracelake/bench/execute"
	"github.com/tracelake/tracelake/bench/generate"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/schema"
)

// This file compares ETMv1 and ETMv2 with ETMv3: of an execution of a program made up
// for ARMv5TE, instructions alone, samples of 8 pins in a sample file.

// ports are the captures: the others are compared with the first.
func ports(instructions int64) []*subject {
	recipe := func(protocol string, minor int) *generate.Recipe {
		return &generate.Recipe{
			Protocol: protocol, Minor: minor, Framing: generate.NoFrames, Instructions: instructions,
		}
	}
	first := &subject{name: "etmv3", recipe: recipe("etmv3", 5), workload: portWorkload}
	return []*subject{
		first,
		{name: "etmv1", recipe: recipe("etmv1", 3), workload: portWorkload, beside: first},
		{name: "etmv2", recipe: recipe("etmv2", 1), workload: portWorkload, beside: first},
	}
}

// portExceptions is how many interrupts there are per million instructions.
const portExceptions = 100

// portWorkload is the execution, as it can be traced in a core of the architecture of a recipe:
// the code is the same in any.
func portWorkload(r *generate.Recipe) (*generate.Workload, error) {
	w, err := generate.GeneratedWorkload(codegen.Options{Seed: 1, Bytes: codeBytes, Base: codeBase, Arch: program.V5TE})
	if err != nil {
		return nil, err
	}
	steps := execute.Run(w.Program(), execute.Options{
		Seed: 1, Instructions: r.Instructions, Tasks: w.Tasks, Targets: w.Targets, Handlers: w.Handlers, Arch: w.Arch,
		Watchdog: true, Interrupts: 32, Rates: map[schema.ExceptionType]float64{schema.ExcIRQ: portExceptions},
	})
	return &generate.Workload{Memory: w.Memory, Arch: r.Arch(), Recorded: steps}, nil
}
