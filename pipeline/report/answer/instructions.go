package answer

import (
	"fmt"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/last"
	"github.com/tracelake/tracelake/schema"
)

// Disasm is what each instruction of functions took. text returns a line of a source file.
func Disasm(head []Fact, listings []report.Listing, text func(file string, line uint32) string) *Answer {
	return &Answer{Name: "disasm", Facts: append(head, Fact{"functions", each(len(listings), append(
		nameKeys(func(i int) *report.Name { return &listings[i].Name }),
		Column{Key: "instructions", At: func(i int) Value { return Int(listings[i].Instructions) }},
		Column{Key: "cycles", At: func(i int) Value { return positive(Round(listings[i].Cycles)) }},
		Column{Key: "rows", At: func(i int) Value { return List(Listing(&listings[i], text)) }})...)})}
}

// Listing is what each instruction of a function took. On screens are the columns that the trace has figures for, and
// outcomes of instructions that have a choice.
func Listing(l *report.Listing, text func(file string, line uint32) string) *Section {
	row := func(i int) *report.ListingRow { return &l.Rows[i] }
	outcome := func(n func(*report.ListingRow) int64) func(int) Value {
		return func(i int) Value {
			r := row(i)
			return IfAny(r.Conditional || r.Failed > 0, If(r.Executed+r.Failed > 0 || r.Unknown == 0, Int(n(r))))
		}
	}
	hottest := 0.0
	for i := range l.Rows {
		hottest = max(hottest, l.Heat(row(i)))
	}
	s := &Section{Noun: "instruction", Rows: len(l.Rows)}
	s.Bar = func(i int) (full, part, whole float64) { return l.Heat(row(i)), 0, hottest }
	s.Columns = []Column{
		{"address", "ADDRESS", Words, Main, 0, func(i int) Value { return Text(row(i).Address.Hex()) }},
		{Weight: Share},
		{Title: "TIMES", Unit: Count, Weight: Main, At: func(i int) Value { return Int(row(i).Executions()) }},
		{
			Title: "PASSED", Unit: Count, Weight: Number,
			At: outcome(func(r *report.ListingRow) int64 { return r.Executed }),
		},
		{
			Title: "FAILED", Unit: Count, Weight: Number,
			At: outcome(func(r *report.ListingRow) int64 { return r.Failed }),
		},
		When(l.Cycles > 0, Column{Title: "CYCLES", Unit: Cycles, Weight: Number, At: func(i int) Value {
			return positive(row(i).Cycles)
		}}),
		When(l.Cycles > 0, Column{Title: "EACH", Unit: Mean, Weight: Number, At: func(i int) Value {
			return If(row(i).Cycles != 0, Float(row(i).CyclesEach()))
		}}),
		{Title: "KIND", Weight: Remark, At: func(i int) Value { return Text(KindOf(row(i))) }},
		{Title: "OPCODE", Weight: Spare, At: func(i int) Value { return Text(Opcode(row(i).Opcode, row(i).Size)) }},
		{Title: "UNKNOWN", Unit: Count, Weight: Spare, At: func(i int) Value {
			return IfAny(row(i).Conditional, Int(row(i).Unknown))
		}},
		{Key: "isa", At: func(i int) Value { return Text(row(i).ISA.String()) }},
		{Key: "size", At: func(i int) Value { return Int(row(i).Size) }},
		{Key: "opcode", At: func(i int) Value { return Text("0x" + Opcode(row(i).Opcode, row(i).Size)) }},
		{Key: "kind", At: func(i int) Value { return Text(row(i).Kind.String()) }},
		{Key: "conditional", At: func(i int) Value { return JSONOf(row(i).Conditional) }},
		{Key: "target", At: func(i int) Value { return If(row(i).Target.OK, Text(row(i).Target.V.Hex())) }},
		{Key: "executed", At: func(i int) Value { return Int(row(i).Executed) }},
		{Key: "failed", At: func(i int) Value { return Int(row(i).Failed) }},
		{Key: "unknown", At: func(i int) Value { return Int(row(i).Unknown) }},
		{Key: "timed", At: func(i int) Value { return Int(row(i).Timed) }},
		{Key: "cycles", At: func(i int) Value { return positive(Round(row(i).Cycles)) }},
		{Key: "cycles_each", At: func(i int) Value { return positive(row(i).CyclesEach()) }},
		{Key: "file", At: func(i int) Value { return Text(row(i).File) }},
		{Key: "line", At: func(i int) Value { return IfAny(row(i).Line != 0, Int(row(i).Line)) }},
		{Key: "text", At: func(i int) Value { return Text(text(row(i).File, row(i).Line)) }},
	}
	return s
}

// KindOf is the kind of an instruction, of a direct branch with its target.
func KindOf(r *report.ListingRow) string {
	if r.Target.OK {
		return r.Kind.String() + " " + r.Target.V.Hex()
	}
	return r.Kind.String()
}

// Last is what was executed just before a point. text returns a line of a source file.
func Last(head []Fact, l *last.Excerpt, text func(file string, line uint32) string) *Answer {
	before := []Fact{
		{"seq", Int(l.Before)},
		{"exception", None},
		{"type", None},
		{"number", None},
		{"call", If(l.Call.OK, Int(l.Call.V))},
	}
	if x := l.Entry; x != nil {
		before[1].Value, before[3].Value = Int(x.Ordinal), If(x.Number.OK, Int(x.Number.V))
		before[2].Value = If(x.Type.OK, Text(x.Type.V.String()))
	}
	task, stack := None, None
	if l.Stack != nil {
		t, frames := &l.Stack.Task, l.Stack.Frames
		task = Object(Fact{"task", If(t.Number >= 0, Int(t.Number))}, Fact{"name", Word(t.Name)},
			Fact{"context_id", If(t.ContextID.OK, Int(t.ContextID.V))})
		stack = If(len(frames) > 0, each(len(frames), append(nameKeys(func(i int) *report.Name { return &frames[i].Name }),
			Column{Key: "entry", At: func(i int) Value { return Text(frames[i].Entry.String()) }},
			Column{Key: "exception", At: func(i int) Value { return Text(frames[i].Exception) }})...))
	}
	return &Answer{Name: "last", Facts: append(head,
		Fact{"directory", Word(l.Dir)},
		Fact{"source", Text(schema.SourceText(l.Source))},
		Fact{"core", Text(l.Core)},
		Fact{"before", Object(before...)},
		Fact{"instructions", executed(l.Rows, text)},
		Fact{"between", each(len(l.Marks),
			Column{Key: "seq", At: func(i int) Value { return Int(l.Marks[i].Seq) }},
			Column{Key: "table", At: func(i int) Value { return Word(l.Marks[i].Table) }},
			Column{Key: "what", At: func(i int) Value { return Word(l.Marks[i].What) }})},
		Fact{"task", task},
		Fact{"stack", stack},
		Fact{"stack_unknown", Text(l.Why)},
	)}
}

func executed(rows []last.Executed, text func(file string, line uint32) string) Value {
	row := func(i int) *last.Executed { return &rows[i] }
	return each(len(rows),
		Column{Key: "seq", At: func(i int) Value { return Int(row(i).Seq) }},
		Column{Key: "address", At: func(i int) Value { return Text(row(i).Address.Hex()) }},
		Column{Key: "isa", At: func(i int) Value { return Text(row(i).ISA.String()) }},
		Column{Key: "size", At: func(i int) Value { return Int(row(i).Size) }},
		Column{Key: "opcode", At: func(i int) Value { return Text("0x" + Opcode(row(i).Opcode, row(i).Size)) }},
		Column{Key: "kind", At: func(i int) Value { return Text(row(i).Kind.String()) }},
		Column{Key: "executed", At: func(i int) Value { return If(row(i).Executed.OK, JSONOf(row(i).Executed.V)) }},
		Column{Key: "cycles", At: func(i int) Value { return Nullable(row(i).Cycles) }},
		Column{Key: "function", At: func(i int) Value { return Text(row(i).Function) }},
		Column{Key: "file", At: func(i int) Value { return Text(row(i).File) }},
		Column{Key: "line", At: func(i int) Value { return IfAny(row(i).Line != 0, Int(row(i).Line)) }},
		Column{Key: "text", At: func(i int) Value { return Text(text(row(i).File, row(i).Line)) }})
}

// Opcode is an opcode of so many bytes in hexadecimal.
func Opcode(opcode uint32, size uint8) string {
	return fmt.Sprintf("%0*x", 2*int(min(size, 4)), opcode)
}
