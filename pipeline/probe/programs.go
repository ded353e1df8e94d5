package probe

import (
	"github.com/tracelake/tracelake/pipeline/code"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/pipeline/tally"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/verdict"
)

// Programs are the program files of a capture, with what sources executed.
type Programs struct {
	All      []code.Program
	Executed []code.Executed
}

// ReadPrograms reads the program files of a capture.
func ReadPrograms(p *plan.Plan) (*Programs, error) {
	programs, _, err := code.Read(p.Capture, p.Dialect)
	return &Programs{All: programs}, err
}

// Count has a job count what its source executes. Where there is no program, nothing is counted.
func (p *Programs) Count(job *engine.Job, workers tally.Workers) {
	if len(p.All) == 0 {
		return
	}
	t := tally.New(workers, nil)
	job.To = t.Sinks(job.To)
	job.Done = func() error {
		counts, _, err := t.Finish()
		p.Executed = append(p.Executed, code.Counted(job.Source.Core, counts))
		return err
	}
}

// Verdict returns that on sources.
func (p *Programs) Verdict(sources []*Evidence) verdict.Verdict {
	f := verdict.Facts{PacketsOnly: true}
	for _, e := range sources {
		f.Sources = append(f.Sources, e.Totals())
		f.PacketsOnly = f.PacketsOnly && (e.Reading == nil || e.Reading.NoProgram)
	}
	return p.Judge(&f)
}

// Judge returns the verdict on facts, to which it adds those of the programs.
func (p *Programs) Judge(f *verdict.Facts) verdict.Verdict {
	f.Files, f.Outside = code.Matches(p.All, p.Executed), code.Outside(p.All, p.Executed)
	return verdict.Judge(f)
}

// Word returns the verdict on a source alone, nil if it was not decoded.
func (e *Evidence) Word() *verdict.Word {
	if e.Reading == nil {
		return nil
	}
	f := verdict.Facts{Sources: []schema.SourceTotals{e.Totals()}, PacketsOnly: e.Reading.NoProgram}
	return new(verdict.Judge(&f).Word)
}
