package main

import (
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
)

// The objects of report branches --json.
type (
	jsonBranches struct {
		reportHead
		Branches    jsonBranchFigures `json:"branches"`
		Predicated  jsonPredicated    `json:"predicated"`
		FailUnder   *jsonLimit        `json:"fail_under,omitempty"`
		Baseline    *jsonChange       `json:"baseline,omitempty"`
		By          string            `json:"by"`
		RowsLeftOut int               `json:"rows_left_out"`
		Rows        any               `json:"rows"` // of jsonBranch or, by something else, of jsonBranchRow
	}
	jsonBranch struct {
		Address         string `json:"address"`
		Kind            string `json:"kind"`
		Predicated      bool   `json:"predicated"`
		Target          string `json:"target,omitempty"`
		Core            string `json:"core,omitempty"`
		Function        string `json:"function"`
		FunctionAddress string `json:"function_address"`
		File            string `json:"file,omitempty"`
		Line            uint32 `json:"line,omitempty"`
		Taken           int64  `json:"taken"`
		NotTaken        int64  `json:"not_taken"`
		Untold          int64  `json:"untold"`
		Verdict         string `json:"verdict"`
	}
	jsonBranchRow struct {
		jsonName
		Outcomes jsonFigure `json:"outcomes"`
	}
)

func branchesObject(q *question, b *report.Branches, c *report.Coverage, change *report.Change) any {
	o := &jsonBranches{
		reportHead: q.reportHead("branches"), Branches: branchFiguresObject(&b.Branches), Predicated: jsonPredicated(b.Predicated),
		FailUnder: q.limit.object(c), Baseline: changeObject(q, change), By: "branch",
	}
	if q.each {
		rows := atMost(b.Rows, q.top)
		o.Rows, o.RowsLeftOut = branchObjects(rows), len(b.Rows)-len(rows)
		return o
	}
	all := withBranches(c.Rows)
	rows := atMost(all, q.top)
	objects := []jsonBranchRow{}
	for i := range rows {
		objects = append(objects, jsonBranchRow{nameObject(&rows[i].Name), of(rows[i].Outcomes)})
	}
	o.By, o.Rows, o.RowsLeftOut = q.by.String(), objects, len(all)-len(rows)
	return o
}

func branchObjects(rows []report.Branch) []jsonBranch {
	objects := []jsonBranch{}
	for i := range rows {
		r := &rows[i]
		o := jsonBranch{
			Address: answer.Hex(r.Address), Kind: r.Kind.String(), Predicated: r.Predicated, Core: r.In.Core, Function: r.In.Function,
			FunctionAddress: answer.Hex(r.In.Address), File: r.In.File, Line: r.In.Line,
			Taken: r.Taken, NotTaken: r.NotTaken, Untold: r.Untold, Verdict: r.Verdict.String(),
		}
		if r.Target.OK {
			o.Target = answer.Hex(r.Target.V)
		}
		objects = append(objects, o)
	}
	return objects
}
