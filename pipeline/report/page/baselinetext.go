package page

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
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
	b := p.before
	if b == nil {
		return nil
	}
	x := &baselineText{verdictText: verdictOf(b.m.Trust()), Name: b.name}
	if x.All = p.Data.Before.Own != nil && len(b.only) == 0; len(b.only) == 0 {
		return x
	}
	x.Only = &table{Caption: count(int64(len(b.only)), "function") + " only in the earlier run"}
	x.Only.Head = []cell{plain("function"), plain("declared"), number("own " + p.Data.Before.Unit + " before")}
	for i := range b.only[:min(len(b.only), mostOnly)] {
		o := &b.only[i]
		x.Only.Rows = append(x.Only.Rows, []cell{named(name(o.shown)), shortened(name(o.file)), number(figures.Thousands(o.own))})
	}
	if more := len(b.only) - mostOnly; more > 0 {
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
		if x.Own[i] != none {
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
	b := p.before
	if b == nil {
		return nil
	}
	c, h := b.coverage, b.hotspots
	against := "Against " + b.name
	switch {
	case !b.matched:
		return []string{against + ", which is of another program: there are no names to compare by."}
	case !c.SameProgram:
		against += ", which is of another program, so that functions are compared by name and file: " +
			gainedText("function", c.Functions) + "; " + count(b.onlyNow, "function") + " only in this program, " +
			figures.Thousands(int64(len(b.only))) + " only in the earlier one."
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
	if p.before == nil || answers == nil {
		return answers
	}
	for i, change := range []string{p.missedChange(), p.hotChange(), p.busyChange(), p.longChange()} {
		answers[i].Change = change
	}
	return answers
}

// missedChange says what was gained and lost.
func (p *Page) missedChange() string {
	c := p.before.coverage
	switch {
	case !p.before.matched:
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
	b, x := p.before, p.Data.Before
	if len(x.Change) == 0 {
		return ""
	}
	changed := func(i int) string { return points(x.Change[i]/100) + " points" }
	text := "Against before: " + changed(0)
	if x.Own[0] == none {
		text = "It is not in the earlier run"
	} else if all := answer.Total(b.hotspots.Before, b.hotspots.ByCycles); all > 0 {
		text += ", from " + percentCell(x.Own[0], all)
	}
	most := 0
	for i := range x.Change {
		if math.Abs(x.Change[i]) > math.Abs(x.Change[most]) {
			most = i
		}
	}
	if most != 0 {
		text += "; most changed: " + short(p.Data.Functions.Name[most]) + ", " + changed(most)
	}
	return text + "."
}

// busyChange says how the share of the busiest task changed.
func (p *Page) busyChange() string {
	if p.tasks == nil || !p.before.matched {
		return ""
	}
	if p.before.tasks == nil {
		return "The earlier run has no table tasks."
	}
	busiest := p.busiest()
	if busiest == none {
		return ""
	}
	t, before := &p.tasks.Rows[busiest], p.before.tasks
	byCycles := p.tasks.ByCycles && before.ByCycles
	all := before.Executed.In(byCycles)
	i := slices.IndexFunc(before.Rows, func(o stacks.Task) bool { return keyOf(&o) == keyOf(t) })
	if i < 0 || all == 0 {
		return "It is not in the earlier run."
	}
	own := before.Rows[i].Executed.In(byCycles)
	change := float64(t.Executed.In(byCycles))/float64(max(1, p.tasks.Executed.In(byCycles))) - float64(own)/float64(all)
	return "Against before: " + points(change) + " points, from " + percentCell(own, all) + "."
}

// longChange says how long exceptions of the kind that took longest took before.
func (p *Page) longChange() string {
	b := p.before
	switch {
	case !p.spans:
		return ""
	case b.exceptions == nil:
		return "The earlier run has no table exception_spans."
	case len(p.exceptions.Rows) == 0:
		return "Before: " + count(b.exceptions.Entries, "exception") + "."
	}
	worst := p.worstException()
	if worst == none {
		return ""
	}
	now := &p.exceptions.Rows[worst]
	before := b.exception(now)
	switch {
	case before == nil:
		return "None of its kind was taken before."
	case before.Ended == 0:
		return "Before: none of its kind was followed to its end."
	}
	text := "Before: the longest of its kind " + figures.Count(before.Longest, unitOf(before))
	if before.Ended > 1 {
		text += ", the median " + figures.Thousands(before.Median)
	}
	return text + "."
}
