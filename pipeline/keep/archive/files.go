package archive

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// The names in an archive.
const (
	SumsFile      = "manifest-sha256.txt"
	captureFolder = "capture"
	imagesFolder  = "images"
	outsideFolder = "outside" // in captureFolder: files that were outside the snapshot
	packedSuffix  = ".zst"
)

// damaged returns the error for a file that is not as it was written.
func damaged(dir, path, problem string) *dataset.Error {
	return &dataset.Error{
		File: filepath.Join(dir, filepath.FromSlash(path)), Problem: problem,
		Remedy: dataset.DamagedArchive, Damaged: true,
	}
}

// wrong returns the error for a file that cannot be opened.
func wrong(dir, path string, err error) *dataset.Error {
	e := damaged(dir, path, "cannot be opened: "+err.Error())
	if errors.Is(err, fs.ErrNotExist) {
		e.Problem = "is missing"
	}
	e.Err = err
	return e
}

var errIrregular = errors.New("it is a link or no regular file")

// openRegular opens a file by a path with slashes. It follows no link.
func openRegular(root *os.Root, path string) (*os.File, error) {
	info, err := root.Lstat(filepath.FromSlash(path))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errIrregular
	}
	return root.Open(filepath.FromSlash(path))
}

// isSum says whether s is a SHA-256 in hex, as an image is named.
func isSum(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 32 && s == strings.ToLower(s)
}

// packedImage is the name of a packed image.
func packedImage(sum string) string { return sum + packedSuffix }

// isImage says whether an image has that name.
func isImage(name string) bool { return isSum(strings.TrimSuffix(name, packedSuffix)) }

// isInCapture says whether a path is one of the files of the capture.
func isInCapture(path string) bool {
	rest, ok := strings.CutPrefix(path, captureFolder+"/")
	return ok && fs.ValidPath(rest) && filepath.IsLocal(filepath.FromSlash(rest)) && !strings.Contains(rest, `\`)
}

// ours says whether an archive has a file or folder of that path.
func ours(path string, folder bool) bool {
	first, rest, nested := strings.Cut(path, "/")
	switch {
	case !nested && folder:
		return path == captureFolder || path == imagesFolder || path == schema.ArchiveDataset
	case !nested:
		return path == schema.ArchiveFile || path == SumsFile
	case first == imagesFolder:
		return !folder && isImage(rest)
	case first == schema.ArchiveDataset:
		return dataset.IsPart(rest, folder)
	}
	return first == captureFolder
}

// Of returns the archive that dir is, or that dir is the dataset of; "" if there is none.
func Of(dir string) string {
	switch in := filepath.Dir(dir); {
	case Is(dir):
		return dir
	case filepath.Base(dir) == schema.ArchiveDataset && Is(in):
		return in
	}
	return ""
}

// Is says whether there is an archive in dir.
func Is(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, schema.ArchiveFile))
	return err == nil
}
