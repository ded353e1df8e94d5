package schema_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/arrowfile"
	"github.com/tracelake/tracelake/schema/parquetfile"
)

// What files in testdata/version1 have, which the last program of schema version
// 1 wrote: the ends of every type that was unsigned.
var version1 = map[*schema.Table]string{
	&schema.Instructions: `
0x7f 0                   -           0                   0x7fffffff 4 t32 0xf7ffffff udf   false 0          -1 -5                   -                    0 0   -
0x7f 9223372036854775807 2147483647  9223372036854775807 0x80000000 2 a32 0          other true  4294967295 0  9223372036854775807  18446744073709551615 4294967295 255 hyp
0x00 1                   -2147483648 1                   0xffffffff 2 a32 0x80000000 other -     -          0  -                    9223372036854775808  - -   secure
`,
	&schema.Blocks: `
0x7f 0  -          0          -1         64    0     0xffffffffffffffff taken     -          -1 -  -                    - -   -
0x7f 64 2147483647 0x80000000 0          1     65535 0                  not_taken 4294967295 0  -5 18446744073709551615 - 255 hyp
0    65 0          1          1          65535 0     -                  untold    0          0  0  9223372036854775807  0 0   secure
`, // of code_block 4294967295 the bits are left: no block has that number
	&schema.CodeBlocks: `
0    0  0     0xfffffffe 2 t32 0xbf00     other
0xff -1 65535 0x80000000 4 a32 0xe1a00000 udf
`,
	&schema.DataAccesses: `
0x10 - - 1 65535 0xffffffff 0xffffffff 4 write 255 in_order
0x10 5 0 2 0     -          -          - -     -   not_traced
0x10 6 0 3 0     0          18446744073709551615 1 pop 0 cancelled
`,
	&schema.Exceptions: `
0x10 0 0 0 0 entry 65535 systick 0xfffffffe 0xffffffff 255 0 - 9223372036854775808 4294967295 1 non_secure
0x10 1 0 0 1 return - - - - - 0 - - - - -
`,
	&schema.Events: `
0x10 0 0 0 data_unmatched 0xffffffff -
`, // an enum that has become longer since
}

func TestReadVersion1(t *testing.T) {
	for table, text := range version1 {
		for _, format := range []schema.Format{schema.Parquet, schema.Arrow} {
			name := fmt.Sprintf("%s.%s", table.Name, format)
			b, err := os.ReadFile(filepath.Join("testdata", "version1", name))
			check(t, err)
			var r schema.Reader
			if format == schema.Parquet {
				r, err = parquetfile.Open(bytes.NewReader(b), int64(len(b)), table)
			} else {
				r, err = arrowfile.Open(bytes.NewReader(b), int64(len(b)), table)
			}
			check(t, err)
			rows, err := r.Next()
			check(t, err)
			var got [][]string
			for i := range rows.Rows() {
				var row []string
				for c := range rows.Columns {
					if v := &rows.Columns[c]; v.Column.Added { // NULL, where the file has none
						if !v.Null(i) {
							t.Errorf("%s, row %d: %s is %s", name, i, v.Column.Name, v.Text(i))
						}
						continue
					}
					row = append(row, rows.Columns[c].Text(i))
				}
				got = append(got, row)
			}
			t.Run(name, func(t *testing.T) { compare(t, got, decimal(text)) })
		}
	}
}

// decimal returns a text with its hexadecimal numbers in decimal.
func decimal(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		for cell := range strings.FieldsSeq(line) {
			if n, err := strconv.ParseUint(cell, 0, 64); err == nil {
				cell = strconv.FormatUint(n, 10)
			}
			b.WriteString(cell + " ")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// The views of a dataset that an earlier program of version 2 wrote are as they were.
func TestViewsOfEarlierDataset(t *testing.T) {
	viewsTest{directory: "testdata", views: filepath.Join("version2", "views.sql"), asks: []ask{
		{"SELECT dataset, count(*), min(hex8(address)) FROM instructions GROUP BY dataset", "version2 2780 0x40008024"},
		{"SELECT source, status, bytes, instructions FROM sources", "16 decoded 952 2780"},
		{"SELECT count(*) FROM images", "1"},
		{"SELECT source, bytes_lost, gaps FROM summary", "16 6 0"},
	}}.runBoth(t)
}

// A file of a version that is to come, or of none, is not read as if it were of
// this one.
func TestReadOtherVersions(t *testing.T) {
	for _, v := range []string{"0", "3", "", "x", "2.0"} {
		want := fmt.Sprintf("has schema version %q, this program reads 1 to 2", v)
		if _, err := schema.ParseVersion(v); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, format := range []schema.Format{schema.Parquet, schema.Arrow} {
		path := filepath.Join(t.TempDir(), "losses."+format.String())
		writeFile(t, path, &schema.Losses)
		good, err := os.ReadFile(path)
		check(t, err)
		for _, tt := range []struct{ old, new, want string }{
			{"tracelake.schema_version", "tracelake.schema_version", ""},
			{"tracelake.schema_version", "tracelake.schema_versio_", "has no tracelake.schema_version in its metadata"},
		} {
			b := bytes.ReplaceAll(good, []byte(tt.old), []byte(tt.new))
			if format == schema.Parquet {
				_, err = parquetfile.Open(bytes.NewReader(b), int64(len(b)), &schema.Losses)
			} else {
				_, err = arrowfile.Open(bytes.NewReader(b), int64(len(b)), &schema.Losses)
			}
			if got := fmt.Sprint(err); tt.want == "" && err != nil || tt.want != "" && !strings.Contains(got, tt.want) {
				t.Errorf("%s: %s, want %q", format, got, tt.want)
			}
		}
	}
}
