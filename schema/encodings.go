package schema

import (
	"fmt"
	"math/bits"
	"slices"
)

// An Encoding says how a vector has its values: one by one, or in less memory where few
// facts make many rows. Every one stands for plain values, which [Vector.Expand] makes of
// it; what is written is the same.
type Encoding uint8

// The encodings.
const (
	Plain    Encoding = iota // a value per row, whether NULL or not
	Repeated                 // Repeats: runs of rows with one value, or with values that count up by Step
	OfCode                   // Field of the instructions in Code
	Indexed                  // Entries, of which Index names that of each row; NULL where Absent says so
	// Narrow is a bit per row in Bits for a Bool; for numbers of more than 8 bits a byte in U8:
	// the value or, if the column is Rising, by how much it is more than in the row before.
	// Where a byte is too small it is Escape, and Wide has the value.
	Narrow
)

// A Repeat is a value that a number of rows have, or the first of them.
type Repeat struct {
	Value uint64
	Rows  int32
}

// AppendRepeat appends rows to a vector that is Repeated or empty.
func (v *Vector) AppendRepeat(value uint64, null bool, rows int) {
	if null && v.Marks.N == 0 {
		v.Marks.Repeat(true, v.Len())
	}
	v.Encoding = Repeated
	if null || v.Marks.N > 0 {
		v.Marks.Repeat(!null, rows)
	}
	if null {
		return
	}
	if n := len(v.Repeats); n > 0 {
		if last := &v.Repeats[n-1]; last.Value+v.Step*uint64(last.Rows) == value {
			last.Rows += int32(rows)
			return
		}
	}
	v.Repeats = append(v.Repeats, Repeat{value, int32(rows)})
}

// AppendCount appends rows that count up from a value to a vector that has no others, of a
// column that is Rising.
func (v *Vector) AppendCount(from uint64, rows int) {
	v.Step = 1
	v.AppendRepeat(from, false, rows)
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

// Repeat appends n bits that are alike.
func (b *Bits) Repeat(one bool, n int) {
	if !one {
		b.Pad(b.N + n)
		return
	}
	for ; n > 0; n -= 64 {
		m := min(n, 64)
		b.Append(^uint64(0)>>(64-m), m)
	}
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
	switch {
	case v.isPlain():
		return
	case v.Encoding == OfCode:
		v.expandCode()
	default:
		v.expand()
	}
	v.forget()
}

func (v *Vector) isPlain() bool { return v.Encoding == Plain && v.Marks.N == 0 }

// forget drops all but plain values, preserving capacity. Other columns may have the same Code.
func (v *Vector) forget() {
	v.Encoding, v.Step, v.Repeats = Plain, 0, v.Repeats[:0]
	v.Marks.Reset()
	v.Bits.Reset()
	v.Code = CodeRuns{Pieces: v.Code.Pieces[:0], Runs: v.Code.Runs[:0]}
	v.Index, v.Entries, v.Absent, v.Wide = v.Index[:0], v.Entries[:0], v.Absent[:0], v.Wide[:0]
}

func (v *Vector) expandCode() {
	for p, runs := range v.Code.Each {
		for i := range runs {
			v.expandRun(p.Blocks[runs[i].Block], int(runs[i].First), int(runs[i].First)+int(runs[i].Count))
		}
	}
}

// expandRun appends the field of some instructions of a block.
func (v *Vector) expandRun(b *Block, from, to int) {
	switch v.Field {
	case FieldAddress:
		v.U64 = appendAddresses(v.U64, b.Address[from:to])
	case FieldOpcode:
		v.U32 = append(v.U32, b.Opcode[from:to]...)
	case FieldSize:
		v.U8 = append(v.U8, b.Size[from:to]...)
	case FieldKind:
		v.U8 = append(v.U8, b.Kind[from:to]...)
	case FieldISA:
		v.U8 = repeat(v.U8, uint8(b.Key.ISA), 0, to-from)
	}
}

// appendAddresses appends addresses as a column has them.
func appendAddresses(dst []uint64, src []Address) []uint64 {
	dst = slices.Grow(dst, len(src))
	for _, x := range src {
		dst = append(dst, uint64(x))
	}
	return dst
}

// expand makes numbers plain.
func (v *Vector) expand() {
	v.expandValid()
	switch v.Column.Type {
	case Uint8, Bool, Enum:
		v.U8 = expandNumbers(v.U8, v)
	case Uint16:
		v.U16 = expandNumbers(v.U16, v)
	case Uint32, Int32:
		v.U32 = expandNumbers(v.U32, v)
	case Uint63, Uint64, Int64:
		v.U64 = expandNumbers(v.U64, v)
	default:
		panic(fmt.Sprintf("schema: column %s has plain values only", v.Column.Name))
	}
}

// expandValid says which rows are valid.
func (v *Vector) expandValid() {
	switch {
	case !v.Column.Nullable:
	case v.Marks.N > 0:
		for i := range v.Marks.N {
			v.Valid = append(v.Valid, v.Marks.At(i))
		}
	case len(v.Absent) > 0:
		for _, i := range v.Index {
			v.Valid = append(v.Valid, v.Absent[i]^1)
		}
	default:
		v.Valid = repeat(v.Valid, 1, 0, v.Len())
	}
}

// expandNumbers appends the numbers of v, which go where rows are valid.
func expandNumbers[T uint8 | uint16 | uint32 | uint64](dst []T, v *Vector) []T {
	switch v.Encoding {
	case Repeated:
		for _, r := range v.Repeats {
			dst = repeat(dst, T(r.Value), T(v.Step), int(r.Rows))
		}
	case Indexed:
		for _, i := range v.Index {
			dst = append(dst, T(v.Entries[i]))
		}
	case Narrow:
		dst = expandNarrow(dst, v)
	case Plain, OfCode:
	}
	if v.Marks.N > 0 {
		return spread(dst, v.Valid)
	}
	return dst
}

// repeat appends n values from x on, each by a step more than the one before.
func repeat[T uint8 | uint16 | uint32 | uint64](s []T, x, step T, n int) []T {
	first := len(s)
	s = slices.Grow(s, n)[:first+n]
	for i := range s[first:] {
		s[first+i] = x
		x += step
	}
	return s
}

// spread gives each row that is valid the next of the values, and others 0.
func spread[T any](s []T, valid []uint8) []T {
	from := len(s)
	s = slices.Grow(s, len(valid)-from)[:len(valid)]
	var zero T
	for i := len(valid) - 1; i >= 0; i-- {
		x := zero
		if valid[i] != 0 {
			from--
			x = s[from] // from ≤ i: what is here was not overwritten yet
		}
		s[i] = x
	}
	return s
}
