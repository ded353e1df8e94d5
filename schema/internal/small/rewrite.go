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
const FutureTable = "marks"

// Future makes of a dataset one that a later program of the same schema version may
// write: with one more table, two more columns in each table, of which one is the
// first, and one more key in the manifest.
func Future(t testing.TB, dir string) {
	t.Helper()
	rewriteManifest(t, dir, func(m *schema.Manifest) {
		for _, table := range schema.Tables() {
			if f, ok := m.Tables[table.Name]; ok {
				m.Tables[table.Name] = rewrite(t, dir, table, later(table), f.Parts, widen)
			}
		}
		marks := later(&schema.Losses)
		marks.Name = FutureTable
		m.Tables[FutureTable] = rewrite(t, dir, &schema.Losses, marks, m.Tables[schema.Losses.Name].Parts, widen)
	})
	EditManifest(t, dir, "  \"schema_version\"", "  \"later\": {\"depth\": 1},\n  \"schema_version\"")
}

// EditRows changes the rows of a table.
func EditRows(t testing.TB, dir string, table *schema.Table, change func(b *schema.Batch)) {
	t.Helper()
	rewriteManifest(t, dir, func(m *schema.Manifest) {
		m.Tables[table.Name] = rewrite(t, dir, table, table, m.Tables[table.Name].Parts,
			func(b *schema.Batch, _ *schema.Table) *schema.Batch {
				change(b)
				return b
			})
	})
}

// later returns t with two more columns.
func later(t *schema.Table) *schema.Table {
	wide := *t
	wide.Columns = append([]schema.Column{{Name: "later_text", Type: schema.String, Nullable: true}}, t.Columns...)
	wide.Columns = append(wide.Columns, schema.Column{Name: "later_number", Type: schema.Float64})
	return &wide
}

// widen returns rows of a table as those of a later one.
func widen(b *schema.Batch, wide *schema.Table) *schema.Batch {
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
	return out
}

// rewriteManifest changes the manifest of a dataset.
func rewriteManifest(t testing.TB, dir string, change func(*schema.Manifest)) {
	t.Helper()
	name := filepath.Join(dir, schema.ManifestFile)
	text, err := os.ReadFile(name)
	check(t, err)
	var m schema.Manifest
	check(t, json.Unmarshal(text, &m))
	change(&m)
	text, err = json.MarshalIndent(&m, "", "  ")
	check(t, err)
	text = append(bytes.TrimSuffix(text, []byte("\n}")), ",\n  \"manifest_sha256\": \"\"\n}\n"...)
	check(t, os.WriteFile(name, Seal(text), 0o666))
}

// A conversion makes other rows of rows.
type conversion func(b *schema.Batch, to *schema.Table) *schema.Batch

// rewrite writes parts of a table as those of another one.
func rewrite(t testing.TB, dir string, from, to *schema.Table, parts []schema.PartFile,
	convert conversion,
) schema.Files {
	t.Helper()
	files := schema.Files{}
	for _, p := range parts {
		content, err := os.ReadFile(filepath.Join(dir, p.Path))
		check(t, err)
		content = rewritePart(t, content, strings.HasSuffix(p.Path, ".arrow"), from, to, convert)
		p.Path = strings.Replace(p.Path, from.Name+"/", to.Name+"/", 1)
		p.Bytes, p.SHA256 = int64(len(content)), fmt.Sprintf("%x", sha256.Sum256(content))
		check(t, os.MkdirAll(filepath.Join(dir, to.Name), 0o777))
		check(t, os.WriteFile(filepath.Join(dir, p.Path), content, 0o666))
		files.Rows, files.Bytes = files.Rows+p.Rows, files.Bytes+p.Bytes
		files.Parts = append(files.Parts, p)
	}
	return files
}

func rewritePart(t testing.TB, content []byte, arrow bool, from, to *schema.Table, convert conversion) []byte {
	t.Helper()
	var (
		out bytes.Buffer
		r   schema.Reader
		f   schema.File
		e   schema.Encoder
	)
	if arrow {
		reader, err := arrowfile.Open(bytes.NewReader(content), int64(len(content)), from)
		check(t, err)
		file, err := arrowfile.Create(&out, to, nil, arrowfile.None)
		check(t, err)
		r, f, e = reader, file, arrowfile.NewRowGroup(to)
	} else {
		reader, err := parquetfile.Open(bytes.NewReader(content), int64(len(content)), from)
		check(t, err)
		file, err := parquetfile.Create(&out, to, nil)
		check(t, err)
		r, f, e = reader, file, parquetfile.NewRowGroup(to, parquetfile.ZSTD1)
	}
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		check(t, err)
		check(t, e.Append(convert(b, to)))
	}
	c, err := e.Finish()
	check(t, err)
	check(t, f.WriteRowGroup(c))
	check(t, f.Close())
	return out.Bytes()
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
