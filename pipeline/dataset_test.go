package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/pipeline/rows"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A decodedTables is what Export would write of one source, in memory: a batch for
// each table.
type decodedTables struct {
	totals schema.Totals
	tables map[string]*schema.Batch
}

// decodeOptions say how a stream is decoded; the zero value is as Export does
// with one worker.
type decodeOptions struct {
	blocks  bool
	none    bool // neither instructions nor blocks
	workers int
	grain   engine.Grain
	submit  func(*decodedTables, rows.Job) error // what becomes of row groups
}

// decode decodes the whole trace.
func (tr *trace) decode(t testing.TB) *decodedTables {
	t.Helper()
	return tr.decodeStream(t, tr.stream(wholePieces), decodeOptions{})
}

// decodeStream decodes a stream of the trace.
func (tr *trace) decodeStream(t testing.TB, stream decode.Stream, opt decodeOptions) *decodedTables {
	t.Helper()
	d := &decodedTables{tables: map[string]*schema.Batch{}}
	if opt.grain == (engine.Grain{}) {
		opt.grain = usualGrain
	}
	wanted := level(opt.blocks)
	if opt.none {
		wanted = atLevelNone
	}
	out := d.output(wanted)
	if opt.submit != nil {
		out.Submit = func(j rows.Job) error { return opt.submit(d, j) }
	}
	d.totals = decodeInto(t, tr.id, tr.protocol, tr.memory, stream, opt.workers, opt.grain, out).Totals
	return d
}

// decodeInto decodes a stream the way Export does, with row groups to out.
func decodeInto(
	t testing.TB, id uint8, protocol decode.Protocol, mem *image.Memory, stream decode.Stream, workerCount int, g engine.Grain, out rows.Output,
) stitch.Outcome {
	t.Helper()
	tables := rows.New(out)
	st := stitch.New(id, protocol.TimestampCode(), tables.Sinks)
	pool := engine.NewDecoders(&decode.Pool{}, func() decode.Decoder { return protocol.NewDecoder(mem, tables.Sinks.Wanted()) })
	err := engine.Ordered(context.Background(), engine.NewWorkers(max(1, workerCount)), engine.SplitBy(stream, protocol, g, engine.NoLead), pool.Decode,
		func(d engine.Decoded) error { return st.Stitch(d.Unit) })
	if err == nil {
		err = st.Finish()
	}
	if err == nil {
		err = tables.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	return st.Outcome
}

// stitchTo decodes the whole trace unit after unit and stitches it.
func (tr *trace) stitchTo(t testing.TB, st *stitch.Stitcher, want decode.Wanted) {
	t.Helper()
	decoder := tr.protocol.NewDecoder(tr.memory, want)
	for u, err := range engine.Split(tr.stream(wholePieces), tr.protocol, engine.NoLead) {
		if err != nil {
			t.Fatal(err)
		}
		u.CutUp()
		u.Rows = &decode.Result{}
		for i := range u.Parts {
			decoder.Decode(u.Rows, u.Parts[i])
		}
		if err := st.Stitch(&u.Unit); err != nil {
			t.Fatal(err)
		}
	}
}

// level says which tables a dataset of a level has: all but the other level.
func level(blocks bool) func(t *schema.Table) bool {
	other := &schema.Blocks
	if blocks {
		other = &schema.Instructions
	}
	return func(t *schema.Table) bool { return t != other }
}

// atLevelNone says which tables are decoded without rows of what ran: those of a dataset of
// level none, and `code_blocks`.
func atLevelNone(t *schema.Table) bool {
	return t != &schema.Instructions && t != &schema.Blocks && t != &schema.BlockRuns && t != &schema.CycleCounts
}

// seriesOf returns series without files, of the tables that are wanted.
func seriesOf(wanted func(t *schema.Table) bool) func(t *schema.Table) *dataset.Series {
	return func(t *schema.Table) *dataset.Series {
		if !wanted(t) {
			return nil
		}
		return &dataset.Series{Table: t}
	}
}

// output returns an output of the tables that are wanted: their row groups end in
// batches of d.
func (d *decodedTables) output(wanted func(t *schema.Table) bool) rows.Output {
	series := func(t *schema.Table) *dataset.Series {
		if wanted(t) && d.tables[t.Name] == nil {
			d.tables[t.Name] = schema.NewBatch(t)
		}
		return seriesOf(wanted)(t)
	}
	return rows.Output{Series: series, Submit: d.submit}
}

// submit appends a row group to its table.
func (d *decodedTables) submit(j rows.Job) error {
	batch, all := schema.NewBatch(j.Series.Table), d.tables[j.Series.Table.Name]
	return j.Fill(batch, func() error {
		batch.Expand()
		for c := range batch.Columns {
			for i := range batch.Rows() {
				all.Columns[c].AppendFrom(&batch.Columns[c], i)
			}
		}
		batch.Reset()
		return nil
	})
}

// rows returns the number of rows of a table.
func (d *decodedTables) rows(t *schema.Table) int { return d.tables[t.Name].Rows() }

// column returns a column of a table.
func (d *decodedTables) column(t *schema.Table, name string) *schema.Vector {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &d.tables[t.Name].Columns[i]
		}
	}
	panic(fmt.Sprintf("no column %s.%s", t.Name, name))
}

// integers returns a column of whole numbers of any size.
func (d *decodedTables) integers(t *schema.Table, name string) []int64 {
	v := d.column(t, name)
	n := make([]int64, v.Len())
	for i := range n {
		n[i] = integer(v, i)
	}
	return n
}

// integer returns a value as a whole number: of a double, its bits.
func integer(v *schema.Vector, i int) int64 {
	switch v.Column.Type {
	case schema.Uint8, schema.Enum, schema.Bool:
		return int64(v.U8[i])
	case schema.Uint16:
		return int64(v.U16[i])
	case schema.Uint32:
		return int64(v.U32[i])
	case schema.Int32:
		return int64(int32(v.U32[i]))
	case schema.Uint63, schema.Uint64, schema.Int64, schema.Float64:
		return int64(v.U64[i])
	case schema.String, schema.JSON, schema.Bytes:
	}
	panic(v.Column.Name + " is no whole number")
}

// null says whether a value is NULL.
func null(v *schema.Vector, i int) bool { return v.Column.Nullable && v.Valid[i] == 0 }

// sameCell compares v[i] with w[j].
func sameCell(v *schema.Vector, i int, w *schema.Vector, j int) bool {
	if null(v, i) || null(w, j) {
		return null(v, i) && null(w, j)
	}
	switch v.Column.Type {
	case schema.String, schema.JSON:
		return v.Str[i] == w.Str[j]
	case schema.Bytes:
		return bytes.Equal(v.Bin[i], w.Bin[j])
	case schema.Float64:
		return v.U64[i] == w.U64[j]
	default:
		return integer(v, i) == integer(w, j)
	}
}

// rowText is a row for people to read.
func (d *decodedTables) rowText(t *schema.Table, i int) string {
	b := d.tables[t.Name]
	if i >= b.Rows() {
		return "(no more rows)"
	}
	var text strings.Builder
	for c := range b.Columns {
		fmt.Fprintf(&text, " %s=%s", b.Columns[c].Column.Name, cellText(&b.Columns[c], i))
	}
	return text.String()[1:]
}

// tableOf returns the schema of a table.
func tableOf(t testing.TB, name string) *schema.Table {
	t.Helper()
	table := schema.FindTable(name)
	if table == nil {
		t.Fatalf("no table %s", name)
	}
	return table
}

// sameRows demands that two decodes came to the same rows in all tables, at
// least one, with the offsets of the first put through moved (nil: the same).
func sameRows(t testing.TB, want, got *decodedTables, moved func(int64) int64) (rows int) {
	t.Helper()
	if rows = sameTables(t, want, got, moved); rows == 0 {
		t.Error("no rows to compare")
	}
	return rows
}

// sameTables is sameRows for streams that may have no rows.
func sameTables(t testing.TB, want, got *decodedTables, moved func(int64) int64) (rows int) {
	t.Helper()
	if len(want.tables) != len(got.tables) {
		t.Fatalf("%d tables, want %d", len(got.tables), len(want.tables))
	}
	if want.totals != got.totals {
		t.Errorf("totals %+v\nwant %+v", got.totals, want.totals)
	}
	for name := range want.tables {
		table := tableOf(t, name)
		n := want.rows(table)
		if n != got.rows(table) {
			t.Errorf("%s has %d rows, want %d", name, got.rows(table), n)
		}
		rows += n
		if i, column := firstDifference(want, got, table, moved); i >= 0 {
			t.Errorf("%s row %d differs in %s:\n got %s\nwant %s", name, i, column, got.rowText(table, i), want.rowText(table, i))
		}
	}
	return rows
}

// firstDifference returns the first row of a table two decodes differ in, and
// the column, or -1.
func firstDifference(want, got *decodedTables, table *schema.Table, moved func(int64) int64) (row int, column string) {
	row = -1
	n := min(want.rows(table), got.rows(table))
	for c := range table.Columns {
		v, w := &want.tables[table.Name].Columns[c], &got.tables[table.Name].Columns[c]
		for i := 0; i < n && (row < 0 || i < row); i++ {
			same := false
			if moved != nil && v.Column.Name == "byte_offset" {
				same = moved(integer(v, i)) == integer(w, i)
			} else {
				same = sameCell(v, i, w, i)
			}
			if !same {
				row, column = i, v.Column.Name
				break
			}
		}
	}
	return row, column
}

// sum adds a column up, NULLs left out.
func (d *decodedTables) sum(t *schema.Table, name string) (sum int64) {
	v := d.column(t, name)
	for i := range v.Len() {
		if !null(v, i) {
			sum += integer(v, i)
		}
	}
	return sum
}

// checkAccounts demands that every byte of a stream is accounted for.
func (d *decodedTables) checkAccounts(t testing.TB, bytes int) {
	t.Helper()
	o := &d.totals
	unsynced := int64(0)
	segment, lost := d.column(&schema.Losses, "segment"), d.column(&schema.Losses, "bytes")
	for i := range lost.Len() {
		if null(segment, i) {
			unsynced += integer(lost, i)
		}
		if integer(lost, i) <= 0 {
			t.Errorf("a loss of %d bytes", integer(lost, i))
		}
	}
	for _, check := range []struct {
		what      string
		got, want int64
	}{
		{"bytes", o.Bytes, int64(bytes)},
		{"decoded + lost", o.BytesDecoded + o.BytesLost, o.Bytes},
		{"sum of losses", d.sum(&schema.Losses, "bytes"), o.BytesLost},
		{"losses", int64(d.rows(&schema.Losses)), o.Losses},
		{"sum of segments", d.sum(&schema.Segments, "bytes"), o.Bytes - unsynced},
		{"sum of decoded bytes of segments", d.sum(&schema.Segments, "bytes_decoded"), o.BytesDecoded},
		{"sum of lost bytes of segments", d.sum(&schema.Segments, "bytes_lost"), o.BytesLost - unsynced},
		{"sum of unplaced bytes of segments", d.sum(&schema.Segments, "bytes_unplaced"), o.BytesUnplaced},
		{"segments", int64(d.rows(&schema.Segments)), o.Segments},
		{"sum of instructions of segments", d.sum(&schema.Segments, "instructions"), o.Instructions},
		{"sum of exceptions of segments", d.sum(&schema.Segments, "exceptions"), o.Exceptions},
	} {
		if check.got != check.want {
			t.Errorf("%s: %d, want %d", check.what, check.got, check.want)
		}
	}
	if o.BytesUnplaced > o.BytesDecoded {
		t.Errorf("%d bytes unplaced of %d decoded", o.BytesUnplaced, o.BytesDecoded)
	}
	if blocks := d.tables[schema.Blocks.Name]; blocks == nil && int64(d.rows(&schema.Instructions)) != o.Instructions {
		t.Errorf("%d rows of instructions, want %d", d.rows(&schema.Instructions), o.Instructions)
	}
	packets := d.tables[schema.Packets.Name]
	if packets == nil {
		return
	}
	sent := int64(0)
	for i := range packets.Rows() {
		sent += int64(len(d.column(&schema.Packets, "bytes").Bin[i]))
	}
	if sent != o.BytesDecoded {
		t.Errorf("%d bytes in packets, %d decoded", sent, o.BytesDecoded)
	}
}
