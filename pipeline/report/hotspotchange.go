package report

import (
	"cmp"
	"math"
	"slices"
)

// A HotspotChange is where instructions, or cycles, go now and went before.
type HotspotChange struct {
	SameProgram bool // else rows are functions, by name and file; none where nothing has names
	Inclusive   bool // rows say what functions took with what they called, now and before
	ByCycles    bool // shares are of cycles: all that ran has them, now and before; else of instructions
	Now, Before *Hotspots
	New, Lost   int64              // rows that ran only now, and only before
	Rows        []HotspotChangeRow // those of another share, the greatest change first
}

// A HotspotChangeRow is what a function, a file or a line takes by itself, now and
// before; nil: it did not run.
type HotspotChangeRow struct {
	Now, Before *HotspotRow
}

// Row returns the row as it is now, or was before.
func (r *HotspotChangeRow) Row() *HotspotRow {
	if r.Now != nil {
		return r.Now
	}
	return r.Before
}

// HotspotsAgainst compares hotspots with those of a baseline. Shares are compared, as
// one may have run longer than the other. Rows are functions if the program is
// another, since addresses and lines then mean other code.
func (m *Merged) HotspotsAgainst(base *Merged, by By) *HotspotChange {
	c := &HotspotChange{SameProgram: m.SameProgram(base)}
	if !c.SameProgram {
		by = ByFunction
	}
	c.Now, c.Before = m.Hotspots(by), base.Hotspots(by)
	c.ByCycles, c.Inclusive = c.Now.ByCycles && c.Before.ByCycles, c.Now.Inclusive && c.Before.Inclusive
	if !c.SameProgram && (!m.named || !base.named) {
		return c
	}
	now, before := c.byName(c.Now.Rows), c.byName(c.Before.Rows)
	for name, row := range now {
		c.add(HotspotChangeRow{row, before[name]})
	}
	for name, row := range before {
		if now[name] == nil {
			c.add(HotspotChangeRow{nil, row})
		}
	}
	slices.SortFunc(c.Rows, c.compare)
	return c
}

// A hotspotName is what rows of one thing have in common, now and before.
type hotspotName struct {
	name      Name
	outside   bool
	exception string
}

// byName returns rows by what they stand for. In another program that is the name and
// file of a function, which several may have.
func (c *HotspotChange) byName(rows []HotspotRow) map[hotspotName]*HotspotRow {
	names := map[hotspotName]*HotspotRow{}
	for _, row := range rows {
		if !c.SameProgram {
			row.Name = Name{Core: row.Core, Function: row.Function, File: row.File}
		}
		name := hotspotName{row.Name, row.Outside, row.Exception}
		if same := names[name]; same != nil {
			same.sum(&row)
			continue
		}
		names[name] = &row
	}
	return names
}

func (r *HotspotRow) sum(o *HotspotRow) {
	r.Instructions += o.Instructions
	r.Entries += o.Entries
	r.Timed += o.Timed
	r.Cycles += o.Cycles
	r.Seconds += o.Seconds
	r.All.Add(o.All)
}

// add adds a row, if its share is another.
func (c *HotspotChange) add(r HotspotChangeRow) {
	c.New += one(r.Before == nil)
	c.Lost += one(r.Now == nil)
	if c.Change(&r) != 0 || r.Now == nil || r.Before == nil {
		c.Rows = append(c.Rows, r)
	}
}

// Change is by how much the share of a row grew, of 1.
func (c *HotspotChange) Change(r *HotspotChangeRow) float64 {
	return c.Share(c.Now, r.Now) - c.Share(c.Before, r.Before)
}

// TotalChange is by how much the share of a row with what it called grew, of 1.
func (c *HotspotChange) TotalChange(r *HotspotChangeRow) float64 {
	return c.totalShare(c.Now, r.Now) - c.totalShare(c.Before, r.Before)
}

// totalShare is the share of a row with what it called.
func (c *HotspotChange) totalShare(h *Hotspots, r *HotspotRow) float64 {
	if r == nil {
		return 0
	}
	return float64(r.All.In(c.ByCycles)) / c.total(h)
}

// total is what shares are of.
func (c *HotspotChange) total(h *Hotspots) float64 {
	if c.ByCycles {
		return h.Cycles
	}
	return float64(h.Instructions)
}

// Share is the share of a row of h, which may be nil, from 0 to 1.
func (c *HotspotChange) Share(h *Hotspots, r *HotspotRow) float64 {
	switch {
	case r == nil:
		return 0
	case c.ByCycles:
		return r.Cycles / c.total(h)
	}
	return float64(r.Instructions) / c.total(h)
}

func (c *HotspotChange) compare(x, y HotspotChangeRow) int {
	return cmp.Or(cmp.Compare(math.Abs(c.Change(&y)), math.Abs(c.Change(&x))), x.Row().Compare(&y.Row().Name),
		cmp.Compare(one(x.Row().Outside), one(y.Row().Outside)), cmp.Compare(x.Row().Exception, y.Row().Exception))
}
