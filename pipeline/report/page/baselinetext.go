package page

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
)

// A baselineText says what the page is compared with.
type baselineText struct {
	verdictText
	Name string
	Only *table // functions of the earlier run that are in no row; nil: there are none
	All  bool   // there are none: all are in rows
}

// mostOnly is how many functions are listed that only the earlier run has.
const mostOnly = 100

func (p *Page) baselineText() *baselineText {
	b := p.Before
	if b == nil {
		return nil
	}
	x := &baselineText{verdictText: verdictOf(b.Merged.Trust()), Name: b.Name}
	if x.All = p.Data.Before.Own != nil && len(b.Only) == 0; len(b.Only) == 0 {
		return x
	}
	x.Only = &table{Caption: count(int64(len(b.Only)), "function") + " only in the earlier run"}
	x.Only.Head = []cell{plain("function"), plain("declared"), number("own " + p.Data.Before.Unit + " before")}
	for i := range b.Only[:min(len(b.Only), mostOnly)] {
		o := &b.Only[i]
		x.Only.Rows = append(x.Only.Rows, []cell{named(content.Name(o.Name)), shortened(content.Name(o.File)), number(figures.Thousands(o.Own))})
	}
	if more := len(b.Only) - mostOnly; more > 0 {
		x.Only.Rows = append(x.Only.Rows, []cell{{Text: figures.Thousands(int64(more)) + " more"}})
	}
	return x
}

// changedTable has the functions whose share changed most; nil: none did, or there is nothing to compare.
func (p *Page) changedTable() *table {
	x := p.Data.Before
	if x == nil {
		return nil
	}
	var rows []int
	for i, change := range x.Change {
		if change != 0 {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(math.Abs(x.Change[b]), math.Abs(x.Change[a])) })
	if len(rows) == 0 {
		return nil
	}
	t := &table{Caption: figures.Thousands(int64(min(shown, len(rows)))) + " of " + figures.Thousands(int64(len(rows))) +
		" functions whose share changed: those that changed most"}
	t.Head = []cell{plain("function"), number("gained"), number("lost"), number("change, points"), number("own " + x.Unit + " before")}
	for _, i := range rows[:min(shown, len(rows))] {
		own := unknown
		if x.Own[i] != content.None {
			own = figures.Thousands(x.Own[i])
		}
		t.Rows = append(t.Rows, []cell{
			named(p.Data.Functions.Name[i]), number(figures.Thousands(x.Gained[i])), number(figures.Thousands(x.Lost[i])),
			number(points(x.Change[i] / 100)), number(own),
		})
	}
	return t
}

// changeNotes say what changed in all.
func (p *Page) changeNotes() []string {
	b := p.Before
	if b == nil {
		return nil
	}
	c, h := b.Coverage, b.Hotspots
	against := "Against " + b.Name
	switch {
	case !b.Matched:
		return []string{against + ", which is of another program: there are no names to compare by."}
	case !c.SameProgram:
		against += ", which is of another program, so that functions are compared by name and file: " +
			gainedText("function", c.Functions) + "; " + count(b.OnlyNow, "function") + " only in this program, " +
			figures.Thousands(int64(len(b.Only))) + " only in the earlier one."
	default:
		before := count(c.InstructionsBefore.Covered, "instruction")
		if f := c.InstructionsBefore; p.Data.Named {
			before = exact(f.Covered, f.Of) + " of instructions"
		}
		against += ", where " + before + " ran: " + gainedText("instruction", c.Instructions) + "; "
		if p.Data.Named {
			against += gainedText("line", c.Lines) + "; " + gainedText("function", c.Functions) + "; "
		}
		against += gainedText("branch outcome", c.Outcomes) + "."
	}
	unit := answer.UnitOf(h.ByCycles)
	return []string{against, count(answer.Total(h.Now, h.ByCycles), unit) + " now, " +
		figures.Thousands(answer.Total(h.Before, h.ByCycles)) + " before. Changes are in percentage points of all " + unit + "s."}
}

// gainedText says how much is new, and lost.
func gainedText(noun string, d report.Delta) string {
	return count(d.New, noun) + " gained, " + figures.Thousands(d.Lost) + " lost"
}

// points is a difference of shares, in percentage points.
func points(change float64) string {
	tenths := math.Round(math.Abs(change) * 1000)
	switch {
	case tenths == 0:
		return "0.0"
	case change < 0:
		return "−" + strconv.FormatFloat(tenths/10, 'f', 1, 64)
	}
	return "+" + strconv.FormatFloat(tenths/10, 'f', 1, 64)
}

// withChanges returns the four answers, if there are any, each with what changed.
func (p *Page) withChanges(answers []firstAnswer) []firstAnswer {
	if p.Before == nil || answers == nil {
		return answers
	}
	for i, change := range []string{p.missedChange(), p.hotChange(), p.busyChange(), p.longChange()} {
		answers[i].Change = change
	}
	return answers
}

// missedChange says what was gained and lost.
func (p *Page) missedChange() string {
	c := p.Before.Coverage
	switch {
	case !p.Before.Matched:
		return "The earlier run is of another program without names."
	case !c.SameProgram:
		return "Against before: +" + figures.Thousands(c.Functions.New) + " and −" + count(c.Functions.Lost, "function") + "."
	case c.Instructions == report.Delta{} && c.Functions == report.Delta{}:
		return "Against before: nothing gained, nothing lost."
	}
	text := "Against before: +" + figures.Thousands(c.Instructions.New) + " and −" + count(c.Instructions.Lost, "instruction")
	if p.Data.Named {
		text += ", +" + figures.Thousands(c.Functions.New) + " and −" + count(c.Functions.Lost, "function")
	}
	return text + "."
}

// hotChange says how the share of the hottest function changed, and which changed most.
func (p *Page) hotChange() string {
	b, x := p.Before, p.Data.Before
	if len(x.Change) == 0 {
		return ""
	}
	changed := func(i int) string { return points(x.Change[i]/100) + " points" }
	text := "Against before: " + changed(0)
	if x.Own[0] == content.None {
		text = "It is not in the earlier run"
	} else if all := answer.Total(b.Hotspots.Before, b.Hotspots.ByCycles); all > 0 {
		text += ", from " + percentCell(x.Own[0], all)
	}
	most := 0
	for i := range x.Change {
		if math.Abs(x.Change[i]) > math.Abs(x.Change[most]) {
			most = i
		}
	}
	if most != 0 {
		text += "; most changed: " + content.Short(p.Data.Functions.Name[most]) + ", " + changed(most)
	}
	return text + "."
}

// busyChange says how the share of the busiest task changed.
func (p *Page) busyChange() string {
	if p.Tasks == nil || !p.Before.Matched {
		return ""
	}
	if p.Before.Tasks == nil {
		return "The earlier run has no table tasks."
	}
	busiest := p.busiest()
	if busiest == content.None {
		return ""
	}
	t, before := &p.Tasks.Rows[busiest], p.Before.Tasks
	byCycles := p.Tasks.ByCycles && before.ByCycles
	all := before.Executed.In(byCycles)
	was := p.Before.Task(t)
	if was == nil || all == 0 {
		return "It is not in the earlier run."
	}
	own := was.Executed.In(byCycles)
	change := float64(t.Executed.In(byCycles))/float64(max(1, p.Tasks.Executed.In(byCycles))) - float64(own)/float64(all)
	return "Against before: " + points(change) + " points, from " + percentCell(own, all) + "."
}

// longChange says how long exceptions of the kind that took longest took before.
func (p *Page) longChange() string {
	b := p.Before
	switch {
	case !p.Spanned:
		return ""
	case b.Exceptions == nil:
		return "The earlier run has no table exception_spans."
	case len(p.Exceptions.Rows) == 0:
		return "Before: " + count(b.Exceptions.Entries, "exception") + "."
	}
	worst := p.WorstException()
	if worst == content.None {
		return ""
	}
	now := &p.Exceptions.Rows[worst]
	before := b.Exception(now)
	switch {
	case before == nil:
		return "None of its kind was taken before."
	case before.Ended == 0:
		return "Before: none of its kind was followed to its end."
	}
	text := "Before: the longest of its kind " + figures.Count(before.Longest, content.UnitOf(before))
	if before.Ended > 1 {
		text += ", the median " + figures.Thousands(before.Median)
	}
	return text + "."
}

// goneText says which call paths are not drawn, as only the earlier run has them.
func goneText(b *content.Baseline) string {
	n, took, of, ok := b.GoneCalls()
	switch {
	case !ok:
		return "The earlier run has no call stacks to compare with."
	case n == 0:
		return "All call paths of the earlier run are in this one, too."
	}
	return count(n, "call path") + " of the earlier run, with " + exact(took, of) + " of what it took, did not run now: " +
		"the mode change does not draw them."
}
