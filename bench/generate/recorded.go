package generate

import (
	"fmt"
	"io"

	"github.com/tracelake/tracelake/bench/cost"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/recording/qemu"
	"github.com/tracelake/tracelake/bench/step"
)

// A QEMULog is what qemu-arm logged of a program, one instruction a record: see
// [qemu.ReadUserLog].
type QEMULog struct {
	Name string // for errors
	Data io.Reader
}

// RecordedWorkload is the program of an ELF file, and an execution of it that was
// recorded. It is good for one capture, which is of one core.
func RecordedWorkload(name string, file []byte, log QEMULog) (*Workload, error) {
	regions, _, err := readELF(name, file)
	if err != nil {
		return nil, err
	}
	w := &Workload{Memory: regions, HighVectors: true} // Linux's
	w.Recorded = log.steps(w.Program())
	return w, nil
}

// steps are what is logged of a program, with made-up costs. Errors name the log.
func (l QEMULog) steps(p *program.Program) step.Steps {
	return func(yield func(step.Step, error) bool) {
		for s, err := range new(cost.Model).Apply(qemu.ReadUserLog(l.Data, p)) {
			if err != nil {
				err = fmt.Errorf("%s: %w", l.Name, err)
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// firstInstructions are the steps before the traced instruction n, counted from 0;
// all of them if n is 0.
func firstInstructions(steps step.Steps, n int64) step.Steps {
	if n == 0 {
		return steps
	}
	return func(yield func(step.Step, error) bool) {
		left := n
		for s, err := range steps {
			if err == nil && !s.Entered && s.Trace == step.Traced {
				if left == 0 {
					return
				}
				left--
			}
			if !yield(s, err) {
				return
			}
		}
	}
}
