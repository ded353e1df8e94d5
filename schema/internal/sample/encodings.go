package sample

import (
	"math/rand/v2"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// Encoded returns rows of `instructions` twice: in encodings that r draws, and plain. Blocks
// are those that the rows may be of; with a variety of 0 values hardly change.
func Encoded(r *rand.Rand, blocks []*schema.Block, rows int, variety int) (encoded, plain *schema.Batch) {
	encoded, plain = schema.NewBatch(&schema.Instructions), schema.NewBatch(&schema.Instructions)
	code := drawCode(r, blocks, rows)
	for i := range encoded.Columns {
		f, p := &encoded.Columns[i], &plain.Columns[i]
		switch {
		case fieldOf(f.Column.Name) >= 0:
			f.Encoding, f.Field, f.Code = schema.OfCode, schema.CodeField(fieldOf(f.Column.Name)), code
			plainCode(p, &code)
		case f.Column.Nullable && r.IntN(2) == 0:
			mark(r, f, p, rows, variety)
		case f.Column.Rising && !f.Column.Nullable && r.IntN(3) == 0:
			from := r.Uint64N(1 << 40)
			f.AppendCount(from, rows)
			for k := range rows {
				appendValue(p, from+uint64(k), true)
			}
		case !f.Column.Rising && r.IntN(2) == 0:
			index(r, f, p, rows, variety)
		default:
			repeat(r, f, p, rows, variety)
		}
	}
	return encoded, plain
}

// Blocks returns n blocks of up to most instructions, one in a few of them long.
func Blocks(r *rand.Rand, n, most int) []*schema.Block {
	var blocks []*schema.Block
	for i := range n {
		b := &schema.Block{Key: schema.BlockKey{
			Address: schema.Address(i),
			State:   schema.State{ISA: schema.ISA(uint32(i) / 3 % uint32(len(schema.ISANames)))},
		}}
		for range 1 + r.IntN(most) {
			b.Address = append(b.Address, schema.Address(0x8000_0000+2*r.Uint32N(uint32(n*most))))
			b.Opcode = append(b.Opcode, r.Uint32N(uint32(n*most)))
			b.Size = append(b.Size, uint8(2+2*r.IntN(2)))
			b.Kind = append(b.Kind, uint8(r.IntN(len(schema.KindNames))))
		}
		blocks = append(blocks, b)
	}
	return blocks
}

func drawCode(r *rand.Rand, blocks []*schema.Block, rows int) schema.CodeRuns {
	code := schema.CodeRuns{Rows: rows}
	var numbers []uint32
	for i := range blocks {
		numbers = append(numbers, uint32(i))
	}
	for rows > 0 {
		n := r.IntN(len(blocks))
		b := blocks[n]
		first := r.IntN(len(b.Address))
		if r.IntN(2) == 0 {
			first = 0
		}
		count := min(rows, 1+r.IntN(len(b.Address)-first))
		code.Runs = append(code.Runs, schema.CodeRun{Block: uint32(n), First: uint16(first), Count: uint16(count)})
		rows -= count
		if rows == 0 || r.IntN(400) == 0 { // the next have the same blocks in another order
			code.End(blocks, numbers)
			n := r.IntN(len(blocks))
			blocks, numbers = slices.Concat(blocks[n:], blocks[:n]), slices.Concat(numbers[n:], numbers[:n])
		}
	}
	return code
}

// fieldOf returns the [schema.CodeField] of a column, -1 if it is none.
func fieldOf(column string) int {
	return slices.Index([]string{"address", "opcode", "size", "kind", "isa"}, column)
}

func plainCode(v *schema.Vector, code *schema.CodeRuns) {
	for p, runs := range code.Each {
		for _, run := range runs {
			for i := int(run.First); i < int(run.First)+int(run.Count); i++ {
				b := p.Blocks[run.Block]
				value := [...]uint64{
					uint64(b.Address[i]), uint64(b.Opcode[i]), uint64(b.Size[i]), uint64(b.Kind[i]),
					uint64(b.Key.ISA),
				}
				appendValue(v, value[fieldOf(v.Column.Name)], true)
			}
		}
	}
}

// draw returns a value of a column, near the one before where values rise.
func draw(r *rand.Rand, v *schema.Vector, last uint64, variety int) uint64 {
	c := v.Column
	switch {
	case c.Rising:
		return last + r.Uint64N(1<<r.IntN(2+2*variety))
	case c.Type == schema.Enum:
		return r.Uint64N(uint64(len(c.Names)))
	case c.Type == schema.Bool:
		return r.Uint64N(2)
	case c.Type == schema.Uint8:
		return r.Uint64N(uint64(1 + min(variety, 255)))
	}
	return r.Uint64N(1 + uint64(variety)*uint64(variety)*1000)
}

func repeat(r *rand.Rand, encoded, plain *schema.Vector, rows, variety int) {
	value := uint64(0)
	for rows > 0 {
		n := min(rows, 1+r.IntN(1+rows>>(variety%14)))
		null := encoded.Column.Nullable && r.IntN(3) == 0
		x := uint64(0)
		if !null {
			value = draw(r, encoded, value, variety)
			x = value
		}
		encoded.AppendRepeat(x, null, n)
		for range n {
			appendValue(plain, x, !null)
		}
		rows -= n
	}
}

func mark(r *rand.Rand, encoded, plain *schema.Vector, rows, variety int) {
	if encoded.Column.Type == schema.Bool {
		encoded.Encoding = schema.Narrow
	}
	value := uint64(0)
	for rows > 0 {
		n := min(rows, 1+r.IntN(1+rows>>(variety%14)))
		valid := r.IntN(2) == 0
		rows -= n
		if !valid && r.IntN(2) == 0 {
			encoded.Marks.Pad(encoded.Marks.N + n)
		}
		for range n {
			value = draw(r, encoded, value, variety)
			if !valid {
				appendValue(plain, 0, false)
				continue
			}
			appendValue(plain, value, true)
			encoded.Marks.Append(1, 1)
			if encoded.Column.Type == schema.Bool {
				encoded.Bits.Append(value, 1)
			} else {
				appendDense(encoded, value)
			}
		}
		encoded.Marks.Pad(len(plain.Valid))
	}
}

// appendDense appends a value without saying that it is valid.
func appendDense(v *schema.Vector, x uint64) {
	appendValue(v, x, true)
	v.Valid = v.Valid[:0]
}

func index(r *rand.Rand, encoded, plain *schema.Vector, rows, variety int) {
	encoded.Encoding = schema.Indexed
	places := map[uint64]uint32{}
	for range rows {
		x := draw(r, encoded, 0, variety)
		i, ok := places[x]
		if !ok {
			i = uint32(len(encoded.Entries))
			places[x] = i
			encoded.Entries = append(encoded.Entries, x)
		}
		encoded.Index = append(encoded.Index, i)
		appendValue(plain, x, true)
	}
}
