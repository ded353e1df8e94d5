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

// Row returns the batch that the next row is to be appended to, that one row. An
// error in writing those before is kept for [Writer.Close].
func (w *TableWriter) Row() *schema.Batch {
	if w.rows == w.batch.Limit {
		w.flush()
	}
	w.rows++
	return w.batch
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
	rows := int64(w.encoded)
	w.encoded = 0
	chunks, err := w.encoder.Finish()
	switch {
	case err != nil:
	case w.series.Kept():
		err = w.series.Keep(rows)
	default:
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
		appendSource(w.Table(&schema.Sources, 0).Row(), &m.Sources[i])
	}
	for i := range m.Images {
		appendImage(w.Table(&schema.Images, 0).Row(), int32(i), &m.Images[i])
	}
}

func appendSource(b *schema.Batch, s *schema.SourceTotals) {
	registers, err := json.Marshal(s.Registers)
	if err != nil {
		panic(err) // strings only
	}
	status, unit := slices.Index(schema.SourceStatusNames, s.Status), slices.Index(schema.SourceUnitNames, s.Unit)
	schema.AppendSources(b, s.Source, s.Name, s.Protocol, s.Version, s.Core, s.Buffer,
		schema.SourceStatus(status), schema.SourceUnit(unit), s.Bytes, s.BytesDecoded, s.BytesLost, s.BytesUnplaced,
		s.Segments, s.Instructions, s.Exceptions, s.Losses, frequency(s.TimestampHz), frequency(s.CycleHz), string(registers),
		check(s, func(a *schema.Agreement) int64 { return a.BranchChecks }),
		check(s, func(a *schema.Agreement) int64 { return a.BranchAgrees }),
		check(s, func(a *schema.Agreement) int64 { return a.ISyncChecks }),
		check(s, func(a *schema.Agreement) int64 { return a.ISyncAgrees }),
		s.DecodedShare(), s.PlacedShare(), s.Agreement.Share())
}

// check is a count of the agreement of a source, NULL if nothing was compared.
func check(s *schema.SourceTotals, count func(*schema.Agreement) int64) schema.Null[int64] {
	if s.Agreement == nil {
		return schema.Null[int64]{}
	}
	return schema.Of(count(s.Agreement))
}

// frequency is NULL where it is not known.
func frequency(hz uint64) schema.Null[uint64] { return schema.Null[uint64]{V: hz, OK: hz != 0} }

func appendImage(b *schema.Batch, ordinal int32, i *schema.ImageRegion) {
	role, match := schema.RoleMemory, schema.Null[float64]{}
	if i.Role == schema.RoleSymbols.String() {
		role = schema.RoleSymbols
	}
	if i.Match != nil {
		match = schema.Of(*i.Match)
	}
	schema.AppendImages(b, i.File, i.SHA256, i.BuildID, i.Address, i.Bytes, i.Space, i.Core, ordinal, role, match,
		i.CodeSHA256)
}
