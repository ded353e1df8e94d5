package archive

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Version is that of the format. It is raised if an earlier program would read an
// archive wrong; what it does not know it ignores.
const Version = 2

// An Index is the content of archive.json.
type Index struct {
	Version int         `json:"archive_version"`
	Tool    schema.Tool `json:"tool"`
	// Begin is the name of the file to begin with: a raw file if Raw, else the ini file
	// of a snapshot.
	Begin string `json:"begin"`
	Raw   bool   `json:"raw"`
	// Options are those of the command line that matter to what is decoded.
	Options Options `json:"options"`
	// Images is the directory of the images, relative to the archive, with slashes.
	Images string `json:"images"`
	Level  string `json:"level"` // of packing
	Files  []File `json:"files"`
}

// A File is a file of the capture.
type File struct {
	Name   string `json:"name"` // as in the capture: a key, no path
	Kind   string `json:"kind"` // ini, memory, argument, trace
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // of what it holds
	// Path is where it is in the archive, with slashes; "" of images.
	Path   string `json:"path,omitempty"`
	Packed bool   `json:"packed,omitempty"` // in frames, with a seek table
}

// isImage says whether a file is program memory.
func (f *File) isImage() bool { return f.Kind == kindMemory || f.Kind == kindArgument }

// Options are those that the manifest of the dataset records, and what else it says of
// the command line: with them an export is as the dataset.
type Options struct {
	schema.Options
	Labels map[string]string `json:"labels,omitempty"`
}

// maxIndex is the most bytes of archive.json that are read, maxFiles the most files it may name.
const (
	maxIndex = 16 << 20
	maxFiles = 1 << 16
)

// readIndex reads archive.json. It fails with an [*dataset.Error] if there is none, or one of a
// newer version, or one that names a path which is not in the archive.
func readIndex(dir string, root *os.Root) (*Index, error) {
	f, err := openRegular(root, schema.ArchiveFile)
	if err != nil {
		return nil, wrong(dir, schema.ArchiveFile, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxIndex+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(dir, schema.ArchiveFile), err)
	}
	if len(text) > maxIndex {
		return nil, damaged(dir, schema.ArchiveFile, fmt.Sprintf("has more than %d bytes", maxIndex))
	}
	ix := &Index{}
	if err := json.Unmarshal(text, ix); err != nil {
		return nil, damaged(dir, schema.ArchiveFile, "is no index of an archive: "+err.Error())
	}
	switch {
	case ix.Version > Version:
		return nil, &dataset.Error{File: filepath.Join(dir, schema.ArchiveFile), Problem: fmt.Sprintf("is of "+
			"version %d of the format, this program knows %d", ix.Version, Version), Remedy: "use a newer tracelake"}
	case ix.Version < 1:
		return nil, damaged(dir, schema.ArchiveFile, "has no archive_version")
	}
	if problem := ix.problem(); problem != "" {
		return nil, damaged(dir, schema.ArchiveFile, problem)
	}
	return ix, nil
}

// problem says what in an index cannot be; "" if nothing is.
func (ix *Index) problem() string {
	if filepath.IsAbs(ix.Images) || ix.Images == "" {
		return fmt.Sprintf("says that images are in %q, which is not relative to it", ix.Images)
	}
	if n := len(ix.Files); n > maxFiles {
		return fmt.Sprintf("names %d files: %d at most can be", n, maxFiles)
	}
	begins, paths := 0, map[string]bool{}
	for i := range ix.Files {
		f := &ix.Files[i]
		image := f.isImage()
		switch {
		case !slices.Contains([]string{kindINI, kindMemory, kindArgument, kindTrace}, f.Kind):
			return fmt.Sprintf("names %q of the unknown kind %q", f.Name, f.Kind)
		case !isSum(f.SHA256), f.Bytes < 0:
			return fmt.Sprintf("has no hash or size of %q", f.Name)
		case image != (f.Path == ""):
			return fmt.Sprintf("says that %q of kind %s is in %q", f.Name, f.Kind, f.Path)
		case !image && !isInCapture(f.Path):
			return fmt.Sprintf("names %q, which is not in the archive", f.Path)
		case !image && paths[f.Path]: // each would be unpacked by itself
			return fmt.Sprintf("names %q twice", f.Path)
		}
		paths[f.Path] = true
		if f.Name == ix.Begin && !image {
			begins++
		}
	}
	if begins != 1 {
		return fmt.Sprintf("names %d files %q to begin with", begins, ix.Begin)
	}
	for _, list := range [][]schema.Argument{ix.Options.ELFs, ix.Options.Images, ix.Options.Symbols} {
		for _, a := range list {
			if !isSum(a.SHA256) {
				return fmt.Sprintf("has no hash of %q", a.File)
			}
		}
	}
	return ""
}

// The kinds of files, as [capture.InputKind] names them.
const (
	kindINI      = "ini"
	kindMemory   = "memory"
	kindArgument = "argument"
	kindTrace    = "trace"
)
