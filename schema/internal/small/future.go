package small

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/arrowfile"
	"github.com/tracelake/tracelake/schema/parquetfile"
)

// FutureTable is the table that [Future] adds.
const FutureTable = "calls"

// Future makes of a dataset one that a later program of the same schema version may
// write: with one more table, two more columns in each table, of which one is the
// first, and one more key in the manifest.
func Future(t testing.TB, dir string) {
	t.Helper()
	name := filepath.Join(dir, schema.ManifestFile)
	text, err := os.ReadFile(name)
	check(t, err)
	var m struct {
		schema.Manifest
		Later map[string]int `json:"later"`
	}
	check(t, json.Unmarshal(text, &m))
	for _, table := range schema.Tables() {
		if f, ok := m.Tables[table.Name]; ok {
			m.Tables[table.Name] = widen(t, dir, table, later(table), f.Parts)
		}
	}
	calls := later(&schema.Losses)
	calls.Name = FutureTable
	m.Tables[FutureTable] = widen(t, dir, &schema.Losses, calls, m.Tables[schema.Losses.Name].Parts)
	m.Later = map[string]int{"depth": 1}
	text, err = json.MarshalIndent(&m, "", "  ")
	check(t, err)
	text = append(bytes.TrimSuffix(text, []byte("\n}")), ",\n  \"manifest_sha256\": \"\"\n}\n"...)
	check(t, os.WriteFile(name, Seal(text), 0o666))
}

// later returns t with two more columns.
func later(t *schema.Table) *schema.Table {
	wide := *t
	wide.Columns = append([]schema.Column{{Name: "later_text", Type: schema.String, Nullable: true}}, t.Columns...)
	wide.Columns = append(wide.Columns, schema.Column{Name: "later_number", Type: schema.Float64})
	return &wide
}

// widen writes parts of a table as those of a wider one.
func widen(t testing.TB, dir string, table, wide *schema.Table, parts []schema.PartFile) schema.Files {
	t.Helper()
	files := schema.Files{}
	for _, p := range parts {
		content, err := os.ReadFile(filepath.Join(dir, p.Path))
		check(t, err)
		if strings.HasSuffix(p.Path, ".arrow") {
			content = widenArrow(t, content, table, wide)
		} else {
			content = widenParquet(t, content, table, wide)
		}
		p.Path = strings.Replace(p.Path, table.Name+"/", wide.Name+"/", 1)
		p.Bytes, p.SHA256 = int64(len(content)), fmt.Sprintf("%x", sha256.Sum256(content))
		check(t, os.MkdirAll(filepath.Join(dir, wide.Name), 0o777))
		check(t, os.WriteFile(filepath.Join(dir, p.Path), content, 0o666))
		files.Rows, files.Bytes = files.Rows+p.Rows, files.Bytes+p.Bytes
		files.Parts = append(files.Parts, p)
	}
	return files
}

func widenParquet(t testing.TB, content []byte, table, wide *schema.Table) []byte {
	t.Helper()
	r, err := parquetfile.Open(bytes.NewReader(content), int64(len(content)), table)
	check(t, err)
	var out bytes.Buffer
	f, err := parquetfile.Create(&out, wide, nil)
	check(t, err)
	copyRows(t, r, f, parquetfile.NewRowGroup(wide, parquetfile.ZSTD1), wide)
	return out.Bytes()
}

func widenArrow(t testing.TB, content []byte, table, wide *schema.Table) []byte {
	t.Helper()
	r, err := arrowfile.Open(bytes.NewReader(content), int64(len(content)), table)
	check(t, err)
	var out bytes.Buffer
	f, err := arrowfile.Create(&out, wide, nil, arrowfile.None)
	check(t, err)
	copyRows(t, r, f, arrowfile.NewRowGroup(wide), wide)
	return out.Bytes()
}

// copyRows writes all rows of r to f, the last and first column zero.
func copyRows(t testing.TB, r schema.Reader, f schema.File, e schema.Encoder, wide *schema.Table) {
	t.Helper()
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		check(t, err)
		out := schema.NewBatch(wide)
		for i := range wide.Columns {
			if i == 0 || i == len(wide.Columns)-1 {
				out.Columns[i].AppendZeros(b.Rows())
				continue
			}
			for row := range b.Rows() {
				out.Columns[i].AppendFrom(&b.Columns[i-1], row)
			}
		}
		check(t, e.Append(out))
	}
	c, err := e.Finish()
	check(t, err)
	check(t, f.WriteRowGroup(c))
	check(t, f.Close())
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
