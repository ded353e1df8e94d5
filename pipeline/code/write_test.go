package code

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/pipeline/tally"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// TestWrite has a core with a program and two without: of those `code` has what they
// executed, of two opcodes at one address the first, each core's in its dialect.
func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dataset")
	out, err := dataset.Create(dir, dataset.Options{Level: schema.LevelInstructions})
	if err != nil {
		t.Fatal(err)
	}
	branch := instruction(0x8004, schema.A32, 4, 0x1afffffd) // bne 0x8000
	Write(out, []Program{made("a", "cpu_1", 0x8000, nop, nop)}, []Executed{
		{"cpu_0", []tally.Instruction{instruction(0x8000, schema.A32, 4, nop), branch}},
		{"cpu_1", []tally.Instruction{instruction(0x9000, schema.A32, 4, nop)}},
		{"cpu_0", []tally.Instruction{instruction(0x8000, schema.A32, 4, movs), instruction(0x8000, schema.T32, 2, 0xbf00)}},
		{"cpu_2", []tally.Instruction{instruction(0x8000, schema.T32, 4, 0xf00fc003)}}, // le lr, 0x8000
	}, func(core string) isa.Dialect { return map[string]isa.Dialect{"cpu_2": isa.ETMv4M}[core] })
	if err := out.Close(&schema.Manifest{}); err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for table, want := range map[*schema.Table][]string{
		&schema.Code: {
			"cpu_0 32768 4 a32 3785359360 other false NULL NULL NULL NULL",
			"cpu_0 32768 2 t32 48896 other false NULL NULL NULL NULL",
			"cpu_0 32772 4 a32 452984829 branch true 32768 a32 NULL NULL",
			"cpu_1 32768 4 a32 3785359360 other false NULL NULL 0 .text",
			"cpu_1 32772 4 a32 3785359360 other false NULL NULL 0 .text",
			"cpu_2 32768 4 t32 4027564035 branch true 32768 t32 NULL NULL",
		},
		&schema.Functions: {"cpu_1 0 32768 8 a  NULL NULL NULL symbol"},
		&schema.Lines:     {"cpu_1 32768 0 a.c 1 0 false 0 NULL", "cpu_1 32772 0 a.c 1 0 false 0 NULL"},
		&schema.Symbols:   nil,
	} {
		if diff := cmp.Diff(want, rowsOf(t, d, table)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", table.Name, diff)
		}
	}
}

// rowsOf returns the rows of a table as text.
func rowsOf(t *testing.T, d *dataset.Dataset, table *schema.Table) (rows []string) {
	t.Helper()
	r := d.Open(table, 0)
	defer r.Close()
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Rows() {
			var row strings.Builder
			for c := range b.Columns {
				fmt.Fprint(&row, " ", b.Columns[c].Text(i))
			}
			rows = append(rows, row.String()[1:])
		}
	}
}
