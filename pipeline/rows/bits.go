package rows

import "github.com/tracelake/tracelake/schema"

// A bitTail appends to bits, and has the last of them: those of a word that is not full.
type bitTail struct {
	of   *schema.Bits
	word uint64
	n    int // of all bits
}

func newBitTail(b *schema.Bits) bitTail {
	t := bitTail{of: b, n: b.N}
	if b.N&63 != 0 {
		t.word = b.Words[b.N>>6]
		b.Words = b.Words[:b.N>>6]
	}
	return t
}

// add appends the n lowest bits of x, at most 64; the others are 0.
func (t *bitTail) add(x uint64, n int) {
	at := t.n & 63
	t.word |= x << at
	t.n += n
	if at+n >= 64 {
		t.of.Words = append(t.of.Words, t.word)
		t.word = x >> 1 >> (63 - at)
	}
}

// end completes the bits.
func (t *bitTail) end() {
	if t.n&63 != 0 {
		t.of.Words = append(t.of.Words, t.word)
	}
	t.of.N = t.n
}
