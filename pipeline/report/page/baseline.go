package page

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

// Baseline is how far the figures of the earlier run can be trusted; nil: there is none.
func (p *Page) Baseline() *trust.Summary {
	if p.before == nil {
		return nil
	}
	return p.before.m.Trust()
}

// readBaseline reads the earlier run.
func readBaseline(dirs []string) (*baseline, error) {
	if len(dirs) == 0 {
		return nil, nil
	}
	b := &baseline{dirs: dirs}
	names := make([]string, len(dirs))
	for i, dir := range dirs {
		if path, err := filepath.Abs(dir); err == nil {
			dir = path
		}
		names[i] = filepath.Base(dir)
	}
	b.name = short(strings.Join(names, ", "))
	var err error
	if b.m, err = report.Read(dirs, report.Options{}); err != nil {
		return nil, err
	}
	if t := b.m.Trust(); has(t, &schema.Tasks) {
		if b.tasks, err = stacks.ReadTasks(dirs, ""); err != nil {
			return nil, err
		}
		b.tasks.Rows = addedUp(b.tasks.Rows)
	}
	if has(b.m.Trust(), &schema.ExceptionSpans, &schema.Exceptions) {
		b.exceptions, err = exceptions.Read(b.m, dirs, "")
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
func (b *baseline) sameAs(r *report.HotspotRow) sameName {
	n := r.Name
	if !b.coverage.SameProgram {
		n = report.Name{Core: n.Core, Function: n.Function, File: n.File}
	}
	return sameName{n, r.Outside, r.Exception}
}

// compareFunctions fills in what functions did before, if they have names. Of several that cannot be
// told from one another the first has the figures.
func (p *Page) compareFunctions(m *report.Merged, rows []function) {
	b := p.before
	if b == nil {
		return
	}
	b.coverage = m.Against(b.m, report.ByFunction, false)
	b.hotspots = m.HotspotsAgainst(b.m, report.ByFunction)
	x := &Before{Name: b.name, SameProgram: b.coverage.SameProgram, Unit: answer.UnitOf(b.hotspots.ByCycles) + "s"}
	p.Data.Before = x
	named := p.Data.Named && b.m.Trust().Named
	if b.matched = x.SameProgram || named; !named {
		return
	}
	coverage := map[sameName]report.Delta{}
	for i := range b.coverage.Rows {
		r := &b.coverage.Rows[i]
		coverage[b.sameAs(&report.HotspotRow{Name: r.Name})] = r.Delta
	}
	changes, before := b.changes(), b.rowsBefore()
	for i := range rows {
		same := b.sameAs(&rows[i].HotspotRow)
		d, own := coverage[same], int64(none)
		if was, ok := before[same]; ok {
			own = was.own
		} else {
			b.onlyNow += one(same.name.Function != "")
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
			b.only = append(b.only, was.onlyBefore)
		}
	}
	slices.SortFunc(b.only, func(x, y onlyBefore) int {
		return cmp.Or(cmp.Compare(y.own, x.own), strings.Compare(x.shown, y.shown), strings.Compare(x.file, y.file))
	})
}

// changes are by how much the share of each function grew, of 1.
func (b *baseline) changes() map[sameName]float64 {
	changes := map[sameName]float64{}
	if answer.Total(b.hotspots.Before, b.hotspots.ByCycles) == 0 || answer.Total(b.hotspots.Now, b.hotspots.ByCycles) == 0 {
		return changes // there are no shares of nothing
	}
	for i := range b.hotspots.Rows {
		r := &b.hotspots.Rows[i]
		changes[b.sameAs(r.Row())] = b.hotspots.Change(r)
	}
	return changes
}

// A rowBefore is a function of the earlier run.
type rowBefore struct {
	onlyBefore
	matched bool
}

// rowsBefore are the functions of the earlier run.
func (b *baseline) rowsBefore() map[sameName]*rowBefore {
	rows := map[sameName]*rowBefore{}
	for _, r := range functionRows(b.m, b.hotspots.Before) {
		own := answer.Own(r.Instructions, r.Cycles, b.hotspots.ByCycles)
		same := b.sameAs(&r.HotspotRow)
		if rows[same] == nil {
			rows[same] = &rowBefore{onlyBefore: onlyBefore{shown: r.shown, file: r.File}}
		}
		rows[same].own += own
	}
	return rows
}

// compareFiles fills in what was gained and lost by file, if the program is the same.
func (p *Page) compareFiles(m *report.Merged) {
	if p.before == nil || p.Data.Files == nil || !p.before.coverage.SameProgram {
		return
	}
	f := p.Data.Files
	f.Gained, f.Lost = make([]int64, len(f.Path)), make([]int64, len(f.Path))
	for _, r := range m.Against(p.before.m, report.ByFile, false).Rows {
		if i, ok := p.files[r.File]; ok {
			f.Gained[i], f.Lost[i] = r.New, r.Lost
		}
	}
}

// compareLines fills in what was gained and lost by line, if the program is the same.
func (p *Page) compareLines(m *report.Merged) {
	if p.before == nil || p.Data.Source == nil || !p.before.coverage.SameProgram {
		return
	}
	rows := m.Against(p.before.m, report.ByLine, false).Rows
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
