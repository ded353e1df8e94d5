// Command tablesmd writes docs/tables.md, the description of the tables, from
// the tables and views of package schema. It is run by go generate.
package main

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/views"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: tablesmd FILE")
	}
	if err := os.WriteFile(os.Args[1], []byte(render(schema.Tables())), 0o666); err != nil {
		log.Fatal(err)
	}
}

const head = `<!-- Generated from schema/tables.go by go generate ./schema; do not edit. -->

# Tables

Schema version %d. Types are those of DuckDB; a ? marks columns that can be NULL, and their description says when they are.
The same sentences are in the files: key ` + "`%s`" + ` of Parquet and Arrow files, ` + "`description`" + ` of Arrow fields, comments of the views.

| table | written | one row per |
|---|---|---|
`

const viewsHead = `
# Views and macros

` + "`views.sql`" + ` has a view for each table, with a column more: ` + "`dataset`" + `, the name of the dataset's directory. At level blocks the view
` + "`instructions`" + ` expands the runs; at level none there is no such view, nor are there the macros over it. The script finds its dataset in the working directory, up to three levels below it, in the two
directories above it and in their folders; for one elsewhere, or for several, set ` + "`tracelake_dirs`" + ` first:

` + "```sql\nSET VARIABLE tracelake_dirs = ['/data/a', '/data/b'];\n.read /data/a/views.sql\n```" + `

| macro | result |
|---|---|
| pct(n, total) | the percentage that n is of total, with two decimals: 100 only if it is all, 0 only if it is none, NULL of nothing |
| hex8(a) | the address as 0x and eight digits; group by the address and not by this text, which is 30 times as slow |
| instructions_window(a, z) | rows of instructions with seq from a to z, of every source; at level blocks much faster than a filter on seq |
| before_offset(x, n) | the last n rows of instructions, of each source, that packets before byte x of the capture report (byte_offset < x), fewer if there are fewer; it reads only the end of the last segment that begins before x |

Addresses are signed 64-bit integers, so that differences are too: ` + "`address - lag(address) OVER (…)`" + ` can be negative.

## summary

One row per source, made from the other tables. A column is NULL if the table it is made from was not exported.

` + "```sql\nSELECT source, bytes_lost, bytes_unplaced, instructions, exceptions, gaps, seconds FROM summary;\n```" + `

| column | type | meaning |
|---|---|---|
`

// render returns the page.
func render(tables []*schema.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, head, schema.Version, schema.MetaColumns)
	for _, t := range tables {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", t.Name, t.Name, written(t), cell(t.Row))
	}
	for _, t := range tables {
		fmt.Fprintf(&b, "\n## %s\n\nOne row per %s. Written %s. Parts: `%s`%s%s\n", t.Name, t.Row, written(t),
			t.Part(0x13, 0, schema.Parquet), series(t), order(t))
		fmt.Fprintf(&b, "\n| column | type | unit | meaning |\n|---|---|---|---|\n")
		for _, c := range t.Columns {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", c.Name, typeOf(c), c.Unit, cell(meaning(c)))
		}
		fmt.Fprintf(&b, "\n```sql\n%s\n```\n", t.Example)
	}
	b.WriteString(viewsHead)
	for _, c := range schema.Summary() {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.Name, c.Type, cell(c.Doc))
	}
	writeAnswerViews(&b)
	return b.String()
}

const answersHead = `
## Views that answer questions

They sum the datasets of one build, and read counts and edges, never instructions. A percentage is NULL without a program file: what it is of
is not known then. Beside a percentage belongs what [trust](#trust) and [coverage](#coverage) have: what was not decoded, and what was executed
outside the program. [queries](queries/README.md) has questions that they answer.

| view | one row per |
|---|---|
`

// writeAnswerViews writes the views over several tables: a list of them, then the
// columns of each.
func writeAnswerViews(b *strings.Builder) {
	b.WriteString(answersHead)
	for _, v := range views.All() {
		row, _, _ := strings.Cut(strings.TrimPrefix(v.Doc, "One row per "), ".")
		fmt.Fprintf(b, "| [%s](#%s) | %s |\n", v.Name, v.Name, cell(row))
	}
	for _, v := range views.All() {
		fmt.Fprintf(b, "\n## %s\n\n%s\n\n| column | type | meaning |\n|---|---|---|\n", v.Name, v.Doc)
		for _, c := range v.Columns {
			fmt.Fprintf(b, "| %s | %s | %s |\n", c.Name, c.Type, cell(c.Doc))
		}
	}
}

func written(t *schema.Table) string {
	if t.Level == schema.AnyLevel {
		return t.Written.String()
	}
	return fmt.Sprintf("%s at level %s", t.Written, t.Level)
}

func series(t *schema.Table) string {
	if t.PerSource {
		return " … for source 0x13."
	}
	return " … for all sources."
}

// order says by which columns the rows of a part are ordered.
func order(t *schema.Table) string {
	if len(t.Key) == 0 {
		return ""
	}
	return " Rows are in order of " + strings.Join(t.Key, ", ") + "."
}

func typeOf(c schema.Column) string {
	if c.Nullable {
		return c.Type.SQL() + "?"
	}
	return c.Type.SQL()
}

// meaning returns the sentence of c, and the values of an enum.
func meaning(c schema.Column) string {
	if c.Type != schema.Enum {
		return c.Doc
	}
	return c.Doc + " One of `" + strings.Join(c.Names, "` `") + "`."
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
