package archive

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// isPacked says whether a file of a stage is trace data, or a folder one of the capture: that
// is what a writer which goes on has of an earlier one.
func isPacked(path string, folder bool) bool {
	if path == captureFolder {
		return folder
	}
	return isInCapture(path) && (folder || strings.HasSuffix(path, packedSuffix))
}

// removeStrangers removes files of the capture that an earlier writer left in root, and this
// one did not write.
func removeStrangers(root string, written []File) error {
	ours := map[string]bool{}
	for _, f := range written {
		ours[f.Path] = true
	}
	err := filepath.WalkDir(filepath.Join(root, captureFolder), func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		path, err := filepath.Rel(root, name)
		if err != nil || ours[filepath.ToSlash(path)] {
			return err
		}
		return os.Remove(name)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
