// Package shared finds the material beside the checkout, in ../shared
// of the module: captures, and what other decoders make of them. Only tests
// import it, and skip without the material.
//
// Its API is not stable (docs/guide/library.md).
package shared

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
)

// File returns the path of a file or folder of the material, named with slashes.
// Without it, the test is skipped.
func File(t testing.TB, name string) string {
	t.Helper()
	root := filepath.Join(need.Module(t), "..", "shared")
	path := filepath.Join(root, filepath.FromSlash(name))
	switch _, err := os.Stat(path); {
	case err == nil:
	case !exists(filepath.Join(root, "captures")):
		need.Missing(t, need.Silicon, "no ../shared/captures beside the checkout")
	default:
		need.Missing(t, need.Silicon, "no ../shared/"+name+" beside the checkout")
	}
	return path
}

// Find returns the path that a file or folder of the material has, and whether it
// is there. A test that continues without it has a subtest of that name, which
// skips.
func Find(t testing.TB, name string) (path string, ok bool) {
	t.Helper()
	path = filepath.Join(need.Module(t), "..", "shared", filepath.FromSlash(name))
	if exists(path) {
		return path, true
	}
	if t, ok := t.(interface {
		Run(name string, test func(*testing.T)) bool
	}); ok { // no benchmark
		t.Run("shared/"+name, func(t *testing.T) { File(t, name) })
	}
	return path, false
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Read returns what is in a file of any path, unpacked if its name ends in .gz.
func Read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(path, ".gz") {
		return b
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if b, err = io.ReadAll(z); err != nil {
		t.Fatal(err)
	}
	return b
}

// A Packet is one of a reference listing.
type Packet struct {
	At, Len int // in the stream
	Kind    string
}

// Packets reads a listing of the packets of a stream: lines of capture offset, bytes, kind. It
// checks that their bytes are those of the stream.
func Packets(t testing.TB, name string, stream []byte) []Packet {
	t.Helper()
	var list []Packet
	at := 0
	for line := range strings.Lines(string(Read(t, name))) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		b, err := hex.DecodeString(f[1])
		if err != nil || !bytes.HasPrefix(stream[at:], b) {
			t.Fatalf("%s: the stream at %d is not %s", name, at, line)
		}
		list = append(list, Packet{at, len(b), f[2]})
		at += len(b)
	}
	if at != len(stream) {
		t.Fatalf("%s has %d bytes, the stream %d", name, at, len(stream))
	}
	return list
}
