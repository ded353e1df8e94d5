package sample

import (
	"math/rand/v2"

	"github.com/tracelake/tracelake/schema"
)

// A block is straight code for Walk.
type block struct {
	address []schema.Address
	opcode  []uint32
	size    []uint8
	kind    []schema.Kind
	next    [2]int // the block after it, and the one it branches to
}

// newProgram returns n blocks of 1 to 6 instructions of T32.
func newProgram(r *rand.Rand, n int) []block {
	ends := []schema.Kind{schema.KindBranch, schema.KindBranch, schema.KindCall, schema.KindReturn, schema.KindIndirect}
	program := make([]block, n)
	address := schema.Address(0x8000)
	for i := range program {
		b := &program[i]
		for range 1 + r.IntN(6) {
			size := uint8(2 + 2*r.IntN(2))
			b.address, b.size = append(b.address, address), append(b.size, size)
			b.opcode, b.kind = append(b.opcode, r.Uint32()), append(b.kind, schema.KindOther)
			address += schema.Address(size)
		}
		b.kind[len(b.kind)-1] = ends[r.IntN(len(ends))]
		b.next = [2]int{(i + 1) % n, r.IntN(n)}
	}
	return program
}

// Walk returns full batches of `instructions`, as a random walk through a
// program of so many blocks makes them: a packet every few blocks, which reports
// the outcome of their last instructions and, if timed, their cycles and sometimes
// a timestamp.
func Walk(blocks, batches int, timed bool) []*schema.Batch {
	r := rand.New(rand.NewPCG(1, 0))
	program := newProgram(r, blocks)
	out := []*schema.Batch{schema.NewBatch(&schema.Instructions)}
	var seq, offset, cycle, timestamp uint64
	for at := 0; ; {
		c := &program[at]
		way := min(1, r.IntN(5)) // branches are biased
		at = c.next[way]
		if r.IntN(3) == 0 {
			offset += 1 + r.Uint64N(3)
		}
		if timed && r.IntN(100) == 0 {
			timestamp = 3 * cycle
		}
		for i := range c.address {
			last := i == len(c.address)-1
			var cost uint64
			if timed && last {
				cost = 1 + uint64(r.ExpFloat64()*3)
				cycle += cost
			}
			b := out[len(out)-1]
			if len(b.Columns[0].U8) == schema.BatchRows {
				if len(out) == batches {
					return out
				}
				b = schema.NewBatch(&schema.Instructions)
				out = append(out, b)
			}
			for n, x := range []struct {
				value uint64
				valid bool
			}{
				{0x13, true},
				{seq, true},
				{seq >> 12, true},
				{offset, true},
				{uint64(c.address[i]), true},
				{uint64(c.size[i]), true},
				{uint64(schema.T32), true},
				{uint64(c.opcode[i]), true},
				{uint64(c.kind[i]), true},
				{uint64(way), last},
				{cost, timed && last},
				{0, true},
				{cycle, timed && last},
				{timestamp, timestamp > 0},
				{0, false},
				{0, false},
				{uint64(schema.NonSecure), true},
				{0, false},
				{0, false},
			} {
				appendValue(&b.Columns[n], x.value, x.valid)
			}
			seq++
		}
	}
}
