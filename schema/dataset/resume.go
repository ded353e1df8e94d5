package dataset

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/tracelake/tracelake/schema"
)

// A Resumption asks that the parts of a dataset that is not completed are kept, for
// another writer to go on.
type Resumption struct {
	// Resume asks to go on with what is kept.
	Resume bool
	// Bound is what parts are made of and how, as far as it is known at once: a writer
	// goes on only if all is the same.
	Bound []Bound
	// Hashes is what else they are bound to, as it takes long: it is called when the first
	// part begins, and by Close.
	Hashes func() ([]Bound, error)
}

// A Bound is a fact that parts depend on.
type Bound struct {
	Name  string `json:"name"` // as in a message: "--level", "size of trace.bin"
	Value string `json:"value"`
}

// A ResumeError says why a dataset cannot be gone on with. What is kept stays.
type ResumeError struct {
	Dir, Problem, Remedy string
	Err                  error // may be nil
}

func (e *ResumeError) Error() string { return fmt.Sprintf("%s %s; %s", e.Dir, e.Problem, e.Remedy) }

func (e *ResumeError) Unwrap() error { return e.Err }

// A SuspendedError says that a dataset or archive was not completed, and what is kept of it.
type SuspendedError struct {
	Err    error  // why
	Done   string // what is kept, and "is" or "are": "12 finished parts are"
	Folder string // in which
}

func (e *SuspendedError) Error() string { return fmt.Sprintf("%v; %s", e.Err, e.Kept()) }

// Kept says what is kept, and how to go on.
func (e *SuspendedError) Kept() string {
	return fmt.Sprintf("%s kept in %s: the same command with --resume in place of --resumable goes on", e.Done, e.Folder)
}

func (e *SuspendedError) Unwrap() error { return e.Err }

// What a resumable export has beside the directory "run": a folder
// ".run.tracelake-resumable" with these two.
const (
	resumableSuffix = ".tracelake-resumable"
	journalFileName = "journal.jsonl"
	stagedFolder    = "dataset"
)

// A resumption is what a writer keeps, and what it goes on with.
type resumption struct {
	Resumption
	dir, folder string
	kept        *journal
	root        *os.Root // of the folder
	out         journalFile
	parts       int  // in the journal
	checked     bool // the hashes are in the journal, and were compared
}

// openResumption begins the journal of what s stages, or goes on with it. What is staged stays
// if it is in the journal, or keeps, if not nil, says so of a regular file or a folder.
func openResumption(s *staging, keeps func(path string, folder bool) bool) (*resumption, error) {
	root, err := os.OpenRoot(s.outer)
	if err != nil {
		return nil, err
	}
	r := &resumption{Resumption: *s.resume, dir: s.dir, folder: s.outer, root: root}
	if keeps == nil {
		keeps = r.isKept
	}
	if err := r.open(s.disk, keeps); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

func (r *resumption) open(d disk, keeps func(path string, folder bool) bool) error {
	f, err := r.root.OpenFile(journalFileName, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return r.refuse("has a journal that cannot be opened", err)
	}
	r.out = journalFile{disk: d, file: f}
	if r.kept, err = readJournal(f); err != nil {
		return r.refuse("has a journal that "+err.Error(), err)
	}
	if err := f.Truncate(r.kept.end); err != nil {
		return err
	}
	r.parts = len(r.kept.parts)
	if err := r.compare(r.kept.bound, r.Bound); r.kept.end > 0 && err != nil {
		return err
	}
	if err := r.clear(keeps); err != nil || r.kept.end > 0 {
		return err
	}
	return r.out.write(&journalLine{Version: journalVersion, Bound: r.Bound})
}

// refuse returns the error that what is kept is not as an export leaves it.
func (r *resumption) refuse(problem string, err error) error {
	return &ResumeError{r.dir, problem, "begin anew: remove " + r.folder + " and export without --resume", err}
}

// compare fails with a [*ResumeError] unless what is kept was bound to the same.
func (r *resumption) compare(then, now []Bound) error {
	for i := range max(len(then), len(now)) {
		var old, is Bound
		if i < len(then) {
			old = then[i]
		}
		if i < len(now) {
			is = now[i]
		}
		if old == is {
			continue
		}
		if is.Name != "" && old.Name != is.Name {
			old.Value = ""
		}
		problem := fmt.Sprintf("cannot be gone on with: %s was %s and is %s", cmp.Or(is.Name, old.Name), orNothing(old.Value),
			orNothing(is.Value))
		return &ResumeError{r.dir, problem, "give what it was begun with, or begin anew with --resumable --overwrite", nil}
	}
	return nil
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

// isKept says whether a file is a part in the journal, or a folder that of a table.
func (r *resumption) isKept(path string, folder bool) bool {
	_, listed := r.kept.parts[path]
	return listed && !folder || folder && schema.FindTable(path) != nil
}

// clear removes what is staged and is not kept. No link is followed.
func (r *resumption) clear(keeps func(path string, folder bool) bool) error {
	var strangers []string
	err := fs.WalkDir(r.root.FS(), stagedFolder, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || path == stagedFolder && e.IsDir() {
			return nil
		}
		if err != nil {
			return err
		}
		if (e.IsDir() || e.Type().IsRegular()) && keeps(path[len(stagedFolder)+1:], e.IsDir()) {
			return nil
		}
		strangers = append(strangers, path)
		if e.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	for _, path := range strangers {
		err = errors.Join(err, r.root.RemoveAll(path))
	}
	return err
}

// whole says whether the part of that path is in the journal, and all of it on disk.
func (r *resumption) whole(path string) bool {
	p, ok := r.kept.parts[path]
	if !ok {
		return false
	}
	f, err := r.root.Open(stagedFolder + "/" + path)
	if err != nil {
		return false
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(f, p.Bytes+1))
	return err == nil && n == p.Bytes && hex.EncodeToString(sum.Sum(nil)) == p.SHA256
}

// check compares the hashes with those in the journal, or writes them there: once, before the
// first part begins.
func (r *resumption) check() error {
	if r == nil || r.checked {
		return nil
	}
	hashes, err := r.Hashes()
	if err != nil {
		return err
	}
	if r.kept.hashes != nil {
		err = r.compare(r.kept.hashes, hashes)
	} else {
		err = r.out.write(&journalLine{Hashes: hashes})
	}
	r.checked = err == nil
	return err
}

// add notes that a part is complete and on disk.
func (r *resumption) add(p schema.PartFile) error {
	if r == nil {
		return nil
	}
	if _, again := r.kept.parts[p.Path]; !again {
		r.parts++
	}
	return r.out.write(&journalLine{Part: &p})
}

// finish ends what concerns parts, once all are written: kept ones that are none of
// the dataset are removed.
func (r *resumption) finish(files map[string]schema.Files) error {
	if r == nil {
		return nil
	}
	if err := r.check(); err != nil {
		return err
	}
	used := map[string]bool{}
	for _, f := range files {
		for _, p := range f.Parts {
			used[p.Path] = true
		}
	}
	for path := range r.kept.parts {
		if used[path] {
			continue
		}
		if err := r.root.Remove(stagedFolder + "/" + path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, t := range schema.Tables() {
		_ = r.root.Remove(stagedFolder + "/" + t.Name) // fails unless it is empty
	}
	return nil
}

// close closes what is open. After the first call it does nothing.
func (r *resumption) close() error {
	if r == nil || r.root == nil {
		return nil
	}
	var err error
	if r.out.file != nil {
		err = r.out.file.Close()
	}
	err = errors.Join(err, r.root.Close())
	r.root = nil
	return err
}

// Stop ends the writing of a dataset that err keeps from being completed, and returns
// err. What was written is removed, but if the writer is resumable: then, if err came from
// outside, as from a user or a full disk, finished parts are kept and it returns a
// [*SuspendedError].
func (w *Writer) Stop(err error) error {
	if w.resume == nil || !lasting(err) {
		return errors.Join(err, w.Abandon())
	}
	done := fmt.Sprintf("%d finished parts are", w.resume.parts)
	if w.resume.parts == 1 {
		done = "1 finished part is"
	}
	return suspended(err, done, w.resume.folder, errors.Join(w.closeFiles(), w.staging.leave()))
}

// lasting says whether what is kept may be worth something after an error: it came from
// outside, or refused to go on.
func lasting(err error) bool {
	_, refused := errors.AsType[*ResumeError](err)
	_, system := errors.AsType[syscall.Errno](err)
	return refused || system || errors.Is(err, context.Canceled)
}

// suspended returns the error of what was suspended because of err; closing is that of
// closing it.
func suspended(err error, done, folder string, closing error) error {
	if _, refused := errors.AsType[*ResumeError](err); refused || closing != nil {
		return errors.Join(err, closing)
	}
	return &SuspendedError{err, done, folder}
}
