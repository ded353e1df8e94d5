package engines_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"github.com/tracelake/tracelake/schema"
)

// The example of each table in docs/tables.md runs on the golden dataset, and
// gives rows: with addresses, offsets and timestamps at the ends of their types.
func TestExamples(t *testing.T) {
	for _, level := range []schema.Level{schema.LevelInstructions, schema.LevelBlocks} {
		dir := filepath.Join(t.TempDir(), "golden")
		golden(t, dir, level, schema.Parquet)
		t.Chdir(dir)
		db, err := sql.Open("duckdb", "")
		check(t, err)
		db.SetMaxOpenConns(1) // variables are of a connection
		views, err := os.ReadFile(schema.ViewsFile)
		check(t, err)
		_, err = db.Exec(string(views))
		check(t, err)
		examples := []string{"SELECT source, bytes_lost, bytes_unplaced, instructions, exceptions, gaps, seconds FROM summary;"}
		for _, table := range schema.Tables() {
			if table.Level == schema.AnyLevel || table.Level == level {
				examples = append(examples, table.Example)
			}
		}
		for _, example := range examples {
			if n := rowsOf(t, db, example); n == 0 {
				t.Errorf("no rows: %s", example)
			}
		}
		check(t, db.Close())
	}
}

// rowsOf returns how many rows a query gives.
func rowsOf(t *testing.T, db *sql.DB, query string) int {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Errorf("%s\n%v", query, err)
		return -1
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		n++
	}
	if err := rows.Err(); err != nil {
		t.Errorf("%s\n%v", query, err)
	}
	return n
}
