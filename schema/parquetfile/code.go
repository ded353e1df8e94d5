package parquetfile

import (
	"encoding/binary"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
)

// A codeWriter encodes the columns that are fields of instructions. What a page has
// of a block is the same each time: indexes into the dictionaries, which it gets when
// it first occurs in a row group, and codes. They are looked up once, kept as bytes of
// pages (a template), and copied from then on.
type codeWriter struct {
	column    *column // of addresses; nil: the table has no code
	address   int     // its place in the table, which a later version may change
	opcode    int     // likewise
	pairs     *pairs
	size      *uint8s
	kind, isa *enums

	templates []template // by number of the block
	stamp     uint32     // of the row group at hand
	arena     []byte     // has the bytes of templates

	// Of the page at hand: instructions as indexes of two bytes, kinds as codes, one after
	// the other, each with room for overCopy more.
	made  bool
	rows  int
	bytes []byte
	sizes schema.Bits // indexes
	isas  indexes     // codes
}

// A template is where the bytes of a block lie in the arena, one after the other: its
// instructions as indexes of two bytes, kinds as codes of one, sizes as indexes of one bit.
// It has those of instructions from to to.
type template struct {
	stamp    uint32 // of the row group it was made for
	at       int32
	length   uint16 // of the block
	from, to uint16
	isa      uint8 // code
}

// overCopy is how many instructions are copied at a time: what is beyond a run is
// overwritten by the next.
const overCopy = 8

// past is how many bytes copies reach past the end of a template.
const past = 2 * overCopy

// arenaLimit is the most bytes of an arena. Templates of a row group that needs more
// are forgotten and made again.
const arenaLimit = 1 << 26

func (t *template) kinds() int { return int(t.at) + 2*int(t.length) }
func (t *template) sizes() int { return int(t.at) + 3*int(t.length) }

// forget drops all templates.
func (w *codeWriter) forget() {
	w.arena = w.arena[:0]
	w.stamp++
	if w.stamp == 0 { // no template may have a stamp that comes again
		clear(w.templates)
		w.stamp = 1
	}
}

// bind makes w write the columns of code of a table: those of `instructions`.
func (w *codeWriter) bind(columns []column) {
	by := map[string]*column{}
	for i := range columns {
		by[columns[i].Name] = &columns[i]
		switch columns[i].Name {
		case "address":
			w.address = i
		case "opcode":
			w.opcode = i
		}
	}
	opcode := by["opcode"]
	if opcode == nil || by["executed"] == nil {
		return
	}
	w.stamp, w.column, w.pairs = 1, by["address"], &pairs{}
	w.column.values, opcode.values = &addresses{pairs: w.pairs}, &opcodes{pairs: w.pairs}
	w.size, w.kind, w.isa = by["size"].values.(*uint8s), by["kind"].values.(*enums), by["isa"].values.(*enums)
}

// begin readies w for a page of each column of b.
func (w *codeWriter) begin(b *schema.Batch) {
	if w.column == nil {
		return
	}
	address, opcode := &b.Columns[w.address], &b.Columns[w.opcode]
	if w.made = address.Encoding == schema.OfCode && opcode.Encoding == schema.OfCode; w.made {
		w.index(&address.Code)
		return
	}
	address.Expand()
	opcode.Expand()
	w.pairs.add(address.U64, opcode.U32)
}

// index fills in what the pages of these runs have.
func (w *codeWriter) index(code *schema.CodeRuns) {
	w.rows = code.Rows
	kinds := w.kindsAt()
	w.bytes = scratch(w.bytes, kinds+w.rows+overCopy)
	words := scratch(w.sizes.Words, w.rows/64+2)
	clear(words)
	w.isas = w.isas[:0]
	templates, arena, stamp := w.templates, w.arena, w.stamp
	out, row, isa, changed := w.bytes, 0, uint8(0), 0 // row in which the ISA did
	for i, p := 0, code.Pieces; i < len(code.Runs); i++ {
		if i == p[0].Runs {
			p = p[1:]
		}
		r := &code.Runs[i]
		number := p[0].Numbers[r.Block]
		if int(number) >= len(templates) || !templates[number].has(r, stamp) {
			w.extend(number, p[0].Blocks[r.Block], r)
			templates, arena, stamp = w.templates, w.arena, w.stamp
		}
		t := &templates[number]
		if t.isa != isa {
			w.isas = w.isas.add(isa, row-changed)
			isa, changed = t.isa, row
		}
		first, step, left := int(r.First), int(t.length), int(r.Count)
		from := arena[t.at:]
		for {
			*(*[2 * overCopy]byte)(out[2*row:]) = *(*[2 * overCopy]byte)(from[2*first:])
			*(*[overCopy]byte)(out[kinds+row:]) = *(*[overCopy]byte)(from[2*step+first:])
			n := min(left, overCopy)
			sizes := uint64(binary.LittleEndian.Uint32(from[3*step+first>>3:])>>(first&7)) & (1<<n - 1)
			words[row>>6] |= sizes << (row & 63)
			words[row>>6+1] |= sizes >> 1 >> (63 - row&63)
			first, row, left = first+n, row+n, left-n
			if left == 0 {
				break
			}
		}
	}
	w.isas = w.isas.add(isa, row-changed)
	w.sizes = schema.Bits{Words: words[:(w.rows+63)/64], N: w.rows}
}

func (w *codeWriter) kindsAt() int { return 2 * (w.rows + overCopy) }

// scratch returns n bytes, or words, that are not initialised.
func scratch[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// has says whether t has the instructions of r, in the row group of a stamp.
func (t *template) has(r *schema.CodeRun, stamp uint32) bool {
	return t.stamp == stamp && r.First >= t.from && r.First+r.Count <= t.to
}

// extend makes the template of a block, or extends it to the instructions of r. It
// has one range of them: no dictionary has what did not occur.
func (w *codeWriter) extend(number uint32, b *schema.Block, r *schema.CodeRun) {
	if n := int(number) + 1; n > len(w.templates) {
		w.templates = append(w.templates, make([]template, max(n, 2*len(w.templates))-len(w.templates))...)
	}
	t, from, to := &w.templates[number], r.First, r.First+r.Count
	if t.stamp != w.stamp {
		length := len(b.Address)
		if len(w.arena)+templateBytes(length) > arenaLimit {
			w.forget()
		}
		*t = template{
			stamp: w.stamp, at: w.allocate(length), length: uint16(length), from: from, to: from,
			isa: uint8(b.Key.ISA),
		}
		w.isa.seen[t.isa] = true
	}
	if from > t.to || to < t.from {
		t.from, t.to = from, from
	}
	for i := from; i < to; i++ {
		if i < t.from || i >= t.to {
			w.put(t, b, int(i))
		}
	}
	t.from, t.to = min(t.from, from), max(t.to, to)
}

// templateBytes returns how many bytes the template of a block takes.
func templateBytes(length int) int { return 3*length + (length+7)/8 }

// allocate returns where the template of a block of so many instructions goes.
func (w *codeWriter) allocate(length int) int32 {
	at, size := max(0, len(w.arena)-past), templateBytes(length)
	w.arena = slices.Grow(w.arena[:at], size+past)[:at+size+past]
	return int32(at)
}

// put writes instruction i of a block into its template. A dictionary that is full
// gets no more; its pages are plain from the one at hand on.
func (w *codeWriter) put(t *template, b *schema.Block, i int) {
	binary.LittleEndian.PutUint16(w.arena[int(t.at)+2*i:], w.pairs.take(uint64(b.Address[i]), b.Opcode[i]))
	w.kind.seen[b.Kind[i]] = true
	w.arena[t.kinds()+i] = b.Kind[i]
	bit := w.size.find(b.Size[i]) // an instruction has 2 bytes, or 4
	at := t.sizes() + i>>3
	w.arena[at] = w.arena[at]&^(1<<(i&7)) | bit&1<<(i&7)
}

// appendPage appends the values of a column that is a field of code. Unless all are, it
// comes row by row.
func (w *codeWriter) appendPage(dst []byte, c *column, v *schema.Vector) ([]byte, format.Encoding) {
	switch {
	case !w.made:
	case v.Field == schema.FieldAddress && !w.pairs.full:
		return w.pairs.indexes.append(dst, w.bytes[:2*w.rows], len(w.pairs.addresses)), format.RLEDictionary
	case v.Field == schema.FieldSize && len(w.size.values) <= 2:
		return w.size.appendIndexBits(dst, &w.sizes)
	case v.Field == schema.FieldISA && w.isas.areLong():
		w.isa.check()
		return w.isas.appendIndexes(dst, len(w.isa.Names)), format.RLEDictionary
	case v.Field == schema.FieldKind:
		return w.kind.appendCodes(dst, w.bytes[w.kindsAt():][:w.rows])
	}
	v.Expand()
	return c.values.appendPage(dst, v, nil)
}

// appendIndexBits appends indexes into a dictionary of two entries at most.
func (e *uint8s) appendIndexBits(dst []byte, b *schema.Bits) ([]byte, format.Encoding) {
	return appendPackedBits(append(dst, 1), b), format.RLEDictionary
}
