// Package identify says what a file or directory is that somebody takes for a
// capture, and what to do with it. It goes by the content, not by names, and reads
// the beginning of files only.
//
// Its API is not stable (docs/guide/library.md).
package identify

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode/figures"
)

// Path says what is at a path. It fails only if that cannot be read.
func Path(path string) (*Finding, error) { return at(path, traceBytes) }

// at says what is at a path, of a file by so many bytes.
func at(path string, bytes int) (*Finding, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return directory(path)
	case !info.Mode().IsRegular():
		return &Finding{Kind: Unknown, What: "no regular file"}, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return contentOf(path, f, bytes)
}

// Content says what is in a file that has this name. It fails only if that cannot be
// read.
func Content(name string, r io.ReaderAt) (*Finding, error) { return contentOf(name, r, traceBytes) }

func contentOf(name string, r io.ReaderAt, bytes int) (*Finding, error) {
	head := make([]byte, bytes)
	n, err := r.ReadAt(head, 0)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("read %s: %w", name, err)
	case n == 0:
		return &Finding{Kind: Empty, What: "an empty file", Do: "nothing was traced, or the buffer was not read out"}, nil
	}
	return file(name, head[:n]), nil
}

// maxEntries bounds how many entries below a directory are looked at, maxDepth how
// deep.
const (
	maxEntries = 10_000
	maxDepth   = 4
)

// directory says what is in a directory, or below it.
func directory(path string) (*Finding, error) {
	switch {
	case exists(filepath.Join(path, "snapshot.ini")):
		return &Finding{Kind: Snapshot, What: "a snapshot directory"}, nil
	case isRecording(path):
		return &Finding{Kind: Recording, What: "a recording of Linux perf (perf.data), which is a directory"}, nil
	case exists(filepath.Join(path, manifestName)):
		return datasetDir(path), nil
	}
	below, err := search(path)
	if err != nil {
		return nil, err
	}
	f := &Finding{
		Kind: Directory, What: "a directory without snapshot.ini",
		Do: "nothing in it is a capture or a dataset: give a snapshot directory or a raw file",
	}
	var holds []string
	if n := len(below.snapshots); n > 0 {
		holds = append(holds, figures.Count(int64(n), "snapshot"))
	}
	if n := len(below.recordings); n > 0 {
		holds = append(holds, figures.Count(int64(n), "perf recording"))
	}
	if n := len(below.datasets); n > 0 {
		holds = append(holds, figures.Count(int64(n), "dataset"))
	}
	if len(holds) > 0 {
		f.What, f.Do = "a directory that holds "+strings.Join(holds, " and "), "give one of them"
	}
	for _, path := range slices.Concat(below.snapshots, below.recordings) {
		f.Lines = append(f.Lines, "tracelake inspect "+Quote(path))
	}
	for _, dir := range below.datasets {
		f.Lines = append(f.Lines, "tracelake verify "+Quote(dir))
	}
	if len(f.Lines) == 0 && len(below.files) > 0 {
		f.Do = "no capture has been found in it by its files' names; one of the files may be raw trace"
		for _, file := range below.files {
			f.Lines = append(f.Lines, "tracelake inspect "+Quote(file))
		}
	}
	return f, nil
}

// content is what is below a directory, up to shownPaths of each.
type content struct {
	snapshots, recordings, datasets, files []string
}

// shownPaths is how many paths below a directory are named.
const shownPaths = 10

// search looks for snapshots, datasets and binary files below a directory.
func search(root string) (*content, error) {
	found, entries := &content{}, 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if entries++; entries > maxEntries {
			return fs.SkipAll
		}
		if err != nil {
			if path == root {
				return err
			}
			return nil // what cannot be read is not looked at
		}
		return found.add(root, path, d)
	})
	return found, err
}

func (c *content) add(root, path string, d fs.DirEntry) error {
	if d.IsDir() {
		switch {
		case exists(filepath.Join(path, "snapshot.ini")):
			c.snapshots = appendSome(c.snapshots, path)
			return fs.SkipDir
		case isRecording(path):
			c.recordings = appendSome(c.recordings, path)
			return fs.SkipDir
		case exists(filepath.Join(path, manifestName)):
			c.datasets = appendSome(c.datasets, path)
			return fs.SkipDir
		case depth(root, path) == maxDepth:
			return fs.SkipDir
		}
		return nil
	}
	if d.Type().IsRegular() {
		c.addFile(path, d)
	}
	return nil
}

// addFile adds a file that is a recording, or may be raw trace: it has bytes, and is of no other kind.
func (c *content) addFile(path string, d fs.DirEntry) {
	if info, err := d.Info(); err != nil || info.Size() == 0 || len(c.files) == shownPaths {
		return
	}
	f, err := at(path, headBytes)
	switch {
	case err != nil:
	case f.Kind == Recording:
		c.recordings = appendSome(c.recordings, path)
	case f.Kind == Unknown:
		c.files = appendSome(c.files, path)
	}
}

// isRecording reports whether a directory is a recording of perf.
func isRecording(dir string) bool {
	main := filepath.Join(dir, "data")
	if info, err := os.Stat(main); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := at(main, headBytes)
	return err == nil && f.Kind == Recording
}

func appendSome(paths []string, path string) []string {
	if len(paths) == shownPaths {
		return paths
	}
	return append(paths, path)
}

// depth is how many directories path is below root.
func depth(root, path string) int {
	rel, err := filepath.Rel(root, path)
	if err != nil || rel == "." {
		return 0
	}
	n := 1
	for _, c := range rel {
		if c == filepath.Separator {
			n++
		}
	}
	return n
}
