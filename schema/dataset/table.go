package dataset

import (
	"encoding/json"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// A TableWriter writes rows of one table and source.
type TableWriter struct {
	dataset *Writer
	series  *Series
	encoder schema.Encoder
	batch   *schema.Batch
	rows    int // in batch
	encoded int // in the row group, before those in batch
}

// Row begins a row, whose cells are then to be appended, all of them. An error
// in writing those before is kept for [Writer.Close].
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
	if w.encoded == w.series.Table.RowGroupRows() {
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
		err = w.series.Write(chunks)
	}
	w.dataset.err = err
}

// writeDimensions writes the tables that have no source of their own, and sums
// up the totals.
func (w *Writer) writeDimensions(m *schema.Manifest) {
	m.Totals = schema.Totals{}
	for i := range m.Sources {
		m.Totals.Add(m.Sources[i].Totals)
		fillSource(w.Table(&schema.Sources, 0).Row(), &m.Sources[i])
	}
	for i := range m.Images {
		fillImage(w.Table(&schema.Images, 0).Row(), &m.Images[i])
	}
}

func fillSource(r *schema.Row, s *schema.SourceTotals) {
	registers, err := json.Marshal(s.Registers)
	if err != nil {
		panic(err) // strings only
	}
	r.Uint8(s.Source)
	r.NullString(s.Name)
	r.NullString(s.Protocol)
	r.NullString(s.Version)
	r.NullString(s.Core)
	r.NullString(s.Buffer)
	r.Enum(uint8(slices.Index(schema.SourceStatusNames, s.Status)))
	r.Enum(uint8(slices.Index(schema.SourceUnitNames, s.Unit)))
	for _, n := range []int64{s.Bytes, s.BytesDecoded, s.BytesLost, s.BytesUnplaced, s.Segments, s.Instructions, s.Exceptions, s.Losses} {
		r.Int64(n)
	}
	r.NullUint63(schema.Null[uint64]{V: s.TimestampHz, OK: s.TimestampHz != 0})
	r.NullUint63(schema.Null[uint64]{V: s.CycleHz, OK: s.CycleHz != 0})
	r.String(string(registers))
}

func fillImage(r *schema.Row, i *schema.ImageRegion) {
	r.String(i.File)
	r.String(i.SHA256)
	r.NullString(i.BuildID)
	r.Uint32(i.Address)
	r.Int64(i.Bytes)
	r.NullString(i.Space)
	r.NullString(i.Core)
}
