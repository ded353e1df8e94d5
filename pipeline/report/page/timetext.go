package page

import (
	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
)

// A sourceText says of which source files there is no text.
type sourceText struct {
	Notes   []string
	Missing []string // paths
	More    string   // how many others are missing
}

// listed is how many missing files are listed.
const listed = 20

func (p *Page) sourceText() *sourceText {
	if p.Data.Source == nil {
		return nil
	}
	x := &sourceText{}
	switch {
	case p.NoText:
		x.Notes = []string{"The text was left out (--no-source)."}
	case len(p.MissingSources) > 0:
		x.Notes = []string{"There is no text of " + of(int64(len(p.MissingSources)), int64(len(p.Data.Source.Files))) +
			" source files: give --source-root DIR, their folder, or --path-map OLD=NEW if the sources moved."}
		x.Missing = p.MissingSources[:min(len(p.MissingSources), listed)]
		if more := len(p.MissingSources) - listed; more > 0 {
			x.More = figures.Thousands(int64(more)) + " more"
		}
	}
	if p.Inlined {
		x.Notes = append(x.Notes, "Inlined code counts at the line where it is written.")
	}
	if p.Data.Source.Hottest[0] == content.None {
		x.Notes = append([]string{"No line was executed."}, x.Notes...)
	}
	return x
}

// A timeText says what the pictures of the time leave out.
type timeText struct{ Notes []string }

func (p *Page) timeText() *timeText {
	x := &timeText{}
	if p.Data.Flame == nil && (p.NoTime == "" || len(p.Trust.Datasets) > 1) {
		x.Notes = append(x.Notes,
			"There are no call stacks: the dataset has no tables stacks and tasks. Export again without --tables, or with "+
				"stacks, tasks, calls and exception_spans among them.")
	}
	if all := p.flameTotal(); p.Data.Unit == content.Cycles && all > p.Data.Spent {
		x.Notes = append(x.Notes,
			"Call stacks include "+count(all-p.Data.Spent, "cycle")+" that belong to no instruction.")
	}
	switch b := p.Before; {
	case b == nil || !b.Matched || p.Profile == nil:
	default:
		x.Notes = append(x.Notes, goneText(b))
	}
	if why := p.NoTime; why != "" {
		x.Notes = append(x.Notes, why)
	}
	if p.NoDetail != "" {
		x.Notes = append(x.Notes, p.NoDetail)
	}
	if least := p.LeastCall(); least > 0 {
		x.Notes = append(x.Notes, "In time order, calls of fewer than "+figures.Thousands(least)+" instructions are not drawn, and a task that made "+
			"no others may be missing: they were left out at export. Export again with --tables +calls to draw all.")
	}
	if off := p.OffCycles(); off > 0 {
		x.Notes = append(x.Notes, "In time order, "+count(off, "cycle")+" in which trace was off are with what ran before and after: when it was "+
			"is in the table cycle_counts. Export again with --tables +cycle_counts.")
	}
	for i := range p.Data.Times {
		t := &p.Data.Times[i]
		if len(t.Gaps) > 0 {
			x.Notes = append(x.Notes, "Red dashed lines: the trace is not continuous there.")
			break
		}
	}
	return x
}

// flameTotal is what all tasks took by the call stacks, in cycles; 0: it is not known.
func (p *Page) flameTotal() (all int64) {
	f := p.Data.Flame
	if f == nil {
		return 0
	}
	for i, n := range f.Cycles {
		if f.Parent[i] == 0 {
			all += n
		}
	}
	return all
}

// An exceptionsText says how long exceptions took.
type exceptionsText struct {
	Notes []string
	Table *table
}

func (p *Page) exceptionsText() *exceptionsText {
	e := p.Data.Exceptions
	switch {
	case e == nil && p.PacketsOnly:
		return nil
	case e == nil:
		return &exceptionsText{Notes: []string{"No exceptions."}}
	case !p.Spanned:
		return &exceptionsText{
			Notes: []string{"How long they took is not known: the dataset has no table exception_spans."},
			Table: p.exceptionsTable("entries"),
		}
	}
	x := &exceptionsText{
		Notes: []string{"Entry to return or task switch, nested exceptions included. p99 needs " +
			figures.Thousands(durations.LeastOfRank) + " samples."},
		Table: p.exceptionsTable("entries", "share", "median", "p99", "longest", "unit", "end_not_seen", "nested", "handler"),
	}
	unended := int64(0)
	for _, n := range e.Unended {
		unended += n
	}
	if unended > 0 {
		x.Notes = append(x.Notes, "Not followed to their end: "+of(unended, p.Exceptions.Entries)+" entries. They are counted as "+
			"unfinished, and have no duration.")
	}
	return x
}

// beforeColumn is a column of how long exceptions took in the earlier run.
func beforeColumn(title string, list []int64) answer.Column {
	return answer.Column{Title: title, Unit: answer.Count, Weight: answer.Number, At: func(i int) answer.Value {
		return answer.If(list[i] != content.None, answer.Int(list[i]))
	}}
}

// exceptionsTable has a row for each exception, with columns of report exceptions.
func (p *Page) exceptionsTable(keys ...string) *table {
	x := answer.Exceptions(nil, p.Exceptions, 0, answer.Absent).Section()
	e := p.Data.Exceptions
	x.Columns = append([]answer.Column{nameColumn("exception", e.Name)}, byKey(x, keys...)...)
	if e.MedianBefore != nil {
		x.Columns = append(x.Columns, beforeColumn("median before", e.MedianBefore), beforeColumn("longest before", e.LongestBefore))
	}
	t := tableOf(x)
	t.Caption = "Exceptions"
	return t
}
