package frame

import (
	"errors"
	"io"
	"sync"
)

// This file counts a buffer in blocks, which several goroutines can count at a time:
// the frames of a buffer in memory lie at known places as long as all are in step. What
// is not so is for [Scan] to find, which goes through the buffer frame by frame.

// blockBytes is the size of a block.
const blockBytes = 1 << 20

// ErrOutOfStep says that a frame needs a closer look than a block allows.
var ErrOutOfStep = errors.New("a frame is out of step")

// Blocks are the frames of a buffer in blocks.
type Blocks struct {
	r        io.ReaderAt
	size     int64
	from, to int64 // the frames
	stop     [256]bool
	sum      counter
	idle     sync.Pool // *[blockBytes]byte
}

// NewBlocks returns the blocks of a buffer of size bytes. Those of rings, of trace
// ports and of several runs do not lie at known places: it returns false.
func NewBlocks(r io.ReaderAt, size int64, layout Layout) (b *Blocks, ok bool, err error) {
	w := newWalker(r, size, layout)
	if w.err != nil || layout.Sync || layout.RingStart != 0 || len(layout.Runs) > 0 {
		return nil, false, w.err
	}
	if w.tail, err = w.in.tail(); err != nil {
		return nil, false, err
	}
	b = &Blocks{r: r, size: size, from: layout.Offset, stop: w.suspect, sum: counter{cur: unknownID}}
	b.to = b.from + w.tail.frames(b.from)
	b.idle.New = func() any { return new([blockBytes]byte) }
	return b, true, nil
}

// Len returns how many blocks there are.
func (b *Blocks) Len() int { return int((b.to - b.from + blockBytes - 1) / blockBytes) }

// A Block is what is in a block. Whose the data before its first ID byte is, only
// [Blocks.Add] knows.
type Block struct{ counter }

// Count counts block i. It fails with [ErrOutOfStep], or if reading fails. Several
// goroutines may call it.
func (b *Blocks) Count(i int) (*Block, error) {
	at := b.from + int64(i)*blockBytes
	memory := b.idle.Get().(*[blockBytes]byte)
	defer b.idle.Put(memory)
	data := memory[:min(blockBytes, b.to-at)]
	in := input{r: b.r, size: b.size}
	if err := in.read(data, at); err != nil {
		return nil, err
	}
	if quiet(data, &b.stop) < len(data) {
		return nil, ErrOutOfStep
	}
	k := &Block{counter{cur: unknownID}}
	k.frames(data)
	return k, nil
}

// Add adds the next block.
func (b *Blocks) Add(k *Block) {
	for id, n := range k.data {
		if id == unknownID {
			id = int(b.sum.cur)
		}
		b.sum.data[id] += n
	}
	if k.cur != unknownID {
		b.sum.cur = k.cur
	}
	b.sum.census.Overhead.ID += k.census.Overhead.ID
	b.sum.census.Overhead.Aux += k.census.Overhead.Aux
}

// Census returns the census, once all blocks were added.
func (b *Blocks) Census() *Census {
	b.sum.add(extent{kind: unaligned, n: b.from})
	rest := b.size - b.to
	whole := rest &^ (frameSize - 1) // of padding: frames end before it or before the end
	b.sum.add(extent{kind: padding, n: whole})
	b.sum.add(extent{kind: incomplete, n: rest - whole})
	return b.sum.result()
}
