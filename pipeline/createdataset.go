package pipeline

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// DatasetOptions say how a dataset is written. They mean what those of [Options]
// do.
type DatasetOptions struct {
	Level     schema.Level // not AnyLevel
	Format    schema.Format
	Codec     string
	Tables    []*schema.Table
	Overwrite bool
}

// A DatasetWriter writes a dataset row by row: for what is known without
// decoding. It holds a row group of each table and source. It is for one
// goroutine.
type DatasetWriter struct {
	out    *output
	opt    DatasetOptions
	tables []*schema.Table
	rows   map[seriesKey]*TableWriter
	order  []*TableWriter // as they were begun
	err    error          // the first one; nothing is written after it
}

type seriesKey struct {
	table  *schema.Table
	source uint8
}

// CreateDataset begins a dataset in dir, which must not exist or be empty, or
// with Overwrite hold nothing but a dataset or the rest of one: else it fails
// with an [*ExistsError]. Either [DatasetWriter.Close] or
// [DatasetWriter.Abandon] has to be called.
func CreateDataset(dir string, opt DatasetOptions) (*DatasetWriter, error) {
	e, err := newEncoding(opt.Format, opt.Codec)
	if err != nil {
		return nil, err
	}
	out, err := newOutput(dir, opt.Overwrite, e, nil)
	if err != nil {
		return nil, err
	}
	tables := (&Options{Level: opt.Level, Tables: opt.Tables}).tables(false)
	return &DatasetWriter{out: out, opt: opt, tables: tables, rows: map[seriesKey]*TableWriter{}}, nil
}

// Table returns the writer of a table for a source; the source does not matter
// to tables that have one series for all. `sources` and `images` are Close's to
// write. It panics if the table is not among those to be written.
func (w *DatasetWriter) Table(t *schema.Table, source uint8) *TableWriter {
	if !slices.Contains(w.tables, t) {
		panic(fmt.Sprintf("pipeline: %s is not among the tables of the dataset", t.Name))
	}
	if !t.PerSource {
		source = 0
	}
	key := seriesKey{t, source}
	if w.rows[key] == nil {
		w.rows[key] = &TableWriter{
			dataset: w, series: w.out.newSeries(t, source), encoder: w.out.encoding.newEncoder(t), batch: schema.NewBatch(t),
		}
		w.order = append(w.order, w.rows[key])
	}
	return w.rows[key]
}

// A TableWriter writes rows of one table and source.
type TableWriter struct {
	dataset *DatasetWriter
	series  *series
	encoder schema.Encoder
	batch   *schema.Batch
	rows    int // in batch
	encoded int // in the row group, before those in batch
}

// Row begins a row, whose cells are then to be appended, all of them. An error
// in writing those before is kept for [DatasetWriter.Close].
func (w *TableWriter) Row() *schema.Row {
	if w.rows == schema.BatchRows {
		w.flush()
	}
	w.rows++
	return w.batch.Row()
}

// flush encodes the rows of the batch, and writes the row group if it is full.
func (w *TableWriter) flush() {
	if w.dataset.err == nil && w.rows > 0 {
		w.dataset.err = w.encoder.Append(w.batch)
	}
	w.encoded += w.rows
	w.batch.Reset()
	w.rows = 0
	if w.encoded == w.series.table.RowGroupRows() {
		w.writeGroup()
	}
}

// writeGroup writes the row group at hand.
func (w *TableWriter) writeGroup() {
	if w.dataset.err != nil || w.encoded == 0 {
		return
	}
	w.encoded = 0
	chunks, err := w.encoder.Finish()
	if err == nil {
		err = w.series.write(chunks)
	}
	w.dataset.err = err
}

// Close completes the dataset. Inputs, buffers, images, sources, notes and the
// rest of the manifest are m's; schema version, format, level, codec, tables and
// totals are filled in. `sources` and `images` are written from those of m, whose
// status and unit have to be among the names in schema. The error may be one of
// a row before; whenever there is one, no dataset is left.
func (w *DatasetWriter) Close(m *schema.Manifest) error {
	err := w.complete(m)
	if err != nil {
		return errors.Join(err, w.Abandon())
	}
	return nil
}

func (w *DatasetWriter) complete(m *schema.Manifest) error {
	fillEmpty(m)
	first := uint8(0) // tables without rows are named for it
	m.Totals = schema.Totals{}
	for i := range m.Sources {
		s := &m.Sources[i]
		if i == 0 {
			first = s.Source
		}
		m.Totals.Add(s.Totals)
		fillSource(w.Table(&schema.Sources, 0).Row(), nil, s)
	}
	for i := range m.Images {
		fillImage(w.Table(&schema.Images, 0).Row(), nil, &m.Images[i])
	}
	for _, t := range w.order {
		t.flush()
		t.writeGroup()
	}
	if w.err != nil {
		return w.err
	}
	if err := w.out.closeParts(w.tables, first); err != nil {
		return err
	}
	m.SchemaVersion, m.Format, m.Level, m.Codec = schema.Version, w.opt.Format.String(), w.opt.Level.String(), w.opt.Codec
	return w.out.commit(m, schema.Views(w.tables, w.opt.Format))
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

// Abandon removes what was written.
func (w *DatasetWriter) Abandon() error { return w.out.abandon() }
