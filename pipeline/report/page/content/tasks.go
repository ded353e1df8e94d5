package content

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
)

// readTasks fills in the tasks.
func (p *Content) readTasks(dirs []string, test string) (err error) {
	if !p.has(&schema.Tasks) {
		return nil
	}
	if p.Tasks, err = stacks.ReadTasks(dirs, test); err != nil {
		return err
	}
	p.taskNames = map[taskOf]stacks.TaskName{}
	for i := range p.Tasks.Rows {
		t := &p.Tasks.Rows[i]
		p.taskNames[taskOf{t.Dir, t.Source, t.Number}] = t.Named()
	}
	p.Tasks.Rows = stacks.AddedUp(p.Tasks.Rows)
	slices.SortStableFunc(p.Tasks.Rows, func(a, b stacks.Task) int { return cmp.Compare(p.Took(&b), p.Took(&a)) })
	x, all := &Tasks{}, p.Tasks.Executed.In(p.Tasks.ByCycles)
	sources := map[uint8]bool{}
	for i := range p.Tasks.Rows {
		sources[p.Tasks.Rows[i].Source] = true
	}
	for i := range p.Tasks.Rows {
		t := &p.Tasks.Rows[i]
		x.Name, x.Why, x.Source = append(x.Name, Name(t.Name)), append(x.Why, Name(whyCalled(t))), append(x.Source, "")
		if len(sources) > 1 {
			x.Source[i] = Name(strings.TrimSpace(schema.SourceText(t.Source) + " " + t.Core))
		}
		x.Switches = append(x.Switches, t.Switches)
		x.add(p.Took(t), all)
	}
	p.Data.Tasks = x
	return nil
}

// whyCalled says what a task has its name from.
func whyCalled(t *stacks.Task) string {
	text := ""
	switch {
	case t.IsHandlers():
		return "handlers of this exception"
	case t.Origin == schema.TaskGap && t.Root == "":
		text = "what ran after gaps, of which no caller was seen"
	case t.Root != "":
		text = "its stack begins in " + t.Root
	default:
		text = "the first function that was seen"
	}
	if t.ContextID.OK {
		text = "Context ID " + schema.Address(t.ContextID.V).Hex() + "; " + text
	}
	if t.Joined > 0 {
		text += "; across " + figures.Count(t.Joined, "gap") + " it is assumed to be the same"
	}
	return text
}

// Task returns the row before of a task; nil: it did not run.
func (b *Baseline) Task(now *stacks.Task) *stacks.Task {
	for i := range b.Tasks.Rows {
		if b.Tasks.Rows[i].Named() == now.Named() {
			return &b.Tasks.Rows[i]
		}
	}
	return nil
}

// placeTurns fills in the longest turn of each task, as far as its axis is in the unit of the page, and what switched it
// out most often.
func (p *Content) placeTurns() {
	x := p.Data.Tasks
	if x == nil || len(p.times) == 0 {
		return
	}
	unit := durations.InInstructions
	if p.Data.Unit == Cycles {
		unit = durations.InCycles
	}
	index, all := map[stacks.TaskName]int{}, make([]turns, len(p.Tasks.Rows))
	for i := range p.Tasks.Rows {
		index[p.Tasks.Rows[i].Named()] = i
		x.Longest = append(x.Longest, [3]int64{None, None, 0})
	}
	for n, c := range p.times {
		for task := range c.spans.turned.of {
			i, ok := index[p.taskNames[taskOf{c.place.Dir, c.place.Source, int32(task)}]]
			if !ok {
				continue
			}
			t := &c.spans.turned.of[task]
			all[i].add(t)
			if c.unit == unit && t.longest > x.Longest[i][0] {
				x.Longest[i] = [3]int64{t.longest, int64(n), t.start}
			}
		}
	}
	for i := range all {
		by, times := all[i].mostOften()
		x.Out, x.OutTimes = append(x.Out, by), append(x.OutTimes, [2]int64{times, all[i].ended})
	}
}
