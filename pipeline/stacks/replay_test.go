package stacks_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/stacks"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A replay is the stack of each instruction of a source, rebuilt from the rows of a dataset one
// instruction after another.
type replay struct {
	functions stacks.Functions
	rows      []instruction
	tasks     []stacks.Task
	stacks    []stacks.Stack
	calls     []stacks.Call
}

// An instruction is a row of `instructions`, with its stack.
type instruction struct {
	seq, offset int64
	address     schema.Address
	context     schema.Null[uint32]
	task, stack int32
}

// replayed replays the only source of a dataset of level instructions, with or without its
// Context IDs.
func replayed(t *testing.T, d *dataset.Dataset, contexts bool) *replay {
	t.Helper()
	return replayedCut(t, d, contexts, cut{})
}

// A cut is windows of instructions that are seen, with others between that are lost; zero: all are seen.
type cut struct{ seen, lost int64 }

// sees says whether an instruction is seen.
func (c cut) sees(seq int64) bool { return c.lost == 0 || seq%(c.seen+c.lost) < c.seen }

// replayedCut replays what is seen of the only source of a dataset. Rows have the ordinals that they have in the dataset.
func replayedCut(t *testing.T, d *dataset.Dataset, contexts bool, c cut) *replay {
	t.Helper()
	r := &replay{functions: functionsOf(t, d)}
	var calls kept[stacks.Call]
	var spans kept[stacks.Span]
	s := stacks.Stepwise(r.functions, stacks.Sinks{Calls: calls.Add, Spans: spans.Add})
	p := player{TB: t, sinks: s.Sinks(stitch.Sinks{}), unit: &decode.Result{}, numbers: map[code]uint32{}}
	p.readMarks(d, contexts)
	played, lost := int64(0), false
	each(t, d, &schema.Instructions, func(b *schema.Batch, row int) {
		x := instruction{
			seq: int64(schema.InstructionsSeq.At(b, row)), offset: int64(schema.InstructionsByteOffset.At(b, row)),
			address: schema.InstructionsAddress.At(b, row), context: nullU32(b, schema.InstructionsContextID, row),
		}
		if !c.sees(x.seq) {
			lost = true
			return
		}
		p.playMarks(x.seq, lost, played)
		if lost {
			at := x.context
			if !contexts {
				at = schema.Null[uint32]{}
			}
			p.restart(played, at)
			lost = false
		}
		p.play(b, row, played)
		played++
		if err := s.Apply(played); err != nil {
			t.Fatal(err)
		}
		r.rows = append(r.rows, x)
	})
	some, tasks, err := s.Finish()
	if err != nil {
		t.Fatal(err)
	}
	r.stacks, r.tasks = slices.Concat(slices.Collect(some)...), tasks
	r.calls = calls.rows
	i := 0
	for _, x := range spans.rows {
		if x.Ordinal == stacks.Applied {
			r.rows[i].stack = x.Stack.V
			r.rows[i].task = r.stacks[x.Stack.V].Task
			i++
		}
	}
	return r
}

// path returns the functions of a row of `stacks`, the one on top first; exceptions are
// [exception].
func (r *replay) path(stack int32) (path []int32) {
	for n := schema.Of(stack); n.OK; n = r.stacks[n.V].Parent {
		switch x := &r.stacks[n.V]; {
		case x.Entry == schema.StackException:
			path = append(path, exception)
		case x.Function.OK:
			path = append(path, x.Function.V)
		default:
			path = append(path, outside)
		}
	}
	return path
}

// What is no function of a path.
const (
	outside   int32 = -1 - iota // code of no function
	exception                   // an exception
)

// A code is what an instruction is made of.
type code struct {
	address         schema.Address
	opcode          uint32
	size, set, kind uint8
}

// A player plays rows of a dataset: instructions as runs of one, and marks before them.
type player struct {
	testing.TB
	sinks   stitch.Sinks
	marks   []mark // not played yet
	unit    *decode.Result
	number  []uint32 // of its blocks
	numbers map[code]uint32
}

// A mark is a row of what comes between instructions.
type mark struct {
	seq  int64
	play func(seq int64) error // as of an ordinal among what is seen
}

// readMarks reads the rows of what comes between instructions.
func (p *player) readMarks(d *dataset.Dataset, contexts bool) {
	var base stitch.Base
	each(p, d, &schema.Exceptions, func(b *schema.Batch, row int) {
		x := stitch.Exception{Ordinal: int64(schema.ExceptionsOrdinal.At(b, row)), Row: schema.Exception{
			Key:   keyOf(b, schema.ExceptionsSeq, schema.ExceptionsByteOffset, row),
			Event: schema.ExceptionEvent(schema.ExceptionsEvent.At(b, row)), ReturnAddress: nullOf(b, int(schema.ExceptionsReturnAddress), row, schema.ExceptionsReturnAddress.At(b, row)),
			Type:   nullOf(b, int(schema.ExceptionsType), row, schema.ExceptionType(schema.ExceptionsType.At(b, row))),
			Number: nullOf(b, int(schema.ExceptionsNumber), row, schema.ExceptionsNumber.At(b, row)),
		}}
		p.mark(x.Row.Seq, func(seq int64) error {
			x.Row.Seq = seq
			return p.sinks.Exceptions.Add(base, []stitch.Exception{x})
		})
	})
	each(p, d, &schema.Contexts, func(b *schema.Batch, row int) {
		x := schema.Context{
			Key: keyOf(b, schema.ContextsSeq, schema.ContextsByteOffset, row), ContextID: nullU32(b, schema.ContextsContextID, row),
		}
		if contexts {
			p.mark(x.Seq, func(seq int64) error {
				x.Seq = seq
				return p.sinks.Contexts.Add(base, []schema.Context{x})
			})
		}
	})
	each(p, d, &schema.Events, func(b *schema.Batch, row int) {
		x := schema.Event{
			Key: keyOf(b, schema.EventsSeq, schema.EventsByteOffset, row), Event: schema.EventKind(schema.EventsEvent.At(b, row)),
		}
		p.mark(x.Seq, func(seq int64) error {
			x.Seq = seq
			return p.sinks.Events.Add(base, []schema.Event{x})
		})
	})
	each(p, d, &schema.Losses, func(b *schema.Batch, row int) {
		x := schema.Loss{Key: keyOf(b, schema.LossesSeq, schema.LossesByteOffset, row)}
		p.mark(x.Seq, func(seq int64) error {
			x.Seq = seq
			return p.sinks.Losses.Add(base, []schema.Loss{x})
		})
	})
	slices.SortStableFunc(p.marks, func(m, n mark) int { return cmp.Compare(m.seq, n.seq) })
}

func (p *player) mark(seq int64, play func(seq int64) error) {
	p.marks = append(p.marks, mark{seq, play})
}

// playMarks plays what comes before an instruction, unless that is lost, as of an ordinal among what is seen.
func (p *player) playMarks(before int64, lost bool, seq int64) {
	p.Helper()
	for len(p.marks) > 0 && p.marks[0].seq <= before {
		if !lost {
			if err := p.marks[0].play(seq); err != nil {
				p.Fatal(err)
			}
		}
		p.marks = p.marks[1:]
	}
}

// restart plays the restart of trace after a gap.
func (p *player) restart(seq int64, context schema.Null[uint32]) {
	p.Helper()
	key := schema.Key{Seq: seq}
	if err := p.sinks.Events.Add(stitch.Base{}, []schema.Event{{Key: key, Event: schema.EventTraceOn}}); err != nil {
		p.Fatal(err)
	}
	if !context.OK {
		return
	}
	if err := p.sinks.Contexts.Add(stitch.Base{}, []schema.Context{{Key: key, ContextID: context}}); err != nil {
		p.Fatal(err)
	}
}

// play plays a row of `instructions`, with an ordinal among what is seen.
func (p *player) play(b *schema.Batch, row int, seq int64) {
	p.Helper()
	known := len(p.number)
	run := schema.Run{Block: p.block(b, row), Count: 1}
	if i := schema.InstructionsExecuted; !b.Columns[i].Null(row) {
		run.Outcome = [...]schema.Outcome{schema.NotTaken, schema.Taken}[i.At(b, row)]
	}
	p.unit.Runs = []schema.Run{run}
	if err := p.sinks.Runs.Add(stitch.Runs{
		Base: stitch.Base{Source: schema.InstructionsSource.At(b, row)}, Unit: p.unit, Numbers: p.number, To: 1,
		Block: known, Blocks: len(p.number), Spans: []schema.Span{{Timestamp: schema.TimestampCarried}}, Seq: seq, Instructions: 1,
	}); err != nil {
		p.Fatal(err)
	}
}

// block returns the number of the block that has the instruction of a row alone.
func (p *player) block(b *schema.Batch, row int) uint32 {
	c := code{
		schema.InstructionsAddress.At(b, row), schema.InstructionsOpcode.At(b, row),
		schema.InstructionsSize.At(b, row), schema.InstructionsISA.At(b, row), schema.InstructionsKind.At(b, row),
	}
	n, ok := p.numbers[c]
	if !ok {
		n = uint32(len(p.numbers))
		p.numbers[c], p.number = n, append(p.number, n)
		p.unit.Blocks = append(p.unit.Blocks, &schema.Block{
			Key:     schema.BlockKey{Address: c.address, State: schema.State{ISA: schema.ISA(c.set)}},
			Address: []schema.Address{c.address}, Opcode: []uint32{c.opcode}, Size: []uint8{c.size}, Kind: []uint8{c.kind},
		})
	}
	return n
}

func keyOf(b *schema.Batch, seq, offset schema.IndexU64, row int) schema.Key {
	return schema.Key{Seq: int64(seq.At(b, row)), Offset: int64(offset.At(b, row))}
}

func nullU32(b *schema.Batch, i schema.IndexU32, row int) schema.Null[uint32] {
	return nullOf(b, int(i), row, i.At(b, row))
}

// nullOf is a value of a column, or NULL.
func nullOf[T any](b *schema.Batch, column, row int, value T) schema.Null[T] {
	if b.Columns[column].Null(row) {
		return schema.Null[T]{}
	}
	return schema.Of(value)
}

// functionsOf returns the functions of a dataset, of one core.
func functionsOf(t testing.TB, d *dataset.Dataset) (all stacks.Functions) {
	t.Helper()
	each(t, d, &schema.Functions, func(b *schema.Batch, row int) {
		all = append(all, stacks.Function{
			Address: schema.FunctionsAddress.At(b, row), Size: schema.FunctionsSize.At(b, row), Name: b.Columns[schema.FunctionsName].Str[row],
		})
	})
	each(t, d, &schema.Code, func(b *schema.Batch, row int) {
		if target := nullOf(b, int(schema.CodeTarget), row, schema.CodeTarget.At(b, row)); target.OK {
			from := nullU32(b, schema.CodeFunction, row)
			all.Call(schema.Null[int32]{V: int32(from.V), OK: from.OK}, target.V)
		}
	})
	return all
}

// kept is a sink that keeps rows.
type kept[T any] struct{ rows []T }

// Add implements [stitch.Sink].
func (k *kept[T]) Add(_ stitch.Base, rows []T) error {
	k.rows = append(k.rows, rows...)
	return nil
}
