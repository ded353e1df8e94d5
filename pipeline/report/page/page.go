// Package page makes the report page: one HTML file that needs no network, in which a
// dataset is looked at.
//
// Data flows one way. Package report and its packages profile and timeline answer; [Read] asks
// them and holds what they say as a [Page]; [Page.Write] writes the page, [Page.Fit] one of a size.
// Its text is from a template: four answers, how far the figures can be trusted, totals, and the
// ten hottest functions and files can be read without JavaScript. What tables and pictures are
// drawn from is in one block of [Data], which the modules in js lay out, filter and sort. They
// compute no figure but what ran in a range of the time that somebody drags over.
//
// A page has two script elements, that block and the module, and a content security policy
// that allows no other script, style or connection. All names in it are other people's: the
// template escapes them, the module writes text nodes only.
//
// Its API is not stable (docs/guide/library.md).
package page

import (
	"slices"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/exceptions"
	"github.com/tracelake/tracelake/pipeline/report/growth"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/last"
	"github.com/tracelake/tracelake/pipeline/report/lost"
	"github.com/tracelake/tracelake/pipeline/report/profile"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/pipeline/report/trust"
	"github.com/tracelake/tracelake/schema"
)

// Options say what a page is of.
type Options struct {
	Title   string  // of the page; "": the names of the program and of what it is of
	Of      string  // the names of the datasets, or of the captures that they were made of
	Test    string  // only datasets whose label `test` is this; "": all
	TimeOf  string  // the dataset whose time is drawn; "": the only one, of several none
	Sources Sources // where the text of source files is

	// Baseline is the datasets of an earlier run that the page is compared with; none: there is none.
	Baseline []string

	Detail int64 // instructions around points of the time, at most
	// Rows returns what makes rows of instructions of a dataset that has none; nil: the page has
	// no instructions of such a one.
	Rows func(dir string) last.Rows
}

// A Page is what a page shows.
type Page struct {
	Title string
	Data  Data

	trust       *trust.Summary
	lost        *lost.Summary
	coverage    *report.Coverage // by file; nil: of packets alone
	packetsOnly bool
	spans       bool // it is known how long exceptions took
	exceptions  *exceptions.Table
	hottest     *report.Hotspots // the functions that took most
	oneWay      int64            // conditional branches that went one way only
	tasks       *stacks.Tasks    // nil: not known
	worst       map[report.Name]worstCall
	missing     []string // source files without text
	noText      bool
	untimed     string           // why no time is drawn
	undetailed  string           // why there are no instructions
	files       map[string]int32 // in Data.Files, by path
	profile     *profile.Profile
	times       []*clockwork
	functions   map[report.Name]int32 // in Data.Functions
	dropped     []string              // what was left out for the size of the page
	before      *baseline             // nil: the page is of one run
}

// A worstCall is the longest call of a function: how long, and where it began.
type worstCall struct {
	took int64
	at   read.Place
}

// A clockwork is the time of a source before it is drawn: it can be drawn at any resolution.
type clockwork struct {
	name   string
	least  int64      // instructions of a call that is drawn; 0: all are
	place  read.Place // dataset and source
	unit   durations.Unit
	spans  *spanReader
	gaps   []int64
	growth *growth.Curve
	keep   []int64

	points  []int64       // instructions whose place on the axis the page has
	windows []last.Window // of instructions that the page has
	detail  *Detail
}

// A baseline is the earlier run that a page is compared with. Figures are those of the text reports.
type baseline struct {
	name       string // of its datasets
	dirs       []string
	m          *report.Merged
	coverage   *report.Change // rows are functions
	matched    bool           // it is of the same program, or functions have names to be matched by
	hotspots   *report.HotspotChange
	tasks      *stacks.Tasks     // nil: not known
	exceptions *exceptions.Table // nil: likewise
	onlyNow    int64             // functions of this program that the earlier one has not
	only       []onlyBefore
	paths      *paths // nil: one of the runs has no call stacks
}

// An onlyBefore is a function of the earlier run that is in no row of the functions.
type onlyBefore struct {
	shown, file string
	own         int64
}

// lacking returns the names of tables that a dataset does not have.
func lacking(d *trust.Dataset, tables []*schema.Table) []string {
	var names []string
	for _, t := range tables {
		if _, ok := d.Manifest.Tables[t.Name]; !ok {
			names = append(names, t.Name)
		}
	}
	return names
}

// has says whether all datasets have tables.
func (p *Page) has(tables ...*schema.Table) bool { return has(p.trust, tables...) }

func has(t *trust.Summary, tables ...*schema.Table) bool {
	return !slices.ContainsFunc(t.Datasets, func(d trust.Dataset) bool { return len(lacking(&d, tables)) > 0 })
}

// tookTask is what a task took, in the unit of tasks.
func (p *Page) tookTask(t *stacks.Task) int64 { return t.Executed.In(p.tasks.ByCycles) }
