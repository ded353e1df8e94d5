package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// program is program memory of more than a frame, and its SHA-256.
func program() (content []byte, sum string) {
	content = bytes.Repeat([]byte("\x01\x20\xd2\xff\x02\x20\x03\x20"), 1<<19+3)
	hash := sha256.Sum256(content)
	return content, hex.EncodeToString(hash[:])
}

// write writes an archive of a program into a new directory, and opens it.
func write(t *testing.T, opt CreateOptions) *Archive {
	t.Helper()
	content, sum := program()
	dir := filepath.Join(t.TempDir(), "run.tla")
	w, err := Create(dir, opt)
	check(t, err)
	check(t, w.AddFile("snapshot.ini", []byte("[snapshot]\n")))
	check(t, w.AddImage("fw.elf", false, sum, int64(len(content)), bytes.NewReader(content)))
	check(t, w.Complete(&Index{Begin: "snapshot.ini"}))
	check(t, w.Close())
	a, err := Open(dir, opt.Images)
	check(t, err)
	t.Cleanup(func() { a.Close() })
	return a
}

// holds demands that an archive has the program.
func holds(t *testing.T, a *Archive) {
	t.Helper()
	content, _ := program()
	f, size, err := a.Open("fw.elf")
	check(t, err)
	defer f.Close()
	got, err := io.ReadAll(io.NewSectionReader(f, 0, size))
	check(t, err)
	if !bytes.Equal(got, content) {
		t.Errorf("%d bytes, not those of the program", len(got))
	}
}

// Program memory is packed as trace data is: zstd -d gives it back, and the hash in the list of
// files is that of the packed file.
func TestImagesArePacked(t *testing.T) {
	a := write(t, CreateOptions{})
	holds(t, a)
	content, sum := program()
	name := filepath.Join(a.Dir, imagesFolder, sum+".zst")
	packed, err := os.ReadFile(name)
	check(t, err)
	if len(packed) > len(content)/10 {
		t.Errorf("%d bytes of %d", len(packed), len(content))
	}
	z, err := zstd.NewReader(bytes.NewReader(packed))
	check(t, err)
	defer z.Close()
	if got, err := io.ReadAll(z); err != nil || !bytes.Equal(got, content) {
		t.Errorf("zstd -d gives %d bytes (%v)", len(got), err)
	}
	now, err := FileSum(name)
	check(t, err)
	if sums, err := os.ReadFile(filepath.Join(a.Dir, SumsFile)); err != nil || !bytes.Contains(sums, []byte(now+"  images/"+sum+".zst\n")) {
		t.Errorf("%s (%v)", sums, err)
	}
}

// An image of version 1, which is not packed, is read, and archives share it: there is no second
// one. One that is not as its name says is replaced.
func TestImagesAreShared(t *testing.T) {
	content, sum := program()
	for _, tt := range []struct {
		name   string
		before map[string][]byte // in the directory that archives share
		want   []string
	}{
		{"none", nil, []string{sum + ".zst"}},
		{"as it is", map[string][]byte{sum: content}, []string{sum}},
		{"damaged, packed", map[string][]byte{sum + ".zst": []byte("damaged")}, []string{sum + ".zst"}},
		{"damaged, as it is", map[string][]byte{sum: []byte("damaged")}, []string{sum, sum + ".zst"}},
	} {
		store := t.TempDir()
		for name, b := range tt.before {
			check(t, os.WriteFile(filepath.Join(store, name), b, 0o666))
		}
		for range 2 {
			a := write(t, CreateOptions{Images: store})
			holds(t, a)
			if !a.hasImage(sum) {
				t.Errorf("%s: no image", tt.name)
			}
		}
		entries, err := os.ReadDir(store)
		check(t, err)
		var got []string
		for _, e := range entries {
			got = append(got, e.Name())
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Program memory that changed since it was hashed is not archived.
func TestImageThatChanged(t *testing.T) {
	content, sum := program()
	w, err := Create(filepath.Join(t.TempDir(), "run.tla"), CreateOptions{})
	check(t, err)
	defer w.Abandon()
	if err := w.AddImage("fw.elf", true, sum, int64(len(content)), bytes.NewReader(content[1:])); err == nil {
		t.Error("no error")
	}
}

// A packed image that holds other bytes than the index says is damage, before it is unpacked.
func TestImageOfOtherSize(t *testing.T) {
	a := write(t, CreateOptions{})
	_, sum := program()
	a.sizes[sum]++
	if _, _, err := a.Open("fw.elf"); err == nil {
		t.Error("no error")
	}
}
