package schema_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/sample"
	"github.com/tracelake/tracelake/schema/internal/views"
)

// A dataset is rows of tables, as sample.Rows has them.
type dataset map[*schema.Table]string

// writeDataset writes a dataset of all tables of a level, with labels alone in its
// manifest. Tables that d does not name have no rows; those that sum up what ran and
// name it are there only if d names one of them. A table has a part per source.
func writeDataset(t *testing.T, dir string, level schema.Level, d dataset) {
	t.Helper()
	writeDatasetOf(t, schema.Version, dir, level, d)
}

// writeDatasetOf is writeDataset as a program of a schema version does it.
func writeDatasetOf(t *testing.T, version int, dir string, level schema.Level, d dataset) {
	t.Helper()
	write := writeRows
	if version < schema.Version {
		write = writeEarlier
	}
	var tables []*schema.Table
	for _, table := range schema.Tables() {
		if table.Level != schema.AnyLevel && table.Level != level || !d.answers() && slices.Contains(schema.Answers(), table) {
			continue
		}
		tables = append(tables, table)
		parts := map[string]string{}
		for line := range strings.Lines(d[table]) {
			switch cells := strings.Fields(line); {
			case len(cells) == 0:
			case table.PerSource:
				parts[cells[0]] += line
			default:
				parts["0x13"] += line
			}
		}
		if len(parts) == 0 {
			parts["0x13"] = ""
		}
		for source, rows := range parts {
			id := map[string]uint8{"0x13": 0x13, "0x14": 0x14}[source]
			write(t, filepath.Join(dir, table.Part(id, 0, schema.Parquet)), table, rows)
		}
	}
	check(t, os.WriteFile(filepath.Join(dir, schema.ViewsFile), []byte(schema.Views(tables, schema.Parquet, "dataset of "+dir, version)), 0o644))
	labels(t, dir, map[string]string{})
}

// writeRows writes a file of rows.
func writeRows(t *testing.T, path string, table *schema.Table, rows string) {
	t.Helper()
	writeFile(t, path, table, sample.Rows(table, rows))
}

// answers reports whether d names one of the tables that sum up what ran.
func (d dataset) answers() bool {
	return slices.ContainsFunc(schema.Answers(), func(t *schema.Table) bool { return d[t] != "" })
}

// labels gives a dataset labels, as export does.
func labels(t *testing.T, dir string, labels map[string]string) {
	t.Helper()
	text, err := json.MarshalIndent(map[string]any{"schema_version": schema.Version, "labels": labels}, "", "  ")
	check(t, err)
	check(t, os.WriteFile(filepath.Join(dir, "manifest.json"), text, 0o644))
}

// A viewsTest loads the views of a dataset in a directory, with the variable
// set to datasets (not at all, if there are none), and asks.
type viewsTest struct {
	directory, views string
	datasets         []string
	asks             []ask
}

type ask struct{ query, want string }

// run runs the test in the linked DuckDB and, where there is one, in Python's.
func (v viewsTest) run(t *testing.T) {
	t.Helper()
	t.Chdir(v.directory)
	db := open(t)
	if len(v.datasets) > 0 {
		_, err := db.Exec("SET VARIABLE tracelake_dirs = ['" + strings.Join(v.datasets, "', '") + "']")
		check(t, err)
	}
	text, err := os.ReadFile(v.views)
	check(t, err)
	if _, err := db.Exec(string(text)); err != nil {
		t.Fatalf("%s: %v", v.views, err)
	}
	for _, a := range v.asks {
		t.Log(a.query)
		compare(t, query(t, db, a.query), a.want)
	}
}

// runPython is run for the newest DuckDB.
func (v viewsTest) runPython(t *testing.T) {
	t.Helper()
	job := map[string]any{"directory": v.directory, "views": v.views, "datasets": v.datasets}
	var queries []string
	for _, a := range v.asks {
		queries = append(queries, a.query)
	}
	job["queries"] = queries
	arg, err := json.Marshal(job)
	check(t, err)
	lines := python(t, "views.py", string(arg))
	if len(lines) != len(v.asks) {
		t.Fatalf("%d answers for %d queries", len(lines), len(v.asks))
	}
	for i, a := range v.asks {
		t.Log(a.query)
		var rows [][]string
		check(t, json.Unmarshal(lines[i], &rows))
		compare(t, rows, a.want)
	}
}

func (v viewsTest) runBoth(t *testing.T) {
	t.Helper()
	t.Run("go", v.run)
	t.Run("python", v.runPython)
}

// Two sources, which number different code blocks alike. Their runs report
// outcomes in every way: of the last instruction only (failed is NULL), or of each
// instruction, the last one in outcome. One run has the greatest length.
func blocksDataset() dataset {
	var code strings.Builder
	code.WriteString(`
		0x13 0 0 0x8000 2 t32 0x2001     other
		0x13 0 1 0x8002 2 t32 0x3001     other
		0x13 0 2 0x8004 2 t32 0xd0fc     branch
		0x13 1 0 0x9000 4 a32 0xe3a00001 other
		0x13 1 1 0x9004 4 a32 0x112fff1e return
		0x14 0 0 0xffff0000 4 a32 0xea000000 branch
	`)
	for i := range 70 {
		code.WriteString(strings.NewReplacer("P", itoa(i), "A", itoa(0x10000+2*i)).Replace("0x13 2 P A 2 t32 0xbf00 other\n"))
	}
	return dataset{
		&schema.CodeBlocks: code.String(),
		&schema.Blocks: `
			0x13  0 0 100 0  3 0 - taken     7 0 7 - - - -
			0x13  3 0 101 1  1 0 0 passed    - 0 - - - - non_secure - 3 false
			0x13  4 0 102 1  1 1 1 not_taken 2 0 9 5 7 1 secure - 0 true
			0x13  5 0 103 0  3 0 1 unknown    - 1 - 6 - - -
			0x13  8 1 104 2 63 3 0x6000000000000000 not_taken - 1 - - - - -
			0x13 71 1 105 1  1 0 1 passed    - 1 - - - - -
			0x14  0 0 50  0  1 0 - not_taken - 0 - - - - -
		`,
	}
}

func itoa(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

// The view has the columns of the flat table and what the flat level would
// say; but the last of a run, none has cycles.
func TestViewExpandsBlocks(t *testing.T) {
	dir := t.TempDir()
	writeDataset(t, filepath.Join(dir, "blocks"), schema.LevelBlocks, blocksDataset())
	writeDataset(t, filepath.Join(dir, "flat"), schema.LevelInstructions, nil)
	v := viewsTest{directory: dir, views: "blocks/views.sql", datasets: []string{"blocks"}, asks: []ask{
		{"SELECT * EXCLUDE dataset FROM instructions WHERE source = 19 AND seq < 9 ORDER BY seq", `
			19 0 0 100 32768 2 t32 8193       other  -     - 0 - - - - - - -
			19 1 0 100 32770 2 t32 12289      other  -     - 0 - - - - - - -
			19 2 0 100 32772 2 t32 53500      branch true  7 0 7 - - - - - -
			19 3 0 101 36864 4 a32 3818913793 other  true  - 0 - - - - non_secure 3 false
			19 4 0 102 36868 4 a32 288358174  return false 2 0 9 5 7 1 secure 0 true
			19 5 0 103 32768 2 t32 8193       other  false - 1 - 6 - - - - -
			19 6 0 103 32770 2 t32 12289      other  true  - 1 - 6 - - - - -
			19 7 0 103 32772 2 t32 53500      branch -     - 1 - 6 - - - - -
			19 8 1 104 65542 2 t32 48896      other  true  - 1 - - - - - - -
		`},
		{"SELECT source, count(*), min(seq), max(seq), count(DISTINCT seq) FROM instructions GROUP BY source ORDER BY source", `
			19 72 0 71 72
			20  1 0  0  1
		`},
		{"SELECT seq, hex8(address) FROM instructions WHERE source = 19 AND NOT executed AND seq >= 8 ORDER BY seq", `
			69 0x00010080
			70 0x00010082
		`},
		{"SELECT hex8(address), executed FROM instructions WHERE source = 20", "0xffff0000 false"},
		// of a window, the runs that reach into it from before as well
		{"SELECT count(*), min(seq), max(seq), bool_and(source = 19) FROM instructions_window(70, 71)", "2 70 71 true"},
		{"SELECT count(*) FROM instructions_window(0, 0)", "2"},
		{"SELECT count(*) FROM (FROM instructions EXCEPT ALL FROM instructions_window(0, 71))", "0"},
		{"SELECT first(dataset) FROM instructions", "blocks"},
		// types are those of the flat table, whose columns come in the same order
		{"SELECT count(*) FROM (DESCRIBE instructions)", "20"},
		{"SELECT string_agg(column_name || ':' || column_type, ',') = (SELECT string_agg(column_name || ':' || column_type, ',') FROM (DESCRIBE SELECT * FROM read_parquet('flat/instructions/*.parquet'))) || ',dataset:VARCHAR' FROM (DESCRIBE instructions)", "true"},
	}}
	v.runBoth(t)
}

// Without the variable the views read the working directory.
func TestViewsInTheDirectory(t *testing.T) {
	dir := t.TempDir()
	writeDataset(t, dir, schema.LevelBlocks, blocksDataset())
	viewsTest{directory: dir, views: "views.sql", asks: []ask{
		{"SELECT DISTINCT dataset FROM blocks", "here"},
		{"SELECT DISTINCT dataset FROM instructions", "here"},
		{"SELECT count(*) FROM instructions", "73"},
		{"SELECT count(*) FROM losses", "0"},
	}}.runBoth(t)
}

// A script is found by what it contains, from directories near it, whichever
// other datasets are beside it.
func TestViewsFromElsewhere(t *testing.T) {
	dir := t.TempDir()
	check(t, os.MkdirAll(filepath.Join(dir, "empty", "deep"), 0o755))
	for _, name := range []string{"run1", "run2", "more/runs/run3"} {
		writeDataset(t, filepath.Join(dir, name), schema.LevelBlocks, blocksDataset())
	}
	for _, tt := range []struct{ from, views, want string }{
		{".", "run1/views.sql", "run1 7"},
		{".", "run2/views.sql", "run2 7"},
		{".", "more/runs/run3/views.sql", "run3 7"},
		{"run1", "../run2/views.sql", "run2 7"},
		{"run1", "views.sql", "here 7"},
		{"empty/deep", "../../run1/views.sql", "run1 7"},
		{"more/runs", filepath.Join(dir, "run2", "views.sql"), "run2 7"},
	} {
		t.Run(tt.from+" "+filepath.Base(filepath.Dir(tt.views)), viewsTest{directory: filepath.Join(dir, tt.from), views: tt.views, asks: []ask{
			{"SELECT first(dataset), count(*) FROM blocks", tt.want},
		}}.run)
	}
}

// Of two equal datasets the nearest is taken.
func TestViewsOfCopies(t *testing.T) {
	dir := t.TempDir()
	writeDataset(t, filepath.Join(dir, "b"), schema.LevelBlocks, blocksDataset())
	check(t, os.CopyFS(filepath.Join(dir, "a", "copy"), os.DirFS(filepath.Join(dir, "b"))))
	viewsTest{directory: dir, views: "a/copy/views.sql", asks: []ask{
		{"SELECT first(dataset), count(*) FROM instructions", "b 73"},
	}}.runBoth(t)
}

// Where a dataset is not found, the script says what to do, and that helps.
func TestViewsThatAreNotFound(t *testing.T) {
	dir := t.TempDir()
	far := filepath.Join(dir, "1", "2", "3", "4")
	near := filepath.Join(dir, "a", "b", "c") // other datasets can be near dir
	check(t, os.MkdirAll(near, 0o755))
	writeDataset(t, filepath.Join(far, "run1"), schema.LevelBlocks, blocksDataset())
	for _, tt := range []struct{ name, other, want string }{
		{"nothing near", "", "no dataset is near the working directory"},
		{"another near", "run2", "the dataset of this script is not near the working directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.other != "" {
				writeDataset(t, filepath.Join(near, tt.other), schema.LevelBlocks, nil)
			}
			t.Chdir(near)
			text, err := os.ReadFile(filepath.Join(far, "run1", "views.sql"))
			check(t, err)
			_, err = open(t).Exec(string(text))
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "SET VARIABLE tracelake_dirs = ['path/of/the/dataset']") {
				t.Errorf("error %v, want: %s", err, tt.want)
			}
		})
	}
	viewsTest{directory: dir, views: filepath.Join(far, "run1", "views.sql"), datasets: []string{"1/2/3/4/run1"}, asks: []ask{
		{"SELECT first(dataset), count(*) FROM instructions", "run1 73"},
	}}.runBoth(t)
}

// before_offset has the last instructions of each source that packets before a
// byte report: the segment that begins last before it may have none of them, or
// not enough.
func TestBeforeOffset(t *testing.T) {
	dir := t.TempDir()
	d := blocksDataset()
	d[&schema.Segments] = `
		0x13  0 0 100 4 4 0 0  8 0 0x8000     periodic
		0x13  8 1 104 9 9 0 0 64 0 0x10000    periodic
		0x14  0 0  50 9 9 0 0  1 0 0xffff0000 periodic
	`
	writeDataset(t, filepath.Join(dir, "blocks"), schema.LevelBlocks, d)
	d = dataset{&schema.Segments: d[&schema.Segments]}
	for i, offset := range []int{100, 100, 100, 101, 102, 103, 103, 103, 104} {
		d[&schema.Instructions] += fmt.Sprintf("0x13 %d %d %d 0x8000 2 t32 0 other true - 0 - - - - -\n", i, i/8, offset)
	}
	d[&schema.Instructions] += "0x14 0 0 50 0xffff0000 4 a32 0 branch false - 0 - - - - -\n"
	writeDataset(t, filepath.Join(dir, "flat"), schema.LevelInstructions, d)
	for _, level := range []string{"blocks", "flat"} {
		t.Run(level, viewsTest{directory: dir, views: level + "/views.sql", asks: []ask{
			{"SELECT source, seq, byte_offset FROM before_offset(103, 3) ORDER BY source, seq", "19 2 100\n19 3 101\n19 4 102\n20 0 50"},
			// 104 begins a segment, but is not before 104
			{"SELECT source, seq, byte_offset FROM before_offset(104, 2) ORDER BY source, seq", "19 6 103\n19 7 103\n20 0 50"},
			{"SELECT count(*) FROM before_offset(105, 6) WHERE source = 19", "6"},
			{"SELECT count(*) FROM before_offset(50, 9)", "0"},
			{"SELECT min(seq), count(*) FROM before_offset(103, 1000) WHERE source = 19", "0 5"},
		}}.runBoth)
	}
}

// A gap is a restart of trace but the start of the first segment, whatever reason
// its I-sync gives.
func TestViewOfSummary(t *testing.T) {
	dir := t.TempDir()
	writeDataset(t, dir, schema.LevelInstructions, dataset{
		&schema.Sources: `
			0x13 cpu0 pft 1.1 - - decoded bytes 100 94 6 1 2 30 4 1 1000 - {} 8 7 2 2 0.94 0.9893617021276596 0.9
			0x14 cpu1 pft 1.1 - - decoded bytes 50 50 0 0 1 3 0 0 - - {} 0 0 0 0 1 1 -
			0x15 -    -   -   - - empty   bytes 0 0 0 0 0 0 0 0 - - {} - - - - - - -
		`,
		&schema.Segments: `
			0x13 0 0 6  40 40 0 0 10 2 0x8000 trace_on
			0x13 10 1 46 54 54 0 1 20 2 0x8000 overflow
			0x14 0 0 9  50 50 0 0 3 0 0x8000 periodic
		`,
		&schema.Events: `
			0x13 0  0 6  trace_on   0x8000 -
			0x13 10 1 46 overflow   0x8000 -
			0x13 12 1 50 debug_exit 0x8000 -
			0x13 12 1 50 trigger    -      -
			0x14 0  0 9  trace_on   0x8000 -
			0x14 2  0 20 trace_on   0x8000 -
		`,
		&schema.Timestamps: `
			0x13 0  0 8  5000 48 0 -
			0x13 20 1 60 9000 48 0 -
		`,
		&schema.Epochs: `
			0x13 0 atom  2 0 12 0
			0x13 0 isync 2 1 3  3
		`,
	})
	viewsTest{directory: dir, views: "views.sql", asks: []ask{
		{"SELECT * EXCLUDE dataset FROM summary ORDER BY source", `
			19 cpu0 pft - decoded 100 94 6 1 2 30 4 1 2 15 5000 9000 4
			20 cpu1 pft - decoded  50 50 0 0 1  3 0 0 1  -    -    - -
			21 -    -   - empty     0  0 0 0 0  0 0 0 0  -    -    - -
		`},
	}}.run(t)
}

// The summary of a dataset that was written without some tables has NULL for what
// is in them.
func TestSummaryWithoutTables(t *testing.T) {
	dir := t.TempDir()
	tables := []*schema.Table{&schema.Segments, &schema.Sources}
	writeDataset(t, dir, schema.LevelInstructions, dataset{&schema.Sources: "0x13 - - - - - empty bytes 0 0 0 0 0 0 0 0 - - {} - - - - - - -"})
	check(t, os.WriteFile(filepath.Join(dir, schema.ViewsFile), []byte(schema.Views(tables, schema.Parquet, "few", schema.Version)), 0o644))
	viewsTest{directory: dir, views: "views.sql", asks: []ask{
		{"SELECT source, bytes, gaps, cycles, first_timestamp, seconds FROM summary", "19 0 - - - -"},
	}}.run(t)
}

// Several datasets keep apart, even where their directories have one name.
func TestViewsOfTwoDatasets(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"monday/out", "tuesday/out", "wednesday"} {
		writeDataset(t, filepath.Join(dir, name), schema.LevelBlocks, blocksDataset())
	}
	elsewhere := t.TempDir()
	views := filepath.Join(dir, "wednesday", "views.sql")
	t.Run("names differ", func(t *testing.T) {
		viewsTest{directory: elsewhere, views: views, datasets: []string{dir + "/monday/out/", dir + "/wednesday"}, asks: []ask{
			{"SELECT dataset, count(*) FROM instructions GROUP BY dataset ORDER BY dataset", "out 73\nwednesday 73"},
			{"SELECT dataset, count(*) FROM code_blocks GROUP BY dataset ORDER BY dataset", "out 76\nwednesday 76"},
		}}.runBoth(t)
	})
	t.Run("names alike", func(t *testing.T) {
		viewsTest{directory: dir, views: views, datasets: []string{"monday/out", "tuesday/out"}, asks: []ask{
			{"SELECT dataset, count(*) FROM instructions GROUP BY dataset ORDER BY dataset", "monday/out 73\ntuesday/out 73"},
		}}.runBoth(t)
	})
}

// All tables of the flat level have a view, and all is commented on in it.
func TestViewsHaveComments(t *testing.T) {
	dir := t.TempDir()
	writeDataset(t, dir, schema.LevelInstructions, dataset{
		&schema.Instructions: "0x13 0 0 0 0x8000 4 a32 0 other true - 0 - - - - -\n0x13 1 0 0 0x8004 4 a32 0 other true - 0 - - - - -\n",
		&schema.Losses:       "0x13 0 - 0 6 unsynced -\n",
		&schema.Counts:       "0x13 0x8000 a32 1 0 0 0 0 - -\n",
	})
	viewsTest{directory: dir, views: "views.sql", asks: []ask{
		{"SELECT count(*) FROM duckdb_views() WHERE NOT internal AND comment LIKE 'One row per %.'", itoa(len(schema.Tables()) - 3 + 1 + len(views.All()))}, // and summary,
		{"SELECT replace(comment, ' ', '_') FROM duckdb_views() WHERE view_name = 'losses'", "One_row_per_stretch_of_bytes_not_understood."},
		{"SELECT replace(comment, ' ', '_') FROM duckdb_columns() WHERE table_name = 'exceptions' AND column_name = 'event'", "Entry,_or_a_return_that_the_trace_reports."},
		{"SELECT count(*) FROM duckdb_columns() WHERE NOT internal AND comment IS NULL", "0"},
		{"SELECT count(*), min(seq) FROM instructions_window(1, 5)", "1 1"},
		{"SELECT reason, bytes, segment, dataset FROM losses", "unsynced 6 - here"},
		// a comment on what is no view must not pass unseen
		{"SELECT count(*) > 100 FROM duckdb_columns() WHERE NOT internal", "true"},
	}}.runBoth(t)
}

// Data accesses join the instruction that made them; rows without one keep their
// place in the order.
func TestViewOfDataAccesses(t *testing.T) {
	dir := t.TempDir()
	writeDataset(t, dir, schema.LevelInstructions, dataset{
		&schema.Instructions: "0x13 0 0 0 0x8000 4 a32 0 other true - 0 - - - - -\n0x13 1 0 0 0x8004 4 a32 0xe8bd0003 other true - 0 - - - - -\n",
		&schema.DataAccesses: `
			0x13 1 0 4 0 0x20000000 5 4 read - in_order
			0x13 1 0 9 1 0x20000004 0xffffffff 4 read 3 out_of_order
			0x13 - 0 12 0 - - - - - out_of_order_lost
		`,
	})
	viewsTest{directory: dir, views: "views.sql", asks: []ask{
		{"SELECT i.address, d.position, d.address, d.value, d.access, d.tag, d.state FROM data_accesses d JOIN instructions i USING (dataset, source, seq) ORDER BY d.position", `
			32772 0 536870912 5          read - in_order
			32772 1 536870916 4294967295 read 3 out_of_order
		`},
		{"SELECT byte_offset, seq, position, address, value, size, access, state FROM data_accesses WHERE seq IS NULL", "12 - 0 - - - - out_of_order_lost"},
	}}.runBoth(t)
}

// DuckDB reads no Arrow files: there are macros, no views, and a word why.
func TestViewsOfArrow(t *testing.T) {
	text := schema.Views(schema.Tables(), schema.Arrow, "", schema.Version)
	if strings.Contains(text, "VIEW") || !strings.Contains(text, "DuckDB does not read") {
		t.Error(text)
	}
	db := open(t)
	_, err := db.Exec(text)
	check(t, err)
	compare(t, query(t, db, "SELECT hex8(4294901760), hex8(NULL), tracelake_files('x')"), "0xffff0000 - [./x]")
	compare(t, query(t, db, "SELECT hex8(4294967296), hex8(-549755284940)"), "0x0000000100000000 0xffffff8000081234")
}
