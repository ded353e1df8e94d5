package content

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/exceptions"
	"github.com/tracelake/tracelake/pipeline/report/lost"
	"github.com/tracelake/tracelake/pipeline/report/profile"
	"github.com/tracelake/tracelake/pipeline/report/timeline"
	"github.com/tracelake/tracelake/pipeline/report/trust"
	"github.com/tracelake/tracelake/pipeline/report/visible"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Read reads what a page shows of datasets of one program. It fails as [report.Read] does.
func Read(dirs []string, opt Options) (*Content, error) {
	p := &Content{}
	var err error
	if p.Lost, err = lost.Read(dirs, opt.Test); err != nil {
		return nil, err
	}
	if p.Trust, err = trust.ReadUncounted(dirs, opt.Test); err != nil {
		return nil, err
	}
	if p.Trust != nil {
		if len(opt.Baseline) > 0 {
			return nil, fmt.Errorf("%s: %w", strings.Join(dirs, ", "), errNoBaseline)
		}
		p.Title = p.titleOf(&opt)
		return p, p.readPackets(dirs, &opt)
	}
	m, err := report.Read(dirs, report.Options{Test: opt.Test})
	if err != nil {
		return nil, err
	}
	if p.Before, err = readBaseline(opt.Baseline); err != nil {
		return nil, err
	}
	p.Trust, p.Coverage = m.Trust(), m.Coverage(report.ByFile)
	p.Title, p.Inlined = p.titleOf(&opt), m.HasInlined()
	p.readFunctions(m)
	return p, errors.Join(p.readSource(m, &opt.Sources), p.readTime(m, dirs, &opt))
}

// titleOf heads the page: with the name of the ELF file, else of the core, and what it is of.
func (p *Content) titleOf(opt *Options) string {
	if opt.Title != "" {
		return visible.Cut(opt.Title, longest)
	}
	var names, cores []string
	for _, d := range p.Trust.Datasets {
		for _, f := range d.Files {
			names = append(names, path.Base(filepath.ToSlash(f.File)))
		}
	}
	for s := range p.Decoded() {
		if s.Core != "" && !slices.Contains(cores, s.Core) {
			cores = append(cores, s.Core)
		}
	}
	if len(names) == 0 && len(cores) == 1 {
		names = cores
	}
	slices.Sort(names)
	names = append(slices.Compact(names), opt.Of)
	title := strings.Join(names, " · ")
	if p.Before != nil {
		title += " against " + p.Before.Name
	}
	return visible.Cut(title, longest)
}

// readPackets reads what there is of datasets of packets alone.
func (p *Content) readPackets(dirs []string, opt *Options) error {
	p.PacketsOnly = true
	x, err := exceptions.ReadEntries(dirs, opt.Test)
	if err != nil {
		return err
	}
	p.Data.Unit = instructions
	p.Exceptions = x
	p.readExceptions()
	return nil
}

// readFunctions fills in functions and files.
func (p *Content) readFunctions(m *report.Merged) {
	spent := m.Hotspots(report.ByFunction)
	d := &p.Data
	d.Unit, d.Cycles, d.Named = answer.UnitOf(spent.ByCycles)+"s", spent.Cycles > 0, p.Trust.Named
	d.Spent = answer.Total(spent, spent.ByCycles)
	for i := range p.Coverage.Rows {
		p.OneWay += p.Coverage.Rows[i].OneWay
	}
	d.Files, p.files = newFiles(p.Coverage, m.Hotspots(report.ByFile))
	rows := functionRows(m, spent)
	d.Functions = newFunctions(rows, spent, p.files)
	p.Hottest = hottestOf(spent, rows)
	p.compareFunctions(m, rows)
	p.compareFiles(m)
	p.functions = map[report.Name]int32{}
	for i := range rows {
		p.functions[rows[i].Name] = int32(i)
	}
}

// readSource fills in the lines of source files.
func (p *Content) readSource(m *report.Merged, s *Sources) error {
	if p.Data.Files == nil {
		return nil
	}
	f, err := newFinder(s)
	if err != nil {
		return err
	}
	p.NoText = s.None
	p.Data.Source, p.MissingSources = newSource(m, p.files, p.Data.Unit == Cycles, f)
	if !s.None {
		p.Data.Source.readCode(m, p.files, p.Data.Unit == Cycles)
	}
	p.compareLines(m)
	return f.close()
}

// mostSlices is how many calls, exceptions and marks are more than a page shows.
const mostSlices = 1 << 20

// exportPart is what to do about it.
const exportPart = "Export a part of the capture with --from and --to."

// readTime fills in call stacks, exceptions and the time of one dataset.
func (p *Content) readTime(m *report.Merged, dirs []string, opt *Options) error {
	var err error
	if p.has(&schema.Stacks, &schema.Tasks) {
		if p.Profile, err = profile.Read(m, dirs, opt.Test); err != nil {
			return err
		}
	}
	if err := p.comparePaths(); err != nil {
		return err
	}
	if err := p.readTasks(dirs, opt.Test); err != nil {
		return err
	}
	if err := p.readCalls(m, dirs, opt.Test); err != nil {
		return err
	}
	if p.Spanned = p.has(&schema.ExceptionSpans, &schema.Exceptions); p.Spanned {
		p.Exceptions, err = exceptions.Read(m, dirs, opt.Test)
	} else {
		p.Exceptions, err = exceptions.ReadEntries(dirs, opt.Test)
	}
	if err != nil {
		return err
	}
	dir, why, err := p.timeOf(opt)
	if err != nil {
		return err
	}
	if p.NoTime = why; why == "" {
		p.times, err = p.readTimes(m, dir, opt)
		switch {
		case errors.Is(err, errManySpans):
			p.times, p.NoTime = nil, "No timeline is drawn: "+errManySpans.Error()+". "+exportPart
		case err != nil:
			return err
		}
	}
	p.readExceptions()
	p.compareExceptions()
	p.placeCalls()
	p.placeTurns()
	for _, c := range p.times {
		if err := p.readDetail(m, c, opt); err != nil {
			return err
		}
	}
	p.Draw(resolution)
	return nil
}

// Draw fills in the pictures at a resolution.
func (p *Content) Draw(parts int64) {
	p.Data.Flame, p.Data.Times = nil, nil
	if p.Profile != nil {
		p.Data.Flame = newFlame(p.Profile, p.functions, parts)
		if p.Before != nil {
			p.Before.paths.change(p.Data.Flame)
		}
	}
	for _, c := range p.times {
		p.Data.Times = append(p.Data.Times, c.draw(parts))
	}
}

// timeOf returns the dataset whose time is drawn, or why none is.
func (p *Content) timeOf(opt *Options) (dir, why string, err error) {
	all := p.Trust.Datasets
	i := 0
	switch {
	case opt.TimeOf != "":
		i = slices.IndexFunc(all, func(d trust.Dataset) bool { return d.Dir == dataset.Dir(opt.TimeOf) })
		if i < 0 {
			return "", "", fmt.Errorf("%s: is none of the datasets of the page; give one of them to --time-of", opt.TimeOf)
		}
	case len(all) > 1:
		return "", "Several datasets are added up: no timeline is drawn. --time-of DIR draws that of one.", nil
	}
	if p.Trust.Instructions == 0 {
		return "", "No instruction was decoded: there is nothing to draw.", nil
	}
	if names := lacking(&all[i], tablesOfTime); len(names) > 0 {
		return "", "Neither call stacks nor timeline are drawn: the dataset has no " + tableWords(names) +
			". Export again without --tables, or with " +
			strings.Join(names, ", ") + " among them.", nil
	}
	size, err := timeline.ReadSize([]string{all[i].Dir}, opt.Test, timeline.Everything, nil)
	if err != nil {
		return "", "", err
	}
	if size.Slices > mostSlices {
		return "", "No timeline is drawn: " + figures.Count(size.Slices, "call") + " and exceptions are too many. " + exportPart, nil
	}
	return all[i].Dir, "", nil
}

// tableWords names tables.
func tableWords(names []string) string {
	if len(names) == 1 {
		return "table " + names[0]
	}
	return "tables " + strings.Join(names, ", ")
}
