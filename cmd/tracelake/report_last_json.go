package main

import (
	"fmt"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/schema"
)

// The objects of report last --json. What is not traced, or not known, is null.
type (
	jsonLast struct {
		reportHead
		Directory    string         `json:"directory"`
		Source       string         `json:"source"`
		Core         string         `json:"core,omitempty"`
		Before       jsonPoint      `json:"before"`
		Instructions []jsonExecuted `json:"instructions"`
		Between      []jsonMark     `json:"between"`
		Task         *jsonStackTask `json:"task"`
		Stack        []jsonFrame    `json:"stack"`
		StackUnknown string         `json:"stack_unknown,omitempty"`
	}
	jsonPoint struct {
		Seq       int64   `json:"seq"`
		Exception *int64  `json:"exception"`
		Type      *string `json:"type"`
		Number    *int64  `json:"number"`
	}
	jsonExecuted struct {
		Seq      int64  `json:"seq"`
		Address  string `json:"address"`
		ISA      string `json:"isa"`
		Size     uint8  `json:"size"`
		Opcode   string `json:"opcode"`
		Kind     string `json:"kind"`
		Executed *bool  `json:"executed"`
		Cycles   *int64 `json:"cycles"`
		Function string `json:"function,omitempty"`
		File     string `json:"file,omitempty"`
		Line     uint32 `json:"line,omitempty"`
		Text     string `json:"text,omitempty"`
	}
	jsonMark struct {
		Seq   int64  `json:"seq"`
		Table string `json:"table"`
		What  string `json:"what"`
	}
	jsonStackTask struct {
		Task      int32  `json:"task"`
		Name      string `json:"name"`
		ContextID *int64 `json:"context_id"`
	}
	jsonFrame struct {
		jsonName
		Entry     string `json:"entry"`
		Exception string `json:"exception,omitempty"`
	}
)

func lastObject(q *question, l *report.Last, text *sourceText) any {
	o := &jsonLast{
		reportHead: q.reportHead("last"), Directory: l.Dir, Source: schema.SourceText(l.Source), Core: l.Core,
		Before:       pointObject(l),
		Instructions: []jsonExecuted{}, Between: []jsonMark{}, StackUnknown: l.Why,
	}
	for i := range l.Rows {
		o.Instructions = append(o.Instructions, executedObject(&l.Rows[i], text))
	}
	for _, m := range l.Marks {
		o.Between = append(o.Between, jsonMark{m.Seq, m.Table, m.What})
	}
	if l.Stack == nil {
		return o
	}
	t := &l.Stack.Task
	o.Task = &jsonStackTask{t.Number, t.Name, nullable(schema.Null[int64]{V: int64(t.ContextID.V), OK: t.ContextID.OK})}
	for i := range l.Stack.Frames {
		f := &l.Stack.Frames[i]
		o.Stack = append(o.Stack, jsonFrame{nameObject(&f.Name), f.Entry.String(), f.Exception})
	}
	return o
}

func pointObject(l *report.Last) jsonPoint {
	p := jsonPoint{Seq: l.Before}
	if x := l.Entry; x != nil {
		p.Exception, p.Number = &x.Ordinal, nullable(schema.Null[int64]{V: int64(x.Number.V), OK: x.Number.OK})
		if x.Type.OK {
			p.Type = new(x.Type.V.String())
		}
	}
	return p
}

func executedObject(x *report.Executed, text *sourceText) jsonExecuted {
	o := jsonExecuted{
		Seq: x.Seq, Address: answer.Hex(x.Address), ISA: x.ISA.String(), Size: x.Size,
		Opcode: fmt.Sprintf("0x%s", opcodeText(x.Opcode, x.Size)), Kind: x.Kind.String(),
		Cycles: nullable(x.Cycles), Function: x.Function, File: x.File, Line: x.Line, Text: text.line(x.File, x.Line),
	}
	if x.Executed.OK {
		o.Executed = &x.Executed.V
	}
	return o
}
