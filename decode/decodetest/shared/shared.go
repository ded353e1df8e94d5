// Package shared finds the material that stands beside the checkout, in ../shared
// of the module: captures, and what other decoders make of them. Only tests
// import it, and skip without it.
package shared

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// File returns the path of a file or folder of the material, named with slashes.
// Without it, the test is skipped.
func File(t testing.TB, name string) string {
	t.Helper()
	path, ok := Find(name)
	if !ok {
		t.Skipf("needs ../shared/%s beside the module", name)
	}
	return path
}

// Find returns the path that a file or folder of the material has, and whether it
// is there.
func Find(name string) (path string, ok bool) {
	root, err := moduleRoot()
	if err != nil {
		return "", false
	}
	path = filepath.Join(root, "..", "shared", filepath.FromSlash(name))
	_, err = os.Stat(path)
	return path, err == nil
}

// moduleRoot returns the folder of go.mod above the working directory, which in a
// test is the folder of its package.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("no go.mod above the test")
		}
		dir = up
	}
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
