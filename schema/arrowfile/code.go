package arrowfile

import (
	"encoding/binary"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/tracelake/tracelake/schema"
)

// A codeArrays makes the values of the columns that are fields of instructions, all in
// one pass. What a block has, as wide as in arrays, is kept to be copied (a template).
type codeArrays struct {
	templates []template // by number of the block
	stamp     uint32     // of the row group at hand
	// What templates have, one after the other, and overCopy more.
	addresses, opcodes []int64
	sizes              []int32
	kinds              []uint8

	// Of the batch at hand, by field.
	made    bool
	buffers [schema.FieldISA + 1]*memory.Buffer
}

// A template is where a block begins in the slices of templates.
type template struct {
	stamp uint32 // of the row group it was made for
	at    int32
	isa   uint8 // code
}

// overCopy is how many instructions are copied at a time: what is beyond a run is
// overwritten by the next.
const overCopy = 8

// templateLimit is the most instructions of templates. Those of a row group that has more
// are forgotten and made again.
const templateLimit = 1 << 20

// forget drops all templates.
func (w *codeArrays) forget() {
	w.addresses, w.opcodes, w.sizes, w.kinds = w.addresses[:0], w.opcodes[:0], w.sizes[:0], w.kinds[:0]
	w.stamp++
	if w.stamp == 0 { // no template may have a stamp that comes again
		clear(w.templates)
	}
	w.stamp = max(w.stamp, 1)
}

// buffer returns the values of a field.
func (w *codeArrays) buffer(l *loan, code *schema.CodeRuns, field schema.CodeField) *memory.Buffer {
	if !w.made {
		w.expand(l, code)
		w.made = true
	}
	return w.buffers[field]
}

// expand makes the values of all fields.
func (w *codeArrays) expand(l *loan, code *schema.CodeRuns) {
	n := code.Rows + overCopy
	addresses, opcodes, sizes := numbers[int64](l, n, 8), numbers[int64](l, n, 8), numbers[int32](l, n, 4)
	kinds, isas := numbers[uint8](l, n, 1), numbers[uint8](l, n, 1)
	row := 0
	for p, runs := range code.Each {
		for i := range runs {
			r := &runs[i]
			number := p.Numbers[r.Block]
			if int(number) >= len(w.templates) || w.templates[number].stamp != w.stamp {
				w.add(number, p.Blocks[r.Block])
			}
			t := &w.templates[number]
			at, isa := int(t.at)+int(r.First), uint64(t.isa)*0x0101010101010101
			for left := int(r.Count); left > 0; left -= overCopy {
				copyLongs(addresses[row:], w.addresses[at:])
				copyLongs(opcodes[row:], w.opcodes[at:])
				to, from := (*[overCopy]int32)(sizes[row:]), (*[overCopy]int32)(w.sizes[at:])
				*(*[4]int32)(to[:4]), *(*[4]int32)(to[4:]) = *(*[4]int32)(from[:4]), *(*[4]int32)(from[4:])
				*(*[overCopy]uint8)(kinds[row:]) = *(*[overCopy]uint8)(w.kinds[at:])
				binary.LittleEndian.PutUint64(isas[row:], isa)
				row, at = row+min(left, overCopy), at+overCopy
			}
		}
	}
	n = code.Rows
	w.buffers = [...]*memory.Buffer{
		schema.FieldAddress: memory.NewBufferBytes(arrow.GetBytes(addresses[:n])),
		schema.FieldOpcode:  memory.NewBufferBytes(arrow.GetBytes(opcodes[:n])),
		schema.FieldSize:    memory.NewBufferBytes(arrow.GetBytes(sizes[:n])),
		schema.FieldKind:    memory.NewBufferBytes(kinds[:n]),
		schema.FieldISA:     memory.NewBufferBytes(isas[:n]),
	}
}

// copyLongs copies overCopy numbers, two at a time: more are copied by a call.
func copyLongs(dst, src []int64) {
	to, from := (*[overCopy]int64)(dst), (*[overCopy]int64)(src)
	*(*[2]int64)(to[0:]) = *(*[2]int64)(from[0:])
	*(*[2]int64)(to[2:]) = *(*[2]int64)(from[2:])
	*(*[2]int64)(to[4:]) = *(*[2]int64)(from[4:])
	*(*[2]int64)(to[6:]) = *(*[2]int64)(from[6:])
}

// add makes the template of a block.
func (w *codeArrays) add(number uint32, b *schema.Block) {
	if n := int(number) + 1; n > len(w.templates) {
		w.templates = append(w.templates, make([]template, max(n, 2*len(w.templates))-len(w.templates))...)
	}
	at := max(0, len(w.kinds)-overCopy)
	if at > 0 && at+len(b.Address) > templateLimit {
		w.forget()
		at = 0
	}
	end := at + len(b.Address)
	w.addresses, w.opcodes = lengthen(w.addresses, at, end), lengthen(w.opcodes, at, end)
	w.sizes, w.kinds = lengthen(w.sizes, at, end), lengthen(w.kinds, at, end)
	for i := range b.Address {
		w.addresses[at+i], w.opcodes[at+i], w.sizes[at+i] = int64(b.Address[i]), int64(b.Opcode[i]), int32(b.Size[i])
	}
	copy(w.kinds[at:end], b.Kind)
	w.templates[number] = template{w.stamp, int32(at), uint8(b.Key.ISA)}
}

// lengthen makes s end overCopy after end, of which what is before at stays.
func lengthen[T any](s []T, at, end int) []T {
	return slices.Grow(s[:at], end+overCopy-at)[:end+overCopy]
}
