package main

import (
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/schema"
)

// The objects of report coverage --json.
type (
	jsonCoverage struct {
		reportHead
		Instructions jsonTally         `json:"instructions"`
		Functions    jsonFunctions     `json:"functions"`
		Lines        jsonFigure        `json:"lines"`
		Files        jsonFigure        `json:"files"`
		Branches     jsonBranchFigures `json:"branches"`
		Predicated   jsonPredicated    `json:"predicated"`
		Padding      int64             `json:"instructions_in_no_function"`
		PaddingRun   int64             `json:"executed_in_no_function"`
		FailUnder    *jsonLimit        `json:"fail_under,omitempty"`
		Baseline     *jsonChange       `json:"baseline,omitempty"`
		By           string            `json:"by"`
		RowsLeftOut  int               `json:"rows_left_out"`
		Rows         []jsonCoverageRow `json:"rows"`
		Growth       []jsonGrowth      `json:"growth"`
		Stretches    []jsonCodeStretch `json:"stretches,omitempty"`
	}
	// A jsonGrowth says when trace showed anything new: at instructions of a source, from 0 on.
	jsonGrowth struct {
		Directory    string `json:"directory"`
		Source       string `json:"source"`
		Instructions int64  `json:"instructions"`
		Addresses    int    `json:"executed_addresses"`
		HalfAt       int64  `json:"half_at"`
		LastNewAt    int64  `json:"last_new_at"`
	}
	// A jsonCodeStretch is what ran in one go where nothing has names.
	jsonCodeStretch struct {
		Core         string `json:"core,omitempty"`
		Address      string `json:"address"`
		Bytes        int64  `json:"bytes"`
		Instructions int64  `json:"instructions"`
		Covered      int64  `json:"covered"`
		Executions   int64  `json:"executions"`
		Entries      int64  `json:"entries"`
	}
	jsonTally struct {
		jsonFigure
		ReachedOnly int64 `json:"reached_only"`
	}
	jsonFunctions struct {
		jsonFigure
		Full int64 `json:"full"`
	}
	jsonBranchFigures struct {
		All      int64      `json:"all"`
		Reached  int64      `json:"reached"`
		Taken    int64      `json:"taken"`
		NotTaken int64      `json:"not_taken"`
		Both     int64      `json:"both"`
		Untold   int64      `json:"untold"`
		Outcomes jsonFigure `json:"outcomes"`
	}
	jsonPredicated struct {
		All     int64 `json:"all"`
		Reached int64 `json:"reached"`
		Passed  int64 `json:"passed"`
		Failed  int64 `json:"failed"`
		Untold  int64 `json:"untold"`
	}
	jsonLimit struct {
		Percent float64 `json:"percent"`
		Of      string  `json:"of"`
		Met     bool    `json:"met"`
	}
	jsonCoverageRow struct {
		jsonName
		Instructions jsonTally  `json:"instructions"`
		Lines        jsonFigure `json:"lines"`
		Outcomes     jsonFigure `json:"outcomes"`
		Both         int64      `json:"branches_both_ways"`
		Executions   int64      `json:"executions"`
	}
	jsonChange struct {
		Directory    string          `json:"directory"`
		SameProgram  bool            `json:"same_program"`
		Instructions *jsonDelta      `json:"instructions,omitempty"`
		Lines        *jsonDelta      `json:"lines,omitempty"`
		Outcomes     *jsonDelta      `json:"outcomes,omitempty"`
		Functions    jsonDelta       `json:"functions"`
		RowsLeftOut  int             `json:"rows_left_out"`
		Rows         []jsonChangeRow `json:"rows"`
	}
	jsonDelta struct {
		New  int64 `json:"new"`
		Lost int64 `json:"lost"`
	}
	jsonChangeRow struct {
		jsonName
		jsonDelta
	}
)

func coverageObject(q *question, c *report.Coverage, change *report.Change, growth []report.Growth) any {
	o := &jsonCoverage{
		reportHead: q.reportHead("coverage"), Instructions: tallyObject(&c.Instructions),
		Functions: jsonFunctions{of(c.Functions), c.Full}, Lines: of(c.Lines), Files: of(c.Files),
		Branches: branchFiguresObject(&c.Branches), Predicated: jsonPredicated(c.Predicated), Padding: c.Padding, PaddingRun: c.PaddingRun,
		FailUnder: q.limit.object(c), Baseline: changeObject(q, change), By: answer.RowNoun(c.Named, q.by), Rows: []jsonCoverageRow{}, Growth: []jsonGrowth{},
	}
	for i := range growth {
		g := &growth[i]
		o.Growth = append(o.Growth, jsonGrowth{g.Dir, schema.SourceText(g.Source), g.Instructions, len(g.Seqs), g.At(0.5), g.At(1)})
	}
	for _, s := range q.stretches(c) {
		o.Stretches = append(o.Stretches, jsonCodeStretch{s.Core, answer.Hex(s.Address), s.Bytes, s.Code.Of, s.Code.Covered, s.Instructions, s.Entries})
	}
	rows := atMost(c.Rows, q.top)
	o.RowsLeftOut = len(c.Rows) - len(rows)
	for i := range rows {
		r := &rows[i]
		o.Rows = append(o.Rows, jsonCoverageRow{nameObject(&r.Name), tallyObject(&r.Instructions), of(r.Lines), of(r.Outcomes), r.Both, r.Executions})
	}
	return o
}

// stretches are those of a program without names.
func (q *question) stretches(c *report.Coverage) []report.Stretch {
	if c.Named {
		return nil
	}
	return q.m.Stretches()
}

func of(f report.Figure) jsonFigure { return figureObject(f.Covered, f.Of) }

func tallyObject(t *report.Tally) jsonTally { return jsonTally{of(t.Figure), t.Reached} }

func branchFiguresObject(b *report.BranchFigures) jsonBranchFigures {
	return jsonBranchFigures{b.All, b.Reached, b.Taken, b.NotTaken, b.Both, b.Untold, of(b.Outcomes())}
}

func (l *limit) object(c *report.Coverage) *jsonLimit {
	if l == nil {
		return nil
	}
	return &jsonLimit{l.percent, l.of, l.check(c) == nil}
}

func changeObject(q *question, c *report.Change) *jsonChange {
	if c == nil {
		return nil
	}
	o := &jsonChange{
		Directory: q.baselineDir(), SameProgram: c.SameProgram, Functions: jsonDelta(c.Functions), Rows: []jsonChangeRow{},
	}
	if c.SameProgram {
		o.Instructions, o.Lines, o.Outcomes = new(jsonDelta(c.Instructions)), new(jsonDelta(c.Lines)), new(jsonDelta(c.Outcomes))
	}
	rows := atMost(c.Rows, q.top)
	o.RowsLeftOut = len(c.Rows) - len(rows)
	for i := range rows {
		o.Rows = append(o.Rows, jsonChangeRow{nameObject(&rows[i].Name), jsonDelta(rows[i].Delta)})
	}
	return o
}
