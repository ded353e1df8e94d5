package stitch

import (
	"github.com/tracelake/tracelake/decode"
)

// number gives the blocks of a part their numbers in the source, new ones in
// order.
func (s *Stitcher) number(p *decodedPart) error {
	var first []CodeBlock
	for i := p.from[decode.Blocks]; i < p.to[decode.Blocks]; i++ {
		b := p.unit.Blocks[i]
		last := &s.lookaside[(b.Key.Address>>1^b.Key.Address>>12)%lookasideBlocks]
		if last.block != b {
			n, ok := s.numbers[b.Key]
			if !ok {
				n = uint32(len(s.numbers))
				s.numbers[b.Key] = n
				for position := range b.Address {
					first = append(first, CodeBlock{n, position, b})
				}
			}
			*last = numbered{b, n}
		}
		p.numbers[i] = last.number
	}
	return s.sinks.CodeBlocks.Add(s.carry.base, first)
}
