package capture_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/tracelake/tracelake/decode/capture"
)

// packed returns b in a format.
func packed(t testing.TB, format string, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&out)
	if format == "zstd" {
		var err error
		if w, err = zstd.NewWriter(&out); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// temporaryFolder makes a folder for temporary files, and demands in the end that it
// is empty.
func temporaryFolder(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	t.Cleanup(func() {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			t.Errorf("left over: %v, %v", entries, err)
		}
	})
}

// A compressed file is unpacked, whatever it is called; any other one is left alone.
func TestUnpack(t *testing.T) {
	temporaryFolder(t)
	content := bytes.Repeat([]byte("trace of something, "), 5000)
	twoMembers := append(packed(t, "gzip", content[:700]), packed(t, "gzip", content[700:])...)
	twoFrames := append(packed(t, "zstd", content[:700]), packed(t, "zstd", content[700:])...)
	for _, tt := range []struct {
		name    string
		bytes   []byte
		want    string // name of what is unpacked; "" if nothing is
		comment string
	}{
		{"etb.bin.gz", packed(t, "gzip", content), "etb.bin",
			"etb.bin.gz is compressed with gzip, and was unpacked to a temporary file of 100000 bytes"},
		{"etb.bin.zst", packed(t, "zstd", content), "etb.bin",
			"etb.bin.zst is compressed with zstd, and was unpacked to a temporary file of 100000 bytes"},
		{"etb", packed(t, "zstd", content), "etb",
			"etb is compressed with zstd, and was unpacked to a temporary file of 100000 bytes"},
		{"members.gz", twoMembers, "members",
			"members.gz is compressed with gzip, and was unpacked to a temporary file of 100000 bytes"},
		{"frames.zst", twoFrames, "frames",
			"frames.zst is compressed with zstd, and was unpacked to a temporary file of 100000 bytes"},
		{"plain.gz", content, "", ""},
		{"empty", nil, "", ""},
		{"short", []byte{0x1f, 0x8b}, "", ""},
	} {
		path := filepath.Join(t.TempDir(), tt.name)
		if err := os.WriteFile(path, tt.bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		u, err := capture.Unpack(t.Context(), path, &capture.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if u == nil || tt.want == "" {
			if u != nil || tt.want != "" {
				t.Errorf("%s: %+v", tt.name, u)
			}
			continue
		}
		got := make([]byte, u.Size)
		if _, err := u.File.ReadAt(got, 0); err != nil || !bytes.Equal(got, content) || u.Name != tt.want ||
			u.Note != tt.comment {
			t.Errorf("%s: %d bytes of %s, %v; %s", tt.name, len(got), u.Name, err, u.Note)
		}
		if err := u.Close(); err != nil {
			t.Error(err)
		}
	}
	if u, err := capture.Unpack(t.Context(), t.TempDir(), &capture.Options{}); u != nil || err != nil {
		t.Errorf("a folder: %v, %v", u, err)
	}
}

// What cannot be unpacked is refused, and leaves no file.
func TestUnpackRefuses(t *testing.T) {
	temporaryFolder(t)
	content := bytes.Repeat([]byte("trace of something, "), 5000)
	broken := func(b []byte) []byte {
		b = bytes.Clone(b)
		b[len(b)-5] ^= 1 // the checksum
		return b
	}
	window := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa0, 0x01, 0, 0} // a window of 1 GiB: exponent 20
	for _, tt := range []struct {
		name  string
		bytes []byte
		max   int64
		want  string
	}{
		{"bomb.gz", packed(t, "gzip", make([]byte, 64<<20)), 1 << 20,
			"unpacks to more than 1048576 bytes; --max-input raises the limit, if that is as it should be"},
		{"bomb.zst", packed(t, "zstd", make([]byte, 64<<20)), 1 << 20,
			"unpacks to more than 1048576 bytes; --max-input raises the limit, if that is as it should be"},
		{"one.gz", packed(t, "gzip", content), 99_999, "unpacks to more than 99999 bytes; "},
		{"cut.gz", packed(t, "gzip", content)[:60], 0, "is cut off: gzip does not end; copy it again"},
		{"cut.zst", packed(t, "zstd", content)[:30], 0, "is cut off: zstd does not end; copy it again"},
		{"broken.gz", broken(packed(t, "gzip", content)), 0, "cannot be unpacked (gzip: invalid checksum); copy it again"},
		{"garbage.gz", append([]byte{0x1f, 0x8b, 0x08, 0xe0}, content...), 0, "cannot be unpacked ("},
		{"window.zst", window, 0, "needs a window of more than 134217728 bytes to unpack; unpack it with zstd -d --long=31"},
		{"negative.gz", packed(t, "gzip", content), -1, "is no size; give 1 byte or more"},
	} {
		path := filepath.Join(t.TempDir(), tt.name)
		if err := os.WriteFile(path, tt.bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		u, err := capture.Unpack(t.Context(), path, &capture.Options{MaxInput: tt.max})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, %v\nwant %s", tt.name, u, err, tt.want)
		}
	}
}

// Unpacking ends when it is to, and reports how far it is.
func TestUnpackStops(t *testing.T) {
	temporaryFolder(t)
	path := filepath.Join(t.TempDir(), "a.gz")
	file := packed(t, "gzip", bytes.Repeat([]byte("0123456789abcdef"), 1<<20))
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var read, total int64
	opt := &capture.Options{Unpacking: func(r, of int64) {
		if read, total = r, of; read > total/2 {
			cancel()
		}
	}}
	if u, err := capture.Unpack(ctx, path, opt); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", u, err)
	}
	if total != int64(len(file)) || read <= total/2 || read == total {
		t.Errorf("read %d of %d", read, total)
	}
}

// FuzzUnpack unpacks anything, up to a limit.
func FuzzUnpack(f *testing.F) {
	f.Add(packed(f, "gzip", []byte("trace")))
	f.Add(packed(f, "zstd", []byte("trace")))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "a")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		u, err := capture.Unpack(t.Context(), path, &capture.Options{MaxInput: 1 << 20})
		if err == nil && u != nil && u.Size > 1<<20 {
			t.Errorf("%d bytes", u.Size)
		}
		if err == nil {
			_ = u.Close()
		}
	})
}
