package reporttest

import (
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A row is one of the tables that have an order of their own: what was executed, and its
// stacks.
type row struct {
	table  *schema.Table
	source uint8
	append func(b *schema.Batch, ordinal int64)
}

// stackTables are the tables that are left out unless they have rows.
var stackTables = []*schema.Table{&schema.Stacks, &schema.Tasks, &schema.Calls, &schema.ExceptionSpans}

// absent returns the tables that are left out.
func (d *description) absent() []*schema.Table {
	return slices.DeleteFunc(slices.Clone(stackTables), func(t *schema.Table) bool {
		return slices.ContainsFunc(d.rows, func(r row) bool { return r.table == t })
	})
}

// addRow adds the row that a line describes.
func (d *description) addRow(w *words) error {
	source := uint8(w.keyNumber("source", int64(d.sources[0].Source)))
	r := row{source: source}
	switch w.plain[0] {
	case "instruction":
		r.table, r.append = &schema.Instructions, instructionRow(w, source)
	case "edge":
		r.table, r.append = &schema.Edges, edgeRow(w, source)
	case "exception":
		r.table, r.append = &schema.Exceptions, exceptionRow(w, source)
	case "stack":
		r.table, r.append = &schema.Stacks, stackRow(w, source)
	case "task":
		r.table, r.append = &schema.Tasks, taskRow(w, source)
	case "call":
		r.table, r.append = &schema.Calls, callRow(w, source)
	case "span":
		r.table, r.append = &schema.ExceptionSpans, spanRow(w, source)
	case "count":
		r.table, r.append = &schema.CycleCounts, countRow(w, source)
	case "event":
		r.table, r.append = &schema.Events, eventRow(w, source)
	default:
		return fmt.Errorf("no such thing")
	}
	d.rows = append(d.rows, r)
	return w.err
}

// writeRows writes the rows, each with its number among those of its table and source.
func (d *description) writeRows(out *dataset.Writer) {
	type series struct {
		table  *schema.Table
		source uint8
	}
	next := map[series]int64{}
	for _, r := range d.rows {
		s := series{r.table, r.source}
		r.append(out.Table(r.table, r.source).Row(), next[s])
		next[s]++
	}
}

func instructionRow(w *words, source uint8) func(*schema.Batch, int64) {
	address, isa, kind := w.number(1), w.isa(2), w.name(schema.KindNames, w.word(3))
	size := uint8(4)
	if isa != schema.A32 {
		size = 2
	}
	opcode, offset := uint32(w.keyNumber("opcode", 0)), w.keyNumber("offset", 0)
	executed := schema.Null[bool]{V: w.keys["executed"] == "true", OK: w.keys["executed"] != ""}
	cycles := w.keyNull("cycles")
	return func(b *schema.Batch, n int64) {
		schema.AppendInstructions(b, schema.Keys{Source: source, Seq: n, ByteOffset: offset}, address, size, isa, opcode, schema.Kind(kind), executed,
			schema.Null[uint32]{V: uint32(cycles.V), OK: cycles.OK}, 0, cycles, schema.Null[uint64]{}, schema.Null[uint32]{}, schema.Null[uint8]{}, schema.Null[schema.Security]{})
	}
}

func edgeRow(w *words, source uint8) func(*schema.Batch, int64) {
	from, to := w.number(1), w.number(2)
	kind, outcome := w.name(schema.EdgeKindNames, w.word(3)), w.name(schema.EdgeOutcomeNames, w.word(4))
	times := w.keyNumber("n", 1)
	return func(b *schema.Batch, _ int64) {
		schema.AppendEdges(b, source, from, to, schema.EdgeKind(kind), schema.EdgeOutcome(outcome), times, schema.Null[int64]{})
	}
}

func exceptionRow(w *words, source uint8) func(*schema.Batch, int64) {
	seq, event := w.parse(w.word(1)), w.name(schema.ExceptionEventNames, w.word(2))
	kind, number := w.exception()
	keys := schema.Keys{Source: source, Seq: seq, ByteOffset: w.keyNumber("offset", 0)}
	epoch, cycle := int32(w.keyNumber("epoch", 0)), w.keyNull("cycle")
	return func(b *schema.Batch, n int64) {
		schema.AppendExceptions(b, keys, n, schema.ExceptionEvent(event), number, kind, schema.Null[uint32]{}, schema.Null[uint32]{}, schema.Null[uint8]{},
			epoch, cycle, schema.Null[uint64]{}, schema.Null[uint32]{}, schema.Null[uint8]{}, schema.Null[schema.Security]{})
	}
}

func stackRow(w *words, source uint8) func(*schema.Batch, int64) {
	parent, function := w.keyNull("parent"), w.keyNull("function")
	task, address := int32(w.keyNumber("task", 0)), uint32(w.keyNumber("address", 0))
	entry := w.name(schema.StackEntryNames, w.key("entry", schema.StackRoot.String()))
	kind, number := w.exception()
	instructions, cycles := w.keyNumber("instructions", 0), w.keyNull("cycles")
	total, totalCycles := w.keyNumber("total", instructions), w.keyNull("total_cycles")
	as, calls := w.keyNumber("as", none), w.keyNumber("calls", 1)
	return func(b *schema.Batch, n int64) {
		if as != none {
			n = as
		}
		schema.AppendStacks(b, source, int32(n), narrow(parent), task, 1, narrow(function), address, schema.StackEntry(entry), kind, number,
			calls, instructions, cycles, total, totalCycles)
	}
}

func taskRow(w *words, source uint8) func(*schema.Batch, int64) {
	name, context, origin := w.word(1), w.keyNull("context"), w.name(schema.TaskOriginNames, w.key("origin", schema.TaskStart.String()))
	first, switches, ambiguous, drift := w.keyNumber("first", 0), w.keyNumber("switches", 0), w.keyNumber("ambiguous", 0), w.keyNumber("drift", 0)
	instructions, cycles := w.keyNumber("instructions", 0), w.keyNull("cycles")
	return func(b *schema.Batch, n int64) {
		schema.AppendTasks(b, source, int32(n), name, schema.Null[uint32]{V: uint32(context.V), OK: context.OK}, first, switches, ambiguous,
			instructions, cycles, schema.TaskOrigin(origin), drift)
	}
}

func callRow(w *words, source uint8) func(*schema.Batch, int64) {
	seq, end := w.parse(w.word(1)), w.orNull(2)
	stack, task, why := int32(w.keyNumber("stack", 0)), int32(w.keyNumber("task", 0)), w.name(schema.CallEndNames, w.key("end", schema.CallReturn.String()))
	instructions, cycles := w.keyNumber("instructions", 0), w.keyNull("cycles")
	epoch, cycle, endCycle := int32(w.keyNumber("epoch", 0)), w.keyNull("cycle"), w.keyNull("end_cycle")
	return func(b *schema.Batch, n int64) {
		schema.AppendCalls(b, source, n, seq, end, stack, task, epoch, cycle, endCycle, instructions, instructions, cycles, cycles, schema.CallEnd(why))
	}
}

func spanRow(w *words, source uint8) func(*schema.Batch, int64) {
	seq, end := w.parse(w.word(1)), w.orNull(2)
	ordinal, task, why := w.keyNumber("ordinal", 0), int32(w.keyNumber("task", 0)), w.name(schema.CallEndNames, w.key("end", schema.CallReturn.String()))
	instructions, cycles, ticks := w.keyNull("instructions"), w.keyNull("cycles"), w.keyNull("ticks")
	return func(b *schema.Batch, n int64) {
		schema.AppendExceptionSpans(b, source, n, seq, schema.Null[int32]{}, 0, ordinal, task, end, schema.CallEnd(why), instructions, cycles, ticks)
	}
}

func countRow(w *words, source uint8) func(*schema.Batch, int64) {
	epoch, cycles := w.orNull(1), w.orNull(2)
	return func(b *schema.Batch, _ int64) {
		schema.AppendCycleCounts(b, schema.Keys{Source: source}, narrow(epoch), cycles, schema.Null[int64]{}, schema.CountPacket, false)
	}
}

func eventRow(w *words, source uint8) func(*schema.Batch, int64) {
	seq, event := w.parse(w.word(1)), w.name(schema.EventNames, w.word(2))
	return func(b *schema.Batch, _ int64) {
		schema.AppendEvents(b, schema.Keys{Source: source, Seq: seq}, schema.EventKind(event), schema.Null[uint32]{}, "")
	}
}

// exception reads type and number of an exception.
func (w *words) exception() (kind schema.Null[schema.ExceptionType], number schema.Null[uint16]) {
	if name := w.keys["type"]; name != "" {
		kind = schema.Of(schema.ExceptionType(w.name(schema.ExceptionTypeNames, name)))
	}
	n := w.keyNull("number")
	return kind, schema.Null[uint16]{V: uint16(n.V), OK: n.OK}
}

// name returns which of names a word is.
func (w *words) name(names []string, word string) int {
	i := slices.Index(names, word)
	if i < 0 {
		w.fail("%s is none of %v", word, names)
	}
	return max(i, 0)
}

// keyNull reads a number that is NULL if it is not given.
func (w *words) keyNull(name string) schema.Null[int64] {
	if w.keys[name] == "" {
		return schema.Null[int64]{}
	}
	return schema.Of(w.keyNumber(name, 0))
}

// orNull reads a word that is a number, or ? for NULL.
func (w *words) orNull(i int) schema.Null[int64] {
	if w.word(i) == "?" {
		return schema.Null[int64]{}
	}
	return schema.Of(w.parse(w.word(i)))
}

func narrow(n schema.Null[int64]) schema.Null[int32] {
	return schema.Null[int32]{V: int32(n.V), OK: n.OK}
}

// Stacked describes a program of three functions that ran, to which tests add stacks.
const Stacked = `
source 0x10
file fw.elf 0x1000 0x100 match=1
function 0x1000 8 main
function 0x1008 8 work
function 0x1010 8 handler
code 0x1000 a32 other executed=10
code 0x1008 a32 other executed=6
code 0x1010 a32 other executed=2
`
