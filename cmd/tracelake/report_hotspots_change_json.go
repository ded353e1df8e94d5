package main

import "github.com/tracelake/tracelake/pipeline/report"

// What report hotspots --json has of a baseline. Of what did not run, now or before
// is null.
type (
	jsonHotspotChange struct {
		Directory    string                 `json:"directory"`
		SameProgram  bool                   `json:"same_program"`
		SharesOf     string                 `json:"shares_of"`
		Instructions int64                  `json:"instructions"`
		Cycles       *float64               `json:"cycles"`
		New          int64                  `json:"new"`
		Lost         int64                  `json:"lost"`
		RowsLeftOut  int                    `json:"rows_left_out"`
		Rows         []jsonHotspotChangeRow `json:"rows"`
	}
	jsonHotspotChangeRow struct {
		jsonName
		Outside      bool                `json:"outside,omitempty"`
		ChangePoints float64             `json:"change_points"`
		TotalPoints  *float64            `json:"total_change_points"`
		Now          *jsonHotspotFigures `json:"now"`
		Before       *jsonHotspotFigures `json:"before"`
	}
	jsonHotspotFigures struct {
		SharePercent float64  `json:"share_percent"`
		Instructions int64    `json:"instructions"`
		Entries      *int64   `json:"entries"`
		Cycles       *float64 `json:"cycles"`
		Seconds      *float64 `json:"seconds"`
		jsonTotal
	}
)

func hotspotChangeObject(q *question, c *report.HotspotChange) *jsonHotspotChange {
	if c == nil {
		return nil
	}
	o := &jsonHotspotChange{
		Directory: q.baselineDir(), SameProgram: c.SameProgram, SharesOf: unitOf(c.ByCycles) + "s", Instructions: c.Before.Instructions,
		New: c.New, Lost: c.Lost, Rows: []jsonHotspotChangeRow{},
	}
	if c.Before.Cycles > 0 {
		o.Cycles = &c.Before.Cycles
	}
	rows := atMost(c.Rows, q.top)
	o.RowsLeftOut = len(c.Rows) - len(rows)
	for i := range rows {
		r := &rows[i]
		x := jsonHotspotChangeRow{
			jsonName: nameObject(&r.Row().Name), Outside: r.Row().Outside, ChangePoints: c.Change(r) * 100,
			Now: figuresObject(q, c, c.Now, r.Now), Before: figuresObject(q, c, c.Before, r.Before),
		}
		if c.Inclusive {
			x.TotalPoints = new(c.TotalChange(r) * 100)
		}
		o.Rows = append(o.Rows, x)
	}
	return o
}

func figuresObject(q *question, c *report.HotspotChange, h *report.Hotspots, r *report.HotspotRow) *jsonHotspotFigures {
	if r == nil {
		return nil
	}
	x := hotspotObject(r, h, q.by)
	return &jsonHotspotFigures{c.Share(h, r) * 100, x.Instructions, x.Entries, x.Cycles, x.Seconds, x.jsonTotal}
}
