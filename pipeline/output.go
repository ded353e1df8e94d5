package pipeline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/schema"
)

// stagingFolder holds, inside the output directory, what is not complete. It is
// the only place an interrupted export leaves files in.
const stagingFolder = ".tracelake-partial"

// An output is a dataset being written. All files are written to the staging
// folder; commit moves them into place, the manifest last.
type output struct {
	dir      string
	created  bool // dir did not exist before
	format   schema.Format
	encoding encoding
	meta     []schema.Meta
	series   []*series
	files    map[string]schema.Files
}

// An ExistsError says that the output directory may not be written to.
type ExistsError struct {
	Dir, Problem, Remedy string
}

func (e *ExistsError) Error() string {
	return fmt.Sprintf("%s %s; %s", e.Dir, e.Problem, e.Remedy)
}

// newOutput begins a dataset in dir, which must not exist or be empty, or with
// overwrite hold nothing but a dataset or the rest of one.
func newOutput(dir string, overwrite bool, e encoding, meta []schema.Meta) (*output, error) {
	o := &output{dir: dir, format: e.format, encoding: e, meta: meta, files: map[string]schema.Files{}}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		o.created = true
	case err != nil:
		return nil, fmt.Errorf("output directory: %w", err)
	case len(entries) > 0 && !overwrite:
		return nil, &ExistsError{dir, "exists and is not empty", "choose another directory, or replace a dataset with --overwrite"}
	case len(entries) > 0:
		if foreign := foreignFile(dir); foreign != "" {
			return nil, &ExistsError{dir, fmt.Sprintf("holds %q, which is no part of a dataset", foreign), "choose another directory, or remove it"}
		}
	}
	if err := os.RemoveAll(o.staged("")); err != nil {
		return nil, fmt.Errorf("output directory: %w", err)
	}
	if err := os.MkdirAll(o.staged(""), 0o777); err != nil {
		return nil, fmt.Errorf("output directory: %w", err)
	}
	return o, nil
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

// staged returns where a file of the dataset is written.
func (o *output) staged(path string) string {
	return filepath.Join(o.dir, stagingFolder, filepath.FromSlash(path))
}

// newSeries begins the parts of a table for a source.
func (o *output) newSeries(t *schema.Table, source uint8) *series {
	s := &series{out: o, table: t, source: source}
	o.series = append(o.series, s)
	return s
}

func (o *output) addPart(t *schema.Table, p schema.PartFile) {
	f := o.files[t.Name]
	f.Rows += p.Rows
	f.Bytes += p.Bytes
	f.Parts = append(f.Parts, p)
	o.files[t.Name] = f
}

// closeParts completes all parts. A table without any gets one without rows,
// named for the given source.
func (o *output) closeParts(tables []*schema.Table, source uint8) error {
	for _, s := range o.series {
		if err := s.close(); err != nil {
			return err
		}
	}
	for _, t := range tables {
		if len(o.files[t.Name].Parts) > 0 {
			continue
		}
		s := o.newSeries(t, source)
		if err := errors.Join(s.create(), s.close()); err != nil {
			return err
		}
	}
	return nil
}

// commit writes views and manifest and moves everything into place, the
// manifest last. Until then an old dataset in the directory stays as it is,
// but for its manifest, which goes first.
func (o *output) commit(m *schema.Manifest, views string) error {
	m.Tables = o.files
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", schema.ManifestFile, err)
	}
	for name, content := range map[string][]byte{schema.ViewsFile: []byte(views), schema.ManifestFile: append(text, '\n')} {
		if err := os.WriteFile(o.staged(name), content, 0o666); err != nil {
			return err
		}
	}
	if err := o.removeOld(); err != nil {
		return err
	}
	names := []string{}
	for table := range o.files {
		names = append(names, table)
	}
	slices.Sort(names)
	for _, name := range append(names, schema.ViewsFile, schema.ManifestFile) {
		if err := os.Rename(o.staged(name), filepath.Join(o.dir, name)); err != nil {
			return err
		}
	}
	return os.Remove(o.staged(""))
}

// removeOld removes the dataset that is replaced, its manifest first.
func (o *output) removeOld() error {
	old := []string{schema.ManifestFile, schema.ViewsFile}
	for _, t := range schema.Tables() {
		old = append(old, t.Name)
	}
	for _, name := range old {
		if err := os.RemoveAll(filepath.Join(o.dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// abandon removes what was written.
func (o *output) abandon() error {
	for _, s := range o.series {
		s.abandon()
	}
	if err := os.RemoveAll(o.staged("")); err != nil {
		return err
	}
	if o.created {
		return os.Remove(o.dir)
	}
	return nil
}
