package parquetfile

import (
	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
)

// pairs are the addresses and opcodes of instructions. The program hardly changes, so they
// have one dictionary of pairs: index i is the same instruction in both columns, the pages
// of indexes are alike, and one is compressed for both. An opcode that several instructions
// have is in its dictionary as often.
type pairs struct {
	dict  dictionary[uint64] // address<<32 | opcode
	full  bool               // pages are plain from here on
	index []byte             // of plain values: words, low byte first
}

// The halves of a pair, as shifts.
const (
	opcodeHalf  = 0
	addressHalf = 32
)

// take returns the index of a pair for a page. Once the dictionary is full, the page is of
// no use.
func (p *pairs) take(address, opcode uint32) uint16 {
	if p.full {
		return 0
	}
	i, ok := p.dict.find(uint64(address)<<32 | uint64(opcode))
	p.full = !ok
	return i
}

// add makes the indexes of plain values.
func (p *pairs) add(addresses, opcodes []uint32) {
	p.index = scratch(p.index, 2*len(addresses))
	last, index := uint64(0), uint16(0)
	for i, a := range addresses {
		if x := uint64(a)<<32 | uint64(opcodes[i]); x != last || i == 0 {
			last, index = x, p.take(a, opcodes[i])
		}
		p.index[2*i], p.index[2*i+1] = byte(index), byte(index>>8)
	}
}

// A half is the encoder of one of the columns.
type half struct {
	*pairs
	shift int
	plain span[uint32] // what plain pages hold
}

func (h *half) reset() {
	h.dict.reset()
	h.full, h.plain = false, span[uint32]{}
}

// appendPage appends plain values, whose indexes were made.
func (h *half) appendPage(dst []byte, v *schema.Vector, _ []uint8) ([]byte, format.Encoding) {
	if !h.full {
		return h.dict.appendIndex(dst, h.index), format.RLEDictionary
	}
	h.plain.add(v.U32, 0)
	return appendPlain(dst, v.U32, 8), format.Plain
}

// entries returns the values of the dictionary.
func (h *half) entries() []uint32 {
	list := make([]uint32, 0, len(h.dict.values))
	for _, x := range h.dict.values {
		list = append(list, uint32(x>>h.shift))
	}
	return list
}

func (h *half) appendDictionary(dst []byte) ([]byte, int) {
	return appendPlain(dst, h.entries(), 8), len(h.dict.values)
}

func (h *half) bounds() (least, greatest []byte) {
	all := h.plain
	all.add(h.entries(), 0)
	return all.bytes(0, 8)
}
