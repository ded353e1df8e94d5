package datasettest

import (
	"fmt"
	"math/rand/v2"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Large is how much a made-up dataset has of what pages and reports are of.
type Large struct {
	Functions int // of 16 instructions, each of a line; one in eight ran
	Stacks    int // nodes of the call tree
	Calls     int
}

// The made-up program: files of 50 functions.
const (
	codeOfFunction = 16
	functionsAFile = 50
	largeBase      = 0x1000_0000
	largeSource    = 0x10
)

// Write writes the dataset to a directory. It is the same every time.
func (l Large) Write(dir string) error {
	out, err := dataset.Create(dir, dataset.Options{Level: schema.LevelNone, Overwrite: true})
	if err != nil {
		return err
	}
	w := &largeWriter{Large: l, out: out, random: rand.New(rand.NewPCG(1, 2))}
	w.program()
	w.stacks()
	w.calls()
	bytes := int64(4 * l.Functions * codeOfFunction)
	totals := schema.Totals{Counters: schema.Counters{Bytes: 1 << 20, BytesDecoded: 1 << 20, Instructions: w.executed}}
	return out.Close(&schema.Manifest{
		Labels: map[string]string{}, Buffers: []schema.BufferBytes{{Name: "ETB_0", Bytes: 1 << 20}},
		Sources: []schema.SourceTotals{{
			Source: largeSource, Protocol: "pft", Buffer: "ETB_0", Status: "decoded",
			Unit: "bytes", Totals: totals,
		}},
		Images: []schema.ImageRegion{{
			File: "fw.elf", SHA256: "5a", CodeSHA256: "c0de", Address: largeBase, Bytes: bytes,
			Role: schema.RoleSymbols.String(), Match: new(1.0),
		}},
	})
}

// A largeWriter writes a dataset.
type largeWriter struct {
	Large
	out      *dataset.Writer
	random   *rand.Rand
	executed int64
}

// syllables are those that names of functions are made of.
var syllables = []string{
	"init", "get", "set", "task", "queue", "timer", "buffer", "uart", "dma", "read", "write",
	"poll", "status", "channel", "packet", "list", "lock", "free",
}

func (w *largeWriter) name(i int) string {
	word := func() string { return syllables[w.random.IntN(len(syllables))] }
	return fmt.Sprintf("%s_%s_%s_%d", word(), word(), word(), i)
}

// program writes functions, code, lines and counts.
func (w *largeWriter) program() {
	for i := range w.Functions {
		address, file := schema.Address(largeBase+4*codeOfFunction*i),
			fmt.Sprintf("src/module_%03d/%s.c", i/functionsAFile/20,
				syllables[i/functionsAFile%len(syllables)]+fmt.Sprint(i/functionsAFile))
		line := uint32(20 + i%functionsAFile*(codeOfFunction+5))
		name := w.name(i)
		schema.AppendFunctions(w.out.Table(&schema.Functions, 0).Row(), "", int32(i), address, 4*codeOfFunction, name, name,
			"", file, schema.Of(line-2), schema.OriginSymbol)
		times := int64(0)
		if i%8 == 0 {
			times = 1 + w.random.Int64N(1<<uint(w.random.IntN(20)))
		}
		for j := range codeOfFunction {
			w.instruction(i, address+schema.Address(4*j), j, times, file, line+uint32(j))
		}
	}
}

// instruction writes an instruction of a function, that was reached so many times.
func (w *largeWriter) instruction(function int, address schema.Address, j int, times int64, file string, line uint32) {
	kind, conditional, target := schema.KindOther, false, schema.Null[schema.Address]{}
	if j%5 == 4 {
		kind, conditional, target = schema.KindBranch, true, schema.Of(address-8)
	}
	schema.AppendCode(w.out.Table(&schema.Code, 0).Row(), "", address, 4, schema.A32, 0, kind, conditional, target,
		schema.Null[schema.ISA]{V: schema.A32, OK: target.OK}, schema.Of(int32(function)), ".text")
	schema.AppendLines(w.out.Table(&schema.Lines, 0).Row(), "", address, 0, file, line, 0, true,
		schema.Of(int32(function)), "")
	if times > 0 {
		failed := int64(0)
		if conditional {
			failed = times / 3
		}
		schema.AppendCounts(w.out.Table(&schema.Counts, largeSource).Row(), largeSource, address, schema.A32, times-failed,
			failed, 0, w.executed, 0, schema.Null[int64]{}, schema.Null[float64]{})
		w.executed += times
	}
}

// stacks writes a call tree under one task, whose first node has the instructions that others do
// not have.
func (w *largeWriter) stacks() {
	if w.Stacks == 0 {
		return
	}
	schema.AppendTasks(w.out.Table(&schema.Tasks, largeSource).Row(), largeSource, 0, "main", "main", schema.Null[uint32]{}, 0,
		0, 0, 0, w.executed, schema.Null[int64]{}, schema.TaskStart, 0)
	parents, totals := make([]int, w.Stacks), make([]int64, w.Stacks)
	own := max(1, w.executed/int64(w.Stacks)/2)
	for i := w.Stacks - 1; i >= 0; i-- {
		parents[i] = max(0, w.random.IntN(i+1)-1)
		if i == 0 {
			parents[i] = -1
		}
		totals[i] += own
		if i > 0 {
			totals[parents[i]] += totals[i]
		}
	}
	totals[0] = w.executed
	for i := range w.Stacks {
		mine, parent, entry := own, schema.Of(int32(parents[i])), schema.StackCall
		if i == 0 {
			mine, parent, entry = w.executed-own*int64(w.Stacks-1), schema.Null[int32]{}, schema.StackRoot
		}
		function := int32(w.random.IntN(w.Functions) / 8 * 8)
		schema.AppendStacks(w.out.Table(&schema.Stacks, largeSource).Row(), largeSource, int32(i), parent, 0, 1,
			schema.Of(function), largeBase+4*codeOfFunction*schema.Address(function), entry,
			schema.Null[schema.ExceptionType]{}, schema.Null[uint16]{}, 1, mine, schema.Null[int64]{}, totals[i],
			schema.Null[int64]{}, schema.Null[int64]{}, schema.Null[int64]{}, schema.Null[int64]{}, 1)
	}
}

// calls writes calls of the first nodes of the tree, one after another.
func (w *largeWriter) calls() {
	if w.Calls == 0 {
		return
	}
	step := max(2, w.executed/int64(w.Calls+1))
	for i := range w.Calls {
		at := int64(i) * step
		took := 1 + w.random.Int64N(step-1)
		schema.AppendCalls(w.out.Table(&schema.Calls, largeSource).Row(), largeSource, int64(i), at, schema.Of(at+took),
			int32(1+i%max(1, w.Stacks-1)), 0, 0,
			schema.Null[int64]{}, schema.Null[int64]{}, took, took, schema.Null[int64]{}, schema.Null[int64]{},
			schema.CallReturn)
	}
}
