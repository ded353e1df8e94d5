package parquetfile

import (
	"encoding/binary"
	"math/bits"

	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
)

// This file writes vectors that are not plain. A page is the same in whatever encoding its
// values came; what an encoding does not make shorter is expanded.

// An encoder encodes values that are not plain. Marks are not its concern.
type encoder interface {
	// appendEncoded is appendPage for a vector of which at least one row is not NULL. It
	// fails if plain values are better.
	appendEncoded(dst []byte, v *schema.Vector) ([]byte, format.Encoding, bool)
}

// appendBody appends the body of a data page: levels, if c is nullable, then
// the values that are not NULL.
func (c *column) appendBody(dst []byte, v *schema.Vector, p page) ([]byte, format.Encoding) {
	if c.Nullable {
		dst = appendLevels(dst, v, p)
	}
	if p.nulls == p.values {
		return dst, format.Plain // no values: nothing a dictionary would be for
	}
	if e, ok := c.values.(encoder); ok && v.Encoding != schema.Plain {
		if dst, encoding, ok := e.appendEncoded(dst, v); ok {
			return dst, encoding
		}
	}
	v.Expand()
	var valid []uint8 // nil if there is nothing to leave out
	if p.nulls > 0 {
		valid = v.Valid
	}
	return c.values.appendPage(dst, v, valid)
}

// appendLevels appends the definition levels of a v1 page, with their length in
// front.
func appendLevels(dst []byte, v *schema.Vector, p page) []byte {
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	switch {
	case p.nulls == 0:
		dst = appendRun(dst, 1, p.values)
	case p.nulls == p.values:
		dst = appendRun(dst, 0, p.values)
	case v.Marks.N > 0:
		dst = appendPackedBits(dst, &v.Marks)
	case v.Encoding == schema.Indexed:
		dst = appendPackedBits(dst, presence(v))
	default:
		dst = appendBits(dst, v.Valid)
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

// repeats goes through the values of repeats.
type repeats struct {
	list []schema.Repeat
	used int // rows of the first
}

// take takes the next rows that have one value, at most so many, and returns how
// many. There has to be one.
func (r *repeats) take(most int) (value uint64, n int) {
	for r.used == int(r.list[0].Rows) {
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

// indexRuns appends the runs that repeats are.
func indexRuns(dst indexes, list []schema.Repeat, find func(uint64) uint16) indexes {
	for i := range list {
		r := &list[i]
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
