package schema_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/arrowfile"
	"github.com/tracelake/tracelake/schema/internal/sample"
	"github.com/tracelake/tracelake/schema/parquetfile"
)

// writeFile writes batches to path, as a row group of two at most, in the
// format its name says.
func writeFile(t testing.TB, path string, table *schema.Table, batches ...*schema.Batch) {
	t.Helper()
	var out bytes.Buffer
	meta := []schema.Meta{{Key: "tracelake.test", Value: "a value"}}
	var f schema.File
	var e schema.Encoder
	var err error
	if strings.HasSuffix(path, ".arrow") {
		e = arrowfile.NewRowGroup(table)
		f, err = arrowfile.Create(&out, table, meta, arrowfile.None)
	} else {
		e = parquetfile.NewRowGroup(table, parquetfile.ZSTD1)
		f, err = parquetfile.Create(&out, table, meta)
	}
	check(t, err)
	for len(batches) > 0 {
		n := min(2, len(batches))
		for _, b := range batches[:n] {
			check(t, e.Append(b))
		}
		c, err := e.Finish()
		check(t, err)
		check(t, f.WriteRowGroup(c))
		batches = batches[n:]
	}
	check(t, f.Close())
	check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	check(t, os.WriteFile(path, out.Bytes(), 0o644))
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// query runs a query in DuckDB, as linked into the Go driver, and returns its
// rows in words.
func query(t testing.TB, db *sql.DB, q string, args ...any) [][]string {
	t.Helper()
	rows, err := db.Query(q, args...)
	if err != nil {
		t.Fatalf("%s\n%v", q, err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	check(t, err)
	var out [][]string
	for rows.Next() {
		cells := make([]any, len(names))
		for i := range cells {
			cells[i] = new(any)
		}
		check(t, rows.Scan(cells...))
		row := make([]string, len(names))
		for i := range cells {
			row[i] = words(*cells[i].(*any))
		}
		out = append(out, row)
	}
	check(t, rows.Err())
	return out
}

func words(x any) string {
	switch x := x.(type) {
	case nil:
		return sample.Null
	case []byte:
		return string(x)
	}
	return fmt.Sprint(x)
}

func open(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	check(t, err)
	t.Cleanup(func() { check(t, db.Close()) })
	db.SetMaxOpenConns(1) // variables and views are of a connection
	return db
}

// randomBatches returns batches of every type, with their rows in words by
// column.
func randomBatches(seed uint64) (*schema.Table, []*schema.Batch, [][]string) {
	r := rand.New(rand.NewPCG(seed, 0))
	table := sample.EveryType()
	values := make([][]string, len(table.Columns))
	var batches []*schema.Batch
	for _, n := range []int{700, 1, 300, 1000} {
		b := schema.NewBatch(table)
		sample.Fill(b, r, n)
		batches = append(batches, b)
		for i := range values {
			for row := range n {
				values[i] = append(values[i], sample.Text(&b.Columns[i], row))
			}
		}
	}
	return table, batches, values
}

func TestDuckDBReadsEveryType(t *testing.T) {
	db := open(t)
	for seed := range uint64(6) {
		table, batches, want := randomBatches(seed)
		path := filepath.Join(t.TempDir(), "every_type.parquet")
		writeFile(t, path, table, batches...)
		checkTypes(t, db, table, path)
		got := query(t, db, "SELECT * FROM read_parquet(?)", path)
		if len(got) != len(want[0]) {
			t.Fatalf("%d rows, want %d", len(got), len(want[0]))
		}
		for i, c := range table.Columns {
			for row := range got {
				if got[row][i] != want[i][row] {
					t.Fatalf("seed %d: %s, row %d: %s, want %s", seed, c.Name, row, got[row][i], want[i][row])
				}
			}
		}
	}
}

// The ends of every type, as doubles the greatest, the least and those next to 0.
func TestDuckDBReadsEveryExtreme(t *testing.T) {
	table := sample.EveryType()
	b := sample.Extremes(table, 0x7f)
	path := filepath.Join(t.TempDir(), "extremes.parquet")
	writeFile(t, path, table, b)
	for row, got := range query(t, open(t), "SELECT * FROM read_parquet(?)", path) {
		for i, c := range table.Columns {
			if want := sample.Text(&b.Columns[i], row); got[i] != want {
				t.Errorf("%s, row %d: %s, want %s", c.Name, row, got[i], want)
			}
		}
	}
}

// Full batches, with more values than a dictionary holds.
func TestDuckDBReadsFullBatches(t *testing.T) {
	db := open(t)
	table := &schema.Table{Name: "full", Columns: []schema.Column{
		{Name: "random", Type: schema.Uint32},
		{Name: "word", Type: schema.String, Nullable: true},
		{Name: "rising", Type: schema.Uint63, Nullable: true, Rising: true},
		{Name: "repeated", Type: schema.Uint16},
	}}
	r := rand.New(rand.NewPCG(1, 0))
	var batches []*schema.Batch
	for range 3 {
		b := schema.NewBatch(table)
		for i := range schema.BatchRows {
			word := []string{"-", fmt.Sprint(r.Uint32())}[r.IntN(2)]
			sample.Append(b, fmt.Sprint(r.Uint32(), " ", word, " ", uint64(1<<63-1<<40+i*i), " ", i%1000))
		}
		batches = append(batches, b)
	}
	path := filepath.Join(t.TempDir(), "full.parquet")
	writeFile(t, path, table, batches...)
	for n, row := range query(t, db, "SELECT * FROM read_parquet(?)", path) {
		b := batches[n/schema.BatchRows]
		for i := range row {
			if want := sample.Text(&b.Columns[i], n%schema.BatchRows); row[i] != want {
				t.Fatalf("%s, row %d: %s, want %s", table.Columns[i].Name, n, row[i], want)
			}
		}
	}
}

// checkTypes compares names, order and types of the columns of a file.
func checkTypes(t *testing.T, db *sql.DB, table *schema.Table, path string) {
	t.Helper()
	got := query(t, db, "SELECT column_name, column_type FROM (DESCRIBE FROM read_parquet('"+path+"'))")
	if len(got) != len(table.Columns) {
		t.Fatalf("%s: columns %v", table.Name, got)
	}
	for i, c := range table.Columns {
		if got[i][0] != c.Name || got[i][1] != c.Type.SQL() {
			t.Errorf("%s: column %d is %v, want %s %s", table.Name, i, got[i], c.Name, c.Type.SQL())
		}
	}
}

// Every table can be written without rows, and then is read as that.
func TestDuckDBReadsEmptyTables(t *testing.T) {
	db := open(t)
	for _, table := range schema.Tables() {
		path := filepath.Join(t.TempDir(), "empty.parquet")
		writeFile(t, path, table)
		checkTypes(t, db, table, path)
		if got := query(t, db, "SELECT count(*) FROM read_parquet(?)", path); got[0][0] != "0" {
			t.Errorf("%s: %s rows", table.Name, got[0][0])
		}
	}
}

// The metadata has the descriptions of all columns, and what the caller gave.
func TestDuckDBReadsMetadata(t *testing.T) {
	db := open(t)
	path := filepath.Join(t.TempDir(), "losses.parquet")
	writeFile(t, path, &schema.Losses)
	got := map[string]string{}
	for _, row := range query(t, db, "SELECT key::VARCHAR, value::VARCHAR FROM parquet_kv_metadata(?)", path) {
		got[row[0]] = row[1]
	}
	if got[schema.MetaTable] != "losses" || got[schema.MetaSchemaVersion] != "4" || got["tracelake.test"] != "a value" {
		t.Errorf("metadata %v", got)
	}
	q := "SELECT d->>'description' FROM (SELECT unnest(from_json((SELECT decode(value) FROM parquet_kv_metadata(?) WHERE key = 'tracelake.columns'), '[\"json\"]')) AS d)"
	for i, row := range query(t, db, q, path) {
		if row[0] != schema.Losses.Columns[i].Doc {
			t.Errorf("column %d: %q", i, row[0])
		}
	}
}

// extremes are instructions at the ends of their types.
const extremes = `
0x7f 0                   -           0                   0x7fffffff 4 t32 0xf7ffffff udf   false 0          -1 -5                   -                    0 0   -      3 true
0x7f 9223372036854775807 2147483647  9223372036854775807 0x80000000 2 a32 0          other true  4294967295 0  9223372036854775807  9223372036854775807 4294967295 4294967295 hyp 255 false
0x00 1                   -2147483648 1                   0xffffffff 2 a32 0x80000000 other -     -          0  -                    4294967296          - -   secure - -
`

func TestDuckDBReadsExtremes(t *testing.T) {
	db := open(t)
	path := filepath.Join(t.TempDir(), "extremes.parquet")
	writeFile(t, path, &schema.Instructions, sample.Rows(&schema.Instructions, extremes))
	compare(t, query(t, db, "SELECT * FROM read_parquet(?)", path), strings.NewReplacer("0x7fffffff", "2147483647",
		"0x80000000", "2147483648", "0xffffffff", "4294967295", "0xf7ffffff", "4160749567", "0x7f", "127", "0x00", "0").Replace(extremes))
}

// compare compares rows with those of a text, as sample.Rows has it.
func compare(t *testing.T, got [][]string, want string) {
	t.Helper()
	n := 0
	for line := range strings.Lines(want) {
		cells := strings.Fields(line)
		if len(cells) == 0 {
			continue
		}
		if n == len(got) {
			t.Fatalf("%d rows, want more: %s", n, line)
		}
		if g := strings.ReplaceAll(strings.Join(got[n], " "), sample.Null, "-"); g != strings.Join(cells, " ") {
			t.Errorf("row %d:\n got %s\nwant %s", n, g, strings.Join(cells, " "))
		}
		n++
	}
	if n == 0 || n != len(got) {
		t.Errorf("%d rows, want %d", len(got), n)
	}
}

// The footer has bounds that let readers leave out row groups; DuckDB's are of
// its own types, so a value at 2^63 must not come back negative.
func TestDuckDBReadsStatistics(t *testing.T) {
	db := open(t)
	path := filepath.Join(t.TempDir(), "extremes.parquet")
	writeFile(t, path, &schema.Instructions, sample.Rows(&schema.Instructions, extremes))
	compare(t, query(t, db, `SELECT path_in_schema, stats_min_value, stats_max_value, stats_null_count FROM parquet_metadata(?)
		WHERE path_in_schema IN ('seq', 'segment', 'byte_offset', 'address', 'cycle', 'timestamp', 'cycles', 'executed') ORDER BY column_id`, path), `
		seq          0                   9223372036854775807  0
		segment      -2147483648         2147483647           1
		byte_offset  0                   9223372036854775807  0
		address      2147483647          4294967295           0
		executed     -                   -                    1
		cycles       0                   4294967295           1
		cycle        -5                  9223372036854775807  1
		timestamp    4294967296          9223372036854775807  1
	`)
	// Bounds that were wrong would lose these rows.
	for _, where := range []string{"timestamp >= 9223372036854775807", "address >= 4294967295", "cycle < 0", "segment < 0", "seq > 1", "byte_offset = 1"} {
		if got := query(t, db, "SELECT count(*) FROM read_parquet(?) WHERE "+where, path); got[0][0] != "1" {
			t.Errorf("%s rows where %s, want 1", got[0][0], where)
		}
	}
}

// python runs a script of testdata in the project's virtual environment and
// returns what it prints, line by line. It skips the test if there is none.
func python(t *testing.T, script string, args ...string) [][]byte {
	t.Helper()
	cmd := exec.Command(need.Interpreter(t), append([]string{filepath.Join("testdata", script)}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, stderr.Bytes())
	}
	return bytes.Split(bytes.TrimSpace(out), []byte("\n"))
}

// A reading is what readback.py says of a file, read in one way.
type reading struct {
	Fields []struct {
		Name, Type string
		Nullable   bool
		Metadata   map[string]string
	}
	Metadata map[string]string
	Rows     int
	Values   map[string][]*string
}

func readback(t *testing.T, paths ...string) []map[string]reading {
	t.Helper()
	var all []map[string]reading
	for _, line := range python(t, "readback.py", paths...) {
		var r map[string]reading
		check(t, json.Unmarshal(line, &r))
		all = append(all, r)
	}
	if len(all) != len(paths) {
		t.Fatalf("read %d files of %d", len(all), len(paths))
	}
	return all
}

// pyarrowType is what pyarrow calls the type of a column, in a format.
func pyarrowType(c schema.Column, path string) string {
	switch c.Type {
	case schema.Uint8, schema.Uint16, schema.Int32:
		return "int32"
	case schema.Uint32, schema.Uint63, schema.Uint64, schema.Int64:
		return "int64"
	case schema.Float64:
		return "double"
	case schema.Bool:
		return "bool"
	case schema.Enum:
		if strings.HasSuffix(path, ".arrow") {
			return "dictionary<values=string, indices=int8, ordered=0>"
		}
		return "string"
	case schema.String, schema.JSON:
		return "string"
	}
	return "binary"
}

// checkReading compares types, nullability and descriptions as pyarrow sees
// them, and types as the newest DuckDB does.
func checkReading(t *testing.T, table *schema.Table, path string, r map[string]reading) {
	t.Helper()
	for i, c := range table.Columns {
		f := r["pyarrow"].Fields[i]
		if f.Name != c.Name || f.Type != pyarrowType(c, path) || f.Nullable != c.Nullable {
			t.Errorf("%s: pyarrow has %s %s (nullable %v) for %s", filepath.Base(path), f.Name, f.Type, f.Nullable, c.Name)
		}
		if strings.HasSuffix(path, ".arrow") && (f.Metadata["description"] != c.Doc || f.Metadata["unit"] != c.Unit) {
			t.Errorf("%s: %s is described as %v", filepath.Base(path), c.Name, f.Metadata)
		}
		if d, ok := r["duckdb"]; ok && (d.Fields[i].Name != c.Name || d.Fields[i].Type != c.Type.SQL()) {
			t.Errorf("%s: DuckDB has %v for %s", filepath.Base(path), d.Fields[i], c.Name)
		}
	}
	for _, m := range table.Meta() {
		if r["pyarrow"].Metadata[m.Key] != m.Value {
			t.Errorf("%s: metadata %s is %q", filepath.Base(path), m.Key, r["pyarrow"].Metadata[m.Key])
		}
	}
	if r["pyarrow"].Metadata["tracelake.test"] != "a value" {
		t.Errorf("%s: lost the metadata that was given", filepath.Base(path))
	}
}

func TestPythonReadsEveryType(t *testing.T) {
	var paths []string
	var tables []*schema.Table
	var want [][][]string
	dir := t.TempDir()
	for seed := range uint64(4) {
		for _, format := range []schema.Format{schema.Parquet, schema.Arrow} {
			table, batches, values := randomBatches(seed)
			path := filepath.Join(dir, fmt.Sprintf("seed%d.%s", seed, format))
			writeFile(t, path, table, batches...)
			paths, tables, want = append(paths, path), append(tables, table), append(want, values)
		}
	}
	for n, r := range readback(t, paths...) {
		checkReading(t, tables[n], paths[n], r)
		for reader, got := range r {
			for i, c := range tables[n].Columns {
				checkValues(t, filepath.Base(paths[n])+", "+reader+", "+c.Name, canonical(c, got.Values[c.Name]), want[n][i])
			}
		}
	}
}

// canonical returns values of a column as sample.Text has them: Python writes
// doubles differently.
func canonical(c schema.Column, values []*string) []*string {
	for _, s := range values {
		if c.Type == schema.Float64 && s != nil {
			*s = sample.Double(*s)
		}
	}
	return values
}

func checkValues(t *testing.T, where string, got []*string, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d rows, want %d", where, len(got), len(want))
		return
	}
	for row := range got {
		g := sample.Null
		if got[row] != nil {
			g = *got[row]
		}
		if g != want[row] {
			t.Errorf("%s, row %d: %s, want %s", where, row, g, want[row])
			return
		}
	}
}

func TestPythonReadsEmptyTables(t *testing.T) {
	var paths []string
	var tables []*schema.Table
	dir := t.TempDir()
	for _, table := range schema.Tables() {
		for _, format := range []schema.Format{schema.Parquet, schema.Arrow} {
			path := filepath.Join(dir, table.Part(1, 0, format))
			writeFile(t, path, table)
			paths, tables = append(paths, path), append(tables, table)
		}
	}
	for n, r := range readback(t, paths...) {
		checkReading(t, tables[n], paths[n], r)
		for reader, got := range r {
			if got.Rows != 0 {
				t.Errorf("%s: %s reads %d rows", paths[n], reader, got.Rows)
			}
		}
	}
}
