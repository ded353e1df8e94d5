package last

import (
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Window is instructions of a source: from one to before another, by their seq.
type Window struct{ From, Until int64 }

// near is how many instructions between two windows are read with them: to begin anew costs
// about as much.
const near = 1 << 16

// Groups divides windows, which ascend and do not overlap, into those that [Around] reads in one go.
func Groups(windows []Window) [][]Window {
	var groups [][]Window
	for first, i := 0, 1; i <= len(windows); i++ {
		if i == len(windows) || windows[i].From-windows[i-1].Until >= near {
			groups = append(groups, windows[first:i])
			first = i
		}
	}
	return groups
}

// Around calls a function with the instructions of a source of dir in windows, in order. Where the
// dataset has no rows of instructions, rows makes those of each group; nil: it fails.
func Around(m *report.Merged, dir string, source uint8, windows []Window, rows Rows, do func(*Executed)) error {
	d, err := dataset.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if !hasRows(d) && rows == nil {
		return noRows(dir)
	}
	core := sourceOf(d, &schema.SourceTotals{Source: source}).Core
	for _, group := range Groups(windows) {
		read := func(d *dataset.Dataset) error { return readGroup(m, d, source, core, group, do) }
		if hasRows(d) {
			err = read(d)
		} else {
			err = rows.with(source, Point{AtSeq, group[0].From}, Point{AtSeq, group[len(group)-1].Until}, read)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readGroup reads the instructions of windows near one another.
func readGroup(m *report.Merged, d *dataset.Dataset, source uint8, core string, windows []Window, do func(*Executed)) error {
	return eachInstruction(d, source, windows[0].From, func(b *schema.Batch, row int) bool {
		x := executedAt(b, row)
		for len(windows) > 0 && x.Seq >= windows[0].Until {
			windows = windows[1:]
		}
		if len(windows) == 0 {
			return false
		}
		if x.Seq >= windows[0].From {
			x.Name, x.Conditional = m.Describe(core, x.Address, x.ISA)
			do(&x)
		}
		return true
	})
}
