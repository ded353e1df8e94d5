package frame

import (
	"bytes"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/schema"
)

// DetectOptions is what is known of a buffer before it is read.
type DetectOptions struct {
	// Configured are the IDs of the sources that should be in it.
	Configured []uint8
	// Sync says that its format has FSYNCs (format=dstream_coresight).
	// Otherwise the buffer tells.
	Sync bool
	// Offset is where the first frame begins, in bytes, if the user said so;
	// then frames are memory-aligned.
	Offset schema.Null[int64]
	// RingStart is that of the layout.
	RingStart int64
	// Score is that of the layout. It is given up to 64 KiB of each source.
	Score func(id uint8, stream []byte) int
}

// A NotFramesError says that a buffer does not hold CoreSight frames.
type NotFramesError struct {
	// Share is the highest share of ID bytes that name a likely source in 64
	// frames in a row, 0 to 1, at whatever offset. Frames have 0.9 or more.
	Share float64
}

// Error says so, and what to do.
func (e *NotFramesError) Error() string {
	return fmt.Sprintf("not CoreSight frames: at best %.0f %% of the ID bytes in 64 frames in a row name a likely source; "+
		"if this is one unformatted stream, give --protocol without --framed", 100*e.Share)
}

// Detect finds out how frames lie in a buffer of size bytes (container.md §2).
// It fails with a [*NotFramesError] if there are none, and if reading does. It
// reads the first MiB, and the end; the rest only while it finds no frames.
func Detect(r io.ReaderAt, size int64, opt DetectOptions) (Layout, error) {
	layout := Layout{Offset: opt.Offset.V, RingStart: opt.RingStart, Score: opt.Score}
	if err := layout.check(size); err != nil {
		return Layout{}, err
	}
	in := input{r: r, size: size, ring: layout.RingStart, chunk: chunkBytes}
	end, err := in.tail()
	if err != nil {
		return Layout{}, err
	}
	head, err := in.ahead(syncBytes)
	if err != nil {
		return Layout{}, err
	}
	groups := findSyncs(head[:min(len(head), syncBytes)])
	if !opt.Offset.OK && groups.isPort(opt.Sync) {
		layout.Sync = true
		return layout, checkPort(newWalker(r, size, layout), opt.Configured)
	}
	d := detector{opt: opt, in: in, end: size, candidates: [2][]int{offsetsOf(0), offsetsOf(1)}}
	if end.isPadding(end.start) {
		d.end = end.start
	}
	switch {
	case opt.Offset.OK:
		d.in.skip(opt.Offset.V)
		d.candidates = [2][]int{{0}, nil}
	case groups.grouped:
		d.candidates = [2][]int{}
		d.candidates[groups.offset&1] = []int{groups.offset}
	}
	return d.find(layout)
}

// syncGroups says how FSYNCs lie in a buffer.
type syncGroups struct {
	any     bool // there are some
	loose   bool // and not all in groups of four
	grouped bool // all are, and the groups are aligned to each other:
	offset  int  // to this offset, 0 to 15
}

// isPort reports whether this is the stream of a trace port: it has FSYNCs,
// and the format demands them or they are not what memory has.
func (g syncGroups) isPort(wanted bool) bool { return g.any && (wanted || g.loose) }

// findSyncs finds the FSYNCs in b. Aligned frames have none but in groups of
// four: FF is no mixed byte.
func findSyncs(b []byte) (g syncGroups) {
	for pos := 0; ; {
		i := bytes.Index(b[pos:], []byte(fsync))
		if i < 0 {
			return g
		}
		pos += i
		start := pos
		for hasPrefix(b[pos:], fsync) {
			pos += len(fsync)
		}
		cutOff := len(b)-pos < len(fsync) // by the end of b
		g.loose = g.loose || (pos-start)%frameSize != 0 && !cutOff
		offset := start % frameSize
		g.grouped = !g.any || g.grouped && g.offset == offset
		g.any, g.offset = true, offset
	}
}

// checkPort returns a [*NotFramesError] if the frames at the start of w are
// none: an FSYNC can stand in any other data.
func checkPort(w *walker, configured []uint8) error {
	var mixed []byte
	for len(mixed) < syncBytes/2 && w.in.pos < syncBytes {
		s, err := w.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		for i := 0; i < len(s.data); i += 2 {
			if i%frameSize <= lastMixed {
				mixed = append(mixed, s.data[i])
			}
		}
	}
	if share := bestWindow(mixed, goodIDs(mixed, configured)); share < minShare {
		return &NotFramesError{Share: share}
	}
	return nil
}

// A detector looks for memory-aligned frames.
type detector struct {
	opt        DetectOptions
	in         input    // from where frames may start
	end        int64    // where padding begins, in reading order
	candidates [2][]int // offsets to try, by parity
}

// find looks at 64 KiB after another until one has frames: the first, but for
// buffers that begin with something else.
func (d *detector) find(layout Layout) (Layout, error) {
	best := 0.0
	for first := true; ; first = false {
		left := d.end - d.in.pos
		if left <= 0 && first {
			return layout, nil // all padding
		}
		if left < windowBytes && !first {
			return Layout{}, &NotFramesError{Share: best}
		}
		b, err := d.in.ahead(headBytes)
		if err != nil {
			return Layout{}, err
		}
		b = b[:min(int64(len(b)), left, headBytes)]
		offset, ids, share := d.judge(b)
		if share >= minShare {
			layout.IDs = ids
			if !d.opt.Offset.OK {
				layout.Offset = d.in.pos + int64(offset)
			}
			return layout, nil
		}
		best = max(best, share)
		d.in.skip(headBytes - windowBytes) // so that every window is in one block
	}
}

// judge returns the offset of the first frame in b, 0 to 15, the IDs that
// frames at that offset name, and the best share of 64 frames in a row. If that
// is below the limit the offset means nothing.
func (d *detector) judge(b []byte) (offset int, ids IDSet, share float64) {
	var sets [2]IDSet
	var whole, window [2]float64
	for p, candidates := range d.candidates {
		if len(candidates) == 0 || len(b) < p {
			continue
		}
		mixed := mixedBytes(b, p)
		sets[p] = goodIDs(mixed, d.opt.Configured)
		window[p] = bestWindow(mixed, sets[p])
		if window[p] >= minShare {
			whole[p] = count(mixed, sets[p]).share()
		}
	}
	var offsets []int
	for o := range frameSize { // in order, so that offset 0 wins ties
		for p, candidates := range d.candidates {
			for _, c := range candidates {
				if c == o && window[p] >= minShare && whole[p] >= max(whole[0], whole[1])-nearShare {
					offsets = append(offsets, o)
				}
			}
		}
	}
	share = max(window[0], window[1])
	if len(offsets) == 0 {
		return 0, IDSet{}, share
	}
	offset = bestOffset(b, offsets, d.opt.Score)
	return offset, sets[offset&1], share
}
