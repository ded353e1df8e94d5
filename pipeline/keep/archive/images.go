package archive

import (
	"errors"
	"io/fs"
	"os"

	"github.com/tracelake/tracelake/decode/capture"
)

// This file is the directory of images, in an archive or shared by some. An image is named by the
// SHA-256 of what it holds: packed as trace data is, or as it is, as version 1 has them.

// imageName returns the name that an image has in a directory, packed or not; it fails with
// [fs.ErrNotExist] if there is none. The directory may be nil.
func imageName(dir *os.Root, sum string) (string, error) {
	missing := &fs.PathError{Op: "open", Path: sum, Err: fs.ErrNotExist}
	if dir == nil {
		return "", missing
	}
	for _, name := range []string{packedImage(sum), sum} {
		if _, err := dir.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return name, err
		}
	}
	return "", missing
}

// An imageFile is an image, by a name that [Archive.OpenArgument] knows.
type imageFile struct {
	capture.File
	name string
}

// Name implements [capture.File].
func (f *imageFile) Name() string { return f.name }
