// Package small is a dataset of a few rows, for tests of what reads datasets.
package small

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/internal/sample"
)

// A Dataset is what is to be written. Rows of tables that are not written are left out.
type Dataset struct {
	Options dataset.Options
	Rows    map[Series][]Row
	Sources []schema.SourceTotals
	Images  []schema.ImageRegion
}

// A Series is a table, and the source that its rows are of; 0: the table has none.
type Series struct {
	Table  *schema.Table
	Source uint8
}

// A Row is the cells of a row, as [sample.AppendCell] takes them.
type Row []string

// rows are those of both sources: their instructions, also as two runs, of three and of two; and of
// the program, two functions, into the second of which a third one is inlined, and padding between
// them. A row is without its source.
const rows = `
instructions 0 0 100 0x8000 4 a32 0xe1a00000 other true 2 0 2 0x4000000000000000 - 7 non_secure
instructions 1 0 100 0x8004 4 a32 0xe1a00000 other false 3 0 5 0x4000000000000000 - 7 non_secure
instructions 2 0 100 0x8008 4 a32 0xe1a00000 other - 4 0 9 0x4000000000000000 - 7 non_secure
instructions 3 0 104 0x9000 4 a32 0xe1a00000 other true - 0 - 0x4000000000000000 - 7 non_secure
instructions 4 0 104 0x9004 4 a32 0xe1a00000 other true - 0 - 0x4000000000000000 - 7 non_secure
blocks 0 0 100 0 3 1 0b010 unknown 9 0 9 0x4000000000000000 - 7 non_secure
blocks 3 0 104 1 2 1 0 taken - 0 - 0x4000000000000000 - 7 non_secure
code_blocks 0 0 0x7ffc 4 a32 0xe1a00000 other
code_blocks 0 1 0x8000 4 a32 0xe1a00000 other
code_blocks 0 2 0x8004 4 a32 0xe1a00000 other
code_blocks 0 3 0x8008 4 a32 0xe1a00000 other
code_blocks 1 0 0x8ffc 4 a32 0xe1a00000 other
code_blocks 1 1 0x9000 4 a32 0xe1a00000 other
code_blocks 1 2 0x9004 4 a32 0xe1a00000 other
counts 0x8000 a32 1 0 0 0 0 2 0.6666666666666666
counts 0x8004 a32 0 1 0 1 0 3 1
counts 0x8008 a32 0 0 1 2 0 4 1.3333333333333333
counts 0x9000 a32 1 0 0 3 0
counts 0x9004 a32 1 0 0 4 0
edges 0x8008 0x9000 exception taken 1
code - 0x8000 4 a32 0xe1a00000 other false - - 0 .text
code - 0x8004 4 a32 0xe1a00000 other false - - 0 .text
code - 0x8008 4 a32 0xe1a00000 other false - - 0 .text
code - 0x800c 4 a32 0xe1a00000 other false - - - .text
code - 0x9000 4 a32 0xe1a00000 other false - - 1 .text
code - 0x9004 4 a32 0xe1a00000 other false - - 1 .text
functions - 0 0x8000 12 main main - main.c 9 symbol
functions - 1 0x9000 8 idle idle - main.c 9 symbol
lines - 0x8000 0 main.c 10 1 true 0
lines - 0x8004 0 main.c 11 1 true 0
lines - 0x8008 0 main.c 12 1 true 0
lines - 0x9000 0 main.c 70 1 true 1 wait
lines - 0x9000 1 main.c 20 1 true 1
lines - 0x9004 0 main.c 21 1 true 1
symbols - 0x8000 0 main function local .text
symbols - 0x8000 0 reset function local .text
symbols - 0x9000 0 idle function local .text
symbols - 0x9000 0 idle function local .text
`

// New returns a dataset of two sources.
func New() *Dataset {
	source := func(id uint8) schema.SourceTotals {
		return schema.SourceTotals{
			Source: id, Name: "PTM", Protocol: "pft", Core: "cpu", Status: "decoded", Unit: "bytes",
			Totals:    schema.Totals{Counters: schema.Counters{Bytes: 200, BytesDecoded: 200, Instructions: 5}, Segments: 1},
			Registers: map[string]string{"ETMCR": "0x0"},
		}
	}
	lossy := source(0x10)
	lossy.BytesDecoded, lossy.BytesLost, lossy.Losses = 191, 9, 3
	d := &Dataset{
		Options: dataset.Options{Level: schema.LevelInstructions},
		Rows:    map[Series][]Row{},
		Sources: []schema.SourceTotals{lossy, source(0x11)},
		Images:  []schema.ImageRegion{{File: "a.elf", SHA256: "aa", BuildID: "bb", Address: 0x8000, Bytes: 8192}},
	}
	for line := range strings.Lines(strings.TrimSpace(rows)) {
		name, text, _ := strings.Cut(line, " ")
		t := schema.FindTable(name)
		if t.PerSource {
			d.Add(t, 0x10, text)
			d.Add(t, 0x11, text)
		} else {
			d.Add(t, 0, text)
		}
	}
	d.Add(&schema.Segments, 0x10, "0 0 6 194 191 3 0 5 0 - periodic 0 - - 0 - - - - - 0")
	d.Add(&schema.Segments, 0x11, "0 - 0 200 200 0 0 5 0 - periodic 0 - - 0 - - - - - 0")
	d.Add(&schema.Losses, 0x10, "0 - 0 6 unsynced") // before the segment
	d.Add(&schema.Losses, 0x10, "3 0 102 1 bad_packet 0xff")
	d.Add(&schema.Losses, 0x10, "5 0 108 2 bad_packet")
	return d
}

// Add adds a row at the end. Cells of columns at its end that may be NULL may be left out.
func (d *Dataset) Add(t *schema.Table, source uint8, text string) {
	d.Insert(t, source, len(d.Rows[Series{t, source}]), text)
}

// Insert adds a row before another.
func (d *Dataset) Insert(t *schema.Table, source uint8, at int, text string) {
	row := Row(strings.Fields(text))
	if t.PerSource {
		row = slices.Insert(row, 0, fmt.Sprint(source))
	}
	for len(row) < len(t.Columns) {
		row = append(row, "-")
	}
	s := Series{t, source}
	d.Rows[s] = slices.Insert(d.Rows[s], at, row)
}

// Delete takes rows out.
func (d *Dataset) Delete(t *schema.Table, source uint8, from, to int) {
	s := Series{t, source}
	d.Rows[s] = slices.Delete(d.Rows[s], from, to)
}

// Set changes cells of a row, which text has as COLUMN=CELL.
func (d *Dataset) Set(t *schema.Table, source uint8, row int, text string) {
	for cell := range strings.FieldsSeq(text) {
		column, value, _ := strings.Cut(cell, "=")
		i := slices.IndexFunc(t.Columns, func(c schema.Column) bool { return c.Name == column })
		d.Rows[Series{t, source}][row][i] = value
	}
}

// Write writes the dataset and returns its directory.
func (d *Dataset) Write(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dataset")
	out, err := dataset.Create(dir, d.Options)
	check(t, err)
	for _, table := range schema.Tables() {
		for _, source := range []uint8{0, 0x10, 0x11, 0x12} {
			for _, row := range d.Rows[Series{table, source}] {
				if out.Has(table) {
					row.write(t, out.Table(table, source).Row())
				}
			}
		}
	}
	check(t, out.Close(&schema.Manifest{Sources: d.Sources, Images: d.Images}))
	return dir
}

// write appends the row to a batch.
func (r Row) write(t testing.TB, b *schema.Batch) {
	t.Helper()
	for i, cell := range r {
		check(t, sample.AppendCell(&b.Columns[i], cell))
	}
}
