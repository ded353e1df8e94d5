package dataset

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// Options say how a dataset is written.
type Options struct {
	Level      schema.Level // not AnyLevel
	Format     schema.Format
	Codec      string          // "" is the default of the format
	Tables     []*schema.Table // beside those always written; nil: those written by default
	Added      []*schema.Table // beside those that Tables says
	Without    []*schema.Table // left out, also if always written: a truth has no program
	TracesData bool            // a source traces data: tables for it are written by default, too
	Overwrite  bool            // replaces a dataset
	// Meta, if not nil, returns metadata of every part, after that of its table: always
	// the same. It is called when a part begins, by the goroutine that writes.
	Meta func() ([]schema.Meta, error)
	// Resumption, if not nil, makes the writer resumable: [Writer.Stop] keeps finished parts, and
	// so does the end of the process.
	Resumption *Resumption
	// PartRowGroups is the number of row groups in every part but the last; 0 is
	// [schema.PartRowGroups], which all but tests want.
	PartRowGroups int
}

// tables returns the tables to write, in the order of the schema.
func (o *Options) tables() []*schema.Table {
	var tables []*schema.Table
	for _, t := range schema.Tables() {
		if t.Level != schema.AnyLevel && t.Level != o.Level || slices.Contains(o.Without, t) {
			continue
		}
		byDefault := t.Written == schema.ByDefault || t.Written == schema.WhenTraced && o.TracesData ||
			t.Written == schema.WithRows && o.Level != schema.LevelNone
		wanted := t.Written == schema.Always || o.Tables == nil && byDefault
		if wanted || slices.Contains(o.Tables, t) || slices.Contains(o.Added, t) {
			tables = append(tables, t)
		}
	}
	return tables
}

// A Writer writes a dataset: rows with [Writer.Table], row groups with
// [Writer.Series]. It is for one goroutine, but for [Writer.NewEncoder].
type Writer struct {
	opt      Options
	encoding encoding
	tables   []*schema.Table
	staging  *staging
	resume   *resumption // nil: nothing is kept
	begun    []*Series
	files    map[string]schema.Files

	rows  map[series]*TableWriter
	order []*TableWriter // as they were begun
	err   error          // the first one; no row is written after it
}

// A series is a table and a source of it; 0 where all have one series.
type series struct {
	table  *schema.Table
	source uint8
}

// Create begins a dataset in dir, which must not exist or must be empty; with
// Overwrite it may also hold a dataset or the rest of one, and nothing else.
// Otherwise it fails with an [*ExistsError]. If another process is writing the
// dataset, it fails with a [*BusyError]. The caller calls [Writer.Close] or
// [Writer.Abandon].
//
// Everything is written beside dir, and Close moves it to dir: until then dir does
// not change.
func Create(dir string, opt Options) (*Writer, error) { return create(dir, opt, systemDisk{}) }

func create(dir string, opt Options, d disk) (*Writer, error) {
	e, err := newEncoding(opt.Format, opt.Codec)
	if err != nil {
		return nil, err
	}
	s, err := newStaging(dir, opt.Overwrite, holdsDataset, opt.Resumption, d)
	if err != nil {
		return nil, err
	}
	opt.PartRowGroups = cmp.Or(opt.PartRowGroups, schema.PartRowGroups)
	w := &Writer{
		opt: opt, encoding: e, tables: opt.tables(), staging: s,
		files: map[string]schema.Files{}, rows: map[series]*TableWriter{},
	}
	if opt.Resumption == nil {
		return w, nil
	}
	if w.resume, err = openResumption(s, nil); err != nil {
		return nil, errors.Join(err, s.leave())
	}
	return w, nil
}

// Has says whether a table is among those to be written.
func (w *Writer) Has(t *schema.Table) bool { return slices.Contains(w.tables, t) }

// Series begins the parts of a table for a source, once for each. The source does
// not matter to tables that have one series for all. Another goroutine than the one
// that writes may call it, one at a time.
func (w *Writer) Series(t *schema.Table, source uint8) *Series {
	s := &Series{out: w, Table: t, source: source}
	w.begun = append(w.begun, s)
	return s
}

// NewEncoder returns what makes row groups of a table. Any goroutine may call
// it.
func (w *Writer) NewEncoder(t *schema.Table) schema.Encoder { return w.encoding.newEncoder(t) }

// Table returns the writer of a table for a source, which holds a row group. The
// source does not matter to tables that have one series for all. `sources` and
// `images` are Close's to write. It panics if the table is not among those to be
// written.
func (w *Writer) Table(t *schema.Table, source uint8) *TableWriter {
	if !w.Has(t) {
		panic(fmt.Sprintf("dataset: %s is not among the tables to be written", t.Name))
	}
	if !t.PerSource {
		source = 0
	}
	key := series{t, source}
	if w.rows[key] == nil {
		encoder := w.NewEncoder(t)
		w.rows[key] = &TableWriter{
			dataset: w, series: w.Series(t, source), encoder: encoder,
			batch: schema.NewBatchFor(t, encoder),
		}
		w.order = append(w.order, w.rows[key])
	}
	return w.rows[key]
}

// Close completes the dataset. It fills in schema version, format, level, codec,
// tables and totals; the rest of the manifest is m's. It writes `sources` and
// `images` from m, where status and unit must be names of the schema. An error may
// be that of an earlier row. After an error the directory is unchanged, with two
// exceptions at the very end: the dataset may not be on disk, or the old one could
// not be removed.
//
// If the writer is resumable, an error is as from [Writer.Stop].
func (w *Writer) Close(m *schema.Manifest) error {
	if err := w.complete(m); err != nil {
		return w.Stop(err)
	}
	return w.Abandon()
}

func (w *Writer) complete(m *schema.Manifest) error {
	fillEmpty(m)
	w.writeDimensions(m)
	for _, t := range w.order {
		t.flush()
		t.writeGroup()
	}
	if w.err != nil {
		return w.err
	}
	first := uint8(0) // tables without rows are named for it
	if len(m.Sources) > 0 {
		first = m.Sources[0].Source
	}
	if err := w.closeParts(first); err != nil {
		return err
	}
	m.SchemaVersion, m.Format, m.Level, m.Codec = schema.Version, w.opt.Format.String(), w.opt.Level.String(), w.opt.Codec
	m.Tables = w.files
	return w.commit(m)
}

// fillEmpty makes what is nil in m empty, so that no list of the manifest is
// null.
func fillEmpty(m *schema.Manifest) {
	if m.Labels == nil {
		m.Labels = map[string]string{}
	}
	m.Inputs, m.Buffers, m.Images = orEmpty(m.Inputs), orEmpty(m.Buffers), orEmpty(m.Images)
	m.Sources, m.Notes = orEmpty(m.Sources), orEmpty(m.Notes)
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func (w *Writer) addPart(t *schema.Table, p schema.PartFile) {
	f := w.files[t.Name]
	f.Rows += p.Rows
	f.Bytes += p.Bytes
	f.Parts = append(f.Parts, p)
	w.files[t.Name] = f
}

// closeParts completes all parts. A table without parts gets one without rows,
// named for the given source.
func (w *Writer) closeParts(source uint8) error {
	for _, s := range w.begun {
		if err := s.close(); err != nil {
			return err
		}
	}
	for _, t := range w.tables {
		if len(w.files[t.Name].Parts) > 0 {
			continue
		}
		if err := w.writeEmpty(t, source); err != nil {
			return err
		}
	}
	return w.resume.finish(w.files)
}

// writeEmpty writes a part without rows.
func (w *Writer) writeEmpty(t *schema.Table, source uint8) error {
	s := w.Series(t, source)
	if s.Kept() {
		s.keep()
	} else if err := s.create(); err != nil {
		return err
	}
	return s.close()
}

// contents returns a name for what the tables contain: equal datasets have the
// same one, whenever and wherever they were written.
func contents(files map[string]schema.Files) string {
	sum := sha256.New()
	for _, table := range slices.Sorted(maps.Keys(files)) {
		for _, p := range files[table].Parts {
			fmt.Fprintf(sum, "%s %s\n", p.Path, p.SHA256)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// commit writes views and manifest, the manifest last, and puts everything in
// place.
func (w *Writer) commit(m *schema.Manifest) error {
	views := []byte(schema.Views(w.tables, w.opt.Format, contents(w.files), m.SchemaVersion))
	m.Views = sumOf(schema.ViewsFile, views)
	text, err := writeManifest(m)
	if err != nil {
		return err
	}
	if err := errors.Join(w.staging.WriteFile(schema.ViewsFile, views),
		w.staging.WriteFile(schema.ManifestFile, text)); err != nil {
		return err
	}
	return w.staging.Commit()
}

// Abandon removes what was written. After [Writer.Close] and [Writer.Stop] it does nothing.
func (w *Writer) Abandon() error {
	return errors.Join(w.closeFiles(), w.staging.end())
}

// closeFiles closes what is open.
func (w *Writer) closeFiles() error {
	for _, s := range w.begun {
		s.abandon()
	}
	return w.resume.close()
}
