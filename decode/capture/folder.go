package capture

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A folder opens the files a snapshot names, relative to its directory (§5.1).
type folder struct {
	path    string
	root    *os.Root
	outside bool // also those that are elsewhere

	// How files are opened: by path relative to the folder, or by full path if
	// outside.
	stat func(path string) (fs.FileInfo, error)
	file func(path string) (*os.File, error)
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
	d := &folder{path: abs, root: root, outside: outside, stat: root.Stat, file: root.Open}
	if outside {
		d.stat, d.file = os.Stat, os.Open
	}
	return d, nil
}

// An outsideError is the error for a name of a file outside the folder.
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
// [*outsideError] if the file is outside the folder and must not be.
func (d *folder) open(name string) (*os.File, int64, error) {
	full, rel := d.locate(name)
	if d.outside {
		return openRegular(full, d.stat, d.file)
	}
	if rel == "" {
		return nil, 0, &outsideError{full}
	}
	f, size, err := openRegular(rel, d.stat, d.file)
	if err == nil || errors.Is(err, errIrregular) {
		return f, size, err
	}
	if _, ok := errors.AsType[syscall.Errno](err); ok {
		return nil, 0, err // of the system, which tried
	}
	// The root itself refuses links to files outside.
	if resolved, err := filepath.EvalSymlinks(full); err == nil {
		full = resolved
	}
	return nil, 0, &outsideError{full}
}

var errIrregular = errors.New("not a regular file")

// openRegular opens a regular file: of others the size is not known, and opening
// them may wait for ever.
func openRegular(path string, stat func(string) (fs.FileInfo, error), open func(string) (*os.File, error)) (*os.File,
	int64, error) {
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
func (r *reader) open(s *section, e entry, name string) (File, int64, error) {
	at := InputError{File: s.file, Section: s.name, Key: e.key}
	if name == "" {
		at.Problem, at.Remedy = "names no file", "give a file, or remove the key"
		return nil, 0, &at
	}
	if r.opt.Stored != nil {
		return r.opt.Stored.Open(r.dir.display(name))
	}
	f, size, err := r.dir.open(name)
	if err == nil {
		return f, size, nil
	}
	at.Err = err
	if outside, ok := errors.AsType[*outsideError](err); ok {
		at.Problem = fmt.Sprintf("names %q, which is %s, outside the snapshot's directory", name, outside.resolved)
		at.Remedy = "--allow-outside reads it"
		return nil, 0, &at
	}
	problem, remedy := whyUnreadable(err)
	at.Problem = fmt.Sprintf("names %q, which %s", name, problem)
	at.Remedy = cmp.Or(remedy, "give a file, or remove the key")
	if errors.Is(err, fs.ErrNotExist) {
		at.Remedy = "put it beside snapshot.ini or remove the key"
		if e.comment {
			at.Remedy += " (';' and '#' begin a comment anywhere in a line: no file name can hold them)"
		}
	}
	return nil, 0, &at
}

// unreadable returns the error for a file of the command line that cannot be
// opened. The remedy is for the case that another file was meant.
func unreadable(name string, err error, remedy string) error {
	problem, cure := whyUnreadable(err)
	return &InputError{File: name, Problem: problem, Remedy: cmp.Or(cure, remedy), Err: err}
}

// whyUnreadable returns why a file cannot be opened, and the remedy if the cause
// has one of its own.
func whyUnreadable(err error) (problem, remedy string) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "does not exist", ""
	case errors.Is(err, errIrregular):
		return "is no regular file", ""
	}
	cause := err
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		cause = path.Err // the path is named already
	}
	for _, c := range []struct {
		err    error
		remedy string
	}{
		{fs.ErrPermission, "make it readable for this user, and the directories above it searchable"},
		{syscall.EMFILE, "raise the limit of open files (ulimit -n)"},
		{syscall.ENFILE, "end other programs: the system has no open file left"},
		{syscall.ELOOP, "correct the links, which lead in a circle"},
		{syscall.EIO, "the disk or the connection to it fails: copy the capture elsewhere"},
	} {
		if errors.Is(err, c.err) {
			remedy = c.remedy
		}
	}
	return fmt.Sprintf("cannot be opened (%v)", cause), remedy
}
