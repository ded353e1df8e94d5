package content

import (
	"cmp"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
)

// readCode fills in the instructions of lines: of files that have text all, of others those of lines that were reached.
func (s *Source) readCode(m *report.Merged, index map[string]int32, byCycles bool) {
	files, reached := map[int32]*SourceFile{}, map[linePlace]bool{}
	for i := range s.Files {
		f := &s.Files[i]
		files[f.File] = f
		line := uint32(0)
		for _, more := range f.Seen.Number {
			line += more
			reached[linePlace{f.File, line}] = true
		}
	}
	rows := map[*SourceFile][]report.ListingRow{}
	for r := range m.ListingRows() {
		i, ok := index[r.File]
		if f := files[i]; ok && f != nil && (f.Text != nil || reached[linePlace{i, r.Line}]) {
			rows[f] = append(rows[f], r)
		}
	}
	for f, list := range rows {
		slices.SortStableFunc(list, func(a, b report.ListingRow) int { return cmp.Compare(a.Line, b.Line) })
		f.Code = newCode(list, byCycles)
	}
}

// A linePlace is a line of a file of the page.
type linePlace struct {
	file int32
	line uint32
}

// newCode returns instructions that are in the order of lines.
func newCode(rows []report.ListingRow, byCycles bool) *Code {
	c := &Code{}
	for i := range rows {
		r := &rows[i]
		c.Line, c.Address = append(c.Line, r.Line), append(c.Address, int64(r.Address))
		c.Opcode, c.Kind = append(c.Opcode, answer.Opcode(r.Opcode, r.Size)), append(c.Kind, answer.KindOf(r))
		c.Count = append(c.Count, r.Executions())
		c.Heat = append(c.Heat, answer.Own(r.Executions(), r.Cycles, byCycles))
		outcome := []int64{}
		if r.Conditional || r.Failed > 0 {
			outcome = append(outcome, r.Executed, r.Failed, r.Unknown)
		}
		c.Outcome = append(c.Outcome, outcome)
	}
	differences(c.Line)
	differences(c.Address)
	return c
}
