package codegen

import (
	"iter"

	"github.com/tracelake/tracelake/schema"
)

// A Piece is code of one instruction set, or data, of a program.
type Piece struct {
	Address schema.Address
	Data    bool
	ISA     schema.ISA // of code
	Bytes   []byte
}

// Pieces goes through p as it was written, its vectors last where they lie apart.
func (p *Program) Pieces() iter.Seq[Piece] {
	parts := []*assembler{{base: p.Address, code: p.Code, labels: p.labels}}
	if p.vectors != nil {
		parts = append(parts, p.vectors)
	}
	return func(yield func(Piece) bool) {
		for _, a := range parts {
			for i := range a.labels {
				if !yield(a.piece(i)) {
					return
				}
			}
		}
	}
}

// piece is what label i is of.
func (a *assembler) piece(i int) Piece {
	m, end := a.labels[i], a.here()
	if i+1 < len(a.labels) {
		end = a.labels[i+1].address
	}
	piece := Piece{Address: m.address, Data: m.content == contentData, Bytes: a.code[m.address-a.base : end-a.base]}
	switch m.content {
	case contentT32:
		piece.ISA = schema.T32
	case contentA64:
		piece.ISA = schema.A64
	}
	return piece
}
