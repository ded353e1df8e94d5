// Package engines_test reads datasets back with other people's engines.
package engines_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/internal/sample"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// An engineTable is a table as an engine reads it: names and types of columns, and
// rows in any order, NULL as nil.
type engineTable struct {
	Columns [][2]string
	Rows    [][]*string
}

// golden writes a dataset of extreme rows, of all tables of a level, and returns
// what was written. Tables of `sources` and `images` are as the manifest has them.
func golden(t *testing.T, dir string, level schema.Level, format schema.Format) map[string]engineTable {
	t.Helper()
	out, err := dataset.Create(dir, dataset.Options{Level: level, Format: format, Tables: schema.Tables()})
	check(t, err)
	want := map[string]engineTable{}
	for _, table := range schema.Tables() {
		if table.Level != schema.AnyLevel && table.Level != level || table == &schema.Sources || table == &schema.Images {
			continue
		}
		sources := []uint8{0x10, 0x7f}
		if !table.PerSource {
			sources = sources[:1]
		}
		var rows [][]*string
		for _, source := range sources {
			b := sample.Extremes(table, source)
			for i := range b.Rows() {
				row := out.Table(table, source).Row()
				cells := make([]*string, len(b.Columns))
				for c := range b.Columns {
					row.Columns[c].AppendFrom(&b.Columns[c], i)
					cells[c] = sample.Cell(&b.Columns[c], i)
				}
				rows = append(rows, cells)
			}
		}
		want[table.Name] = engineTable{Rows: rows}
	}
	check(t, out.Close(&schema.Manifest{
		Sources: []schema.SourceTotals{{
			Source: 0x7f, Name: `it's "A"`, Protocol: "pft", Status: "decoded", Unit: "samples",
			Totals: schema.Totals{Counters: schema.Counters{Bytes: 1<<63 - 1, BytesDecoded: 1<<53 + 1,
				Exceptions: 1 << 32}},
			Agreement:   &schema.Agreement{BranchChecks: 1 << 33, BranchAgrees: 1 << 32, ISyncChecks: 1, ISyncAgrees: 0},
			TimestampHz: 1<<63 - 1, Registers: map[string]string{"ETMCR": "0x80000000"},
		}},
		Images: []schema.ImageRegion{
			{File: "naïve — 追跡.elf", SHA256: "00ff", Address: 0xffff0000, Bytes: 1 << 31, Space: "S"},
			{File: "fw.elf", SHA256: "ff", BuildID: "01", Address: 0, Bytes: 2, Core: "cpu", Role: "symbols", Match: new(1. / 3),
				CodeSHA256: "0f"},
		},
	}))
	null := "-"
	want["sources"] = engineTable{Rows: [][]*string{cellRow(null, "127", `it's "A"`, "pft", null, null, null, "decoded",
		"samples",
		"9223372036854775807", "9007199254740993", "0", "0", "0", "0", "4294967296", "0", "9223372036854775807", null,
		`{"ETMCR":"0x80000000"}`,
		"8589934592", "4294967296", "1", "0", "0.0009765625", "1", "0.49999999994179234")}}
	want["images"] = engineTable{Rows: [][]*string{
		cellRow(null, "naïve — 追跡.elf", "00ff", null, "4294901760", "2147483648", "S", null, "0", "memory", null, null),
		cellRow(null, "fw.elf", "ff", "01", "0", "2", null, "cpu", "1", "symbols", "0.3333333333333333", "0f"),
	}}
	return want
}

// cellRow returns a row of cells, of which null is NULL.
func cellRow(null string, cells ...string) []*string {
	row := make([]*string, len(cells))
	for i := range cells {
		if cells[i] != null {
			row[i] = &cells[i]
		}
	}
	return row
}

// read has an engine read datasets, and returns its version and their tables.
func read(t *testing.T, engine string, dirs ...string) (version string, datasets []map[string]engineTable) {
	t.Helper()
	cmd := exec.Command(need.Interpreter(t), append([]string{"testdata/engines.py", engine}, dirs...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", engine, err, stderr.Bytes())
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if len(lines) != 1+len(dirs) {
		t.Fatalf("%s: %d lines for %d datasets", engine, len(lines), len(dirs))
	}
	var of struct{ Version string }
	check(t, json.Unmarshal(lines[0], &of))
	datasets = make([]map[string]engineTable, len(dirs))
	for i := range dirs {
		check(t, json.Unmarshal(lines[1+i], &datasets[i]))
	}
	return of.Version, datasets
}

// Every engine reads every table of the golden dataset, in both levels and the
// formats it reads: each type and each value. docs/engines.md has what was read.
func TestEnginesReadEverything(t *testing.T) {
	need.Interpreter(t)
	dir := t.TempDir()
	var want []map[string]engineTable
	var dirs []string
	for _, format := range []schema.Format{schema.Parquet, schema.Arrow} {
		for _, level := range []schema.Level{schema.LevelInstructions, schema.LevelBlocks} {
			path := filepath.Join(dir, level.String()+"-"+format.String())
			dirs, want = append(dirs, path), append(want, golden(t, path, level, format))
		}
	}
	versions := map[string]string{}
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			n := len(dirs)
			if e.arrow == "" {
				n = 2 // those of Parquet
			}
			version, got := read(t, e.name, dirs[:n]...)
			versions[e.name] = version
			for i := range got {
				compareTables(t, e.name+", "+filepath.Base(dirs[i]), e.typesOf(strings.HasSuffix(dirs[i], "arrow")), got[i],
					want[i])
			}
		})
	}
	if len(versions) == len(engines) { // else -run picks some
		comparePage(t, page(versions))
	}
}

// compareTables compares what an engine read of a dataset with what was written.
func compareTables(t *testing.T, where string, types func(schema.Column) string, got, want map[string]engineTable) {
	t.Helper()
	if a, b := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(a, b) {
		t.Fatalf("%s: tables %v, want %v", where, a, b)
	}
	for name, g := range got {
		columns := schema.FindTable(name).Columns
		if len(g.Columns) != len(columns) {
			t.Fatalf("%s, %s: columns %v", where, name, g.Columns)
		}
		for i, c := range columns {
			if read, want := bare(g.Columns[i][1]), types(c); g.Columns[i][0] != c.Name || read != want {
				t.Errorf("%s, %s: column %v, want %s %s", where, name, g.Columns[i], c.Name, want)
			}
		}
		a, b := sorted(name, g.Rows), sorted(name, want[name].Rows)
		if len(a) != len(b) {
			t.Errorf("%s, %s: %d rows, want %d", where, name, len(a), len(b))
			continue
		}
		for i := range a {
			if a[i] != b[i] {
				t.Errorf("%s, %s:\n got %s\nwant %s", where, name, a[i], b[i])
				break
			}
		}
	}
}

// bare returns a type without what says in ClickHouse that values can be NULL.
func bare(name string) string {
	if inner, ok := strings.CutPrefix(name, "Nullable("); ok {
		return strings.TrimSuffix(inner, ")")
	}
	return strings.Replace(name, "(Nullable(String))", "(String)", 1)
}

// sorted returns rows of a table as text, in an order of their own: engines read the
// files of a table in any order. Doubles are written in one way.
func sorted(table string, rows [][]*string) []string {
	columns := schema.FindTable(table).Columns
	out := make([]string, len(rows))
	for i, row := range rows {
		for c, cell := range row {
			if cell != nil && columns[c].Type == schema.Float64 {
				*cell = sample.Double(*cell)
			}
		}
		text, err := json.Marshal(row)
		if err != nil {
			panic(err) // strings only
		}
		out[i] = string(text)
	}
	slices.Sort(out)
	return out
}
