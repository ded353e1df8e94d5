package frame

import (
	"encoding/binary"
	"io"

	"github.com/tracelake/tracelake/decode"
)

// A Reader gives the stream of one source of a formatted buffer. It implements
// [decode.Stream].
type Reader struct {
	walk *walker
	id   uint8
	cur  uint8 // the current ID

	// From the walker and not yet taken: whole frames, then bytes of this source
	// from a frame that was unpacked.
	s      extent
	queue  []placed
	queued [frameData]placed

	begun  bool // a byte was returned
	broken bool // the next piece has Break

	// The piece at hand: n bytes of data, up to limit at most. Those from from on were
	// not there before.
	from, n, limit int
	data           []byte
	offsets        *decode.CaptureOffsets
}

// A placed is a byte and its capture offset.
type placed struct {
	b      byte
	offset int64
}

// NewReader returns a reader of the stream with ID id in a buffer of size bytes:
// that of a source, or that of [TriggerID], each byte of which is a trigger event.
// If layout does not fit the buffer, the first Next fails.
func NewReader(r io.ReaderAt, size int64, layout Layout, id uint8) *Reader {
	return &Reader{walk: newWalker(r, size, layout), id: id, cur: unknownID}
}

// Next implements [decode.Stream]: it appends at most 64 KiB, up to where the input
// breaks.
func (r *Reader) Next(p *decode.Piece) (broken bool, err error) {
	p.Room(frameSize) // frames are stored by 16, of which 15 count
	r.from, r.n, r.data, r.offsets = len(p.Data), len(p.Data), p.Data[:cap(p.Data)], &p.Offsets
	r.limit = min(len(r.data), r.from+pieceBytes)
	for r.fill() {
		s, err := r.walk.next()
		if err != nil && r.n > r.from {
			break // the walker returns the error again
		}
		if err != nil {
			return false, err
		}
		r.s = s
	}
	p.Data = r.data[:r.n]
	broken = r.broken
	r.begun, r.broken = true, false
	return broken, nil
}

// fill moves the frames and the queue into the piece. It returns false if not all
// of them fit: the piece is then not empty.
func (r *Reader) fill() bool {
	if r.s.reset {
		if r.n > r.from {
			return false
		}
		r.s.reset = false
		r.cur = unknownID
		r.broken = r.begun
	}
	for {
		if !r.drain() {
			return false
		}
		switch {
		case len(r.s.data) == 0:
			return true
		case r.s.at != nil:
			r.unpack()
		case r.n > r.limit-frameSize:
			return false
		default:
			r.take()
		}
	}
}

// drain moves the queue into the piece. It returns false if not all of it fits.
func (r *Reader) drain() bool {
	for ; len(r.queue) > 0; r.queue = r.queue[1:] {
		q := r.queue[0]
		if r.n == r.limit {
			return false
		}
		r.data[r.n] = q.b
		r.offsets.Append(decode.CaptureOffset(q.offset), 1)
		r.n++
	}
	return true
}

// unpack moves the next frame that may have bytes of the source to the queue.
func (r *Reader) unpack() {
	s := &r.s
	for r.cur != r.id {
		lo, hi := halves(s.data)
		if (lo|hi)&evenBits != 0 {
			break
		}
		s.advance(frameSize)
		if len(s.data) == 0 {
			return
		}
	}
	var d [frameData]dataByte
	n, next := unpack(s.data, r.cur, &d)
	r.cur = next
	r.queue = r.queued[:0]
	for _, d := range d[:n] {
		if d.id == r.id {
			r.queue = append(r.queue, placed{d.b, s.offsetOf(int(d.pos))})
		}
	}
	s.advance(frameSize)
}

// advance drops n bytes of frames.
func (s *extent) advance(n int) {
	s.data = s.data[n:]
	s.offset += int64(n)
}

// offsetOf returns the capture offset of byte i of the first frame.
func (s *extent) offsetOf(i int) int64 {
	if s.at != nil {
		return s.at[i]
	}
	return s.offset + int64(i)
}

// take moves frames that are adjacent in the buffer into the piece, as many as fit.
// Most have no ID byte: they are taken whole, or not at all.
func (r *Reader) take() {
	b, data, limit := r.s.data, r.data, r.limit
	n, cur, id := r.n, r.cur, r.id
	at := decode.CaptureOffset(r.s.offset)
	i := 0
	for ; i+frameSize <= len(b) && n <= limit-frameSize; i += frameSize {
		f := b[i : i+frameSize : i+frameSize]
		lo, hi := halves(f)
		aux := f[auxByte]
		if (lo|hi)&evenBits == 0 {
			if cur == id {
				d := data[n : n+frameSize : n+frameSize]
				binary.LittleEndian.PutUint64(d, lo|auxSpread[aux&0xF])
				binary.LittleEndian.PutUint64(d[8:], hi|auxSpread[aux>>4])
				r.offsets.Append(at, frameData)
				n += frameData
			}
		} else {
			n += takeMixed((*[frameSize]byte)(f), &cur, id, (*[frameData]byte)(data[n:]), r.offsets, at)
		}
		at += frameSize
	}
	r.n, r.cur = n, cur
	r.s.advance(i)
}

// takeMixed takes the bytes of source id from frame f, which has ID bytes, and
// returns how many there are.
func takeMixed(f *[frameSize]byte, cur *uint8, id uint8, data *[frameData]byte, offsets *decode.CaptureOffsets, at decode.CaptureOffset) int {
	n, c, aux := 0, *cur, f[auxByte]
	for k := 0; k < lastMixed; k += 2 {
		mixed, odd := f[k], f[k+1]
		a := aux & 1
		aux >>= 1
		if mixed&1 == 0 {
			if c == id {
				data[n], data[n+1] = mixed|a, odd
				offsets.Append(at+decode.CaptureOffset(k), 2)
				n += 2
			}
			continue
		}
		old := c
		c = mixed >> 1
		if a == 0 {
			old = c
		}
		if old == id {
			data[n] = odd
			offsets.Append(at+decode.CaptureOffset(k)+1, 1)
			n++
		}
	}
	if mixed := f[lastMixed]; mixed&1 == 0 {
		if c == id {
			data[n] = mixed | aux&1
			offsets.Append(at+lastMixed, 1)
			n++
		}
	} else {
		c = mixed >> 1
	}
	*cur = c
	return n
}
