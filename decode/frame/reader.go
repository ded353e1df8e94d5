package frame

import (
	"io"
	"math/bits"

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

	begun  bool         // a byte was returned
	before decode.Break // the next piece

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
func (r *Reader) Next(p *decode.Piece) (before decode.Break, err error) {
	p.Room(frameSize) // frames are stored by 16, of which 15 count
	r.from, r.n, r.data, r.offsets = len(p.Data), len(p.Data), p.Data[:cap(p.Data)], &p.Offsets
	r.limit = min(len(r.data), r.from+pieceBytes)
	r.offsets.SetForm(decode.Form{Group: frameData, Gap: frameSize - frameData})
	for r.fill() {
		s, err := r.walk.next()
		if err != nil && r.n > r.from {
			break // the walker returns the error again
		}
		if err != nil {
			return decode.NoBreak, err
		}
		r.s = s
	}
	p.Data = r.data[:r.n]
	before = r.before
	r.begun, r.before = true, decode.NoBreak
	return before, nil
}

// fill moves the frames and the queue into the piece. It returns false if not all
// of them fit: the piece is then not empty.
func (r *Reader) fill() bool {
	if r.s.reset != decode.NoBreak {
		if r.n > r.from {
			return false
		}
		if r.begun { // a run may begin with sync frames
			r.before = max(r.before, r.s.reset)
		}
		r.s.reset = decode.NoBreak
		r.cur = unknownID
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
	at, i := decode.CaptureOffset(r.s.offset), 0
	for i+frameSize <= len(b) && n <= limit-frameSize {
		plain := i
		if cur == id {
			for i+frameSize <= len(b) && n <= limit-frameSize {
				f := b[i : i+frameSize : i+frameSize]
				lo, hi := halves(f)
				if (lo|hi)&evenBits != 0 {
					break
				}
				putPlain(data[n:n+frameSize:n+frameSize], lo, hi, f[auxByte])
				n += frameData
				i += frameSize
			}
			if i > plain {
				r.offsets.Append(at+decode.CaptureOffset(plain), (i-plain)/frameSize*frameData)
			}
		} else {
			i += withoutID(b[i:])
		}
		if i+frameSize <= len(b) && n <= limit-frameSize {
			n += takeMixed((*[frameSize]byte)(b[i:]), &cur, id, (*[frameData]byte)(data[n:]), r.offsets,
				at+decode.CaptureOffset(i))
			i += frameSize
		}
	}
	r.n, r.cur = n, cur
	r.s.advance(i)
}

// withoutID returns how many bytes of whole frames at the start of b have no ID byte.
func withoutID(b []byte) int {
	i := 0
	for ; i+frameSize <= len(b); i += frameSize {
		if lo, hi := halves(b[i : i+frameSize : i+frameSize]); (lo|hi)&evenBits != 0 {
			break
		}
	}
	return i
}

// takeMixed takes the bytes of source id from frame f, which has ID bytes, and
// returns how many there are.
func takeMixed(f *[frameSize]byte, cur *uint8, id uint8, data *[frameData]byte, offsets *decode.CaptureOffsets,
	at decode.CaptureOffset,
) int {
	lo, hi := halves(f[:])
	aux := f[auxByte]
	var plain [frameSize]byte // the frame with its data bytes whole
	putPlain(plain[:], lo, hi, aux)
	n, c, from := 0, *cur, 0 // the bytes from from on are of c
	take := func(to int) {
		if c == id && from < to {
			offsets.Append(at+decode.CaptureOffset(from), to-from)
			n += copy(data[n:], plain[from:to])
		}
	}
	for ids := idBits(lo, hi); ids != 0; ids &= ids - 1 {
		k := bits.TrailingZeros8(ids)
		take(2 * k)
		if from = 2*k + 1; aux>>k&1 == 1 && from < frameData { // the change is delayed
			take(from + 1)
			from++
		}
		c = f[2*k] >> 1
	}
	take(frameData)
	*cur = c
	return n
}
