package content

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/exceptions"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/pipeline/report/trust"
	"github.com/tracelake/tracelake/schema"
)

// errNoBaseline is why packets cannot be compared.
var errNoBaseline = errors.New("only packets were exported: there is nothing to compare with --baseline; export again " +
	"with program memory, without --packets-only")

// BaselineTrust is how far the figures of the earlier run can be trusted; nil: there is none.
func (p *Content) BaselineTrust() *trust.Summary {
	if p.Before == nil {
		return nil
	}
	return p.Before.Merged.Trust()
}

// readBaseline reads the earlier run.
func readBaseline(dirs []string) (*Baseline, error) {
	if len(dirs) == 0 {
		return nil, nil
	}
	b := &Baseline{dirs: dirs}
	names := make([]string, len(dirs))
	for i, dir := range dirs {
		if path, err := filepath.Abs(dir); err == nil {
			dir = path
		}
		names[i] = filepath.Base(dir)
	}
	b.Name = Short(strings.Join(names, ", "))
	var err error
	if b.Merged, err = report.Read(dirs, report.Options{}); err != nil {
		return nil, err
	}
	if t := b.Merged.Trust(); has(t, &schema.Tasks) {
		if b.Tasks, err = stacks.ReadTasks(dirs, ""); err != nil {
			return nil, err
		}
		b.Tasks.Rows = stacks.AddedUp(b.Tasks.Rows)
	}
	if has(b.Merged.Trust(), &schema.ExceptionSpans, &schema.Exceptions) {
		b.Exceptions, err = exceptions.Read(b.Merged, dirs, "")
	}
	return b, err
}

// A sameName is what functions of one thing have in common, now and before.
type sameName struct {
	name      report.Name
	outside   bool
	exception string
}

// sameAs returns what a row has in common with that before: of another program the name and file of a function.
func (b *Baseline) sameAs(r *report.HotspotRow) sameName {
	n := r.Name
	if !b.Coverage.SameProgram {
		n = report.Name{Core: n.Core, Function: n.Function, File: n.File}
	}
	return sameName{n, r.Outside, r.Exception}
}

// compareFunctions fills in what functions did before, if they have names. Of several that cannot be
// told from one another the first has the figures.
func (p *Content) compareFunctions(m *report.Merged, rows []function) {
	b := p.Before
	if b == nil {
		return
	}
	b.Coverage = m.Against(b.Merged, report.ByFunction, false)
	b.Hotspots = m.HotspotsAgainst(b.Merged, report.ByFunction)
	x := &Before{Name: b.Name, SameProgram: b.Coverage.SameProgram, Unit: answer.UnitOf(b.Hotspots.ByCycles) + "s"}
	p.Data.Before = x
	named := p.Data.Named && b.Merged.Trust().Named
	if b.Matched = x.SameProgram || named; !named {
		return
	}
	coverage := map[sameName]report.Delta{}
	for i := range b.Coverage.Rows {
		r := &b.Coverage.Rows[i]
		coverage[b.sameAs(&report.HotspotRow{Name: r.Name})] = r.Delta
	}
	changes, before := b.changes(), b.rowsBefore()
	for i := range rows {
		same := b.sameAs(&rows[i].HotspotRow)
		d, own := coverage[same], int64(None)
		if was, ok := before[same]; ok {
			own = was.Own
		} else {
			b.OnlyNow += one(same.name.Function != "")
		}
		x.Gained, x.Lost = append(x.Gained, d.New), append(x.Lost, d.Lost)
		x.Own, x.Change = append(x.Own, own), append(x.Change, changes[same]*100)
		delete(coverage, same)
		delete(changes, same)
		if was, ok := before[same]; ok {
			was.matched = true
		}
	}
	for _, was := range before {
		if !was.matched {
			b.Only = append(b.Only, was.OnlyBefore)
		}
	}
	slices.SortFunc(b.Only, func(x, y OnlyBefore) int {
		return cmp.Or(cmp.Compare(y.Own, x.Own), strings.Compare(x.Name, y.Name), strings.Compare(x.File, y.File))
	})
}

// changes are by how much the share of each function grew, of 1.
func (b *Baseline) changes() map[sameName]float64 {
	changes := map[sameName]float64{}
	if answer.Total(b.Hotspots.Before, b.Hotspots.ByCycles) == 0 || answer.Total(b.Hotspots.Now, b.Hotspots.ByCycles) == 0 {
		return changes // there are no shares of nothing
	}
	for i := range b.Hotspots.Rows {
		r := &b.Hotspots.Rows[i]
		changes[b.sameAs(r.Row())] = b.Hotspots.Change(r)
	}
	return changes
}

// A rowBefore is a function of the earlier run.
type rowBefore struct {
	OnlyBefore
	matched bool
}

// rowsBefore are the functions of the earlier run.
func (b *Baseline) rowsBefore() map[sameName]*rowBefore {
	rows := map[sameName]*rowBefore{}
	for _, r := range functionRows(b.Merged, b.Hotspots.Before) {
		own := answer.Own(r.Instructions, r.Cycles, b.Hotspots.ByCycles)
		same := b.sameAs(&r.HotspotRow)
		if rows[same] == nil {
			rows[same] = &rowBefore{OnlyBefore: OnlyBefore{Name: r.shown, File: r.File}}
		}
		rows[same].Own += own
	}
	return rows
}

// compareFiles fills in what was gained and lost by file, if the program is the same.
func (p *Content) compareFiles(m *report.Merged) {
	if p.Before == nil || p.Data.Files == nil || !p.Before.Coverage.SameProgram {
		return
	}
	f := p.Data.Files
	f.Gained, f.Lost = make([]int64, len(f.Path)), make([]int64, len(f.Path))
	for _, r := range m.Against(p.Before.Merged, report.ByFile, false).Rows {
		if i, ok := p.files[r.File]; ok {
			f.Gained[i], f.Lost[i] = r.New, r.Lost
		}
	}
}

// compareLines fills in what was gained and lost by line, if the program is the same.
func (p *Content) compareLines(m *report.Merged) {
	if p.Before == nil || p.Data.Source == nil || !p.Before.Coverage.SameProgram {
		return
	}
	rows := m.Against(p.Before.Merged, report.ByLine, false).Rows
	slices.SortFunc(rows, func(x, y report.ChangeRow) int { return x.Compare(&y.Name) })
	files := map[int32]*LineChanges{}
	for i := range rows {
		r := &rows[i]
		file, ok := p.files[r.File]
		if !ok {
			continue
		}
		c := files[file]
		if c == nil {
			c = &LineChanges{}
			files[file] = c
		}
		c.Number, c.Gained, c.Lost = append(c.Number, r.Line), append(c.Gained, r.New), append(c.Lost, r.Lost)
	}
	for i := range p.Data.Source.Files {
		f := &p.Data.Source.Files[i]
		if f.Changes = files[f.File]; f.Changes != nil {
			differences(f.Changes.Number)
		}
	}
}

// one is 1 of what is so.
func one(is bool) int64 {
	if is {
		return 1
	}
	return 0
}
