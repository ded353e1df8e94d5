package capture

import (
	"errors"
	"io"
	"sort"
)

// A concat is several inputs read as one. It is safe for concurrent use.
type concat struct {
	parts []part
	size  int64
}

type part struct {
	data        io.ReaderAt
	start, size int64
}

// add appends size bytes of data to c.
func (c *concat) add(data io.ReaderAt, size int64) {
	if size > 0 {
		c.parts = append(c.parts, part{data: data, start: c.size, size: size})
		c.size += size
	}
}

// ReadAt implements [io.ReaderAt]. It fails if a file became shorter since it was
// opened.
func (c *concat) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, errors.New("capture: read at a negative offset")
	}
	i := sort.Search(len(c.parts), func(i int) bool { return off < c.parts[i].start+c.parts[i].size })
	for ; n < len(p) && i < len(c.parts); i++ {
		at := off + int64(n) - c.parts[i].start
		want := int(min(int64(len(p)-n), c.parts[i].size-at))
		got, err := c.parts[i].data.ReadAt(p[n:n+want], at)
		n += got
		if got < want {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return n, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
