package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/tracelake/tracelake/schema"
)

// A staging is the folder beside the directory of a dataset in which all files
// of it are written. Commit puts the folder in the place of the directory, which
// therefore is at every moment absent, what it was before, or a whole dataset.
type staging struct {
	disk      disk
	lock      *lock
	dir       string // as the caller named it
	Target    string // dir without symbolic links, or where it will be
	Folder    string // in the folder that Target is in
	outer     string // the folder to remove at the end; one that is kept has a journal beside folder
	overwrite bool
	holds     holding
	resume    *Resumption // nil: nothing is kept
}

// A holding is what a directory holds that may be replaced.
type holding struct {
	what string // "a dataset"
	// ours says whether a file or folder of that path, with slashes, belongs to it.
	ours func(path string, folder bool) bool
}

// noun is what it holds without its article.
func (h *holding) noun() string {
	_, noun, _ := strings.Cut(h.what, " ")
	return noun
}

var holdsDataset = holding{"a dataset", ours}

// A disk is the operations whose order decides what is left after a crash.
type disk interface {
	sync(f *os.File) error
	syncDir(name string) error
	rename(from, to string) error
	exchange(a, b string) error // fails with [errors.ErrUnsupported] where it cannot
	removeAll(name string) error
}

// systemDisk is that of the operating system.
type systemDisk struct{}

func (systemDisk) sync(f *os.File) error        { return f.Sync() }
func (systemDisk) syncDir(name string) error    { return syncDir(name) }
func (systemDisk) rename(from, to string) error { return os.Rename(from, to) }
func (systemDisk) exchange(a, b string) error   { return exchange(a, b) }
func (systemDisk) removeAll(name string) error  { return os.RemoveAll(name) }

// The names of what is beside the directory "run" while it is written:
// ".run.tracelake-lock" and ".run.tracelake-partial-1234", with the number of
// the process.
const (
	lockSuffix    = ".tracelake-lock"
	partialSuffix = ".tracelake-partial-"
	// insideFolder is where earlier versions wrote what was incomplete: in the
	// directory itself.
	insideFolder = ".tracelake-partial"
)

// newStaging locks dir, which must not exist or be empty, or with overwrite hold
// nothing but a dataset or the rest of one, and removes what processes that died
// left beside it. What is to be kept is in a folder of another name, which stays until
// the directory is complete or is to be overwritten.
func newStaging(dir string, overwrite bool, holds holding, resume *Resumption, d disk) (*staging, error) {
	target, err := resolve(dir)
	if err != nil {
		return nil, fmt.Errorf("output directory: %w", err)
	}
	parent, base := filepath.Split(target)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return nil, fmt.Errorf("output directory: %w", err)
	}
	s := &staging{disk: d, dir: dir, Target: target, overwrite: overwrite, holds: holds, resume: resume}
	s.Folder = filepath.Join(parent, fmt.Sprint("."+base+partialSuffix, os.Getpid()))
	s.outer = s.Folder
	if resume != nil {
		s.outer = resumableFolder(target)
		s.Folder = filepath.Join(s.outer, stagedFolder)
	}
	s.lock, err = acquire(filepath.Join(parent, "."+base+lockSuffix), dir)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return nil, &ExistsError{
			dir, "has no place beside it for what is incomplete: " + err.Error(),
			"choose a directory in one that can be written to",
		}
	}
	if err != nil {
		return nil, err
	}
	if err := s.begin(parent, base); err != nil {
		return nil, errors.Join(err, s.lock.release())
	}
	return s, nil
}

// resolve returns the absolute path of dir without symbolic links. What is at
// its end need not exist.
func resolve(dir string) (string, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(path) == path {
		return real, err
	}
	parent, err := resolve(filepath.Dir(path))
	return filepath.Join(parent, filepath.Base(path)), err
}

// begin makes the folder. Permissions are those of the directory that it will
// replace.
func (s *staging) begin(parent, base string) error {
	if err := s.endKilled(); err != nil {
		return err
	}
	if _, err := s.replaces(); err != nil {
		return err
	}
	if err := removePartials(parent, base); err != nil {
		return err
	}
	if err := s.beginAnew(); err != nil {
		return err
	}
	if err := os.MkdirAll(s.Folder, 0o777); err != nil {
		return fmt.Errorf("output directory: %w", err)
	}
	if info, err := os.Stat(s.Target); err == nil {
		return os.Chmod(s.Folder, info.Mode().Perm())
	}
	return nil
}

// partials returns what writers of the directory base left in parent, or are writing there.
func partials(parent, base string) (paths []string, err error) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return nil, fmt.Errorf("output directory: %w", err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+base+partialSuffix) {
			paths = append(paths, filepath.Join(parent, e.Name()))
		}
	}
	return paths, nil
}

// removePartials removes what processes that died left. The caller has the lock of the
// directory.
func removePartials(parent, base string) error {
	paths, err := partials(parent, base)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("output directory: %w", err)
		}
	}
	return nil
}

// resumableFolder is the folder in which an export to target keeps what is finished.
func resumableFolder(target string) string {
	return filepath.Join(filepath.Dir(target), "."+filepath.Base(target)+resumableSuffix)
}

// endKilled ends what was killed when the directory was in place already: beside that there is
// nothing of it but its journal. It fails if that is to be gone on with.
func (s *staging) endKilled() error {
	kept := resumableFolder(s.Target)
	_, staged := os.Lstat(filepath.Join(kept, stagedFolder))
	entries, _ := os.ReadDir(s.Target) // what is wrong with it, replaces says
	info, err := os.Lstat(kept)
	if err != nil || !info.IsDir() || s.overwrite || len(entries) == 0 || !errors.Is(staged, fs.ErrNotExist) ||
		foreignFile(s.Target, s.holds.ours) != "" {
		return nil
	}
	if err := s.disk.removeAll(kept); err != nil || s.resume == nil || !s.resume.Resume {
		return err
	}
	return &ResumeError{s.dir, "is complete", "there is nothing to go on with", nil}
}

// beginAnew removes what an interrupted export to the directory kept, if it is to be
// overwritten. It fails if that is to be gone on with, and is not there; or is there, and
// nobody said what to do with it.
func (s *staging) beginAnew() error {
	kept := resumableFolder(s.Target)
	info, err := os.Lstat(kept)
	there, resume := err == nil, s.resume != nil && s.resume.Resume
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("output directory: %w", err)
	case there && !info.IsDir():
		return &ExistsError{s.dir, fmt.Sprintf("has %s beside it, which is no folder", kept), "remove that"}
	case resume && !there:
		return &ResumeError{
			s.dir, "has no unfinished " + s.holds.noun() + " beside it",
			"begin one with --resumable in place of --resume", nil,
		}
	case resume:
		if info, err := os.Lstat(filepath.Join(kept, stagedFolder)); err == nil && !info.IsDir() {
			return &ResumeError{
				s.dir, fmt.Sprintf("has %s beside it, in which %s is no folder", kept, stagedFolder),
				"remove that, and begin anew without --resume", nil,
			}
		}
		return nil
	case !there:
		return nil
	case !s.overwrite:
		return &ExistsError{
			s.dir, "has an unfinished " + s.holds.noun() + " beside it",
			"go on with --resume, or begin anew with --overwrite",
		}
	}
	return s.disk.removeAll(kept)
}

// replaces says whether the directory exists. It fails with an [*ExistsError] if
// it may not be replaced.
func (s *staging) replaces() (bool, error) {
	info, err := os.Lstat(s.Target)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("output directory: %w", err)
	}
	entries, err := os.ReadDir(s.Target)
	if err != nil {
		return false, fmt.Errorf("output directory: %w", err)
	}
	if len(entries) > 0 && !s.overwrite {
		return false, &ExistsError{
			s.dir, "exists and is not empty",
			"choose another directory, or replace " + s.holds.what + " with --overwrite",
		}
	}
	if foreign := foreignFile(s.Target, s.holds.ours); foreign != "" {
		return false, &ExistsError{
			s.dir, fmt.Sprintf("holds %q, which is no part of %s", foreign, s.holds.what),
			"choose another directory, or remove it",
		}
	}
	if working, err := os.Stat("."); err == nil && os.SameFile(working, info) {
		return false, &ExistsError{s.dir, "is the working directory, which cannot be replaced", "choose a directory in it"}
	}
	if isMount(s.Target) {
		return false, &ExistsError{
			s.dir, "is the root of a file system, which cannot be replaced",
			"choose a directory in it",
		}
	}
	return true, nil
}

var partName = regexp.MustCompile(`^([0-9a-f]{2}|all)-[0-9]{5,}\.(parquet|arrow)$`)

// foreignFile returns a path in dir that is not ours, or "".
func foreignFile(dir string, ours func(path string, folder bool) bool) string {
	foreign := ""
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || rel == "." {
			return err
		}
		if ours(filepath.ToSlash(rel), d.IsDir()) {
			return nil
		}
		foreign = rel
		return fs.SkipAll
	})
	if err != nil {
		return err.Error()
	}
	return foreign
}

// ours says whether an export writes a file or folder of that path, or once did.
func ours(path string, folder bool) bool {
	path = strings.TrimPrefix(path, insideFolder+"/")
	if path == insideFolder {
		return folder
	}
	table, name, nested := strings.Cut(path, "/")
	switch {
	case !nested && folder:
		return schema.FindTable(table) != nil
	case !nested:
		return path == schema.ManifestFile || path == schema.ViewsFile
	}
	return !folder && isPartPath(table+"/"+name)
}

// isPartPath says whether a part of a table may have that path.
func isPartPath(path string) bool {
	table, name, _ := strings.Cut(path, "/")
	return schema.FindTable(table) != nil && partName.MatchString(name)
}

// Create creates a file of the dataset, whose path has slashes.
func (s *staging) Create(path string) (*os.File, error) { return s.open(path, os.O_TRUNC) }

// Reopen opens or creates a file likewise, with what is in it.
func (s *staging) Reopen(path string) (*os.File, error) { return s.open(path, 0) }

func (s *staging) open(path string, flag int) (*os.File, error) {
	name := filepath.Join(s.Folder, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return nil, err
	}
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|flag, 0o666)
}

// CloseFile closes a file that is complete, once it is on disk.
func (s *staging) CloseFile(f *os.File) error {
	return errors.Join(s.disk.sync(f), f.Close())
}

// WriteFile writes a whole file.
func (s *staging) WriteFile(path string, content []byte) error {
	f, err := s.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, s.CloseFile(f))
}

// Commit puts the folder in the place of the directory. Files are on disk
// already, folders are before the first rename, and the renames before the old
// dataset is removed: so a crash, too, leaves the old or the new dataset, or
// none.
func (s *staging) Commit() error {
	if err := s.syncFolders(); err != nil {
		return err
	}
	old, err := s.place()
	if err != nil {
		return err
	}
	if err := s.disk.syncDir(filepath.Dir(s.Target)); err != nil || old == "" {
		return err
	}
	return s.disk.removeAll(old)
}

// syncFolders writes the entries of the folder and those in it to disk.
func (s *staging) syncFolders() error {
	return filepath.WalkDir(s.Folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return s.disk.syncDir(path)
	})
}

// place renames the folder. It returns where the directory that it replaces is
// now, if there was one.
func (s *staging) place() (old string, err error) {
	exists, err := s.replaces()
	if err != nil {
		return "", err
	}
	if !exists {
		return "", s.disk.rename(s.Folder, s.Target)
	}
	if err := s.disk.exchange(s.Folder, s.Target); err == nil ||
		!errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return s.Folder, err
	}
	old = s.Folder + "-old"
	if err := s.disk.rename(s.Target, old); err != nil {
		return "", err
	}
	if err := s.disk.rename(s.Folder, s.Target); err != nil {
		return "", errors.Join(err, s.disk.rename(old, s.Target))
	}
	return old, nil
}

// end removes the folder, if it was not put in place, and gives up the lock.
// After the first call it does nothing: another writer may have begun.
func (s *staging) end() error {
	if s.lock == nil {
		return nil
	}
	return errors.Join(s.disk.removeAll(s.outer), s.leave())
}

// leave gives up the lock, and leaves the folder as it is.
func (s *staging) leave() error {
	l := s.lock
	s.lock = nil
	return l.release()
}
