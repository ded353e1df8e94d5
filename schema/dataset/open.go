package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/schema"
)

// A Dataset is a dataset that is read.
type Dataset struct {
	Dir      string
	Manifest schema.Manifest

	root   *os.Root // also if another dataset takes the place of this one
	sealed bool     // the manifest has the hash of itself and of the views
	format schema.Format
	// of a source, in order; under 0 where there is one series for all
	parts map[*schema.Table]map[uint8][]schema.PartFile

	// Unknown are the tables, in order of their names, that this program does not
	// know: a later one wrote them, or all are of an older schema version.
	Unknown []string
}

// Open opens the dataset in dir, which the caller closes. It fails with an [*Error]
// if there is no dataset, or one of another schema version, or one whose parts do
// not have the sizes in the manifest. Tables that this program does not know are
// ignored. [Check] looks at all bytes.
func Open(dir string) (*Dataset, error) {
	d, err := OpenAny(dir)
	if err == nil && d.Older() {
		err = errors.Join(&Error{File: d.Dir, Problem: "made by an older tracelake", Remedy: "export it again"}, d.Close())
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// OpenAny is as [Open], and opens datasets of older schema versions, too, of which it knows the
// manifest and no table.
func OpenAny(dir string) (*Dataset, error) {
	d, err := openManifest(dir)
	if err != nil {
		return nil, err
	}
	for _, t := range d.tables() {
		for _, p := range d.Manifest.Tables[t.Name].Parts {
			if err := d.addPart(t, p); err != nil {
				return nil, errors.Join(err, d.Close())
			}
		}
	}
	return d, nil
}

// Dir returns the directory of the dataset in dir: of an archive, that of its dataset.
func Dir(dir string) string {
	if _, err := os.Lstat(filepath.Join(dir, schema.ArchiveFile)); err == nil {
		return filepath.Join(dir, schema.ArchiveDataset)
	}
	return dir
}

// openRoot opens the directory of a dataset. That of an archive is no link out of it.
func openRoot(dir string) (*os.Root, error) {
	root, err := os.OpenRoot(dir)
	if err != nil || Dir(dir) == dir {
		return root, err
	}
	defer root.Close()
	return root.OpenRoot(schema.ArchiveDataset)
}

// openManifest opens a dataset without its parts.
func openManifest(dir string) (*Dataset, error) {
	d := &Dataset{Dir: Dir(dir), parts: map[*schema.Table]map[uint8][]schema.PartFile{}}
	root, err := openRoot(dir)
	if err != nil {
		return nil, d.notADataset(err)
	}
	d.root = root
	f, err := root.Open(schema.ManifestFile)
	if err != nil {
		return nil, errors.Join(d.notADataset(err), d.Close())
	}
	defer f.Close()
	if err := d.readManifest(f); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if err := d.understand(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Close closes the dataset. No reader of it may be used any more.
func (d *Dataset) Close() error { return d.root.Close() }

// notADataset returns the error that dir has no dataset, given the error of
// opening it.
func (d *Dataset) notADataset(err error) error {
	if _, statErr := os.Stat(d.Dir); errors.Is(statErr, fs.ErrNotExist) {
		return &Error{File: d.Dir, Problem: "does not exist", Remedy: "give the directory of a dataset", Err: err}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("open dataset: %w", err)
	}
	return &Error{
		File: d.Dir, Problem: "not a dataset: it has no " + schema.ManifestFile,
		Remedy: "give a directory that export completed", Err: err,
	}
}

func (d *Dataset) wrong(file, problem, remedy string) error {
	return &Error{File: filepath.Join(d.Dir, file), Problem: problem, Remedy: remedy}
}

// damaged returns the error that a file was changed after it was written.
func (d *Dataset) damaged(file, problem string) *Error {
	return &Error{
		File: filepath.Join(d.Dir, filepath.FromSlash(file)), Problem: problem, Remedy: d.remedy(),
		Damaged: true,
	}
}

// remedy is what to do where a file is damaged.
func (d *Dataset) remedy() string {
	in := filepath.Dir(d.Dir)
	if filepath.Base(d.Dir) == schema.ArchiveDataset && Dir(in) == d.Dir {
		return DamagedArchive
	}
	return "export again"
}

// understand checks that this program knows the version and the format, and finds
// the tables that it knows.
func (d *Dataset) understand() error {
	m := &d.Manifest
	if m.SchemaVersion < 1 || m.SchemaVersion > schema.Version {
		return d.wrong(schema.ManifestFile, wrongVersion(m.SchemaVersion),
			"export again, or use the version of tracelake that wrote it")
	}
	formats := []schema.Format{schema.Parquet, schema.Arrow}
	i := slices.IndexFunc(formats, func(f schema.Format) bool { return f.String() == m.Format })
	if i < 0 {
		return d.wrong(schema.ManifestFile, fmt.Sprintf("says format %q", m.Format), "formats are parquet and arrow")
	}
	d.format = formats[i]
	for _, name := range slices.Sorted(maps.Keys(m.Tables)) {
		t := schema.FindTable(name)
		if t == nil || d.Older() {
			d.Unknown = append(d.Unknown, name)
			continue
		}
		d.parts[t] = map[uint8][]schema.PartFile{}
	}
	return nil
}

// wrongVersion says what is wrong with a schema version.
func wrongVersion(version int) string {
	_, err := schema.ParseVersion(strconv.Itoa(version))
	return err.Error()
}

// Older says whether the dataset is of a schema version whose rows are not read: they are of other
// columns.
func (d *Dataset) Older() bool { return d.Manifest.SchemaVersion < schema.OldestVersion }

// tables returns the tables that d has, in the order of the schema.
func (d *Dataset) tables() []*schema.Table {
	return slices.DeleteFunc(schema.Tables(), func(t *schema.Table) bool { return !d.Has(t) })
}

// Views returns views.sql as this program makes it of d, whatever the file is: to read datasets of
// up to a schema version.
func (d *Dataset) Views(version int) string {
	return schema.Views(d.tables(), d.format, contents(d.Manifest.Tables), version)
}

// addPart adds a part to its series. Its name has to be the next one of the series,
// so no path can point outside the dataset.
func (d *Dataset) addPart(t *schema.Table, p schema.PartFile) *Error {
	sources := d.parts[t]
	id := uint8(0)
	if _, name, _ := strings.Cut(p.Path, "/"); t.PerSource && len(name) > 2 {
		n, _ := strconv.ParseUint(name[:2], 16, 8) // what is no number is no part of source 0 either
		id = uint8(n)
	}
	if p.Path != t.Part(id, len(sources[id]), d.format) {
		return d.damaged(schema.ManifestFile, fmt.Sprintf("names %q, which is not the next part of %s", p.Path, t.Name))
	}
	sources[id] = append(sources[id], p)
	info, err := d.root.Stat(p.Path)
	if err != nil {
		return d.damaged(p.Path, "is missing: "+err.Error())
	}
	if info.Size() != p.Bytes {
		return d.damaged(p.Path, fmt.Sprintf("has %d bytes, the manifest says %d", info.Size(), p.Bytes))
	}
	return nil
}

// Has says whether d has a table, be it one without rows.
func (d *Dataset) Has(t *schema.Table) bool { return d.parts[t] != nil }

// Rows returns how many rows of a table there are, as the manifest says.
func (d *Dataset) Rows(t *schema.Table) (rows int64) {
	for source := range d.parts[t] {
		rows += d.RowsOf(t, source)
	}
	return rows
}

// RowsOf is [Dataset.Rows] of a source.
func (d *Dataset) RowsOf(t *schema.Table, source uint8) (rows int64) {
	for _, p := range d.parts[t][source] {
		rows += p.Rows
	}
	return rows
}

// Sources returns the sources a table has parts of, in order; one that is 0
// where all sources have one series. A part may be without rows.
func (d *Dataset) Sources(t *schema.Table) []uint8 {
	var ids []uint8
	for id := range d.parts[t] {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
