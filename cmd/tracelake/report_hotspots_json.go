package main

import "github.com/tracelake/tracelake/pipeline/report"

// The objects of report hotspots --json. What is not traced is null.
type (
	jsonHotspots struct {
		reportHead
		OrderedBy    string           `json:"ordered_by"`
		Instructions int64            `json:"instructions"`
		Cycles       *float64         `json:"cycles"`
		Seconds      *float64         `json:"seconds"`
		By           string           `json:"by"`
		RowsLeftOut  int              `json:"rows_left_out"`
		Rows         []jsonHotspotRow `json:"rows"`
	}
	jsonHotspotRow struct {
		jsonName
		Outside      bool     `json:"outside,omitempty"`
		Instructions int64    `json:"instructions"`
		Entries      *int64   `json:"entries"`
		Cycles       *float64 `json:"cycles"`
		Seconds      *float64 `json:"seconds"`
		IPC          *float64 `json:"ipc"`
	}
)

func hotspotsObject(q *question, h *report.Hotspots) any {
	o := &jsonHotspots{reportHead: q.head("hotspots"), OrderedBy: "instructions", Instructions: h.Instructions, By: rowNoun(h.Named, q.by), Rows: []jsonHotspotRow{}}
	if h.ByCycles {
		o.OrderedBy = "cycles"
	}
	if h.Cycles > 0 {
		o.Cycles = &h.Cycles
	}
	if h.Clocked {
		o.Seconds = &h.Seconds
	}
	rows := atMost(h.Rows, q.top)
	o.RowsLeftOut = len(h.Rows) - len(rows)
	for i := range rows {
		r := &rows[i]
		x := jsonHotspotRow{jsonName: nameObject(&r.Name), Outside: r.Outside, Instructions: r.Instructions}
		if q.by == report.ByFunction && h.Named && r.Function != "" {
			x.Entries = &r.Entries
		}
		if r.Cycles > 0 {
			x.Cycles, x.IPC = &r.Cycles, new(float64(r.Timed)/r.Cycles)
			if h.Clocked {
				x.Seconds = &r.Seconds
			}
		}
		o.Rows = append(o.Rows, x)
	}
	return o
}
