package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/sidebyside"
)

// A checker checks one archive.
type checker struct {
	*Archive
	report *dataset.Report
	local  bool              // images are in the archive
	listed map[string]string // SHA-256 of files, by path
	items  []item
	at     map[string]int // items of files in the archive, by path

	progress *sidebyside.Progress
	buffers  sync.Pool // of *[hashBuffer]byte
}

// add adds a file to be checked; size is about how many bytes it has.
func (c *checker) add(x item, size int64) {
	c.items = append(c.items, x)
	c.progress.Announce(size)
}

// An item is a file whose bytes are known. It is opened once, whatever is known of it.
type item struct {
	path  string // of what a problem is reported
	sum   string // SHA-256 of the file as it is; "": only what it holds is known
	holds *File  // what it holds; nil: only its bytes are known
	open  func() (*os.File, int64, error)
}

// checkItems checks all bytes that are listed, side by side.
func (c *checker) checkItems(ctx context.Context) error {
	problems := make([][]*dataset.Error, len(c.items))
	err := sidebyside.Do(ctx, len(c.items), func(ctx context.Context, i int) error {
		for _, err := range c.checkItem(ctx, &c.items[i]) {
			e, ok := errors.AsType[*dataset.Error](err)
			if !ok {
				return err
			}
			problems[i] = append(problems[i], e)
		}
		return nil
	})
	for _, p := range problems {
		c.report.Problems = append(c.report.Problems, p...)
	}
	return err
}

// checkItem reads a file, and compares the hashes of its bytes and of what it holds.
func (c *checker) checkItem(ctx context.Context, x *item) (wrong []error) {
	file, size, err := x.open()
	if err != nil {
		return []error{err}
	}
	defer file.Close()
	r, err := inMemory(file, size)
	if err != nil {
		return []error{err}
	}
	if x.sum != "" {
		wrong = append(wrong, c.hash(ctx, r, size, x.path, x.sum))
	}
	if f := x.holds; f != nil && f.Packed {
		wrong = append(wrong, c.checkHeld(ctx, r, size, f))
	} else if f != nil {
		wrong = append(wrong, c.hash(ctx, r, size, x.path, f.SHA256))
	}
	return slices.DeleteFunc(wrong, func(err error) bool { return err == nil })
}

// checkHeld compares the hash of what a packed file holds.
func (c *checker) checkHeld(ctx context.Context, file io.ReaderAt, size int64, f *File) error {
	r, err := c.frames(file, size, f)
	if err != nil {
		return err
	}
	return c.damagedFile(f.Path, c.hash(ctx, r, r.Size(), f.Path+" unpacked", f.SHA256))
}

// hashBuffer is how many bytes are read at once to be hashed. An archive may have many small files.
const hashBuffer = 1 << 18

// inMemory returns a file that fits the buffer in memory, so that it is read once for all that is known of it;
// a larger one as it is.
func inMemory(file *os.File, size int64) (io.ReaderAt, error) {
	if size > hashBuffer {
		return file, nil
	}
	b := make([]byte, size)
	n, err := file.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return bytes.NewReader(b[:n]), nil
}

// hash compares the hash of bytes.
func (c *checker) hash(ctx context.Context, r io.ReaderAt, size int64, path, want string) error {
	h := sha256.New()
	b := c.buffers.Get().(*[hashBuffer]byte)
	defer c.buffers.Put(b)
	if _, err := io.CopyBuffer(h, c.progress.Reader(ctx, io.NewSectionReader(r, 0, size)), b[:]); err != nil {
		return err
	}
	if sum := hex.EncodeToString(h.Sum(nil)); sum != want {
		return damaged(c.Dir, path, "is not as it was written: its SHA-256 is "+sum+", and should be "+want)
	}
	return nil
}
