package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// sumsOf returns the content of the file of hashes of a directory.
func sumsOf(dir string) ([]byte, error) {
	var text []byte
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		sum, err := FileSum(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		text = fmt.Appendf(text, "%s  %s\n", sum, filepath.ToSlash(rel))
		return err
	})
	return text, err
}

// FileSum returns the SHA-256 of a file, in hex.
func FileSum(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}
