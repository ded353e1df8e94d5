package archive

import (
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// share moves images from a folder to the directory that archives share. Each gets its name when
// it is whole, so archives can be written at the same time; one that is there is kept,
// if it is as its name says.
func share(images map[string]bool, folder, store string) error {
	if len(images) == 0 {
		return nil
	}
	if err := os.MkdirAll(store, 0o777); err != nil {
		return err
	}
	for _, sum := range slices.Sorted(maps.Keys(images)) {
		image, shared := filepath.Join(folder, sum), filepath.Join(store, sum)
		if now, err := FileSum(shared); err == nil && now == sum {
			continue
		}
		if err := os.Rename(image, shared); err == nil {
			continue
		}
		if err := copyFile(image, shared); err != nil { // another file system
			return err
		}
	}
	return os.RemoveAll(folder)
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
