package frame

import (
	"errors"
	"io"
	"math/bits"

	"github.com/tracelake/tracelake/decode"
)

// A Census counts what every byte of a buffer is.
type Census struct {
	// Streams are the bytes of each source's stream, by ID. Only those of
	// sources (0x01–0x6F) are not 0.
	Streams [128]int64
	// Overhead is everything else: the sum of Streams and Overhead.Bytes() is
	// the size of the buffer.
	Overhead Overhead
	// ReservedIDs are the data bytes of each reserved ID, by ID.
	ReservedIDs [128]int64
	// Breaks are where streams that had begun do not continue: sync frames, lost
	// alignment, realignment.
	Breaks Places
	// Realigned are where frames continued at another offset.
	Realigned Places
}

// Overhead counts the bytes of a buffer that are no bytes of a stream.
type Overhead struct {
	ID         int64 // ID bytes
	Aux        int64 // auxiliary bytes
	Padding    int64 // data of ID 0, and of frames of 00 or FF at the end
	Reserved   int64 // data of reserved IDs
	Flush      int64 // data of the flush ID
	Trigger    int64 // data of the trigger ID: so many trigger events
	Unknown    int64 // data before the first ID byte
	Sync       int64 // sync packets
	Unaligned  int64 // not in a frame, or in one that was dropped
	Incomplete int64 // the rest of a frame the buffer, or a run, ends in
}

// Bytes is the sum of o.
func (o *Overhead) Bytes() int64 {
	return o.ID + o.Aux + o.Padding + o.Reserved + o.Flush + o.Trigger +
		o.Unknown + o.Sync + o.Unaligned + o.Incomplete
}

// Steady reports whether a buffer of this layout has nothing but frames in step, and
// padding: each frame of it is one, and no stream breaks.
func (c *Census) Steady(l *Layout) bool {
	return !l.Sync && len(l.Runs) == 0 && c.Overhead.Sync == 0 && c.Overhead.Unaligned == l.Offset
}

// Places counts positions in a buffer and lists the first of them.
type Places struct {
	N     int64
	First []decode.CaptureOffset // at most 16
}

func (p *Places) add(offset int64) {
	p.N++
	if len(p.First) < maxPlaces {
		p.First = append(p.First, decode.CaptureOffset(offset))
	}
}

// Scan reads a whole buffer of size bytes once and counts its bytes. It fails if
// reading fails, or if layout does not fit the buffer.
func Scan(r io.ReaderAt, size int64, layout Layout) (*Census, error) {
	return scan(newWalker(r, size, layout))
}

func scan(w *walker) (*Census, error) {
	c := counter{cur: unknownID}
	for {
		s, err := w.next()
		if errors.Is(err, io.EOF) {
			return c.result(), nil
		}
		if err != nil {
			return nil, err
		}
		c.add(s)
	}
}

// A counter makes a census.
type counter struct {
	census      Census
	data        [256]int64 // data bytes by ID, unknownID included
	cur         uint8
	fromSources int64 // bytes of sources at the last reset
}

// add counts s.
func (c *counter) add(s extent) {
	if s.reset != decode.NoBreak {
		c.restart(s.offset)
	}
	o := &c.census.Overhead
	switch s.kind {
	case frames:
		c.frames(s.data)
	case syncs:
		o.Sync += s.n
	case padding: // what frames carry, so that it adds up with null data
		o.Aux += s.n / frameSize
		o.Padding += s.n - s.n/frameSize
	case realigned:
		c.census.Realigned.add(s.offset)
		o.Unaligned += s.n
	case unaligned:
		o.Unaligned += s.n
	case incomplete:
		o.Incomplete += s.n
	}
}

// restart notes that everything starts anew at offset.
func (c *counter) restart(offset int64) {
	c.cur = unknownID
	var fromSources int64
	for _, n := range c.data[NullID+1 : firstReservedID] {
		fromSources += n
	}
	if fromSources > c.fromSources {
		c.census.Breaks.add(offset)
		c.fromSources = fromSources
	}
}

// frames counts whole frames.
func (c *counter) frames(b []byte) {
	o := &c.census.Overhead
	o.Aux += int64(len(b) / frameSize)
	cur := c.cur
	plain := int64(0) // frames without an ID since the last with one
	for ; len(b) >= frameSize; b = b[frameSize:] {
		lo, hi := halves(b)
		if (lo|hi)&evenBits == 0 {
			plain++
			continue
		}
		c.data[cur] += plain * frameData
		plain = 0
		ids := idBits(lo, hi)
		o.ID += int64(bits.OnesCount8(ids))
		cur = c.mixed(b, ids, cur)
	}
	c.data[cur] += plain * frameData
	c.cur = cur
}

// mixed counts the data of the frame at the start of b, whose ID bytes are ids,
// and returns the current ID after it.
func (c *counter) mixed(b []byte, ids, cur uint8) uint8 {
	f := (*[frameSize]byte)(b)
	done := 0 // data bytes counted
	for seen := 0; ids != 0; seen++ {
		k := bits.TrailingZeros8(ids) & 7
		ids &= ids - 1
		upTo := 2*k - seen
		if k < lastMixed/2 {
			upTo += int(f[auxByte] >> k & 1) // the change is delayed
		}
		c.data[cur] += int64(upTo - done)
		done = upTo
		cur = f[2*k] >> 1
		if ids == 0 {
			c.data[cur] += int64(frameData - seen - 1 - done)
		}
	}
	return cur
}

// result sorts the data bytes by what their IDs mean.
func (c *counter) result() *Census {
	o := &c.census.Overhead
	for id, n := range c.data[:unknownID] {
		switch {
		case id == NullID:
			o.Padding += n
		case id == FlushID:
			o.Flush += n
		case id == TriggerID:
			o.Trigger += n
		case IsSource(uint8(id)):
			c.census.Streams[id] = n
		default:
			c.census.ReservedIDs[id] = n
			o.Reserved += n
		}
	}
	o.Unknown += c.data[unknownID]
	return &c.census
}
