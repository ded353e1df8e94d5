package parquetfile

import (
	"math/bits"

	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
)

// pairs are the addresses and opcodes of instructions. The program hardly changes, so they
// have one dictionary of pairs: index i is the same instruction in both columns, the pages
// of indexes are alike, and one is compressed for both. An opcode that several instructions
// have is in its dictionary as often.
//
// It is another than those of other columns since instructions come in the order of their
// addresses: those of codeLine bytes are looked for in one line of the cache.
type pairs struct {
	addresses []uint64
	opcodes   []uint32 // of each of them
	slots     []uint32 // 1 + index of the pair that is looked for here; 0 is free
	shift     int      // of a hash, to a line of slots
	full      bool     // pages are plain from here on
	index     []byte   // of plain values: words, low byte first
	indexes   wordIndexes
}

// codeLine is for how many bytes of code slots lie side by side, one for each halfword.
const codeLine = 32

// take returns the index of a pair for a page, and adds it if it is new. Once the dictionary is
// full, the page is of no use.
func (p *pairs) take(address uint64, opcode uint32) uint16 {
	if p.full {
		return 0
	}
	if 2*len(p.addresses) >= len(p.slots) {
		p.grow()
	}
	slot := p.slot(address, opcode)
	if p.slots[slot] == 0 {
		if p.full = len(p.addresses) == maxEntries; p.full {
			return 0
		}
		p.addresses, p.opcodes = append(p.addresses, address), append(p.opcodes, opcode)
		p.slots[slot] = uint32(len(p.addresses))
	}
	return uint16(p.slots[slot] - 1)
}

// slot returns the slot that has a pair, or is free for it.
func (p *pairs) slot(address uint64, opcode uint32) uint64 {
	mask := uint64(len(p.slots) - 1)
	at := hash(address/codeLine)>>(p.shift&63)*(codeLine/2) + address/2%(codeLine/2)
	for ; ; at++ {
		i := p.slots[at&mask]
		if i == 0 || p.addresses[i-1] == address && p.opcodes[i-1] == opcode {
			return at & mask
		}
	}
}

// grow doubles the slots, so that at least half of them are free.
func (p *pairs) grow() {
	n := max(1<<10, 2*len(p.slots))
	p.slots = make([]uint32, n)
	p.shift = 64 - bits.Len(uint(n/(codeLine/2)-1))
	for i, address := range p.addresses {
		p.slots[p.slot(address, p.opcodes[i])] = uint32(i) + 1
	}
}

// add makes the indexes of plain values.
func (p *pairs) add(addresses []uint64, opcodes []uint32) {
	p.index = scratch(p.index, 2*len(addresses))
	index := uint16(0)
	for i, a := range addresses {
		if i == 0 || a != addresses[i-1] || opcodes[i] != opcodes[i-1] {
			index = p.take(a, opcodes[i])
		}
		p.index[2*i], p.index[2*i+1] = byte(index), byte(index>>8)
	}
}

func (p *pairs) reset() {
	clear(p.slots)
	p.addresses, p.opcodes, p.full = p.addresses[:0], p.opcodes[:0], false
}

// addresses is the encoder of the column of addresses.
type addresses struct {
	*pairs
	plain span[uint64] // what plain pages hold
}

func (a *addresses) reset() {
	a.pairs.reset()
	a.plain = span[uint64]{}
}

// appendPage appends plain values, whose indexes were made.
func (a *addresses) appendPage(dst []byte, v *schema.Vector, _ []uint8) ([]byte, format.Encoding) {
	if !a.full {
		return a.indexes.append(dst, a.index, len(a.addresses)), format.RLEDictionary
	}
	a.plain.add(v.U64, longSign)
	return appendPlain(dst, v.U64, 8), format.Plain
}

func (a *addresses) appendDictionary(dst []byte) ([]byte, int) {
	return appendPlain(dst, a.addresses, 8), len(a.opcodes)
}

func (a *addresses) bounds() (least, greatest []byte) {
	all := a.plain
	all.add(a.addresses, longSign)
	return all.bytes(longSign, 8)
}

// opcodes is the encoder of the column of opcodes.
type opcodes struct {
	*pairs
	plain span[uint32] // what plain pages hold
}

func (o *opcodes) reset() {
	o.pairs.reset()
	o.plain = span[uint32]{}
}

// appendPage appends plain values. Pages of indexes are those of addresses.
func (o *opcodes) appendPage(dst []byte, v *schema.Vector, _ []uint8) ([]byte, format.Encoding) {
	o.plain.add(v.U32, 0)
	return appendPlain(dst, v.U32, 8), format.Plain
}

func (o *opcodes) appendDictionary(dst []byte) ([]byte, int) {
	return appendPlain(dst, o.opcodes, 8), len(o.opcodes)
}

func (o *opcodes) bounds() (least, greatest []byte) {
	all := o.plain
	all.add(o.opcodes, 0)
	return all.bytes(0, 8)
}
