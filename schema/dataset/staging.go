package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tracelake/tracelake/schema"
)

// stagingFolder holds, inside the output directory, what is not complete. It is
// the only place an interrupted export leaves files in.
const stagingFolder = ".tracelake-partial"

// A staging is where the files of a dataset are written, until commit moves them
// into place.
type staging struct {
	dir     string // of the dataset
	created bool   // it did not exist before
}

// newStaging prepares dir, which must not exist or be empty, or with overwrite
// hold nothing but a dataset or the rest of one.
func newStaging(dir string, overwrite bool) (*staging, error) {
	s := &staging{dir: dir}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.created = true
	case err != nil:
		return nil, fmt.Errorf("output directory: %w", err)
	case len(entries) > 0 && !overwrite:
		return nil, &ExistsError{dir, "exists and is not empty", "choose another directory, or replace a dataset with --overwrite"}
	case len(entries) > 0:
		if foreign := foreignFile(dir); foreign != "" {
			return nil, &ExistsError{dir, fmt.Sprintf("holds %q, which is no part of a dataset", foreign), "choose another directory, or remove it"}
		}
	}
	if err := os.RemoveAll(s.path("")); err != nil {
		return nil, fmt.Errorf("output directory: %w", err)
	}
	if err := os.MkdirAll(s.path(""), 0o777); err != nil {
		return nil, fmt.Errorf("output directory: %w", err)
	}
	return s, nil
}

var partName = regexp.MustCompile(`^([0-9a-f]{2}|all)-[0-9]{5,}\.(parquet|arrow)$`)

// foreignFile returns a path in dir that no export wrote, or "".
func foreignFile(dir string) string {
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

// ours says whether an export writes a file or folder of that path.
func ours(path string, folder bool) bool {
	path = strings.TrimPrefix(path, stagingFolder+"/")
	if path == stagingFolder {
		return folder
	}
	table, name, nested := strings.Cut(path, "/")
	switch {
	case !nested && folder:
		return schema.FindTable(table) != nil
	case !nested:
		return path == schema.ManifestFile || path == schema.ViewsFile
	}
	return !folder && schema.FindTable(table) != nil && partName.MatchString(name)
}

// path returns where a file of the dataset is written.
func (s *staging) path(path string) string {
	return filepath.Join(s.dir, stagingFolder, filepath.FromSlash(path))
}

// create creates a file of the dataset.
func (s *staging) create(path string) (*os.File, error) {
	name := s.path(path)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return nil, err
	}
	return os.Create(name)
}

// commit moves files and folders into place, in that order. Until then an old
// dataset in the directory stays as it is, but for its manifest, which goes
// first.
func (s *staging) commit(names []string) error {
	if err := s.removeOld(); err != nil {
		return err
	}
	for _, name := range names {
		if err := os.Rename(s.path(name), filepath.Join(s.dir, name)); err != nil {
			return err
		}
	}
	return os.Remove(s.path(""))
}

// removeOld removes the dataset that is replaced, its manifest first.
func (s *staging) removeOld() error {
	old := []string{schema.ManifestFile, schema.ViewsFile}
	for _, t := range schema.Tables() {
		old = append(old, t.Name)
	}
	for _, name := range old {
		if err := os.RemoveAll(filepath.Join(s.dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// abandon removes what was written.
func (s *staging) abandon() error {
	if err := os.RemoveAll(s.path("")); err != nil {
		return err
	}
	if s.created {
		return os.Remove(s.dir)
	}
	return nil
}
