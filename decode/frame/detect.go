package frame

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/schema"
)

// DetectOptions is what is known of a buffer before it is read.
type DetectOptions struct {
	// Configured are the IDs of the sources that should be in it.
	Configured []uint8
	// Sync reports that its format has FSYNCs (format=dstream_coresight).
	// Otherwise Detect looks for them.
	Sync bool
	// Offset is where the first frame begins, in bytes, if the user gave it; then
	// frames are memory-aligned.
	Offset schema.Null[int64]
	// RingStart is that of the layout.
	RingStart int64
	// Score is that of the layout. It is given up to 64 KiB of each source.
	Score func(id uint8, stream []byte) int
}

// A NotFramesError is the error for a buffer without CoreSight frames.
type NotFramesError struct {
	// Share is the highest share of ID bytes that name a likely source in 64
	// frames in a row, 0 to 1, at whatever offset. Frames have 0.9 or more.
	Share float64
}

func (e *NotFramesError) Error() string {
	return fmt.Sprintf("not CoreSight frames: at best %s of the ID bytes in 64 frames in a row name a likely source",
		figures.Share(e.Share))
}

// A Detection is the layout of the frames in a buffer, and the runner-up.
type Detection struct {
	Layout
	// Rival is the second best offset, if the streams hardly distinguish it from
	// that of the layout.
	Rival schema.Null[int64]
}

// Detect finds the layout of the frames in a buffer of size bytes
// (docs/containers.md §2). It fails with a [*NotFramesError] if there are no frames,
// and if reading fails. It reads the first MiB, and the end; the rest only while it
// finds no frames.
func Detect(r io.ReaderAt, size int64, opt DetectOptions) (Detection, error) {
	layout := Layout{Offset: opt.Offset.V, RingStart: opt.RingStart, Score: opt.Score}
	if err := layout.check(size); err != nil {
		return Detection{}, err
	}
	in := input{r: r, size: size, ring: layout.RingStart, chunk: chunkBytes}
	end, err := in.tail()
	if err != nil {
		return Detection{}, err
	}
	head, err := in.ahead(syncBytes)
	if err != nil {
		return Detection{}, err
	}
	groups := findSyncs(head[:min(len(head), syncBytes)])
	if !opt.Offset.OK && groups.isPort(opt.Sync) {
		port := layout
		port.Sync = true
		if ok, err := isPort(newWalker(r, size, port), opt.Configured); ok || err != nil {
			return Detection{Layout: port}, err
		}
	}
	d := detector{opt: opt, in: in, end: end.start, groups: groups}
	if !end.isPadding(d.end) {
		d.end = size
	}
	if opt.Offset.OK {
		d.in.skip(opt.Offset.V)
	}
	return d.find(layout)
}

// syncGroups is how FSYNCs are placed in a buffer.
type syncGroups struct {
	any     bool // there are some
	loose   bool // and not all in groups of four
	grouped bool // all are, and the groups are aligned to each other:
	offset  int  // to this offset, 0 to 15
}

// isPort reports whether this is the stream of a trace port: it has FSYNCs, and
// either the format requires them or they differ from those in memory.
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

// isPort reports whether the frames at the start of w, which reads a port, are
// frames: any other data can contain an FSYNC.
func isPort(w *walker, configured []uint8) (bool, error) {
	var mixed []byte
	for w.in.pos < syncBytes {
		s, err := w.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return false, err
		}
		for i := 0; i < len(s.data); i += 2 {
			mixed = append(mixed, s.data[i])
		}
	}
	ids := goodIDs(cut(mixed, sectionBytes/2), configured)
	for _, window := range cut(mixed, windowBytes/2) {
		if count(window, ids).share() >= minShare {
			return true, nil
		}
	}
	return false, nil
}

// A detector looks for memory-aligned frames.
type detector struct {
	opt    DetectOptions
	in     input // from where frames may start
	end    int64 // where padding begins, in reading order
	groups syncGroups
}

// find looks at 64 KiB after another until one has frames: the first, but for
// buffers that begin with something else.
func (d *detector) find(layout Layout) (Detection, error) {
	best := 0.0
	for first := true; ; first = false {
		left := d.end - d.in.pos
		if left <= 0 && first {
			return Detection{Layout: layout}, nil // all padding
		}
		if left < windowBytes && !first {
			return Detection{}, &NotFramesError{Share: best}
		}
		b, err := d.in.ahead(headBytes)
		if err != nil {
			return Detection{}, err
		}
		j := d.judge(b[:min(int64(len(b)), left, headBytes)])
		if j.ok {
			found := Detection{Layout: layout}
			found.IDs = j.ids
			if d.opt.Offset.OK {
				return found, nil
			}
			found.Offset = d.in.pos + int64(j.best.offset)
			if offset, ok := j.rival(); ok {
				found.Rival = schema.Of(d.in.pos + int64(offset))
			}
			return found, nil
		}
		best = max(best, j.share)
		d.in.skip(headBytes)
	}
}

// A judgement is what part of a buffer looks like.
type judgement struct {
	ok      bool    // it has frames
	ranking         // of the offset of the first, 0 to 15
	ids     IDSet   // they name
	share   float64 // the best share of a window
}

// judge looks for frames in b. The first windows in step show where frames begin:
// damage may change that after them.
func (d *detector) judge(b []byte) (j judgement) {
	windows := cut(b, windowBytes)
	var shares [2][]float64
	for p := range shares {
		shares[p] = make([]float64, len(windows))
		if p == 1 && d.opt.Offset.OK {
			break
		}
		ids := goodIDs(mixedSections(b, p), d.opt.Configured)
		for i, w := range windows {
			shares[p][i] = count(mixedBytes(w, p), ids).share()
			j.share = max(j.share, shares[p][i])
		}
	}
	first, n, parities := firstRun(shares, min(steadyWindows, len(windows)))
	if n == 0 {
		if first, n, parities = firstRun(shares, 1); n == 0 {
			return j
		}
	}
	start := first * windowBytes
	run := b[start:]
	if first+n < len(windows) {
		run = b[start : start+n*windowBytes]
	}
	j.ok = true
	j.ranking = bestOffset(run, d.offsets(parities), d.opt.Score)
	j.ids = goodIDs([][]byte{mixedBytes(run, j.best.offset&1)}, d.opt.Configured)
	return j
}

// mixedSections returns the mixed bytes of each section of b.
func mixedSections(b []byte, parity int) (sections [][]byte) {
	for _, s := range cut(b, sectionBytes) {
		sections = append(sections, mixedBytes(s, parity))
	}
	return sections
}

// firstRun returns the first run of windows, least at least, in which one
// parity is in step all along and the other is not better; the longer one of
// two that begin together, or both if they are of one length.
func firstRun(shares [2][]float64, least int) (first, n int, parities []int) {
	for first := range shares[0] {
		var length [2]int
		for p := range length {
			for i := first; i < len(shares[p]) && shares[p][i] >= max(minShare, shares[1-p][i]-nearShare); i++ {
				length[p]++
			}
		}
		n := max(length[0], length[1])
		if n < least {
			continue
		}
		for p := range length {
			if length[p] == n {
				parities = append(parities, p)
			}
		}
		return first, n, parities
	}
	return 0, 0, nil
}

// offsets returns the offsets to try: those of the parities, in order, so that
// the first wins ties; but sync frames show the offset themselves.
func (d *detector) offsets(parities []int) (offsets []int) {
	if d.opt.Offset.OK {
		return []int{0}
	}
	for _, p := range parities {
		if d.groups.grouped && d.groups.offset&1 == p {
			return []int{d.groups.offset}
		}
		offsets = append(offsets, offsetsOf(p)...)
	}
	slices.Sort(offsets)
	return offsets
}
