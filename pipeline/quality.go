package pipeline

import (
	"context"
	"fmt"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/verdict"
	"github.com/tracelake/tracelake/schema"
)

// QualityOptions say what to look at.
type QualityOptions struct {
	Capture capture.Options
	Sources []uint8 // nil: all
	Workers int     // at least 1
	// Progress, if not nil, is called now and then.
	Progress func(Progress)
}

// A QualityReport says how much of a capture was understood and how far trace
// and program image agree.
type QualityReport struct {
	SchemaVersion int             `json:"schema_version"`
	Input         string          `json:"input"`
	Sources       []SourceQuality `json:"sources"`
	Notes         []string        `json:"notes"`
}

// A SourceQuality is how good the trace of a source is.
type SourceQuality struct {
	Source   string `json:"source"` // as [schema.SourceText] writes it
	Name     string `json:"name,omitempty"`
	Protocol string `json:"protocol,omitempty"`
	Version  string `json:"version,omitempty"`
	Core     string `json:"core,omitempty"`
	Status   string `json:"status"`
	Problem  string `json:"problem,omitempty"` // why it is not decoded
	Unit     string `json:"unit"`
	schema.Totals
	// Verdict is NULL of a source that was not decoded.
	Verdict     *verdict.Verdict `json:"verdict"`
	LossReasons []LossSum        `json:"loss_reasons"`
	Missing
	Agreements
}

// A LossSum is what was lost for one reason.
type LossSum struct {
	Reason string `json:"reason"`
	Losses int64  `json:"losses"`
	Bytes  int64  `json:"bytes"`
}

// Agreements distinguish a wrong program image from the one that ran, without a
// reference: see [decode.Quality].
type Agreements struct {
	Branches BranchAgreement `json:"branch_packets"`
	ISyncs   Agreement       `json:"periodic_i_syncs"`
	FIFO     *FIFOAgreement  `json:"fifo,omitempty"` // of samples of a trace port
}

// A FIFOAgreement distinguishes a wrong layout or port from the right one, without a
// program: see [decode.Quality].
type FIFOAgreement struct {
	Offsets      int64 `json:"offsets"` // that could be compared
	OffsetsRight int64 `json:"offsets_right"`
	Waits        int64 `json:"waits"`
	WaitsUnowed  int64 `json:"waits_unowed"` // in which no byte was owed
	Reserved     int64 `json:"reserved"`     // losses by a header that no trace unit sends
}

// An Agreement is how many packets of one kind agree with the program image.
type Agreement struct {
	Compared    int64    `json:"compared"`
	Agree       int64    `json:"agree"`
	Share       *float64 `json:"share"`        // Agree of Compared; nil if nothing was compared
	NotCompared int64    `json:"not_compared"` // the position in the program was not known
	Misses      []Miss   `json:"misses"`       // the first 16 that do not agree
}

// A BranchAgreement is the agreement of the branch packets without exception.
type BranchAgreement struct {
	Agreement
	Indirect int64 `json:"indirect"` // after an instruction that can branch indirectly
	Repeated int64 `json:"repeated"` // with the address where the program continues anyway
}

// A Miss is a [decode.Miss], its addresses in hex.
type Miss struct {
	Offset      int64  `json:"offset"`
	After       string `json:"after,omitempty"`
	Expected    string `json:"expected"`
	ExpectedISA string `json:"expected_isa"`
	Found       string `json:"found"`
	FoundISA    string `json:"found_isa"`
	Security    string `json:"security,omitempty"` // found, if another was expected
}

// Quality decodes a capture like [Export], writes nothing, and reports how good the
// trace is. It fails with a [*NothingError] if nothing was decoded.
func Quality(ctx context.Context, input string, opt QualityOptions) (*QualityReport, error) {
	s, err := openSession(ctx, input, sessionOptions{capture: opt.Capture, sources: opt.Sources, workers: opt.Workers})
	if err != nil {
		return nil, err
	}
	defer s.close()
	report := &QualityReport{SchemaVersion: schema.Version, Input: input, Sources: []SourceQuality{}, Notes: []string{}}
	at := newProgressing(s.plan, opt.Progress)
	for _, src := range s.plan.sources {
		if err := s.decode(ctx, src, stitch.Sinks{}, at.source()); err != nil {
			return nil, err
		}
		if err := s.judge(ctx, src); err != nil {
			return nil, err
		}
		report.Sources = append(report.Sources, src.sourceQuality())
	}
	report.Notes = append(report.Notes, s.plan.notes...)
	return report, s.plan.errIfEmpty()
}

// sourceQuality says how good the trace of a source is, which was decoded.
func (s *sourcePlan) sourceQuality() SourceQuality {
	o := &s.outcome
	return SourceQuality{
		Source: schema.SourceText(s.ID), Name: s.Name, Protocol: s.Protocol, Version: s.version(), Core: s.Core,
		Status: schema.SourceStatusNames[s.status], Problem: s.problem, Unit: s.unit().String(),
		Totals: o.Totals, Verdict: s.verdict, LossReasons: lossReasons(&o.Lost), Missing: missingMemory(&o.Missing), Agreements: s.agreements(),
	}
}

// lossReasons returns the sums of the reasons there were.
func lossReasons(lost *stitch.LossSums) []LossSum {
	sums := []LossSum{}
	for reason, sum := range lost {
		if sum.Losses > 0 {
			sums = append(sums, LossSum{Reason: schema.LossReasonNames[reason], Losses: sum.Losses, Bytes: sum.Bytes})
		}
	}
	return sums
}

// agreements returns the checks of a source that was decoded.
func (s *sourcePlan) agreements() Agreements {
	o := &s.outcome
	if s.layout == nil {
		return agreements(&o.Quality, nil)
	}
	q := &o.Quality
	return agreements(q, &FIFOAgreement{q.FIFOChecks, q.FIFORight, q.Waits, q.WaitsUnowed, o.Lost[schema.LossReservedHeader].Losses})
}

func agreements(q *decode.Quality, fifo *FIFOAgreement) Agreements {
	return Agreements{
		Branches: BranchAgreement{
			Agreement: agreement(q.Branches, q.BranchesAgree(), q.BranchesUnplaced, q.BranchMisses),
			Indirect:  q.BranchesIndirect, Repeated: q.BranchesRepeated,
		},
		ISyncs: agreement(q.ISyncs, q.ISyncsEqual, q.ISyncsUnplaced, q.ISyncMisses),
		FIFO:   fifo,
	}
}

func agreement(compared, agree, notCompared int64, misses []decode.Miss) Agreement {
	a := Agreement{Compared: compared, Agree: agree, NotCompared: notCompared, Misses: []Miss{}}
	if compared > 0 {
		a.Share = new(float64(agree) / float64(compared))
	}
	for _, m := range misses {
		miss := Miss{
			Offset: m.Offset, Expected: hexAddress(m.Expected.Address), ExpectedISA: m.Expected.ISA.String(),
			Found: hexAddress(m.Found.Address), FoundISA: m.Found.ISA.String(),
		}
		if m.After.OK {
			miss.After = hexAddress(m.After.V)
		}
		if m.Security.OK {
			miss.Security = m.Security.V.String()
		}
		a.Misses = append(a.Misses, miss)
	}
	return a
}

func hexAddress(a uint32) string { return fmt.Sprintf("0x%08x", a) }
