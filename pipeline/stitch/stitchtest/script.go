// Package stitchtest plays what a stitcher emits, for tests of its sinks.
//
// Its API is not stable (docs/guide/library.md).
package stitchtest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// A Script is a trace in words: what the stitcher emits of a source, made by hand.
// Each line of program is a block: its name, address, and the kinds of its
// instructions, of four bytes each; a name with a t is T32, with two bytes each.
// Each line of trace is a run of a block or something between two:
//
//	a taken               all of block a; the last instruction is taken; of no other
//	                      one is the outcome known
//	a 0+2 passed NE       two instructions from the first on: E passed, N failed
//	a taken cycles=5      own cycles of the last instruction
//	a taken EE costs=1,2  own cycles of each
//	exception 2000        with its return address; ? is NULL
//	exception 2000 irq 53 with its type, and number; last may come the count of its packet, as cycles=4
//	wait 5                cycles of no instruction
//	return                a return from an exception that the trace reports
//	context 1f            the Context ID changes
//	context 1f 3          and the VMID
//	loss, trace_on …      a loss, and an event
//	part                  a new part
//	epoch 1               a new epoch, of a cycle-accurate trace
type Script struct {
	Program, Trace string
	Split          bool // each run is a part
}

// A player plays a script to sinks.
type player struct {
	testing.TB
	split  bool
	code   map[string]*schema.Block
	named  map[string]uint32 // numbers of blocks, by name
	parts  []*part
	unit   *decode.Result
	offset int64
	seq    int64
	cycle  int64 // of the epoch

	exceptions int64
}

// A part is what the stitcher emits at once.
type part struct {
	runs       stitch.Runs
	block      map[string]uint32 // index in the unit, by name
	exceptions []stitch.Exception
	contexts   []schema.Context
	events     []schema.Event
	losses     []schema.Loss
}

// Play plays the script to sinks, of source 7.
func (s Script) Play(t testing.TB, sinks stitch.Sinks) {
	t.Helper()
	p := &player{
		TB: t, split: s.Split, code: map[string]*schema.Block{}, named: map[string]uint32{},
		unit: &decode.Result{},
	}
	for line := range strings.Lines(s.Program) {
		if words := strings.Fields(line); len(words) > 0 {
			p.block(words)
		}
	}
	p.begin()
	for line := range strings.Lines(s.Trace) {
		if words := strings.Fields(line); len(words) > 0 {
			p.offset++
			p.line(words)
		}
	}
	p.end()
	for _, part := range p.parts {
		if err := part.emit(&sinks); err != nil {
			t.Fatal(err)
		}
	}
}

// emit emits the part as the stitcher does: kind by kind, the runs first.
func (x *part) emit(to *stitch.Sinks) error {
	b := x.runs.Base
	err := to.Runs.Add(x.runs)
	for i := range x.exceptions {
		err = errors.Join(err, to.Exceptions.Add(b, x.exceptions[i:i+1]))
	}
	return errors.Join(err, to.Contexts.Add(b, x.contexts), to.Events.Add(b, x.events), to.Losses.Add(b, x.losses))
}

func (p *player) block(words []string) {
	set, size := schema.A32, uint8(4)
	if strings.HasSuffix(words[0], "t") {
		set, size = schema.T32, 2
	}
	address := schema.Address(p.hex(words[1]))
	b := &schema.Block{Key: schema.BlockKey{Address: address, State: schema.State{ISA: set}}}
	for _, name := range words[2:] {
		b.Address, b.Size = append(b.Address, address), append(b.Size, size)
		b.Opcode, b.Kind = append(b.Opcode, 0), append(b.Kind, index(p, schema.KindNames, name))
		address += schema.Address(size)
	}
	p.code[words[0]], p.named[words[0]] = b, uint32(len(p.named))
}

func index(t testing.TB, names []string, name string) uint8 {
	t.Helper()
	for i, n := range names {
		if n == name {
			return uint8(i)
		}
	}
	t.Fatalf("no %q among %q", name, names)
	return 0
}

func (p *player) hex(word string) uint64 {
	p.Helper()
	n, err := strconv.ParseUint(word, 16, 32)
	if err != nil {
		p.Fatal(err)
	}
	return n
}

// begin begins a part, which continues the epoch.
func (p *player) begin() {
	b, span := stitch.Base{Source: 7}, schema.Span{Run: len(p.unit.Runs), Timestamp: schema.TimestampCarried}
	var numbers []uint32
	if n := len(p.parts); n > 0 {
		last := &p.parts[n-1].runs
		b.CycleAccurate, span.Epoch, numbers = last.Base.CycleAccurate, last.Spans[len(last.Spans)-1].Epoch, last.Numbers
	}
	p.parts = append(p.parts, &part{block: map[string]uint32{}, runs: stitch.Runs{
		Base: b, Unit: p.unit, Numbers: numbers, Spans: []schema.Span{span},
		From: len(p.unit.Runs), Cost: len(p.unit.Costs), Block: len(p.unit.Blocks), Seq: p.seq,
	}})
}

// end ends the part.
func (p *player) end() {
	r := &p.parts[len(p.parts)-1].runs
	r.To, r.Costs, r.Blocks, r.Instructions = len(p.unit.Runs), len(p.unit.Costs), len(p.unit.Blocks), p.seq-r.Seq
}

func (p *player) line(words []string) {
	key := schema.Key{Seq: p.seq, Offset: p.offset}
	part := p.parts[len(p.parts)-1]
	switch words[0] {
	case "part":
		p.end()
		p.begin()
	case "epoch":
		part.runs.Base.CycleAccurate, p.cycle = true, 0
		part.runs.Spans = append(part.runs.Spans, schema.Span{
			Run: len(p.unit.Runs), Epoch: int32(p.hex(words[1])), Timestamp: schema.TimestampCarried,
		})
	case "wait":
		p.cycle += int64(p.number(words[1]))
	case "exception":
		x := stitch.Exception{Row: schema.Exception{Key: key}}
		if cycles, ok := strings.CutPrefix(words[len(words)-1], "cycles="); ok {
			x.Row.Cycles = schema.Of(p.number(cycles))
			p.cycle, words = p.cycle+int64(x.Row.Cycles.V), words[:len(words)-1]
		}
		if words[1] != "?" {
			x.Row.ReturnAddress = schema.Of(schema.Address(p.hex(words[1])))
		}
		if len(words) > 2 {
			x.Row.Type = schema.Of(schema.ExceptionType(index(p, schema.ExceptionTypeNames, words[2])))
		}
		if len(words) > 3 {
			x.Row.Number = schema.Of(uint16(p.number(words[3])))
		}
		x.Ordinal = p.exceptions
		p.exceptions++
		part.exceptions = append(part.exceptions, x)
	case "context":
		x := schema.Context{Key: key, ContextID: schema.Of(uint32(p.hex(words[1])))}
		if len(words) > 2 {
			x.VMID.V, x.VMID.OK = uint32(p.hex(words[2])), true
		}
		part.contexts = append(part.contexts, x)
	case "return":
		part.exceptions = append(part.exceptions, stitch.Exception{Row: schema.Exception{
			Key:   key,
			Event: schema.ExceptionReturn,
		}})
	case "loss":
		part.losses = append(part.losses, schema.Loss{Key: key})
	default:
		if p.code[words[0]] == nil {
			part.events = append(part.events, schema.Event{Key: key, Event: schema.EventKind(index(p, schema.EventNames,
				words[0]))})
			return
		}
		p.run(part, words)
		if p.split {
			p.end()
			p.begin()
		}
	}
}

func (p *player) run(part *part, words []string) {
	code := p.code[words[0]]
	if _, ok := part.block[words[0]]; !ok {
		part.block[words[0]] = uint32(len(p.unit.Blocks))
		p.unit.Blocks = append(p.unit.Blocks, code)
		part.runs.Numbers = append(part.runs.Numbers, p.named[words[0]])
	}
	r := schema.Run{Offset: p.offset, Block: part.block[words[0]], Count: uint16(len(code.Address))}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		switch {
		case strings.Trim(word, "EN") == "":
			r.Flags |= schema.RunHasFailed
			for i := range word {
				if word[i] == 'N' {
					r.Failed |= 1 << i
				}
			}
		case name == "cycles":
			r.Flags |= schema.RunHasCycles
			r.Cycles = p.number(value)
		case name == "costs":
			r.Flags |= schema.RunHasCosts
			for cost := range strings.SplitSeq(value, ",") {
				p.unit.Costs = append(p.unit.Costs, p.number(cost))
				r.Cycles += p.number(cost)
			}
		case strings.Contains(word, "+"):
			if _, err := fmt.Sscanf(word, "%d+%d", &r.First, &r.Count); err != nil {
				p.Fatal(err)
			}
		default:
			r.Outcome = schema.Outcome(index(p, schema.OutcomeNames, word))
		}
	}
	p.cycle += int64(r.Cycles)
	r.Cycle = p.cycle
	p.unit.Runs = append(p.unit.Runs, r)
	p.seq += int64(r.Count)
}

func (p *player) number(word string) uint32 {
	p.Helper()
	n, err := strconv.Atoi(word)
	if err != nil {
		p.Fatal(err)
	}
	return uint32(n)
}
