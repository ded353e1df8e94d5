package answer

import (
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
)

// Tasks is which tasks, and handlers of exceptions, ran, and what each took. baseline, if not Absent, is [TasksChange].
func Tasks(head []Fact, t *stacks.Tasks, top int, baseline Value) *Answer {
	row := func(i int) *stacks.Task { return &t.Rows[i] }
	took := func(i int) int64 { return row(i).Executed.In(t.ByCycles) }
	tookValue := func(i int) Value { return Int(took(i)) }
	names := taskNames(len(t.Rows), row)
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
		{Title: "TASK", Weight: Name, At: names},
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
			At: func(i int) Value { return If(row(i).ContextID.OK, Text(schema.Address(row(i).ContextID.V).Hex())) },
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
		Fact{"rows", Rows(s)}, Fact{"baseline", baseline})}
}

// taskNames are what tasks are called on screens: with their sources, if there are several.
func taskNames(rows int, row func(int) *stacks.Task) func(int) Value {
	several := slices.ContainsFunc(numbers(rows),
		func(i int) bool { return row(i).Source != row(0).Source || row(i).Dir != row(0).Dir })
	return func(i int) Value {
		if several {
			return Text(schema.SourceText(row(i).Source) + ": " + row(i).Name)
		}
		return Text(row(i).Name)
	}
}

// TasksChange is which tasks take more, and which less, than in the baseline in dir.
func TasksChange(c *stacks.TaskChange, top int, dir string) Value {
	return Object(
		Fact{"directory", Text(dir)},
		Fact{"shares_of", Text(UnitOf(c.ByCycles) + "s")},
		Fact{"instructions", Int(c.Before.Executed.Instructions)},
		Fact{"cycles", Nullable(c.Before.Executed.Cycles)},
		Fact{"new", Int(c.New)},
		Fact{"lost", Int(c.Lost)},
		Fact{"rows", Rows(taskChanges(c, top))},
	)
}

// taskChanges are the rows of it.
func taskChanges(c *stacks.TaskChange, top int) *Section {
	row := func(i int) *stacks.TaskChangeRow { return &c.Rows[i] }
	now, before := func(i int) *stacks.Task { return row(i).Now }, func(i int) *stacks.Task { return row(i).Before }
	was := func(of func(*stacks.Task) int64) func(int) Value {
		at := func(x *stacks.Task) int64 {
			if x == nil {
				return 0
			}
			return of(x)
		}
		return func(i int) Value { return Was(at(before(i)), at(now(i))) }
	}
	either := func(i int) *stacks.Task { return row(i).Row() }
	s := &Section{Noun: "task", Rows: len(c.Rows), Top: top}
	s.Columns = []Column{
		{Title: "TASK", Weight: Name, At: taskNames(len(c.Rows), either)},
		{Key: "core", At: func(i int) Value { return Text(either(i).Core) }},
		{Key: "source", At: func(i int) Value { return Text(schema.SourceText(either(i).Source)) }},
		{Key: "name", At: func(i int) Value { return Word(either(i).Name) }},
		{Key: "context_id", At: func(i int) Value { return If(either(i).ContextID.OK, Int(either(i).ContextID.V)) }},
		{"change_points", "CHANGE", Points, Main, 0, func(i int) Value { return PercentOf(c.Change(row(i))) }},
		{Title: "SHARE", Unit: Percent, Weight: Main, Place: 1, At: taskShare(c, c.Now, now)},
		{Title: "BEFORE", Unit: Percent, Weight: Main, Place: 1, At: taskShare(c, c.Before, before)},
		{
			Title: strings.ToUpper(UnitOf(c.ByCycles)) + "S", Unit: FromTo, Weight: Number, Place: 2,
			At: was(func(x *stacks.Task) int64 { return x.Executed.In(c.ByCycles) }),
		},
		{
			Title: "SWITCHES", Unit: FromTo, Weight: Number, Place: 3,
			At: was(func(x *stacks.Task) int64 { return x.Switches }),
		},
	}
	s.Columns = append(s.Columns, taskSide("now", c, c.Now, now)...)
	s.Columns = append(s.Columns, taskSide("before", c, c.Before, before)...)
	return s
}

// taskShare is what tasks took of all; of one that did not run it is none.
func taskShare(c *stacks.TaskChange, t *stacks.Tasks, of func(int) *stacks.Task) func(int) Value {
	return func(i int) Value {
		x := of(i)
		if x == nil {
			return None
		}
		return Of(x.Executed.In(c.ByCycles), t.Executed.In(c.ByCycles))
	}
}

// taskSide are the columns of what tasks took now, or before, that programs read.
func taskSide(key string, c *stacks.TaskChange, t *stacks.Tasks, of func(int) *stacks.Task) []Column {
	return []Column{
		{Key: key, At: func(i int) Value { return If(of(i) != nil, Object()) }},
		{Key: key + ".share_percent", Unit: Ratio, At: func(i int) Value { return Float(c.Share(t, of(i)) * 100) }},
		{Key: key + ".instructions", At: func(i int) Value { return Int(of(i).Executed.Instructions) }},
		{Key: key + ".cycles", At: func(i int) Value { return Nullable(of(i).Executed.Cycles) }},
		{Key: key + ".switches", At: func(i int) Value { return Int(of(i).Switches) }},
	}
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
