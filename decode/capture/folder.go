package capture

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A folder opens the files a snapshot names, relative to its directory (§5.1).
type folder struct {
	path    string
	root    *os.Root
	outside bool // also those that are elsewhere
}

func openFolder(path string, outside bool) (*folder, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, err
	}
	return &folder{path: abs, root: root, outside: outside}, nil
}

// An outsideError says that a name leads out of the folder.
type outsideError struct{ resolved string }

func (e *outsideError) Error() string { return e.resolved + " is outside" }

// locate returns the full path a name means, and the path relative to the
// folder if it is in there by its words alone.
func (d *folder) locate(name string) (full, rel string) {
	name = strings.ReplaceAll(name, `\`, "/")
	if name[0] == '/' || len(name) > 2 && name[1:3] == ":/" || filepath.IsAbs(name) {
		return filepath.Clean(filepath.FromSlash(name)), ""
	}
	full = filepath.Join(d.path, filepath.FromSlash(name))
	rel, err := filepath.Rel(d.path, full)
	if err != nil || !filepath.IsLocal(rel) {
		return full, ""
	}
	return full, rel
}

// display returns how a file is named in messages and tables: relative to the
// folder if it is in there, with '/'.
func (d *folder) display(name string) string {
	full, rel := d.locate(name)
	if rel != "" {
		return filepath.ToSlash(rel)
	}
	if filepath.IsAbs(strings.ReplaceAll(name, `\`, "/")) {
		return filepath.ToSlash(full)
	}
	return strings.ReplaceAll(name, `\`, "/")
}

// open opens a file and returns its size in bytes. It fails with an
// [*outsideError] if the name leads out of the folder and may not.
func (d *folder) open(name string) (*os.File, int64, error) {
	full, rel := d.locate(name)
	stat, open := os.Stat, os.Open
	if !d.outside {
		if rel == "" {
			return nil, 0, &outsideError{full}
		}
		full = rel
		stat, open = d.root.Stat, d.root.Open
	}
	f, size, err := openRegular(full, stat, open)
	if err != nil && !d.outside && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errIrregular) {
		// A link the root refuses, but the system follows, leads outside.
		full = filepath.Join(d.path, rel)
		if _, e := os.Stat(full); e == nil {
			if resolved, e := filepath.EvalSymlinks(full); e == nil {
				full = resolved
			}
			return nil, 0, &outsideError{full}
		}
	}
	return f, size, err
}

var errIrregular = errors.New("not a regular file")

// openRegular opens a regular file: of others the size is not known, and opening
// them may wait for ever.
func openRegular(path string, stat func(string) (fs.FileInfo, error), open func(string) (*os.File, error)) (*os.File, int64, error) {
	info, err := stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, errIrregular
	}
	f, err := open(path)
	if err != nil {
		return nil, 0, err
	}
	if info, err = f.Stat(); err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// open opens a file that an entry names.
func (r *reader) open(s *section, e entry, name string) (*os.File, int64, error) {
	at := InputError{File: s.file, Section: s.name, Key: e.key}
	if name == "" {
		at.Problem, at.Remedy = "names no file", "give a file, or remove the key"
		return nil, 0, &at
	}
	f, size, err := r.dir.open(name)
	if err == nil {
		return f, size, nil
	}
	at.Err = err
	var outside *outsideError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		at.Problem = fmt.Sprintf("names %q, which does not exist", name)
		at.Remedy = "put it beside snapshot.ini or remove the key"
		if e.comment {
			at.Remedy += " (';' and '#' begin a comment anywhere in a line: no file name can hold them)"
		}
	case errors.As(err, &outside):
		at.Problem = fmt.Sprintf("names %q, which is %s, outside the snapshot's directory", name, outside.resolved)
		at.Remedy = "--allow-outside reads it"
	case errors.Is(err, errIrregular):
		at.Problem = fmt.Sprintf("names %q, which is no regular file", name)
		at.Remedy = "give a file, or remove the key"
	default:
		at.Problem = fmt.Sprintf("names %q, which cannot be read (%v)", name, err)
		at.Remedy = "make it readable, or remove the key"
	}
	return nil, 0, &at
}
