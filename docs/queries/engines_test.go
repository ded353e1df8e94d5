package queries

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"github.com/tracelake/tracelake/bench/need"
)

// A job is queries over datasets.
type job struct {
	Directory string   `json:"directory"` // in which the datasets are
	Datasets  []string `json:"datasets"`
	Before    string   `json:"before"` // SQL to run before the queries
	Queries   []string `json:"queries"`

	check func(t *testing.T, results []result)
}

// A result is what a query gave, in words.
type result struct {
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

// run runs jobs in the linked DuckDB and, where there is one, in Python's.
func run(t *testing.T, jobs []job) {
	t.Run("go", func(t *testing.T) {
		for _, j := range jobs {
			j.check(t, j.inGo(t))
		}
	})
	t.Run("python", func(t *testing.T) {
		results := inPython(t, jobs)
		for _, j := range jobs {
			j.check(t, results[:len(j.Queries)])
			results = results[len(j.Queries):]
		}
	})
}

// inGo runs a job in the linked DuckDB.
func (j *job) inGo(t *testing.T) []result {
	t.Helper()
	t.Chdir(j.Directory)
	db, err := sql.Open("duckdb", "")
	check(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1) // variables and views are of a connection
	names, err := json.Marshal(j.Datasets)
	check(t, err)
	views, err := os.ReadFile(filepath.Join(j.Datasets[0], "views.sql"))
	check(t, err)
	for _, text := range []string{fmt.Sprintf("SET VARIABLE tracelake_dirs = %s",
		bytes.ReplaceAll(names, []byte(`"`), []byte(`'`))), string(views), j.Before} {
		if _, err := db.Exec(text); err != nil && text != "" {
			t.Fatalf("%v: %v", j.Datasets, err)
		}
	}
	var results []result
	for _, q := range j.Queries {
		r, err := ask(db, q)
		if err != nil {
			t.Fatalf("%v: %s\n%v", j.Datasets, q, err)
		}
		results = append(results, r)
	}
	return results
}

// ask runs a query.
func ask(db *sql.DB, query string) (result, error) {
	rows, err := db.Query(query)
	if err != nil {
		return result{}, err
	}
	defer rows.Close()
	r := result{}
	if r.Columns, err = rows.Columns(); err != nil {
		return r, err
	}
	for rows.Next() {
		cells, row := make([]any, len(r.Columns)), make([]string, len(r.Columns))
		for i := range cells {
			cells[i] = new(any)
		}
		if err := rows.Scan(cells...); err != nil {
			return r, err
		}
		for i := range cells {
			if row[i] = "NULL"; *cells[i].(*any) != nil {
				row[i] = fmt.Sprint(*cells[i].(*any))
			}
		}
		r.Rows = append(r.Rows, row)
	}
	return r, rows.Err()
}

// inPython runs jobs in the newest DuckDB, and returns the results of all.
func inPython(t *testing.T, jobs []job) []result {
	t.Helper()
	cmd := exec.Command(need.Interpreter(t), "testdata/run.py")
	input, err := json.Marshal(jobs)
	check(t, err)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	var results []result
	for line := range bytes.Lines(out) {
		var r result
		check(t, json.Unmarshal(line, &r))
		results = append(results, r)
	}
	return results
}
