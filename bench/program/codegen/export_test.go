package codegen

import (
	"iter"

	"github.com/tracelake/tracelake/schema"
)

// A Piece is code of one instruction set, or data, of a program.
type Piece struct {
	Address uint32
	Data    bool
	ISA     schema.ISA // of code
	Bytes   []byte
}

// Pieces goes through p as it was written.
func (p *Program) Pieces() iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		for i, m := range p.marks {
			end := p.Address + uint32(len(p.Code))
			if i+1 < len(p.marks) {
				end = p.marks[i+1].address
			}
			piece := Piece{Address: m.address, Data: m.content == contentData, Bytes: p.Code[m.address-p.Address : end-p.Address]}
			if m.content == contentT32 {
				piece.ISA = schema.T32
			}
			if !yield(piece) {
				return
			}
		}
	}
}
