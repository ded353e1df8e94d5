package parquetfile

import (
	"encoding/binary"
	"math/bits"

	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
)

// This file writes forms of vectors other than plain values. A page is the same
// whatever form its values came in; what a form does not make shorter is expanded.

// A repeater encodes values that come as repeats.
type repeater interface {
	// appendRepeats is appendPage for a vector that is Repeated or Counted, of which
	// at least one row is not NULL. It fails if single values are better.
	appendRepeats(dst []byte, v *schema.Vector) ([]byte, format.Encoding, bool)
}

// An indexer encodes values that come as indexes.
type indexer interface {
	// appendIndexed is appendPage for a vector that is Indexed. It fails if single
	// values are better.
	appendIndexed(dst []byte, v *schema.Vector) ([]byte, format.Encoding, bool)
}

// appendFormBody is appendBody for a vector that is not plain.
func (c *column) appendFormBody(dst []byte, v *schema.Vector, p page) ([]byte, format.Encoding) {
	if c.Nullable {
		dst = appendFormLevels(dst, v, p)
	}
	if p.nulls == p.values {
		return dst, format.Plain
	}
	return c.appendForm(dst, v, p)
}

// appendForm appends the values of a vector that is not plain.
func (c *column) appendForm(dst []byte, v *schema.Vector, p page) ([]byte, format.Encoding) {
	switch v.Form {
	case schema.Repeated, schema.Counted:
		if r, ok := c.values.(repeater); ok {
			if dst, e, ok := r.appendRepeats(dst, v); ok {
				return dst, e
			}
		}
	case schema.Indexed:
		if x, ok := c.values.(indexer); ok {
			if dst, e, ok := x.appendIndexed(dst, v); ok {
				return dst, e
			}
		}
	case schema.Narrow, schema.Stepped:
		if b, ok := c.values.(byter); ok {
			if dst, e, ok := b.appendBytes(dst, v); ok {
				return dst, e
			}
		}
	case schema.Marked:
		if e, ok := c.values.(*bools); ok {
			return e.appendBits(dst, &v.Bits)
		}
		return c.values.appendPage(dst, v, nil) // what is NULL was omitted before
	case schema.Plain, schema.OfCode:
	}
	v.Expand()
	var valid []uint8
	if p.nulls > 0 {
		valid = v.Valid
	}
	return c.values.appendPage(dst, v, valid)
}

// appendFormLevels is appendLevels for a vector that is not plain.
func appendFormLevels(dst []byte, v *schema.Vector, p page) []byte {
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	switch {
	case p.nulls == 0:
		dst = appendRun(dst, 1, p.values)
	case p.nulls == p.values:
		dst = appendRun(dst, 0, p.values)
	case v.Marks.N > 0:
		dst = appendPackedBits(dst, &v.Marks)
	case v.Form == schema.Indexed:
		dst = appendPackedBits(dst, presence(v))
	default:
		dst = appendLevelRuns(dst, v.Repeats, p.values)
	}
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst
}

// presence returns which rows of a vector that is Indexed are not NULL.
func presence(v *schema.Vector) *schema.Bits {
	b := &schema.Bits{Words: make([]uint64, (len(v.Index)+63)/64), N: len(v.Index)}
	for i := range b.Words {
		w := uint64(0)
		for k, x := range v.Index[64*i : min(64*(i+1), len(v.Index))] {
			w |= uint64(v.Absent[x]^1) << (k & 63)
		}
		b.Words[i] = w
	}
	return b
}

// present returns the indexes of the rows of a vector that are not NULL, in the memory of
// dst where some are.
func present(dst []uint32, v *schema.Vector) []uint32 {
	if len(v.Absent) == 0 {
		return v.Index
	}
	dst = scratch(dst, len(v.Index))
	n := 0
	for _, x := range v.Index {
		dst[n] = x // may be overwritten by the next: no branch to mispredict
		n += int(v.Absent[x] ^ 1)
	}
	return dst[:n]
}

// appendLevelRuns appends the levels of repeats: as runs, or in bits.
func appendLevelRuns(dst []byte, list []schema.Repeat, rows int) []byte {
	changes := 0
	for i := 1; i < len(list); i++ {
		if list[i].Null != list[i-1].Null {
			changes++
		}
	}
	if changes > rows/sparse {
		var marks schema.Bits
		for _, r := range list {
			if r.Null {
				marks.Pad(marks.N + int(r.Rows))
			}
			for range r.Rows {
				if !r.Null {
					marks.Append(1, 1)
				}
			}
		}
		return appendPackedBits(dst, &marks)
	}
	for len(list) > 0 {
		n, null := 0, list[0].Null
		for len(list) > 0 && list[0].Null == null {
			n += int(list[0].Rows)
			list = list[1:]
		}
		level := uint8(1)
		if null {
			level = 0
		}
		dst = appendRun(dst, level, n)
	}
	return dst
}

// appendPackedBits is appendBits for values that are in bits already.
func appendPackedBits(dst []byte, b *schema.Bits) []byte {
	if !isBitRuns(b) {
		dst = appendWholeBytes(appendPackedHeader(dst, b.N), b)
		return dst
	}
	for at := 0; at < b.N; {
		n := runOfBits(b, at)
		dst = appendRun(dst, b.At(at), n)
		at += n
	}
	return dst
}

// appendWholeBytes appends the bytes that have the bits of b.
func appendWholeBytes(dst []byte, b *schema.Bits) []byte {
	end := len(dst) + (b.N+7)/8
	for _, w := range b.Words {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return dst[:end]
}

// isBitRuns is isRuns for bits.
func isBitRuns(b *schema.Bits) bool {
	changes, limit := 0, b.N/sparse
	if b.N == 0 {
		return true
	}
	last := b.Words[0] & 1
	for i, w := range b.Words {
		x := w ^ (w<<1 | last) // bit k: bit k differs from the one before
		last = w >> 63
		if left := b.N - 64*i; left < 64 {
			x &= 1<<left - 1
		}
		if changes += bits.OnesCount64(x); changes > limit {
			return false
		}
	}
	return true
}

// runOfBits returns how many bits from one on are equal.
func runOfBits(b *schema.Bits, at int) int {
	flip := uint64(0)
	if b.At(at) == 0 {
		flip = ^flip
	}
	n := 0
	for at+n < b.N {
		i := at + n
		same := bits.TrailingZeros64(^((b.Words[i>>6] ^ flip) >> (i & 63)))
		same = min(same, 64-i&63)
		n += same
		if same < 64-i&63 {
			break
		}
	}
	return min(n, b.N-at)
}

// repeats goes through the values of repeats that are not NULL.
type repeats struct {
	list []schema.Repeat
	used int // rows of the first
}

// take takes the next rows that have one value, at most so many, and returns how
// many. There has to be one.
func (r *repeats) take(most int) (value uint64, n int) {
	for r.list[0].Null || r.used == int(r.list[0].Rows) {
		r.list, r.used = r.list[1:], 0
	}
	n = min(most, int(r.list[0].Rows)-r.used)
	r.used += n
	return r.list[0].Value, n
}

// indexes are runs of one index into a dictionary each, no two alike in succession.
type indexes []indexRun

type indexRun struct {
	index uint16
	n     int
}

// indexRuns appends the runs that repeats are, without NULL.
func indexRuns(dst indexes, list []schema.Repeat, find func(uint64) uint16) indexes {
	for i := range list {
		r := &list[i]
		if r.Null {
			continue
		}
		index := find(r.Value)
		if n := len(dst); n > 0 && dst[n-1].index == index {
			dst[n-1].n += int(r.Rows)
			continue
		}
		dst = append(dst, indexRun{index, int(r.Rows)})
	}
	return dst
}

// add appends a run that differs from the one before, if it has values.
func (r indexes) add(index uint8, n int) indexes {
	if n == 0 {
		return r
	}
	return append(r, indexRun{uint16(index), n})
}

// areLong says whether values would be written as runs.
func (r indexes) areLong() bool {
	n := 0
	for i := range r {
		n += r[i].n
	}
	return len(r)-1 <= n/sparse
}

// appendIndexes appends the runs, with their width: that of a dictionary of so many
// entries.
func (r indexes) appendIndexes(dst []byte, entries int) []byte {
	width := widthOf(entries)
	dst = append(dst, byte(width))
	for i := range r {
		dst = binary.AppendUvarint(dst, uint64(r[i].n)<<1)
		if dst = append(dst, byte(r[i].index)); width > 8 {
			dst = append(dst, byte(r[i].index>>8))
		}
	}
	return dst
}
