package parquetfile

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// maxEntries is the most values a dictionary holds, so that an index fits 16
// bits. The page that would need more and all pages after it are plain: with so
// many values, a dictionary no longer helps readers either.
const maxEntries = 1 << 16

type unsigned interface{ uint16 | uint32 | uint64 }

// A dictionary numbers distinct values in the order they first come.
type dictionary[T unsigned] struct {
	values  []T
	slots   []uint32 // 1 + index of the value that hashes here; 0 is free
	shift   int      // of a hash, to a slot
	indexes wordIndexes
}

// wordIndexes append indexes that are words, of which the low byte is first, to a page.
type wordIndexes struct{ narrow []uint8 } // scratch

// append appends them at the least width that so many entries allow.
func (w *wordIndexes) append(dst, index []byte, entries int) []byte {
	if entries > 1<<8 {
		return appendWords(append(dst, 16), index)
	}
	w.narrow = narrow(w.narrow, index)
	return appendIndexes(dst, w.narrow, entries)
}

func (d *dictionary[T]) reset() {
	d.values = d.values[:0]
	clear(d.slots)
}

// index appends the indexes of values to dst, adding those that are new, as words
// of 16 bits. It fails if the dictionary is full.
func (d *dictionary[T]) index(dst []byte, values []T) ([]byte, bool) {
	n := len(dst)
	dst = slices.Grow(dst, 2*len(values))[:n+2*len(values)]
	out := dst[n:]
	var last T
	var lastIndex uint16
	for i, v := range values {
		if v != last || i == 0 { // many columns have long runs of one value
			j, ok := d.find(v)
			if !ok {
				return dst[:n], false
			}
			last, lastIndex = v, j
		}
		binary.LittleEndian.PutUint16(out[2*i:], lastIndex)
	}
	return dst, true
}

// find returns the index of v, adding it if it is new. It fails if the
// dictionary is full.
func (d *dictionary[T]) find(v T) (uint16, bool) {
	if len(d.slots) == 0 {
		return d.add(v)
	}
	mask := uint64(len(d.slots) - 1)
	for h := hash(v) >> (d.shift & 63); d.slots[h&mask] != 0; h++ {
		if j := d.slots[h&mask] - 1; d.values[j] == v {
			return uint16(j), true
		}
	}
	return d.add(v)
}

// add adds v, which is not there.
func (d *dictionary[T]) add(v T) (uint16, bool) {
	if len(d.values) == maxEntries {
		return 0, false
	}
	d.values = append(d.values, v)
	if 2*len(d.values) > len(d.slots) {
		d.grow()
	} else {
		d.place(len(d.values) - 1)
	}
	return uint16(len(d.values) - 1), true
}

// grow doubles the slots, so that at least half of them are free.
func (d *dictionary[T]) grow() {
	n := max(1<<10, 2*len(d.slots))
	d.slots = make([]uint32, n)
	d.shift = 64 - bits.Len(uint(n-1))
	for j := range d.values {
		d.place(j)
	}
}

func (d *dictionary[T]) place(j int) {
	mask := uint64(len(d.slots) - 1)
	h := hash(d.values[j]) >> d.shift
	for d.slots[h&mask] != 0 {
		h++
	}
	d.slots[h&mask] = uint32(j) + 1
}

// hash is multiplicative (Knuth, The Art of Computer Programming, volume 3,
// 6.4), good in its high bits.
func hash[T unsigned](v T) uint64 { return uint64(v) * 0x9E3779B97F4A7C15 }
