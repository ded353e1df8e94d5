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
type pairs struct {
	dict    dictionary[uint64] // keys
	opcodes []uint32           // of each of them
	full    bool               // pages are plain from here on
	index   []byte             // of plain values: words, low byte first
}

// keyOf returns the key of a pair: the low half of the address above the high half, in which
// the opcode is mixed. Pairs of addresses below 2³² have keys of their own.
func keyOf(address uint64, opcode uint32) uint64 {
	return bits.RotateLeft64(address, 32) ^ uint64(opcode)
}

// take returns the index of a pair for a page. Once the dictionary is full, the page is of
// no use. A pair that has the key of another ends the dictionary, too.
func (p *pairs) take(address uint64, opcode uint32) uint16 {
	if p.full {
		return 0
	}
	i, ok := p.dict.find(keyOf(address, opcode))
	if ok && int(i) == len(p.opcodes) {
		p.opcodes = append(p.opcodes, opcode)
	}
	p.full = !ok || p.opcodes[i] != opcode
	return i
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
	p.dict.reset()
	p.opcodes, p.full = p.opcodes[:0], false
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
		return a.dict.appendIndex(dst, a.index), format.RLEDictionary
	}
	a.plain.add(v.U64, longSign)
	return appendPlain(dst, v.U64, 8), format.Plain
}

// entries returns the addresses of the dictionary.
func (a *addresses) entries() []uint64 {
	list := make([]uint64, len(a.opcodes))
	for i, opcode := range a.opcodes {
		list[i] = bits.RotateLeft64(a.dict.values[i]^uint64(opcode), 32)
	}
	return list
}

func (a *addresses) appendDictionary(dst []byte) ([]byte, int) {
	return appendPlain(dst, a.entries(), 8), len(a.opcodes)
}

func (a *addresses) bounds() (least, greatest []byte) {
	all := a.plain
	all.add(a.entries(), longSign)
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
