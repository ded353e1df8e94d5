package seekable

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// pack packs blocks as frames of a file.
func pack(t testing.TB, blocks ...[]byte) []byte {
	t.Helper()
	p, err := NewPacker(Best)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	w := NewWriter(&file)
	for _, b := range blocks {
		if err := w.Add(p.Pack(b), len(b)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// noise returns n bytes that hardly compress.
func noise(n int, seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.IntN(40))
	}
	return b
}

// read returns a reader of a file.
func read(file []byte) (*Reader, error) {
	d, err := NewDecoder()
	if err != nil {
		return nil, err
	}
	return d.Reader(bytes.NewReader(file), int64(len(file)))
}

func open(t testing.TB, file []byte) *Reader {
	t.Helper()
	r, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Any place of what was written is read as it was.
func TestReadAnywhere(t *testing.T) {
	blocks := [][]byte{noise(5000, 1), noise(5000, 2), noise(1, 3), noise(5000, 4), noise(5000, 5), noise(4999, 6)}
	whole := slices.Concat(blocks...)
	r := open(t, pack(t, blocks...))
	if r.Size() != int64(len(whole)) {
		t.Fatalf("size %d, want %d", r.Size(), len(whole))
	}
	rng := rand.New(rand.NewPCG(7, 7))
	for range 500 {
		from := rng.IntN(len(whole) + 1)
		n := rng.IntN(len(whole) - from + 1)
		got := make([]byte, n)
		if _, err := r.ReadAt(got, int64(from)); err != nil {
			t.Fatalf("%d bytes at %d: %v", n, from, err)
		}
		if !bytes.Equal(got, whole[from:from+n]) {
			t.Fatalf("%d bytes at %d differ", n, from)
		}
	}
	if n, err := r.ReadAt(make([]byte, 10), int64(len(whole)-4)); n != 4 || !errors.Is(err, io.EOF) {
		t.Errorf("over the end: %d bytes, %v", n, err)
	}
	if n, err := r.ReadAt(make([]byte, 10), 1<<40); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %d bytes, %v", n, err)
	}
	if _, err := r.ReadAt(make([]byte, 1), -1); err == nil {
		t.Error("a negative offset is read")
	}
}

// Goroutines read at once; frames that are kept stay few.
func TestReadAtOnce(t *testing.T) {
	blocks := make([][]byte, 20)
	for i := range blocks {
		blocks[i] = noise(3000, uint64(i))
	}
	whole := slices.Concat(blocks...)
	r := open(t, pack(t, blocks...))
	done := make(chan [sha256.Size]byte)
	for range 8 {
		go func() {
			h := sha256.New()
			_, _ = io.CopyBuffer(h, io.NewSectionReader(r, 0, r.Size()), make([]byte, 700))
			done <- [sha256.Size]byte(h.Sum(nil))
		}()
	}
	for range 8 {
		if <-done != sha256.Sum256(whole) {
			t.Error("what is read differs")
		}
	}
	if len(r.recent) != keptFrames {
		t.Errorf("%d frames are kept, want %d", len(r.recent), keptFrames)
	}
}

// Other programs unpack what was written; an empty file is empty.
func TestUnpacksAsZstd(t *testing.T) {
	for _, blocks := range [][][]byte{nil, {noise(9000, 1), noise(100, 2)}} {
		file, whole := pack(t, blocks...), slices.Concat(blocks...)
		z, err := zstd.NewReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(z); err != nil || !bytes.Equal(got, whole) {
			t.Errorf("library: %d bytes of %d, %v", len(got), len(whole), err)
		}
		z.Close()
		if r := open(t, file); r.Size() != int64(len(whole)) {
			t.Errorf("size %d", r.Size())
		}
		if _, err := exec.LookPath("zstd"); err != nil {
			continue // the library has shown the same
		}
		cmd := exec.Command("zstd", "-dc")
		cmd.Stdin = bytes.NewReader(file)
		if got, err := cmd.Output(); err != nil || !bytes.Equal(got, whole) {
			t.Errorf("zstd: %d bytes of %d, %v", len(got), len(whole), err)
		}
	}
}

// A table with checksums, which other programs write, is read.
func TestTableWithSums(t *testing.T) {
	file := pack(t, noise(500, 1))
	end := len(file) - footerBytes
	with := slices.Concat(file[:end], []byte{1, 2, 3, 4}, file[end:])
	with[len(with)-5] |= hasSums
	binary.LittleEndian.PutUint32(with[end-entryBytes-4:], entryBytes+sumBytes+footerBytes)
	got := make([]byte, 500)
	if _, err := open(t, with).ReadAt(got, 0); err != nil || !bytes.Equal(got, noise(500, 1)) {
		t.Errorf("read: %v", err)
	}
}

// What is damaged is refused, by what is wrong with it.
func TestDamaged(t *testing.T) {
	good := pack(t, noise(3000, 1), noise(3000, 2))
	end := len(good) - footerBytes
	entries := end - 2*entryBytes
	set := func(at int, v uint32) func([]byte) []byte {
		return func(b []byte) []byte { binary.LittleEndian.PutUint32(b[at:], v); return b }
	}
	for _, test := range []struct {
		name   string
		damage func(b []byte) []byte
		want   string
	}{
		{"nothing", func([]byte) []byte { return nil }, "too few"},
		{"cut off", func(b []byte) []byte { return b[:len(b)-1] }, "no seek table at the end"},
		{"frames alone", func(b []byte) []byte { return b[:entries-headerBytes] }, "no seek table at the end"},
		{"front cut off", func(b []byte) []byte { return b[1:] }, "says that frames end at"},
		{"bytes added to the front", func(b []byte) []byte { return append([]byte{0}, b...) }, "says that frames end at"},
		{"too many frames", set(end, 1<<31), "more than the file has room for"},
		{"fewer frames", set(end, 1), "no seek table of the size"},
		{"reserved bits", func(b []byte) []byte { b[end+4] |= 4; return b }, "reserved bits"},
		{"a frame of 4 GiB", set(entries+4, 1<<32-1), "a frame may have"},
		{"packed 4 GiB", set(entries, 1<<32-1), "a frame may have"},
		{"a claim of more than a frame can hold", func([]byte) []byte { return bomb(100, MaxFrame) }, "packed 100; it needs 1030 at least"},
		{"an empty frame", set(entries+4, 0), "is empty"},
		{"a shorter frame", set(entries, 10), "says that frames end at"},
		{"a smaller claim", set(entries+4, 2999), "frame 0 "},
		{"a larger claim", set(entries+4, 3001), "frame 0 holds 3000 bytes"},
		{"a huge claim", set(entries+4, MaxFrame), "frame 0 holds 3000 bytes"},
		{"a frame whose header claims 4 GiB", func(b []byte) []byte {
			b[4] = 0xe0 // one segment, 8 bytes of size
			binary.LittleEndian.PutUint64(b[5:], 1<<32)
			return b
		}, "frame 0 cannot be unpacked"},
		{"a flipped bit", func(b []byte) []byte { b[100] ^= 1; return b }, "frame 0 "},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := readAll(test.damage(slices.Clone(good)))
			if _, ok := errors.AsType[*Error](err); !ok || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// bomb returns a file with a frame of so many bytes, whose blocks repeat a byte up to a size that
// its header does not say; the seek table says another.
func bomb(packed int, claim uint32) []byte {
	file := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38} // no size, no checksum, a window of 128 KiB
	for len(file)+8 <= packed {
		file = append(file, 2, 0, 16, 'x') // not the last: 128 KiB of x
	}
	file = append(file, 3, 0, 16, 'x')
	file = append(file, make([]byte, packed-len(file))...)
	file = binary.LittleEndian.AppendUint32(file, tableMagic)
	file = binary.LittleEndian.AppendUint32(file, entryBytes+footerBytes)
	file = binary.LittleEndian.AppendUint32(file, uint32(packed))
	file = binary.LittleEndian.AppendUint32(file, claim)
	file = append(file, 1, 0, 0, 0, 0)
	return binary.LittleEndian.AppendUint32(file, footerMagic)
}

// A frame that holds more than the seek table says is given up as soon as it does: nothing of
// the rest is unpacked.
func TestBomb(t *testing.T) {
	const packed = 1 << 20 // 32 GiB
	r := open(t, bomb(packed, 100))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := r.ReadAt(make([]byte, 1), 0)
	runtime.ReadMemStats(&after)
	if e, ok := errors.AsType[*Error](err); !ok || !errors.Is(e, zstd.ErrDecoderSizeExceeded) {
		t.Error(err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 2*packed {
		t.Errorf("%d bytes were taken for a frame of 100", n)
	}
}

// readAll reads a file as a whole.
func readAll(file []byte) error {
	r, err := read(file)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, io.NewSectionReader(r, 0, r.Size()))
	return err
}

// Every flipped byte of the frames and of the sizes is found.
func TestFlippedBytes(t *testing.T) {
	good := pack(t, noise(300, 1), noise(200, 2))
	for i := range good {
		if i == len(good)-5 {
			continue // two bits of the descriptor have no meaning
		}
		bad := slices.Clone(good)
		bad[i] ^= 0x55
		if readAll(bad) == nil {
			t.Errorf("byte %d of %d is flipped, which nothing notices", i, len(good))
		}
	}
}

// FuzzReader looks for a file that is read to the end and has other bytes than zstd
// makes of it, or that makes the reader panic.
func FuzzReader(f *testing.F) {
	f.Add(pack(f))
	f.Add(pack(f, noise(300, 1), noise(200, 2)))
	f.Add(pack(f, make([]byte, 70000)))
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := read(file)
		if err != nil {
			return
		}
		if r.Size() > 1<<20 {
			_, _ = r.ReadAt(make([]byte, 100), r.Size()/2)
			return
		}
		got, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
		if err == nil && int64(len(got)) != r.Size() {
			t.Errorf("%d bytes are read of %d", len(got), r.Size())
		}
	})
}
