package seekable

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// An Error says what is wrong with the file; the caller knows its name.
type Error struct {
	Offset  int64 // in the file
	Problem string
	Err     error // may be nil
}

func (e *Error) Error() string { return fmt.Sprintf("at offset %#x: %s", e.Offset, e.Problem) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// A table is the frames of a file: frame i holds the bytes from start[i] to
// start[i+1], and is in the file from packed[i] to packed[i+1].
type table struct {
	start, packed []int64 // each one more than there are frames
}

// frames returns how many frames there are.
func (t *table) frames() int { return len(t.start) - 1 }

// add adds a frame.
func (t *table) add(packed, size int64) {
	i := t.frames()
	t.packed, t.start = append(t.packed, t.packed[i]+packed), append(t.start, t.start[i]+size)
}

func newTable(frames int) *table {
	return &table{start: make([]int64, 1, frames+1), packed: make([]int64, 1, frames+1)}
}

// bytes returns the skippable frame. It fails if there are too many frames for it.
func (t *table) bytes() ([]byte, error) {
	n := t.frames()
	size := int64(n)*entryBytes + footerBytes
	if size > math.MaxUint32 {
		return nil, fmt.Errorf("%d frames are more than a seek table holds", n)
	}
	b := make([]byte, 0, headerBytes+size)
	b = binary.LittleEndian.AppendUint32(b, tableMagic)
	b = binary.LittleEndian.AppendUint32(b, uint32(size))
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, uint32(t.packed[i+1]-t.packed[i]))
		b = binary.LittleEndian.AppendUint32(b, uint32(t.start[i+1]-t.start[i]))
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(n))
	b = append(b, 0) // no checksums
	return binary.LittleEndian.AppendUint32(b, footerMagic), nil
}

// readTable reads the seek table at the end of a file. It fails with an [*Error] if
// the table and the file do not fit each other, or a frame is larger than
// [MaxFrame]. It allocates no more than the file is long.
func readTable(r io.ReaderAt, size int64) (*table, error) {
	f, err := readFooter(r, size)
	if err != nil {
		return nil, err
	}
	b, err := readBytes(r, f.at, size-f.at)
	if err != nil {
		return nil, err
	}
	if magic, rest := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]); magic != tableMagic ||
		int64(rest) != size-f.at-headerBytes {
		return nil, &Error{Offset: f.at, Problem: "there is no seek table of the size that its end says"}
	}
	t := newTable(f.frames)
	for i := range f.frames {
		e := b[headerBytes+i*f.entry:]
		packed, n := int64(binary.LittleEndian.Uint32(e)), int64(binary.LittleEndian.Uint32(e[4:]))
		at := f.at + headerBytes + int64(i*f.entry)
		switch {
		case n == 0 || packed == 0:
			return nil, &Error{Offset: at, Problem: fmt.Sprintf("frame %d of the seek table is empty", i)}
		case n > MaxFrame || packed > maxPacked:
			return nil, &Error{Offset: at, Problem: fmt.Sprintf("frame %d of the seek table is %d bytes, packed %d; "+
				"a frame may have %d", i, n, packed, MaxFrame)}
		case packed < leastPacked(n):
			return nil, &Error{Offset: at, Problem: fmt.Sprintf("frame %d of the seek table is %d bytes, packed %d; "+
				"it needs %d at least", i, n, packed, leastPacked(n))}
		}
		t.add(packed, n)
	}
	if end := t.packed[f.frames]; end != f.at {
		return nil, &Error{Offset: f.at, Problem: fmt.Sprintf("the seek table says that frames end at %#x", end)}
	}
	return t, nil
}

// maxPacked is how many bytes a frame of MaxFrame may be packed: what zstd makes of
// bytes that do not compress, and some more.
const maxPacked = MaxFrame + MaxFrame/128 + 1024

// leastPacked is how many bytes a frame of n bytes has at least: magic number, header, and for each
// block of at most 128 KiB three bytes and the one that it repeats (RFC 8878, 3.1.1). So a
// file cannot claim more than 32,768 times its size.
func leastPacked(n int64) int64 {
	const maxBlock, blockBytes, headerBytes = 128 << 10, 4, 6
	return headerBytes + (n+maxBlock-1)/maxBlock*blockBytes
}

// A footer is what the end of a seek table says.
type footer struct {
	frames, entry int   // frames, and bytes of an entry of one
	at            int64 // where the table begins
}

func readFooter(r io.ReaderAt, size int64) (footer, error) {
	if size < headerBytes+footerBytes {
		return footer{}, &Error{Problem: fmt.Sprintf("%d bytes are too few for a seek table", max(0, size))}
	}
	at := size - footerBytes
	b, err := readBytes(r, at, footerBytes)
	if err != nil {
		return footer{}, err
	}
	frames, descriptor := int64(binary.LittleEndian.Uint32(b)), b[4]
	f := footer{frames: int(frames), entry: entryBytes}
	if descriptor&hasSums != 0 {
		f.entry += sumBytes
	}
	f.at = size - footerBytes - frames*int64(f.entry) - headerBytes
	switch {
	case binary.LittleEndian.Uint32(b[5:]) != footerMagic:
		return footer{}, &Error{Offset: at, Problem: "there is no seek table at the end: it is cut off, or no archive"}
	case descriptor&reservedBits != 0:
		return footer{}, &Error{
			Offset:  at + 4,
			Problem: fmt.Sprintf("the seek table has reserved bits set (%#02x)", descriptor),
		}
	case f.at < 0:
		return footer{}, &Error{
			Offset:  at,
			Problem: fmt.Sprintf("the seek table has %d frames, more than the file has room for", frames),
		}
	}
	return f, nil
}

// readBytes reads n bytes of a file that is known to have them.
func readBytes(r io.ReaderAt, at, n int64) ([]byte, error) {
	b := make([]byte, n)
	if got, err := r.ReadAt(b, at); int64(got) < n {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b, nil
}
