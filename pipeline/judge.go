package pipeline

import (
	"context"
	"fmt"

	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/verdict"
	"github.com/tracelake/tracelake/schema"
)

// judge sets the verdict on a source that was decoded. Where much is wrong it
// decodes a sample in other ways, to find a remedy.
func (s *session) judge(ctx context.Context, src *sourcePlan) error {
	if src.status != schema.StatusDecoded {
		return nil
	}
	if src.layout != nil && src.outcome.Totals.Segments == 0 {
		var err error
		if src.statuses, err = src.countStatuses(sampleBytes); err != nil {
			return err
		}
	}
	f := facts(&src.outcome)
	f.NoProgram = s.packetsOnly || src.Memory.Empty()
	v := verdict.Judge(&f)
	src.verdict = &v
	if v.Status != verdict.Good {
		defer src.forget()
		var err error
		if v.Remedy, err = s.remedy(ctx, src); err != nil {
			return fmt.Errorf("source %s: try other settings: %w", schema.SourceText(src.ID), err)
		}
	}
	v.Cause = src.cause(&v)
	return nil
}

// facts returns what a verdict on a decoded stream rests on.
func facts(o *stitch.Outcome) verdict.Facts {
	t, q := &o.Totals, &o.Quality
	return verdict.Facts{
		Bytes: t.Bytes, Decoded: t.BytesDecoded, Lost: t.BytesLost, Unplaced: t.BytesUnplaced,
		Start:  o.Lost[schema.LossUnsynced].Bytes,
		Checks: q.Branches + q.ISyncs, Agrees: q.BranchesAgree() + q.ISyncsEqual, Empty: o.Empty(),
		Offsets: q.FIFOChecks, OffsetsRight: q.FIFORight,
	}
}

// cause returns the commonest cause of what a verdict names, nil if none was
// counted.
func (s *sourcePlan) cause(v *verdict.Verdict) *verdict.Cause {
	if v.Status == verdict.Nothing {
		return &verdict.Cause{Count: 1, Text: s.reason()}
	}
	switch v.Problem {
	case verdict.Lost:
		return s.causes.lost.Commonest()
	case verdict.Misaligned:
		return s.causes.unplaced.Commonest()
	case verdict.Unplaced:
		most, missing := s.causes.unplaced.Commonest(), s.outcome.Missing.Ranges()
		if len(missing) > 0 && (most == nil || missing[0].Stops >= most.Count) {
			return &verdict.Cause{Count: missing[0].Stops, Text: fmt.Sprintf("no program memory at %s: give it with -e FILE or --image FILE@ADDR", hexAddress(missing[0].First))}
		}
		return most
	case verdict.Contradicted, verdict.NoProblem:
	}
	return nil
}
