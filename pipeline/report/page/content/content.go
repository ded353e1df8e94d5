// Package content reads what the report page shows. Package report and its packages profile and
// timeline answer; [Read] asks them, and holds what they say as [Content]: the columns that tables
// and pictures are drawn from, which are [Data], and what the text of the page is made of. It writes
// nothing: package page lays the content out.
//
// Its API is not stable (docs/guide/library.md).
package content

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

// Content is what a page shows.
type Content struct {
	Title string
	Data  Data

	Trust       *trust.Summary
	Lost        *lost.Summary
	PacketsOnly bool
	Coverage    *report.Coverage // by file; nil: of packets alone
	OneWay      int64            // conditional branches that went one way only
	Hottest     *report.Hotspots // the functions that took most
	Profile     *profile.Profile // nil: there are no call stacks
	Tasks       *stacks.Tasks    // nil: not known
	Exceptions  *exceptions.Table
	Spanned     bool      // it is known how long exceptions took
	Before      *Baseline // nil: the page is of one run

	MissingSources []string // source files without text
	Inlined        bool     // functions were inlined into others
	NoText         bool     // the text of source files was left out
	NoTime         string   // why no time is drawn
	NoDetail       string   // why there are no instructions

	times     []*clockwork
	ranked    map[report.Name]durations.Ranking // the longest calls of functions
	callTimes map[report.Name]callTimes
	slowest   []report.Name // those of the functions with the longest calls
	taskNames map[taskOf]stacks.TaskName
	files     map[string]int32      // in Data.Files, by path
	functions map[report.Name]int32 // in Data.Functions
}

// A clockwork is the time of a source before it is drawn: it can be drawn at any resolution.
type clockwork struct {
	name      string
	least     int64      // instructions of a call that is drawn; 0: all are
	place     read.Place // dataset and source
	unit      durations.Unit
	hz        uint64 // cycles in a second; 0: not known
	offCycles int64  // in which trace was off, it is not known when
	spans     *spanReader
	gaps      []int64
	growth    *growth.Curve
	keep      []int64

	windows []last.Window // of instructions that the page has
	detail  *Detail
}

// A Baseline is the earlier run that a page is compared with. Figures are those of the text reports.
type Baseline struct {
	Name       string // of its datasets
	dirs       []string
	Merged     *report.Merged
	Coverage   *report.Change // rows are functions
	Matched    bool           // it is of the same program, or functions have names to be matched by
	Hotspots   *report.HotspotChange
	Tasks      *stacks.Tasks     // nil: not known
	Exceptions *exceptions.Table // nil: likewise
	OnlyNow    int64             // functions of this program that the earlier one has not
	Only       []OnlyBefore
	paths      *paths // nil: one of the runs has no call stacks
}

// An OnlyBefore is a function of the earlier run that is in no row of the functions.
type OnlyBefore struct {
	Name, File string
	Own        int64
}

// tablesOfTime are what pictures of the time take.
var tablesOfTime = []*schema.Table{
	&schema.Stacks, &schema.Tasks, &schema.Calls, &schema.ExceptionSpans,
	&schema.Exceptions,
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
func (p *Content) has(tables ...*schema.Table) bool { return has(p.Trust, tables...) }

func has(t *trust.Summary, tables ...*schema.Table) bool {
	return !slices.ContainsFunc(t.Datasets, func(d trust.Dataset) bool { return len(lacking(&d, tables)) > 0 })
}

// Took is what a task took, in the unit of tasks.
func (p *Content) Took(t *stacks.Task) int64 { return t.Executed.In(p.Tasks.ByCycles) }

// Decoded goes through the sources that have a decoder.
func (p *Content) Decoded() func(yield func(*schema.SourceTotals) bool) {
	return func(yield func(*schema.SourceTotals) bool) {
		for i := range p.Trust.Datasets {
			for j := range p.Trust.Datasets[i].Sources {
				s := &p.Trust.Datasets[i].Sources[j]
				if s.Status == schema.SourceStatusNames[schema.StatusDecoded] && !yield(s) {
					return
				}
			}
		}
	}
}

// A callTimes is how long the calls of a function took that returned, in the unit of the page.
type callTimes struct{ shortest, median int64 }

// A taskOf is a task of a source, by its number.
type taskOf struct {
	dir    string
	source uint8
	number int32
}
