package dataset

import (
	"fmt"

	"github.com/tracelake/tracelake/schema"
)

// maxCode is the most rows of code_blocks of a source that are held: 1 GB. The
// code that a 32-bit core can address is four times as much at most.
const maxCode = 1 << 26

// A code is the rows of code_blocks of a source.
type code struct {
	starts  []int // of each block, in the slices below
	address []uint64
	opcode  []uint32
	size    []uint8
	isa     []uint8
	kind    []uint8
}

// readCode reads the code blocks of a source.
func (d *Dataset) readCode(source uint8) (*code, error) {
	c := &code{}
	for b, err := range d.BatchesOf(&schema.CodeBlocks, source) {
		if err != nil {
			return nil, err
		}
		if err := c.place(*schema.CodeBlocksCodeBlock.In(b), *schema.CodeBlocksPosition.In(b)); err != nil {
			return nil, d.wrong(schema.CodeBlocks.Name, err.Error(), "export again")
		}
		c.address, c.opcode = append(c.address, *schema.CodeBlocksAddress.In(b)...),
			append(c.opcode, *schema.CodeBlocksOpcode.In(b)...)
		c.size, c.isa = append(c.size, *schema.CodeBlocksSize.In(b)...), append(c.isa, *schema.CodeBlocksISA.In(b)...)
		c.kind = append(c.kind, *schema.CodeBlocksKind.In(b)...)
	}
	return c, nil
}

// place enters where blocks begin. numbers and positions are those of the next
// rows, which have to be in order.
func (c *code) place(numbers []uint32, positions []uint16) error {
	if len(c.address)+len(numbers) > maxCode {
		return fmt.Errorf("has more than %d rows of a source", maxCode)
	}
	for i, number := range numbers {
		row := len(c.address) + i
		if positions[i] == 0 && int64(number) == int64(len(c.starts)) {
			c.starts = append(c.starts, row)
		}
		if n := len(c.starts); int64(number) != int64(n)-1 || int(positions[i]) != row-c.starts[n-1] {
			return fmt.Errorf("has position %d of block %d out of order, in row %d", positions[i], number, row)
		}
	}
	return nil
}

// block returns where the rows of a block begin and end; both are 0 if there is
// no such block.
func (c *code) block(number uint32) (from, to int) {
	if int64(number) >= int64(len(c.starts)) {
		return 0, 0
	}
	if int(number)+1 == len(c.starts) {
		return c.starts[number], len(c.address)
	}
	return c.starts[number], c.starts[number+1]
}

// An Expansion reads `blocks` as rows of `instructions`, as the view of that
// name does (schema.Views): of the instructions of a run only the last has
// cycles, those of the run.
type Expansion struct {
	blocks  *Reader
	code    *code
	runs    *schema.Batch // of blocks
	run     int           // the one at hand
	done    int           // instructions of it that are rows
	batch   *schema.Batch
	lastRow []bool // by row of batch: it is the last of its run
	first   uint64 // runs of lower seq alone are left out
}

var _ schema.Reader = (*Expansion)(nil)

// Expand begins to read the instructions of a source from `blocks`. The reader
// has to be closed.
func (d *Dataset) Expand(source uint8) (*Expansion, error) {
	c, err := d.readCode(source)
	if err != nil {
		return nil, err
	}
	return &Expansion{
		blocks: d.Open(&schema.Blocks, source), code: c,
		runs: schema.NewBatch(&schema.Blocks), batch: schema.NewBatch(&schema.Instructions),
	}, nil
}

// ExpandAt begins to read the instructions of a source at one: those before it in its run
// come first. The reader has to be closed.
func (d *Dataset) ExpandAt(source uint8, seq int64) (*Expansion, error) {
	c, err := d.readCode(source)
	if err != nil {
		return nil, err
	}
	blocks, err := d.OpenAt(&schema.Blocks, source, schema.BlocksSeq, seq-schema.MaxBlockRow+1)
	if err != nil {
		return nil, err
	}
	return &Expansion{
		blocks: blocks, code: c, runs: schema.NewBatch(&schema.Blocks), batch: schema.NewBatch(&schema.Instructions),
		first: uint64(max(seq, 0)),
	}, nil
}

// Next returns the instructions that follow.
func (x *Expansion) Next() (*schema.Batch, error) {
	x.batch.Reset()
	x.lastRow = x.lastRow[:0]
	for len(x.lastRow) == 0 {
		if x.run == x.runs.Rows() {
			runs, err := x.blocks.Next()
			if err != nil {
				return nil, err
			}
			x.runs, x.run, x.done = runs, x.before(runs), 0
		}
		for x.run < x.runs.Rows() && len(x.lastRow) < schema.BatchRows {
			x.expandRun(schema.BatchRows - len(x.lastRow))
		}
	}
	return x.batch, nil
}

// before returns how many runs come first that end before the first instruction.
func (x *Expansion) before(runs *schema.Batch) int {
	n := 0
	for n < runs.Rows() && schema.BlocksSeq.At(runs, n)+uint64(schema.BlocksInstructions.At(runs, n)) <= x.first {
		n++
	}
	return n
}

// expandRun appends rows of the run at hand, at most room.
func (x *Expansion) expandRun(room int) {
	first, count := int(schema.BlocksFirst.At(x.runs, x.run)), int(schema.BlocksInstructions.At(x.runs, x.run))
	from, to := x.code.block(schema.BlocksCodeBlock.At(x.runs, x.run))
	there := max(0, min(count, to-from-first)) // positions that the block does not have make no rows
	end := min(there, x.done+room)
	for ; x.done < end; x.done++ {
		x.appendRow(from+first+x.done, x.done == count-1)
	}
	if x.done == there {
		x.run, x.done = x.run+1, 0
	}
}

// sharedColumns are those that every instruction of a run has alike, in
// `instructions` and in `blocks`.
var sharedColumns = [][2]int{
	{int(schema.InstructionsSource), int(schema.BlocksSource)},
	{int(schema.InstructionsSegment), int(schema.BlocksSegment)},
	{int(schema.InstructionsByteOffset), int(schema.BlocksByteOffset)},
	{int(schema.InstructionsEpoch), int(schema.BlocksEpoch)},
	{int(schema.InstructionsTimestamp), int(schema.BlocksTimestamp)},
	{int(schema.InstructionsContextID), int(schema.BlocksContextID)},
	{int(schema.InstructionsVMID), int(schema.BlocksVMID)},
	{int(schema.InstructionsExceptionLevel), int(schema.BlocksExceptionLevel)},
	{int(schema.InstructionsTransaction), int(schema.BlocksTransaction)},
	{int(schema.InstructionsSecurity), int(schema.BlocksSecurity)},
}

// appendRow appends an instruction of the run at hand: its place in the code,
// and whether it is the last of the run.
func (x *Expansion) appendRow(at int, last bool) {
	v, out := x.runs.Columns, x.batch.Columns
	for _, c := range sharedColumns {
		out[c[0]].AppendFrom(&v[c[1]], x.run)
	}
	put(schema.InstructionsSeq.In(x.batch), schema.BlocksSeq.At(x.runs, x.run)+uint64(x.done))
	put(schema.InstructionsAddress.In(x.batch), x.code.address[at])
	put(schema.InstructionsSize.In(x.batch), x.code.size[at])
	put(schema.InstructionsISA.In(x.batch), x.code.isa[at])
	put(schema.InstructionsOpcode.In(x.batch), x.code.opcode[at])
	put(schema.InstructionsKind.In(x.batch), x.code.kind[at])
	executed, valid := x.executed(last)
	put(schema.InstructionsExecuted.In(x.batch), executed)
	put(&out[schema.InstructionsExecuted].Valid, valid)
	if last {
		out[schema.InstructionsCycles].AppendFrom(&v[schema.BlocksCycles], x.run)
		out[schema.InstructionsCycle].AppendFrom(&v[schema.BlocksCycle], x.run)
	} else {
		out[schema.InstructionsCycles].AppendNull()
		out[schema.InstructionsCycle].AppendNull()
	}
	x.lastRow = append(x.lastRow, last)
}

// put appends x.
func put[T any](s *[]T, x T) { *s = append(*s, x) }

// executed returns the column of that name for the instruction at hand, and
// whether it is valid.
func (x *Expansion) executed(last bool) (executed, valid uint8) {
	if !last {
		valid = x.runs.Columns[schema.BlocksFailed].Valid[x.run]
		return uint8(schema.BlocksFailed.At(x.runs, x.run)>>x.done&1^1) * valid, valid
	}
	switch schema.Outcome(schema.BlocksOutcome.At(x.runs, x.run)) {
	case schema.Taken, schema.Passed:
		return 1, 1
	case schema.NotTaken:
		return 0, 1
	case schema.Unknown:
	}
	return 0, 0
}

// LastOfRun says whether a row of the batch that Next returned is the last of
// its run, whose cycles it has.
func (x *Expansion) LastOfRun(row int) bool { return x.lastRow[row] }

// Close closes the file at hand.
func (x *Expansion) Close() error { return x.blocks.Close() }
