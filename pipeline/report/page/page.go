package page

import (
	"strconv"

	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/visible"
)

// Options say what a page is of.
type Options struct {
	Title string // of the page
	Test  string // only datasets whose label `test` is this; "": all
}

// A Page is what a page shows.
type Page struct {
	Title string
	Data  Data

	trust    *report.Trust
	coverage *report.Coverage // by file
}

// Read reads what a page shows of datasets of one program. It fails as [report.Read] does.
func Read(dirs []string, opt Options) (*Page, error) {
	m, err := report.Read(dirs, report.Options{Test: opt.Test})
	if err != nil {
		return nil, err
	}
	p := &Page{Title: visible.Cut(opt.Title, longest), trust: m.Trust(), coverage: m.Coverage(report.ByFile)}
	spent := m.Hotspots(report.ByFunction)
	d := &p.Data
	d.Unit, d.Cycles, d.Named = unit(spent.ByCycles), spent.Cycles > 0, m.Trust().Named
	d.Spent = own(spent.Instructions, spent.Cycles, spent.ByCycles)
	files := newFiles(p.coverage, m.Hotspots(report.ByFile))
	d.Files = files.columns
	d.Functions = newFunctions(m, spent, files)
	return p, nil
}

// longest is how many characters a name has on a page at most.
const longest = 300

// name returns a name as a page shows it.
func name(text string) string { return visible.Cut(text, longest) }

// unit is what is spent.
func unit(cycles bool) string {
	if cycles {
		return "cycles"
	}
	return "instructions"
}

// percent is n of of, as tables of reports have it; "" of nothing.
func percent(n, of int64) string {
	if of == 0 {
		return ""
	}
	return figures.PercentTo(n, of, 1)
}

// hex is an address.
func hex(address uint32) string {
	text := strconv.FormatUint(uint64(address), 16)
	return "0x" + "00000000"[len(text):] + text
}
