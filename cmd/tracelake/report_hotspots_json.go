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
		Clocks       []jsonClock      `json:"clocks"`
		By           string           `json:"by"`
		RowsLeftOut  int              `json:"rows_left_out"`
		Rows         []jsonHotspotRow `json:"rows"`

		Baseline *jsonHotspotChange `json:"baseline,omitempty"`
	}
	jsonHotspotRow struct {
		jsonName
		Outside      bool     `json:"outside,omitempty"`
		Instructions int64    `json:"instructions"`
		Entries      *int64   `json:"entries"`
		Cycles       *float64 `json:"cycles"`
		Seconds      *float64 `json:"seconds"`
		IPC          *float64 `json:"ipc"`
		jsonTotal
	}
	// A jsonTotal is what a function took with its callees; null if nobody knows.
	jsonTotal struct {
		Instructions *int64 `json:"total_instructions"`
		Cycles       *int64 `json:"total_cycles"`
	}
)

func hotspotsObject(q *question, h *report.Hotspots, change *report.HotspotChange) any {
	o := &jsonHotspots{reportHead: q.head("hotspots"), OrderedBy: "instructions", Instructions: h.Instructions, Clocks: clockObjects(h.Clocks), By: rowNoun(h.Named, q.by), Rows: []jsonHotspotRow{}, Baseline: hotspotChangeObject(q, change)}
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
		o.Rows = append(o.Rows, hotspotObject(&rows[i], h, q.by))
	}
	return o
}

func hotspotObject(r *report.HotspotRow, h *report.Hotspots, by report.By) jsonHotspotRow {
	x := jsonHotspotRow{jsonName: nameObject(&r.Name), Outside: r.Outside, Instructions: r.Instructions}
	if by == report.ByFunction && h.Named && r.Function != "" {
		x.Entries = &r.Entries
		x.jsonTotal = totalObject(h, r)
	}
	if r.Cycles > 0 {
		x.Cycles, x.IPC = &r.Cycles, new(r.IPC())
		if h.Clocked {
			x.Seconds = &r.Seconds
		}
	}
	return x
}

// totalObject is what a function took with its callees.
func totalObject(h *report.Hotspots, r *report.HotspotRow) jsonTotal {
	if !h.Inclusive {
		return jsonTotal{}
	}
	return jsonTotal{&r.All.Instructions, nullable(r.All.Cycles)}
}
