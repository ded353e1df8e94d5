package capture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Stdin is the path of standard input.
const Stdin = "-"

// DefaultMaxInput is how many bytes are unpacked, or read of standard input, at most
// if nothing else is said.
const DefaultMaxInput = 64 << 30

// maxWindow is how far back a zstd file may refer, all of which is in memory: what
// the program zstd takes by default.
const maxWindow = 128 << 20

// An Unpacked is a raw file that cannot be read where it is: what standard input or a
// compressed file holds, in a temporary file that nobody else sees.
type Unpacked struct {
	Name string   // without what the compression adds
	File *os.File // from which any place can be read
	Size int64
	Note string // what was done, for the user; "" if nothing was

	temporary string // path to remove; "" if it is removed
}

// Close closes the file, and removes it if it is a temporary one.
func (u *Unpacked) Close() error {
	if u == nil {
		return nil
	}
	err := u.File.Close()
	if u.temporary != "" {
		err = errors.Join(err, os.Remove(u.temporary))
	}
	return err
}

// Unpack makes a file of which any place can be read of an input of which that is not
// so: standard input, and a file compressed with gzip or zstd. It returns nil for
// all others. It fails with an [*InputError], also if there are more than opt.MaxInput
// bytes.
func Unpack(ctx context.Context, path string, opt *Options) (*Unpacked, error) {
	if opt.MaxInput < 0 {
		return nil, usage("--max-input", "is no size", "give 1 byte or more")
	}
	if path != Stdin {
		return unpackFile(ctx, path, opt)
	}
	info, err := os.Stdin.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("read standard input: %w", err)
	case info.Mode()&fs.ModeCharDevice != 0:
		return nil, &InputError{File: Stdin, Problem: "is standard input, which is a terminal",
			Remedy: "pipe a raw file into it"}
	}
	u := &unpacking{ctx: ctx, path: path, name: "stdin", opt: opt, total: -1}
	seekable := false
	if info.Mode().IsRegular() {
		u.total = info.Size()
		at, err := os.Stdin.Seek(0, io.SeekCurrent)
		seekable = err == nil && at == 0
	}
	return interruptible(ctx, func() (*Unpacked, error) { return u.unpack(os.Stdin, seekable) })
}

// interruptible does work that may wait for ever for its input, but ends when ctx
// does.
func interruptible(ctx context.Context, work func() (*Unpacked, error)) (*Unpacked, error) {
	type result struct {
		unpacked *Unpacked
		err      error
	}
	done := make(chan result, 1)
	go func() {
		u, err := work()
		done <- result{u, err}
	}()
	select {
	case r := <-done:
		return r.unpacked, r.err
	case <-ctx.Done():
		return nil, ctx.Err() // work ends with the program; its file has no name
	}
}

// unpackFile unpacks a file that is compressed.
func unpackFile(ctx context.Context, path string, opt *Options) (*Unpacked, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil // whoever opens it says why it cannot be
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil // likewise
	}
	defer f.Close()
	head := make([]byte, magicBytes)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if formatOf(head[:n]) == "" {
		return nil, nil
	}
	u := &unpacking{ctx: ctx, path: path, name: filepath.Base(path), opt: opt, total: info.Size()}
	return u.unpack(f, false)
}

// magicBytes is how many bytes show how a file is compressed.
const magicBytes = 4

// formatOf returns how a file with these first bytes is compressed: gzip, zstd, or
// not at all.
func formatOf(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b, 0x08}): // deflate, the only method
		return "gzip"
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}): // a frame
		return "zstd"
	}
	return ""
}

// An unpacking is the work of unpacking one input.
type unpacking struct {
	ctx   context.Context // that of one call of Unpack
	path  string          // as given
	name  string
	opt   *Options
	total int64 // bytes of the packed input; -1: not known
	read  int64 // of them
}

// advance notes that n more bytes of the packed input were read. It fails if the
// work is to stop.
func (u *unpacking) advance(n int) error {
	u.read += int64(n)
	if u.opt.Unpacking != nil {
		u.opt.Unpacking(u.read, u.total)
	}
	return u.ctx.Err()
}

// A packedReader reads the packed input, and reports how far it is.
type packedReader struct {
	io.Reader
	u *unpacking
}

// Read implements [io.Reader].
func (r packedReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if stopped := r.u.advance(n); stopped != nil {
		return n, stopped
	}
	return n, err
}

// unpack unpacks what f holds from where it is. If f is seekable and not compressed,
// it is used as it is.
func (u *unpacking) unpack(f *os.File, seekable bool) (*Unpacked, error) {
	head := make([]byte, magicBytes)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("read %s: %w", u.name, err)
	}
	head = head[:n]
	format := formatOf(head)
	if format == "" && seekable {
		return &Unpacked{Name: u.name, File: f, Size: u.total}, nil
	}
	r, done, err := u.reader(format, packedReader{io.MultiReader(bytes.NewReader(head), f), u})
	if err != nil {
		return nil, u.damaged(format, err)
	}
	defer done()
	return u.spool(format, r)
}

// reader returns what reads the input unpacked.
func (u *unpacking) reader(format string, packed io.Reader) (r io.Reader, done func(), err error) {
	switch format {
	case "gzip":
		z, err := gzip.NewReader(packed)
		return z, func() {}, err
	case "zstd":
		z, err := zstd.NewReader(packed, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, nil, err
		}
		return z, z.Close, nil
	}
	return packed, func() {}, nil
}

// spool writes what r reads to a temporary file.
func (u *unpacking) spool(format string, r io.Reader) (*Unpacked, error) {
	f, err := os.CreateTemp("", "tracelake-*")
	if err != nil {
		return nil, fmt.Errorf("make a temporary file for %s (TMPDIR names its folder): %w", u.path, err)
	}
	out := &Unpacked{Name: strings.TrimSuffix(strings.TrimSuffix(u.name, ".gz"), ".zst"), File: f, temporary: f.Name()}
	if os.Remove(f.Name()) == nil {
		out.temporary = "" // it has no name any more, and is gone whatever happens
	}
	limit := u.opt.maxInput()
	out.Size, err = io.Copy(f, io.LimitReader(r, limit+1))
	switch {
	case err == nil && out.Size > limit:
		err = u.tooLarge(limit)
	case err != nil:
		err = u.failed(format, err)
	}
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	out.Note = u.note(format, out.Size)
	return out, nil
}

// note says what was done.
func (u *unpacking) note(format string, size int64) string {
	what := "was read"
	if format != "" {
		what = "is compressed with " + format + ", and was unpacked"
	}
	name := u.name
	if u.path == Stdin {
		name = u.shown()
	}
	return fmt.Sprintf("%s %s to a temporary file of %d bytes", name, what, size)
}

// shown names the input in messages.
func (u *unpacking) shown() string {
	if u.path == Stdin {
		return "standard input"
	}
	return u.path
}

func (u *unpacking) tooLarge(limit int64) error {
	return &InputError{
		File: u.shown(), Problem: fmt.Sprintf("unpacks to more than %d bytes", limit),
		Remedy: "--max-input raises the limit, if that is as it should be",
	}
}

// failed says why unpacking failed: of the input, of writing, or that it was stopped.
func (u *unpacking) failed(format string, err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok && path.Op == "write" {
		return fmt.Errorf("write the temporary file for %s (TMPDIR names its folder): %w", u.shown(), path)
	}
	if u.ctx.Err() != nil {
		return u.ctx.Err()
	}
	return u.damaged(format, err)
}

func (u *unpacking) damaged(format string, err error) error {
	if errors.Is(err, zstd.ErrWindowSizeExceeded) {
		return &InputError{
			File: u.shown(), Problem: fmt.Sprintf("needs a window of more than %d bytes to unpack", maxWindow),
			Remedy: "unpack it with zstd -d --long=31", Err: err,
		}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &InputError{File: u.shown(), Problem: fmt.Sprintf("is cut off: %s does not end", format),
			Remedy: "copy it again", Err: err}
	}
	return &InputError{File: u.shown(), Problem: fmt.Sprintf("cannot be unpacked (%v)", err), Remedy: "copy it again",
		Err: err}
}
