package probe

import (
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/code"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/tally"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/verdict"
)

// Programs are the program files of a capture, with what sources executed.
type Programs struct {
	programs []code.Program
	executed []code.Executed
}

// ReadPrograms reads the program files of a capture.
func ReadPrograms(c *capture.Capture) (*Programs, error) {
	programs, _, err := code.Read(c)
	return &Programs{programs: programs}, err
}

// Count has a job count what its source executes. finish adds it, once the job is done. Where there is no program,
// nothing is counted.
func (p *Programs) Count(job *engine.Job, workers tally.Workers) (finish func() error) {
	if len(p.programs) == 0 {
		return func() error { return nil }
	}
	t := tally.New(workers)
	job.To = t.Sinks(job.To)
	return func() error {
		counts, _, err := t.Finish()
		p.executed = append(p.executed, code.Counted(job.Source.Core, counts))
		return err
	}
}

// Verdict returns that on sources.
func (p *Programs) Verdict(sources []*Evidence) verdict.Verdict {
	f := verdict.Facts{
		PacketsOnly: true, Files: code.Matches(p.programs, p.executed), Outside: code.Outside(p.programs, p.executed),
	}
	for _, e := range sources {
		f.Sources = append(f.Sources, e.Totals())
		f.PacketsOnly = f.PacketsOnly && (e.Reading == nil || e.Reading.NoProgram)
	}
	return verdict.Judge(&f)
}

// Word returns the verdict on a source alone, nil if it was not decoded.
func (e *Evidence) Word() *verdict.Word {
	if e.Reading == nil {
		return nil
	}
	f := verdict.Facts{Sources: []schema.SourceTotals{e.Totals()}, PacketsOnly: e.Reading.NoProgram}
	return new(verdict.Judge(&f).Word)
}
