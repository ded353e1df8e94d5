package content

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
)

// add adds the coverage of a thing.
func (x *Extent) add(t *report.Tally) {
	x.Covered = append(x.Covered, t.Covered)
	x.Reached = append(x.Reached, t.Reached)
	x.Of = append(x.Of, t.Of)
	x.Percent = append(x.Percent, Percent(t.Covered, t.Of))
}

// add adds what a thing took, of all that was spent.
func (w *Work) add(own, spent int64) {
	w.Own = append(w.Own, own)
	w.Share = append(w.Share, Percent(own, spent))
}

// newFiles returns the files of the program, nil if it has no lines, and their indexes.
func newFiles(c *report.Coverage, h *report.Hotspots) (*Files, map[string]int32) {
	rows := slices.DeleteFunc(slices.Clone(c.Rows), func(r report.CoverageRow) bool { return r.File == "" })
	if !c.Named || len(rows) == 0 {
		return nil, nil
	}
	took, spent := map[string]int64{}, answer.Total(h, h.ByCycles)
	for i := range h.Rows {
		took[h.Rows[i].File] += answer.Own(h.Rows[i].Instructions, h.Rows[i].Cycles, h.ByCycles)
	}
	slices.SortFunc(rows, func(x, y report.CoverageRow) int {
		return cmp.Or(cmp.Compare(took[y.File], took[x.File]), cmp.Compare(y.Instructions.Covered, x.Instructions.Covered),
			strings.Compare(x.File, y.File))
	})
	x, index := &Files{}, map[string]int32{}
	for i := range rows {
		r := &rows[i]
		index[r.File] = int32(i)
		x.Path = append(x.Path, Name(r.File))
		x.Extent.add(&r.Instructions)
		x.Lines, x.LinesCovered = append(x.Lines, r.Lines.Of), append(x.LinesCovered, r.Lines.Covered)
		x.Outcomes, x.OutcomesSeen = append(x.Outcomes, r.Outcomes.Of), append(x.OutcomesSeen, r.Outcomes.Covered)
		x.Why = append(x.Why, answer.WhyMissed(r))
		x.Work.add(took[r.File], spent)
	}
	return x, index
}
