package seekable

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// keptFrames is how many frames a reader keeps unpacked: of several goroutines, each
// of which reads on from where it is.
const keptFrames = 4

// A Decoder unpacks the frames of any number of files. It is safe for concurrent use.
type Decoder struct{ zstd *zstd.Decoder }

// NewDecoder returns a decoder, which is worth making once: it has memory for each processor.
func NewDecoder() (*Decoder, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true),
		zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxWindow(MaxFrame), zstd.WithDecoderMaxMemory(MaxFrame))
	return &Decoder{d}, err
}

// A Reader reads a file of frames with a seek table. It is safe for concurrent use.
type Reader struct {
	file    io.ReaderAt
	table   *table
	decoder *zstd.Decoder

	mu     sync.Mutex
	recent []*unpacked // the last one first
}

// An unpacked is the content of a frame, or why there is none.
type unpacked struct {
	frame int
	once  sync.Once
	data  []byte
	err   error
}

// Reader reads the seek table of a file of that many bytes, and nothing else. It
// fails with an [*Error] if the table is damaged.
func (d *Decoder) Reader(file io.ReaderAt, size int64) (*Reader, error) {
	t, err := readTable(file, size)
	if err != nil {
		return nil, err
	}
	return &Reader{file: file, table: t, decoder: d.zstd}, nil
}

// Size returns how many bytes there are, as the seek table says.
func (r *Reader) Size() int64 { return r.table.start[r.table.frames()] }

// ReadAt implements [io.ReaderAt]. It fails with an [*Error] if a frame is damaged,
// or is not of the size that the seek table says.
func (r *Reader) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, errors.New("seekable: read at a negative offset")
	}
	start := r.table.start
	i := sort.Search(r.table.frames(), func(i int) bool { return off < start[i+1] })
	for ; n < len(p) && i < r.table.frames(); i++ {
		data, err := r.unpack(i)
		if err != nil {
			return n, err
		}
		n += copy(p[n:], data[off+int64(n)-start[i]:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// unpack returns the content of frame i.
func (r *Reader) unpack(i int) ([]byte, error) {
	u := r.recall(i)
	u.once.Do(func() { u.data, u.err = r.read(i) })
	return u.data, u.err
}

// recall returns frame i of those kept, and puts it first.
func (r *Reader) recall(i int) *unpacked {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := slices.IndexFunc(r.recent, func(u *unpacked) bool { return u.frame == i })
	u := &unpacked{frame: i}
	switch {
	case at >= 0:
		u = r.recent[at]
		r.recent = slices.Delete(r.recent, at, at+1)
	case len(r.recent) == keptFrames:
		r.recent = r.recent[:keptFrames-1]
	}
	r.recent = slices.Insert(r.recent, 0, u)
	return u
}

// read reads and unpacks frame i.
func (r *Reader) read(i int) ([]byte, error) {
	at, size := r.table.packed[i], r.table.start[i+1]-r.table.start[i]
	packed, err := readBytes(r.file, at, r.table.packed[i+1]-at)
	if err != nil {
		return nil, err
	}
	data, err := r.decoder.DecodeAll(packed, make([]byte, 0, size))
	if err != nil {
		return nil, &Error{Offset: at, Problem: fmt.Sprintf("frame %d cannot be unpacked (%v)", i, err), Err: err}
	}
	if int64(len(data)) != size {
		return nil, &Error{
			Offset:  at,
			Problem: fmt.Sprintf("frame %d holds %d bytes, the seek table says %d", i, len(data), size),
		}
	}
	return data, nil
}
