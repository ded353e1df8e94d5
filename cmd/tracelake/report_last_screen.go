package main

import (
	"fmt"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/table"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/last"
	"github.com/tracelake/tracelake/schema"
)

// last writes instructions under the lines they are of, and the stack.
func (s *screen) last(l *last.Excerpt, text *sourceText) {
	s.blank()
	if len(l.Rows) == 0 {
		s.line("%s: nothing was executed before seq %s", lastSource(l), thousands(l.Before))
		return
	}
	s.line("%s: the last %s before %s", lastSource(l), count(int64(len(l.Rows)), "instruction"), lastPoint(l))
	t := &table.Table{Columns: []answer.Column{
		{Title: "SEQ", Weight: answer.Main},
		{Title: "ADDRESS", Weight: answer.Main},
		{Title: "OPCODE", Weight: answer.Number},
		{Title: "KIND", Weight: answer.Name},
		{Title: "OUTCOME", Weight: answer.Remark},
		{Title: "CYCLES", Weight: answer.Number},
	}}
	n, marks := newNamer(namesOf(l.Rows)), l.Marks
	for i := range l.Rows {
		x := &l.Rows[i]
		for ; len(marks) > 0 && marks[0].Seq <= x.Seq; marks = marks[1:] {
			t.Line(markLine(&marks[0]))
		}
		if i == 0 || x.Name != l.Rows[i-1].Name {
			if heading := placeLine(n, &x.Name, text); heading != "" {
				t.Line(heading)
			}
		}
		cycles := s.None()
		if x.Cycles.OK {
			cycles = thousands(x.Cycles.V)
		}
		t.Add(table.Bar{}, thousands(x.Seq), x.Address.Hex(), answer.Opcode(x.Opcode, x.Size), x.Kind.String(),
			outcomeText(x), cycles)
	}
	for i := range marks {
		t.Line(markLine(&marks[i]))
	}
	s.table(t)
	s.stack(l)
	s.missing(text.missing(), len(text.files))
}

func lastSource(l *last.Excerpt) string {
	if l.Core == "" {
		return "source " + schema.SourceText(l.Source)
	}
	return fmt.Sprintf("source %s (%s)", schema.SourceText(l.Source), l.Core)
}

func lastPoint(l *last.Excerpt) string {
	text := "seq " + thousands(l.Before)
	if l.Entry != nil {
		text = fmt.Sprintf("exception %s (%s), at %s", thousands(l.Entry.Ordinal), l.Entry, text)
	}
	if l.Call.OK {
		text = fmt.Sprintf("call %s, at %s", thousands(l.Call.V), text)
	}
	return text
}

func namesOf(rows []last.Executed) []report.Name {
	seen := map[report.Name]bool{}
	var names []report.Name
	for i := range rows {
		name := rows[i].Name
		name.Line = 0
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// markLine says what happened between two instructions.
func markLine(m *last.Mark) string {
	switch m.Table {
	case schema.Exceptions.Name:
		return "-- exception: " + m.What
	case schema.Losses.Name:
		return "-- loss: " + m.What
	}
	return "-- event: " + m.What
}

// placeLine is function, place and text of a source line.
func placeLine(n *answer.Namer, name *report.Name, text *sourceText) string {
	line := name.Function
	if name.File != "" {
		if line != "" {
			line += "  "
		}
		line += n.Place(name)
	}
	if code := text.line(name.File, name.Line); code != "" {
		line += "  " + code
	}
	return line
}

// outcomeText says what became of an instruction that could fail, or branch.
func outcomeText(x *last.Executed) string {
	switch {
	case x.Executed.OK && x.Branches() && x.Executed.V:
		return "taken"
	case x.Executed.OK && x.Branches():
		return "not taken"
	case x.Executed.OK && !x.Executed.V:
		return "failed"
	case !x.Conditional:
		return ""
	case x.Executed.OK:
		return "passed"
	}
	return "unknown"
}

// maxFrames is how many frames of a stack are shown.
const maxFrames = 30

// stack writes the frames of the last instruction.
func (s *screen) stack(l *last.Excerpt) {
	s.blank()
	if l.Stack == nil {
		s.line("stack: not known: %s", l.Why)
		return
	}
	s.line("stack at seq %s, task %s", thousands(l.Rows[len(l.Rows)-1].Seq), l.Stack.Task.Name)
	var names []report.Name
	for i := range l.Stack.Frames {
		if f := &l.Stack.Frames[i]; f.Exception == "" && f.Entry != schema.StackOther {
			names = append(names, f.Name)
		}
	}
	n := newNamer(distinct(names))
	t := &table.Table{Columns: []answer.Column{
		{Title: "FRAME", Weight: answer.Main},
		{Title: "FUNCTION", Weight: answer.Name},
		{Title: "ENTERED BY", Weight: answer.Remark},
	}}
	frames := atMost(l.Stack.Frames, maxFrames)
	for i := range frames {
		f := &frames[i]
		name := "[" + f.Exception + "]"
		switch {
		case f.Entry == schema.StackOther:
			name = schema.OtherPaths
		case f.Exception == "":
			name = n.Row(&f.Name, report.ByFunction)
		}
		t.Add(table.Bar{}, "#"+thousands(int64(i)), name, enteredBy(frames, i))
	}
	s.table(t)
	if more := len(l.Stack.Frames) - len(frames); more > 0 {
		s.line("%s; --json has all", count(int64(more), "more frame"))
	}
}

// enteredBy says how a frame came to be on the stack.
func enteredBy(frames []last.Frame, i int) string {
	switch f := &frames[i]; {
	case f.Entry != schema.StackRoot:
		return [...]string{
			schema.StackCall: "call", schema.StackTail: "tail call",
			schema.StackException: "exception", schema.StackOther: "call",
		}[f.Entry]
	case i+1 < len(frames) && frames[i+1].Exception != "":
		return "handler"
	}
	return "root of the task"
}

// distinct returns names, each once.
func distinct(names []report.Name) []report.Name {
	seen := map[report.Name]bool{}
	var once []report.Name
	for _, n := range names {
		if !seen[n] {
			seen[n] = true
			once = append(once, n)
		}
	}
	return once
}
