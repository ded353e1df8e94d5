package page

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
	"github.com/tracelake/tracelake/schema"
)

// A firstAnswer is one of the four answers of the first screen.
type firstAnswer struct {
	Question string
	Figure   string // the answer in a few words; "": there is none
	Words    string // the rest of the sentence or, without an answer, what is missing and what to add
	Change   string // against the earlier run; "": there is none, or it is not known
	Bar      *bar
	Links    []stateLink
}

// A stateLink leads to a view of the page: Href is its state, as js/url.js reads it.
type stateLink struct{ Href, Text string }

// view links to the state that key and value pairs say.
func view(text string, pairs ...string) stateLink {
	var state []string
	for i := 0; i < len(pairs); i += 2 {
		state = append(state, pairs[i]+"="+strings.ReplaceAll(url.QueryEscape(pairs[i+1]), "+", "%20"))
	}
	return stateLink{"#" + strings.Join(state, "&"), text}
}

// functionKey names a function in the state: by its address too where others have the name.
func (p *Page) functionKey(i int) string {
	f := &p.Data.Functions
	if key := f.Name[i]; slices.Index(f.Name, key) == i && !slices.Contains(f.Name[i+1:], key) {
		return key
	}
	return f.Name[i] + "@" + f.Address[i].Hex()
}

// around is the window of the time that shows something: of index, start and length on the axis.
func around(at [3]int64) string {
	return fmt.Sprintf("%d:%d..%d", at[0], max(0, at[1]-at[2]*3/2), at[1]+at[2]*5/2)
}

// firstAnswers say what never ran, what was hot, which task was busy and what took long.
func (p *Page) firstAnswers() []firstAnswer {
	if p.PacketsOnly || p.Trust.Instructions == 0 {
		return nil
	}
	all := []firstAnswer{p.missedAnswer(), p.hotAnswer(), p.busyAnswer(), p.longAnswer()}
	for i := range all {
		if a := &all[i]; a.Words != "" && !strings.HasSuffix(a.Words, ".") {
			a.Words += "."
		}
	}
	return all
}

// missedAnswer says what never ran.
func (p *Page) missedAnswer() firstAnswer {
	a, c := firstAnswer{Question: "What never ran?"}, p.Coverage
	switch {
	case !p.Trust.HasProgram:
		a.Words = "Without an ELF file nobody knows. Add -e FILE at export."
		return a
	case !c.Named:
		a.Words = "The ELF file names no functions. Export with one that is not stripped."
		return a
	}
	never := c.Functions.Of - c.Functions.Covered
	a.Figure = figures.Thousands(never) + " of " + count(c.Functions.Of, "function")
	a.Words = "never ran"
	if never == 0 {
		a.Figure, a.Words = "Every function ran", ""
	}
	a.Bar = newBar(c.Functions.Of, c.Functions.Covered, 0)
	if n := p.OneWay; n > 0 {
		a.Words += "; " + count(n, "conditional branch") + " went one way only"
	}
	a.Words = strings.TrimPrefix(a.Words, "; ")
	if i := slices.IndexFunc(c.Rows, func(r report.CoverageRow) bool { return r.File != "" && r.Missed() > 0 }); i >= 0 {
		r := &c.Rows[i] // the first of those most missed
		a.Words += ". Most is missed in " + content.Name(path.Base(r.File)) + ": " + of(r.Missed(), r.Instructions.Of) + " instructions"
	}
	a.Words = strings.TrimPrefix(a.Words, ". ")
	a.Links = []stateLink{view("what was missed", "table", "functions", "sort", "missed")}
	return a
}

// hotAnswer says which function took most, and on which path most of that.
func (p *Page) hotAnswer() firstAnswer {
	d := &p.Data
	a := firstAnswer{Question: "What was hot?"}
	if len(p.Hottest.Rows) == 0 {
		a.Words = "No " + p.function() + " took anything."
		return a
	}
	own := d.Functions.Own[0]
	a.Figure = content.Short(d.Functions.Name[0]) + " " + percentCell(own, d.Spent)
	a.Words = "of " + figures.Thousands(d.Spent) + " " + d.Unit + " is its own share"
	a.Bar = newBar(d.Spent, own, 0)
	if way := p.hottestPath(); way != "" {
		a.Words += ", most of it in " + way
	}
	if !d.Cycles {
		a.Words += ". No cycle counts were traced"
	}
	a.Links = []stateLink{view("the hottest", "table", "functions", "sort", "own")}
	if d.Named && d.Functions.File[0] != content.None {
		a.Links = append(a.Links, view("its source", "fn", p.functionKey(0)))
	}
	return a
}

// pathFrames is how many frames of a path are named.
const pathFrames = 4

// hottestPath is the call path on which the hottest function took most by itself; "": it is not known.
func (p *Page) hottestPath() string {
	if p.Profile == nil {
		return ""
	}
	best, most := int32(content.None), int64(0)
	for i := range p.Profile.Nodes {
		n := &p.Profile.Nodes[i]
		if f := &p.Profile.Frames[n.Frame]; f.Exception != "" || f.Other || f.Name != p.Hottest.Rows[0].Name {
			continue
		}
		if own := n.Own.In(p.Profile.ByCycles); own > most {
			best, most = int32(i), own
		}
	}
	var frames []string
	for i := best; i != content.None; i = p.Profile.Nodes[i].Parent {
		if len(frames) == pathFrames {
			frames = append(frames, "…")
			break
		}
		frames = append(frames, content.Short(p.Profile.Frames[p.Profile.Nodes[i].Frame].Text()))
	}
	if len(frames) < 2 {
		return "" // its name says it
	}
	slices.Reverse(frames)
	return strings.Join(frames, " → ")
}

// busyAnswer says which task took most.
func (p *Page) busyAnswer() firstAnswer {
	a := firstAnswer{Question: "Which task was busy?"}
	if p.Tasks == nil {
		a.Words = "The dataset has no table tasks. Export again without --tables."
		return a
	}
	tasks, switches, busiest := int64(0), int64(0), p.busiest()
	for i := range p.Tasks.Rows {
		if t := &p.Tasks.Rows[i]; !t.IsHandlers() {
			tasks++
			switches += t.Switches
		}
	}
	if busiest == content.None {
		a.Words = "Only handlers of exceptions ran."
		return a
	}
	all := p.Tasks.Executed.In(p.Tasks.ByCycles)
	t := &p.Tasks.Rows[busiest]
	a.Figure = content.Short(t.Name) + " " + percentCell(p.Took(t), all)
	a.Bar = newBar(all, p.Took(t), 0)
	switch {
	case t.Origin == schema.TaskGap && t.Root == "":
		a.Figure = percentCell(p.Took(t), all) + " of no known task"
		a.Words = "ran after gaps, in functions of whose callers none was seen"
	case tasks == 1:
		a.Words = "is the only task"
	default:
		a.Words = "is the busiest of " + count(tasks, "task") + ", with " + count(switches, "switch") + " between them"
	}
	a.Words += ". " + p.notTraced()
	a.Links = []stateLink{view("all tasks", "table", "tasks", "sort", "own")}
	return a
}

// busiest is the index of the task that took most; -1: only handlers ran.
func (p *Page) busiest() int {
	busiest := content.None
	for i := range p.Tasks.Rows {
		t := &p.Tasks.Rows[i]
		if !t.IsHandlers() && (busiest == content.None || p.Took(t) > p.Took(&p.Tasks.Rows[busiest])) {
			busiest = i
		}
	}
	return busiest
}

// notTraced says which share of the time the trace does not show.
func (p *Page) notTraced() string {
	c := &p.Trust.Cycles
	switch {
	case p.Trust.Gaps == 0:
		return "The trace has no gap"
	case c.Traced && c.Executed+c.Gaps > 0:
		return percentCell(c.Gaps, c.Executed+c.Gaps) + " of the cycles were not traced"
	}
	return "What ran in " + count(p.Trust.Gaps, "gap") + " is not known"
}

// longAnswer says which entry of an exception took longest.
func (p *Page) longAnswer() firstAnswer {
	a := firstAnswer{Question: "What took long?"}
	x := p.Exceptions
	switch {
	case !p.Spanned:
		a.Words = "How long exceptions took is not known: the dataset has no table exception_spans. Export again without --tables."
		return a
	case len(x.Rows) == 0:
		a.Words = "No exception was taken."
		return p.longestCall(a)
	}
	worst := p.WorstException()
	if worst == content.None {
		a.Words = "No exception was followed to its end, of " + count(x.Entries, "entry") + "."
		return p.longestCall(a)
	}
	r, e := &x.Rows[worst], p.Data.Exceptions
	if r.Longest == 0 {
		a.Words = "No exception executed anything, of " + count(x.Entries, "entry") + "."
		return p.longestCall(a)
	}
	a.Figure = content.Short(e.Name[worst]) + ": " + figures.Count(r.Longest, content.UnitOf(r))
	a.Words = "is the longest of " + count(x.Entries, "exception")
	if r.Ended > 1 {
		a.Words += "; the median of its kind is " + figures.Thousands(r.Median)
	}
	a.Bar = newBar(max(1, r.Longest), r.Median, r.Longest-r.Median)
	if w := e.Worst[worst]; len(w) > 0 && w[0][1] != content.None { // a dataset may say of none how long it took
		at := [3]int64(w[0][1:])
		a.Links = append(a.Links, view("show it", "t", around(at), "seq", fmt.Sprintf("%d:%d", at[0], r.Worst.Seq)))
	}
	a.Links = append(a.Links, stateLink{"#exceptions", "all exceptions"})
	return a
}

// longestCall adds to an answer which call took longest, if one is known.
func (p *Page) longestCall(a firstAnswer) firstAnswer {
	f, best := &p.Data.Functions, content.None
	for i, w := range f.Worst {
		if len(w) > 0 && w[0][0] > 0 && (best == content.None || w[0][0] > f.Worst[best][0][0]) {
			best = i
		}
	}
	if best == content.None {
		return a
	}
	worst := f.Worst[best][0]
	a.Figure = content.Short(f.Name[best]) + ": " + figures.Count(worst[0], strings.TrimSuffix(p.Data.Unit, "s"))
	a.Words = "is the longest call. " + a.Words
	if worst[1] != content.None {
		a.Links = append(a.Links, view("show it", "t", around([3]int64{worst[1], worst[2], worst[0]})))
	}
	return a
}
