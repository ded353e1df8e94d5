package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/schema"
)

// maxManifest is the most bytes of a manifest that is read. One of 100,000 parts
// has 20 MB.
const maxManifest = 64 << 20

// A Dataset is a dataset that is read.
type Dataset struct {
	Dir      string
	Manifest schema.Manifest

	format schema.Format
	parts  map[*schema.Table]map[uint8][]schema.PartFile // of a source, in order; under 0 where there is one series for all
}

// Open opens the dataset in dir. It fails with an [*Error] if there is none, or
// one of another schema version, or one that is not whole.
func Open(dir string) (*Dataset, error) {
	d := &Dataset{Dir: dir, parts: map[*schema.Table]map[uint8][]schema.PartFile{}}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, d.notADataset(err)
	}
	defer root.Close()
	f, err := root.Open(schema.ManifestFile)
	if err != nil {
		return nil, d.notADataset(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", schema.ManifestFile, err)
	}
	if len(text) > maxManifest {
		return nil, d.wrong(schema.ManifestFile, fmt.Sprintf("has more than %d bytes", maxManifest), "export again")
	}
	if err := json.Unmarshal(text, &d.Manifest); err != nil {
		return nil, d.wrong(schema.ManifestFile, "is no manifest: "+err.Error(), "export again")
	}
	return d, d.check(root)
}

// notADataset says that there is no dataset, given what came of opening it.
func (d *Dataset) notADataset(err error) error {
	if _, statErr := os.Stat(d.Dir); errors.Is(statErr, fs.ErrNotExist) {
		return &Error{File: d.Dir, Problem: "does not exist", Remedy: "give the directory of a dataset", Err: err}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("open dataset: %w", err)
	}
	return &Error{File: d.Dir, Problem: "is no dataset: it has no " + schema.ManifestFile, Remedy: "give a directory that export completed", Err: err}
}

func (d *Dataset) wrong(file, problem, remedy string) error {
	return &Error{File: filepath.Join(d.Dir, file), Problem: problem, Remedy: remedy}
}

// check checks what the manifest says, and collects the parts.
func (d *Dataset) check(root *os.Root) error {
	m := &d.Manifest
	if _, err := schema.ParseVersion(strconv.Itoa(m.SchemaVersion)); err != nil {
		return d.wrong(schema.ManifestFile, err.Error(), "export again, or use the version of tracelake that wrote it")
	}
	formats := []schema.Format{schema.Parquet, schema.Arrow}
	i := slices.IndexFunc(formats, func(f schema.Format) bool { return f.String() == m.Format })
	if i < 0 {
		return d.wrong(schema.ManifestFile, fmt.Sprintf("says format %q", m.Format), "formats are parquet and arrow")
	}
	d.format = formats[i]
	for name, files := range m.Tables {
		t := schema.FindTable(name)
		if t == nil {
			return d.wrong(schema.ManifestFile, fmt.Sprintf("has a table %q, which this program does not know", name),
				"use the version of tracelake that wrote it")
		}
		d.parts[t] = map[uint8][]schema.PartFile{}
		for _, p := range files.Parts {
			if err := d.addPart(root, t, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// addPart adds a part to its series. Its name has to be the next of one, so that
// no path leads out of the dataset.
func (d *Dataset) addPart(root *os.Root, t *schema.Table, p schema.PartFile) error {
	sources := d.parts[t]
	id := uint8(0)
	if _, name, _ := strings.Cut(p.Path, "/"); t.PerSource && len(name) > 2 {
		n, _ := strconv.ParseUint(name[:2], 16, 8) // what is no number is no part of source 0 either
		id = uint8(n)
	}
	if p.Path != t.Part(id, len(sources[id]), d.format) {
		return d.wrong(schema.ManifestFile, fmt.Sprintf("names %q, which is not the next part of %s", p.Path, t.Name), "export again")
	}
	info, err := root.Stat(p.Path)
	if err != nil {
		return d.wrong(p.Path, "is missing: "+err.Error(), "export again")
	}
	if info.Size() != p.Bytes {
		return d.wrong(p.Path, fmt.Sprintf("has %d bytes, the manifest says %d", info.Size(), p.Bytes), "export again")
	}
	sources[id] = append(sources[id], p)
	return nil
}

// Has says whether d has a table, be it one without rows.
func (d *Dataset) Has(t *schema.Table) bool { return d.parts[t] != nil }

// Rows returns how many rows of a table there are, as the manifest says.
func (d *Dataset) Rows(t *schema.Table) (rows int64) {
	for _, parts := range d.parts[t] {
		for _, p := range parts {
			rows += p.Rows
		}
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
