package archive

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/tracelake/tracelake/decode/capture"
)

// This file is the directory of images, in an archive or shared by some. An image is named by the
// SHA-256 of what it holds: packed as trace data is, or as it is, as version 1 has them.

// packedImage is the name of a packed image.
func packedImage(sum string) string { return sum + packedSuffix }

// isImage says whether an image has that name.
func isImage(name string) bool { return isSum(strings.TrimSuffix(name, packedSuffix)) }

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

func (a *Archive) hasImage(sum string) bool {
	_, err := imageName(a.images, sum)
	return err == nil
}

// openImage opens an image, whose bytes the caller compares with its hash.
func (a *Archive) openImage(sum string) (capture.File, int64, error) {
	name, err := imageName(a.images, sum)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, &fs.PathError{Op: "open", Path: path.Join(a.Index.Images, sum), Err: fs.ErrNotExist}
	}
	at := path.Join(a.Index.Images, name)
	if err != nil {
		return nil, 0, wrong(a.Dir, at, err)
	}
	f, size, err := a.open(a.images, name, &File{Path: at, Bytes: a.sizes[sum], Packed: name != sum})
	if err != nil {
		return nil, 0, err
	}
	return &imageFile{f, a.argument(sum, sum)}, size, nil
}

// An imageFile is an image, by a name that [Archive.OpenArgument] knows.
type imageFile struct {
	capture.File
	name string
}

// Name implements [capture.File].
func (f *imageFile) Name() string { return f.name }

// argument is the name by which a file of an argument is opened again, if an image has that SHA-256.
func (a *Archive) argument(sum, file string) string {
	return filepath.Join(a.Dir, imagesFolder, sum, filepath.Base(file))
}
