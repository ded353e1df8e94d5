package engine

import (
	"sync"
	"sync/atomic"

	"github.com/tracelake/tracelake/decode"
)

// A chunk is memory that units of a stream share. It is used again once they are
// decoded.
type chunk struct {
	decode.Piece

	users  atomic.Int32 // the splitter while it fills the chunk, and units
	chunks *chunks
}

// leastRoom is how much room a chunk has for the next units, or it is full.
const leastRoom = 4 << 10

// idleChunks is how many chunks wait to be used again at most.
const idleChunks = 4

// chunks are those of one stream that wait to be used again.
type chunks struct {
	mu   sync.Mutex
	idle []*chunk
}

// get returns an empty chunk with room for n bytes.
func (c *chunks) get(n int) *chunk {
	c.mu.Lock()
	defer c.mu.Unlock()
	var k *chunk
	if last := len(c.idle) - 1; last >= 0 {
		k, c.idle = c.idle[last], c.idle[:last]
		k.Clear()
	}
	if k == nil || cap(k.Data) < n {
		k = &chunk{Piece: decode.Piece{Data: make([]byte, 0, n)}, chunks: c}
	}
	k.users.Store(1)
	return k
}

// retain adds a user, who has to call release.
func (k *chunk) retain() { k.users.Add(1) }

// release ends the use by one user.
func (k *chunk) release() {
	if k.users.Add(-1) > 0 || k.chunks == nil {
		return
	}
	k.chunks.mu.Lock()
	defer k.chunks.mu.Unlock()
	if len(k.chunks.idle) < idleChunks {
		k.chunks.idle = append(k.chunks.idle, k)
	}
}
