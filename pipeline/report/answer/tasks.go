package answer

import (
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
)

// Tasks is which tasks, and handlers of exceptions, ran, and what each took.
func Tasks(head []Fact, t *stacks.Tasks, top int) *Answer {
	row := func(i int) *stacks.Task { return &t.Rows[i] }
	took := func(i int) int64 { return row(i).Executed.In(t.ByCycles) }
	tookValue := func(i int) Value { return Int(took(i)) }
	several := slices.ContainsFunc(t.Rows,
		func(x stacks.Task) bool { return x.Source != t.Rows[0].Source || x.Dir != t.Rows[0].Dir })
	joinedTitle := ""
	if slices.ContainsFunc(t.Rows, func(x stacks.Task) bool { return x.Joined > 0 }) {
		joinedTitle = "JOINED"
	}
	s := &Section{
		Noun: "task", Rows: len(t.Rows), Top: top, Whole: t.Executed.In(t.ByCycles), Unit: UnitOf(t.ByCycles),
		Part: took,
	}
	rootTitle := ""
	if slices.ContainsFunc(t.Rows[:s.Shown()], func(x stacks.Task) bool { return rootWords(&x) != "" }) {
		rootTitle = "ROOT"
	}
	s.Bar = func(i int) (full, part, whole float64) { return float64(took(i)), 0, float64(took(0)) }
	s.Columns = []Column{
		{Title: "TASK", Weight: Name, At: func(i int) Value {
			if several {
				return Text(schema.SourceText(row(i).Source) + ": " + row(i).Name)
			}
			return Text(row(i).Name)
		}},
		{Title: "SHARE", Unit: OfWhole, Weight: Main, At: tookValue},
		{Weight: Share},
		{Title: strings.ToUpper(UnitOf(t.ByCycles)) + "S", Unit: Count, Weight: Number, At: tookValue},
		{Key: "directory", At: func(i int) Value { return Text(row(i).Dir) }},
		{Key: "source", At: func(i int) Value { return Text(schema.SourceText(row(i).Source)) }},
		{Key: "core", At: func(i int) Value { return Text(row(i).Core) }},
		{Key: "task", At: func(i int) Value { return Int(row(i).Number) }},
		{Key: "name", At: func(i int) Value { return Word(row(i).Name) }},
		{Key: "root", At: func(i int) Value { return If(row(i).Root != "", Word(row(i).Root)) }},
		{Title: rootTitle, Weight: Remark, Place: 5, At: func(i int) Value { return Text(rootWords(row(i))) }},
		{Key: "context_id", At: func(i int) Value { return If(row(i).ContextID.OK, Int(row(i).ContextID.V)) }},
		{
			Title: "CONTEXT", Weight: Spare, Place: 3,
			At: func(i int) Value { return If(row(i).ContextID.OK, Text(Hex(row(i).ContextID.V))) },
		},
		{"origin", "BEGAN", Words, Spare, 3, func(i int) Value { return Text(row(i).Origin.String()) }},
		{"first_seq", "FIRST SEQ", Count, Number, 2, func(i int) Value { return Int(row(i).FirstSeq) }},
		{"switches", "SWITCHES", Count, Number, 1, func(i int) Value { return Int(row(i).Switches) }},
		{Key: "ambiguous", At: func(i int) Value { return Int(row(i).Ambiguous) }},
		{Key: "joined", At: func(i int) Value { return Int(row(i).Joined) }},
		{Title: joinedTitle, Unit: Count, Weight: Number, Place: 4, At: func(i int) Value { return Int(row(i).Joined) }},
		{"stack_drift", "STACK FIXES", Count, Spare, 4, func(i int) Value { return Int(row(i).Drift) }},
		{Key: "instructions", At: func(i int) Value { return Int(row(i).Executed.Instructions) }},
		{Key: "cycles", At: func(i int) Value { return Nullable(row(i).Executed.Cycles) }},
	}
	return &Answer{Name: "tasks", Facts: append(head,
		Fact{"instructions", Int(t.Executed.Instructions)}, Fact{"cycles", Nullable(t.Executed.Cycles)},
		Fact{"rows", Rows(s)})}
}

// rootWords are what people are told of the root of a task, if it is not what the task is named after.
func rootWords(t *stacks.Task) string {
	switch {
	case t.IsHandlers():
		return "handlers"
	case t.Root == t.Name:
		return ""
	}
	return t.Root
}
