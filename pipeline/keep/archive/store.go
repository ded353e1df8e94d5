package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/tracelake/tracelake/pipeline/keep/archive/seekable"
)

// share moves images from a folder to the directory that archives share. Each gets its name when
// it is whole, so archives can be written at the same time; one that is there is kept, packed or
// not, if it is as its name says. Without images, the directory is made all the same: who opens the
// archive names it.
func share(images map[string]bool, folder, store string) error {
	if err := os.MkdirAll(store, 0o777); err != nil {
		return err
	}
	for _, sum := range slices.Sorted(maps.Keys(images)) {
		if isShared(store, sum) {
			continue
		}
		image, shared := filepath.Join(folder, packedImage(sum)), filepath.Join(store, packedImage(sum))
		if err := os.Rename(image, shared); err == nil {
			continue
		}
		if err := copyFile(image, shared); err != nil { // another file system
			return err
		}
	}
	return os.RemoveAll(folder)
}

// isShared says whether a directory of images has one, as its name says.
func isShared(store, sum string) bool {
	root, err := os.OpenRoot(store)
	if err != nil {
		return false
	}
	defer root.Close()
	name, err := imageName(root, sum)
	if err != nil {
		return false
	}
	hash := packedSum
	if name == sum {
		hash = FileSum
	}
	now, err := hash(filepath.Join(store, name))
	return err == nil && now == sum
}

// packedSum returns the SHA-256 of what a packed file holds, in hex.
func packedSum(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	z, err := zstd.NewReader(f, zstd.WithDecoderMaxMemory(seekable.MaxFrame))
	if err != nil {
		return "", err
	}
	defer z.Close()
	h := sha256.New()
	_, err = io.Copy(h, z)
	return hex.EncodeToString(h.Sum(nil)), err
}

// copyFile copies a file: what is not whole has another name.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(to), ".partial-*")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name()) // gone, if it is in its place
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Chmod(0o644), out.Sync(), out.Close()); err != nil {
		return err
	}
	return os.Rename(out.Name(), to)
}
