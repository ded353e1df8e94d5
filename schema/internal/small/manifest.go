package small

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// EditManifest puts new in the place of old, which has to be there, in the
// manifest of a dataset, and makes its hash right again.
func EditManifest(t testing.TB, dir, old, replacement string) {
	t.Helper()
	name := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(old)) {
		t.Fatalf("no %s in %s", old, text)
	}
	if err := os.WriteFile(name, Seal(bytes.Replace(text, []byte(old), []byte(replacement), 1)), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Seal makes the hash in the last line but one of a manifest that of the lines
// before it.
func Seal(text []byte) []byte {
	lines := bytes.SplitAfter(text, []byte("\n")) // the last is empty
	if len(lines) < 3 || !bytes.Contains(lines[len(lines)-3], []byte(`"manifest_sha256"`)) {
		return text
	}
	body := bytes.Join(lines[:len(lines)-3], nil)
	return fmt.Appendf(body, "  \"manifest_sha256\": \"%x\"\n}\n", sha256.Sum256(body))
}
