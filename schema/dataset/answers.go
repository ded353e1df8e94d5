package dataset

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/schema"
)

// answers checks the rows of the tables that sum up what ran and name it, and those
// of `images`. Of each table, one row that is wrong is reported.
type answers struct {
	problems []rowProblem
	orders   map[series]*order
	images   int64 // rows

	executed  map[uint8]int64 // by source: the sum of `counts`
	functions map[string]int64
	refers    map[*schema.Table]map[string]int64 // by core: one more than the greatest function that a row names
	heads     map[uint8]int64                    // by source: one more than the greatest node that a segment begins in
}

// A rowProblem is what is wrong with a row of a table.
type rowProblem struct {
	table   *schema.Table
	problem string
}

func newAnswers() *answers {
	return &answers{
		orders: map[series]*order{}, executed: map[uint8]int64{}, functions: map[string]int64{},
		refers: map[*schema.Table]map[string]int64{&schema.Code: {}, &schema.Lines: {}}, heads: map[uint8]int64{},
	}
}

// merge adds what was found in other tables.
func (a *answers) merge(b *answers) {
	a.problems = append(a.problems, b.problems...)
	a.images += b.images
	maps.Copy(a.executed, b.executed)
	maps.Copy(a.functions, b.functions)
	maps.Copy(a.heads, b.heads)
	for t, greatest := range b.refers {
		maps.Copy(a.refers[t], greatest)
	}
}

// add checks rows of a table and source, 0 if it has none. Batches of a series come
// in their order.
func (a *answers) add(b *schema.Batch, source uint8, d *Dataset) {
	if len(b.Table.Key) > 0 {
		a.checkOrder(b, source)
	}
	switch b.Table {
	case &schema.Counts:
		a.addCounts(b, source, firstOf(d, source), instructionsOf(d, source))
	case &schema.Epochs:
		a.checkEpochs(b, source)
	case &schema.Edges:
		a.checkEdges(b, source, instructionsOf(d, source))
	case &schema.Functions:
		a.addFunctions(b)
	case &schema.Code:
		a.addReferences(b, schema.CodeFunction)
	case &schema.Lines:
		a.addReferences(b, schema.LinesFunction)
	case &schema.Images:
		a.addImages(b)
	case &schema.Segments:
		a.addHeads(b, source)
	}
}

// wrong notes what is wrong with a table, if it is the first.
func (a *answers) wrong(t *schema.Table, format string, args ...any) {
	if !slices.ContainsFunc(a.problems, func(p rowProblem) bool { return p.table == t }) {
		a.problems = append(a.problems, rowProblem{t, fmt.Sprintf(format, args...)})
	}
}

// An order is how far the rows of a series were seen.
type order struct {
	key  []int // columns
	rows int64
	last *schema.Batch // the last row
}

// compare compares the keys of two rows.
func (o *order) compare(b *schema.Batch, i int, c *schema.Batch, j int) int {
	for _, k := range o.key {
		if n := b.Columns[k].Compare(i, &c.Columns[k], j); n != 0 {
			return n
		}
	}
	return 0
}

// checkOrder checks that rows are in order of the key, each of its own; of symbols
// several may be the same.
func (a *answers) checkOrder(b *schema.Batch, source uint8) {
	key := series{b.Table, source}
	o := a.orders[key]
	if o == nil {
		o = &order{key: b.Table.KeyColumns()}
		a.orders[key] = o
	}
	for i := range b.Rows() {
		before, at := b, i-1
		if i == 0 {
			before, at = o.last, 0
		}
		if before == nil {
			continue
		}
		if n := o.compare(before, at, b, i); n > 0 || n == 0 && b.Table != &schema.Symbols {
			a.wrong(b.Table, "has row %d %s, which is not after the row before in the order of its key", o.rows+int64(i),
				keyText(b, i))
			break
		}
	}
	o.rows += int64(b.Rows())
	o.last = schema.NewBatch(b.Table)
	for c := range b.Columns {
		o.last.Columns[c].AppendFrom(&b.Columns[c], b.Rows()-1)
	}
}

// keyText is the key of a row for people to read.
func keyText(b *schema.Batch, i int) string {
	var words []string
	for _, k := range b.Table.KeyColumns() {
		words = append(words, b.Table.Columns[k].Name+"="+b.Columns[k].Text(i))
	}
	return "(" + strings.Join(words, " ") + ")"
}

// addCounts sums up rows of `counts` of a source, whose first instruction is from.
func (a *answers) addCounts(b *schema.Batch, source uint8, from, instructions int64) {
	for i := range b.Rows() {
		executed, failed, unknown := int64(schema.CountsExecuted.At(b, i)), int64(schema.CountsFailed.At(b, i)),
			int64(schema.CountsUnknown.At(b, i))
		timed := int64(schema.CountsTimed.At(b, i))
		n := executed + failed + unknown
		if executed < 0 || failed < 0 || unknown < 0 || n < 1 || timed < 0 || timed > n {
			a.wrong(b.Table, "says of source 0x%02x that %s executed %d, failed %d and unknown %d times, %d of them timed",
				source, keyText(b, i), executed, failed, unknown, timed)
		}
		if first := int64(schema.CountsFirstSeq.At(b, i)); first < from || first-from >= instructions {
			a.wrong(b.Table, "says of source 0x%02x that %s was executed first as instruction %d of %d", source, keyText(b, i),
				first, from+instructions)
		}
		a.executed[source] += n
	}
}

// checkEpochs checks that what rows say of counts is some of them.
func (a *answers) checkEpochs(b *schema.Batch, source uint8) {
	for i := range b.Rows() {
		counts, unknown := int64(schema.EpochsCounts.At(b, i)), int64(schema.EpochsUnknown.At(b, i))
		cycles, gaps := int64(schema.EpochsCycles.At(b, i)), int64(schema.EpochsGapCycles.At(b, i))
		if counts < 1 || unknown < 0 || unknown > counts || gaps < 0 || gaps > cycles {
			a.wrong(b.Table, "has %d counts %s of source 0x%02x, %d of them unknown, and of %d cycles %d in gaps", counts,
				keyText(b, i), source, unknown, cycles, gaps)
		}
	}
}

// checkEdges checks that no edge was taken more often than instructions ran.
func (a *answers) checkEdges(b *schema.Batch, source uint8, instructions int64) {
	for i, n := range *schema.EdgesN.In(b) {
		if n := int64(n); n < 1 || n > instructions {
			a.wrong(b.Table, "has %d times %s of source 0x%02x, which executed %d instructions", n, keyText(b, i), source,
				instructions)
		}
	}
}

// addFunctions checks the ordinals of functions.
func (a *answers) addFunctions(b *schema.Batch) {
	for i, ordinal := range *schema.FunctionsFunction.In(b) {
		core := b.Columns[schema.FunctionsCore].Str[i]
		if want := a.functions[core]; int64(int32(ordinal)) != want {
			a.wrong(b.Table, "has function %d %s, where %d is the next of its core", int32(ordinal), keyText(b, i), want)
		}
		a.functions[core]++
	}
}

// addReferences notes which functions rows refer to. Those of a core follow one
// another, so that the greatest is enough.
func (a *answers) addReferences(b *schema.Batch, function schema.IndexU32) {
	greatest := a.refers[b.Table]
	for i, ordinal := range *function.In(b) {
		if b.Columns[function].Null(i) {
			continue
		}
		if int32(ordinal) < 0 {
			a.wrong(b.Table, "refers to function %d %s", int32(ordinal), keyText(b, i))
		}
		core := b.Columns[0].Str[i]
		greatest[core] = max(greatest[core], int64(int32(ordinal))+1)
	}
}

// addImages checks the ordinals of images.
func (a *answers) addImages(b *schema.Batch) {
	for _, ordinal := range *schema.ImagesImage.In(b) {
		if int64(int32(ordinal)) != a.images {
			a.wrong(b.Table, "has image %d, where %d is the next", int32(ordinal), a.images)
		}
		a.images++
	}
}

// addHeads notes which nodes of `stacks` segments of a source begin in. Those follow one another, so that the greatest
// is enough; one that is negative is greater than all.
func (a *answers) addHeads(b *schema.Batch, source uint8) {
	for i, node := range *schema.SegmentsStack.In(b) {
		if !b.Columns[schema.SegmentsStack].Null(i) {
			a.heads[source] = max(a.heads[source], int64(node)+1)
		}
	}
}

// instructionsOf is how many instructions of a source were executed, as the manifest
// says.
func instructionsOf(d *Dataset, source uint8) int64 {
	for i := range d.Manifest.Sources {
		if s := &d.Manifest.Sources[i]; s.Source == source {
			return s.Instructions
		}
	}
	return 0
}

// firstOf is the ordinal of the first instruction of a source, as the manifest says.
func firstOf(d *Dataset, source uint8) int64 {
	from, _ := d.Manifest.Seqs(&schema.SourceTotals{Source: source})
	return from
}

// checkAnswers compares what was summed up with the manifest, and references with
// what they refer to.
func (c *checker) checkAnswers() {
	for _, p := range c.answers.problems {
		c.wrong(p.table.Name, p.problem)
	}
	if got, want := c.answers.images, int64(len(c.dataset.Manifest.Images)); c.dataset.Has(&schema.Images) && got != want {
		c.wrong(schema.Images.Name, fmt.Sprintf("has %d images, the manifest says %d", got, want))
	}
	for _, t := range []*schema.Table{&schema.Code, &schema.Lines} {
		for _, core := range slices.Sorted(maps.Keys(c.answers.refers[t])) {
			n := c.answers.refers[t][core]
			if have := c.answers.functions[core]; n > have {
				c.wrong(t.Name, fmt.Sprintf("refers to function %d%s, which has %d of them", n-1, ofCore(core), have))
			}
		}
	}
	for _, source := range slices.Sorted(maps.Keys(c.answers.heads)) {
		n, have := c.answers.heads[source], c.sum(&schema.Stacks, source).rows
		if c.dataset.Has(&schema.Stacks) && n > have {
			c.wrong(schema.Segments.Name, fmt.Sprintf("begins in node %d of source 0x%02x, of which stacks has %d", int32(n-1), source, have))
		}
	}
}

// ofCore says of which core a program is.
func ofCore(core string) string {
	if core == "" {
		return " of every core"
	}
	return fmt.Sprintf(" of core %q", core)
}
