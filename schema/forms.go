package schema

import (
	"fmt"
	"math/bits"
	"slices"
)

// A Form says how a vector has its values: one by one, or in less memory where few
// facts make many rows. Every form stands for plain values, which
// [Vector.Expand] makes of it; what is written is the same.
type Form uint8

// The forms.
const (
	Plain    Form = iota // a value per row, whether NULL or not
	Repeated             // Repeats: runs of rows with one value
	Counted              // Repeats, in which each row is one more than the row before
	Marked               // Marks says which rows have a value; the slice, or Bits, has those alone
	OfCode               // Field of the instructions in Code
	Indexed              // Entries, of which Index names that of each row; NULL where Absent says so
	Narrow               // U8 has the value of each row, or Escape
	Stepped              // U8 has by how much each row is more than the one before, or Escape
)

// A Repeat is a value that a number of rows have, or the first of them.
type Repeat struct {
	Value uint64
	Rows  int32
	Null  bool // then Value is 0
}

// AppendRepeat appends rows to a vector that is Repeated or empty.
func (v *Vector) AppendRepeat(value uint64, null bool, rows int) {
	v.Form = Repeated
	if n := len(v.Repeats); n > 0 && v.Repeats[n-1].Value == value && v.Repeats[n-1].Null == null {
		v.Repeats[n-1].Rows += int32(rows)
		return
	}
	v.Repeats = append(v.Repeats, Repeat{value, int32(rows), null})
}

// AppendCount appends rows that count up from a value to a vector that is Counted
// or empty.
func (v *Vector) AppendCount(from uint64, rows int) {
	v.Form = Counted
	if n := len(v.Repeats); n > 0 && v.Repeats[n-1].Value+uint64(v.Repeats[n-1].Rows) == from {
		v.Repeats[n-1].Rows += int32(rows)
		return
	}
	v.Repeats = append(v.Repeats, Repeat{Value: from, Rows: int32(rows)})
}

// A CodeRun is some rows that are consecutive instructions of a block.
type CodeRun struct {
	Block uint32 // index in the blocks of its piece
	First uint16 // position of the first in the block
	Count uint16
}

// A CodePiece is what some consecutive runs have in common: the blocks that they are of.
// Runs have no pointers of their own, which the garbage collector would have to follow.
type CodePiece struct {
	Runs    int // how many runs there are up to its end, with those of the pieces before
	Blocks  []*Block
	Numbers []uint32 // of the blocks, in the source: equal numbers are one block
}

// CodeRuns are rows of code.
type CodeRuns struct {
	Pieces []CodePiece
	Runs   []CodeRun
	Rows   int
}

// End ends a piece with the last of the runs, if it has any.
func (c *CodeRuns) End(blocks []*Block, numbers []uint32) {
	before := 0
	if n := len(c.Pieces); n > 0 {
		before = c.Pieces[n-1].Runs
	}
	if len(c.Runs) > before {
		c.Pieces = append(c.Pieces, CodePiece{len(c.Runs), blocks, numbers})
	}
}

// Each goes through the pieces, with the runs of each.
func (c *CodeRuns) Each(yield func(*CodePiece, []CodeRun) bool) {
	from := 0
	for i := range c.Pieces {
		p := &c.Pieces[i]
		if !yield(p, c.Runs[from:p.Runs]) {
			return
		}
		from = p.Runs
	}
}

// Reset empties c, preserving capacity.
func (c *CodeRuns) Reset() {
	clear(c.Pieces)
	*c = CodeRuns{c.Pieces[:0], c.Runs[:0], 0}
}

// A CodeField is what a column says of the instructions of a block.
type CodeField uint8

// The fields.
const (
	FieldAddress CodeField = iota
	FieldOpcode
	FieldSize
	FieldKind
	FieldISA // of the block
)

// Bits is a list of bits, the first the lowest of the first word. Bits after the
// last are 0.
type Bits struct {
	Words []uint64
	N     int
}

// Append appends the n lowest bits of x, at most 64; the others are 0.
func (b *Bits) Append(x uint64, n int) {
	at := b.N & 63
	b.N += n
	if at == 0 {
		if n > 0 {
			b.Words = append(b.Words, x)
		}
		return
	}
	b.Words[len(b.Words)-1] |= x << at
	if at+n > 64 {
		b.Words = append(b.Words, x>>(64-at))
	}
}

// Pad appends zeros until b has n bits.
func (b *Bits) Pad(n int) {
	if n <= b.N {
		return
	}
	words, have := (n+63)/64, len(b.Words)
	if words > have {
		b.Words = slices.Grow(b.Words, words-have)[:words]
		clear(b.Words[have:])
	}
	b.N = n
}

// At returns bit i.
func (b *Bits) At(i int) uint8 { return uint8(b.Words[i>>6] >> (i & 63) & 1) }

// Count returns how many bits are 1.
func (b *Bits) Count() int {
	n := 0
	for _, w := range b.Words {
		n += bits.OnesCount64(w)
	}
	return n
}

// Reset empties b, preserving capacity.
func (b *Bits) Reset() { b.Words, b.N = b.Words[:0], 0 }

// Expand makes all columns of b plain.
func (b *Batch) Expand() {
	for i := range b.Columns {
		b.Columns[i].Expand()
	}
}

// Expand makes v plain.
func (v *Vector) Expand() {
	form := v.Form
	v.Form = Plain
	switch form {
	case Plain:
		return
	case Repeated, Counted:
		v.expandRepeats(form == Counted)
	case Marked:
		v.expandMarked()
	case OfCode:
		v.expandCode()
	case Indexed:
		v.expandIndex()
	case Narrow, Stepped:
		v.expandBytes(form == Stepped)
	}
}

func (v *Vector) expandRepeats(counted bool) {
	step := uint64(0)
	if counted {
		step = 1
	}
	for _, r := range v.Repeats {
		n := int(r.Rows)
		switch v.Column.Type {
		case Uint8, Bool, Enum:
			repeat(&v.U8, uint8(r.Value), uint8(step), n)
		case Uint16:
			repeat(&v.U16, uint16(r.Value), uint16(step), n)
		case Uint32, Int32:
			repeat(&v.U32, uint32(r.Value), uint32(step), n)
		case Uint63, Int64:
			repeat(&v.U64, r.Value, step, n)
		default:
			v.noForm()
		}
		if v.Column.Nullable {
			repeat(&v.Valid, btou(!r.Null), 0, n)
		}
	}
	v.Repeats = v.Repeats[:0]
}

func (v *Vector) noForm() {
	panic(fmt.Sprintf("schema: column %s has plain values only", v.Column.Name))
}

// repeat appends n values from x on, each by a step more than the one before.
func repeat[T uint8 | uint16 | uint32 | uint64](s *[]T, x, step T, n int) {
	first := len(*s)
	*s = slices.Grow(*s, n)[:first+n]
	for i := range (*s)[first:] {
		(*s)[first+i] = x
		x += step
	}
}

func (v *Vector) expandMarked() {
	if v.Column.Type == Bool {
		for i := range v.Bits.N {
			v.U8 = append(v.U8, v.Bits.At(i))
		}
		v.Bits.Reset()
	}
	v.spreadMarked()
}

// spreadMarked gives each row that is marked the next of the values.
func (v *Vector) spreadMarked() {
	for i := range v.Marks.N {
		v.Valid = append(v.Valid, v.Marks.At(i))
	}
	switch v.Column.Type {
	case Uint8, Bool, Enum:
		spread(&v.U8, v.Valid)
	case Uint16:
		spread(&v.U16, v.Valid)
	case Uint32, Int32:
		spread(&v.U32, v.Valid)
	case Uint63, Int64:
		spread(&v.U64, v.Valid)
	default:
		v.noForm()
	}
	v.Marks.Reset()
}

// spread gives each row that is valid the next of the values, and others 0.
func spread[T any](s *[]T, valid []uint8) {
	from := len(*s)
	*s = slices.Grow(*s, len(valid)-from)[:len(valid)]
	var zero T
	for i := len(valid) - 1; i >= 0; i-- {
		x := zero
		if valid[i] != 0 {
			from--
			x = (*s)[from] // from ≤ i: what is here was not overwritten yet
		}
		(*s)[i] = x
	}
}

func (v *Vector) expandCode() {
	for p, runs := range v.Code.Each {
		for i := range runs {
			v.expandRun(p.Blocks[runs[i].Block], int(runs[i].First), int(runs[i].First)+int(runs[i].Count))
		}
	}
	v.Code = CodeRuns{Pieces: v.Code.Pieces[:0], Runs: v.Code.Runs[:0]}
}

// expandRun appends the field of some instructions of a block.
func (v *Vector) expandRun(b *Block, from, to int) {
	switch v.Field {
	case FieldAddress:
		v.U32 = append(v.U32, b.Address[from:to]...)
	case FieldOpcode:
		v.U32 = append(v.U32, b.Opcode[from:to]...)
	case FieldSize:
		v.U8 = append(v.U8, b.Size[from:to]...)
	case FieldKind:
		v.U8 = append(v.U8, b.Kind[from:to]...)
	case FieldISA:
		repeat(&v.U8, uint8(b.Key.ISA), 0, to-from)
	}
}

func (v *Vector) expandIndex() {
	for _, i := range v.Index {
		x := v.Entries[i]
		switch v.Column.Type {
		case Uint8, Bool, Enum:
			v.U8 = append(v.U8, uint8(x))
		case Uint16:
			v.U16 = append(v.U16, uint16(x))
		case Uint32, Int32:
			v.U32 = append(v.U32, uint32(x))
		case Uint63, Int64:
			v.U64 = append(v.U64, x)
		default:
			v.noForm()
		}
	}
	switch {
	case len(v.Absent) > 0:
		for _, i := range v.Index {
			v.Valid = append(v.Valid, v.Absent[i]^1)
		}
	case v.Column.Nullable:
		repeat(&v.Valid, 1, 0, len(v.Index))
	}
	v.Index, v.Entries, v.Absent = v.Index[:0], v.Entries[:0], v.Absent[:0]
}
