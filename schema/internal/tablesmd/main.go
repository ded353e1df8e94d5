// Command tablesmd writes docs/tables.md, the description of the tables, from
// the tables in package schema. It is run by go generate.
package main

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/tracelake/tracelake/schema"
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

// render returns the page.
func render(tables []*schema.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, head, schema.Version, schema.MetaColumns)
	for _, t := range tables {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", t.Name, t.Name, written(t), cell(t.Row))
	}
	for _, t := range tables {
		fmt.Fprintf(&b, "\n## %s\n\nOne row per %s. Written %s. Parts: `%s`%s\n", t.Name, t.Row, written(t), t.Part(0x13, 0, schema.Parquet), series(t))
		fmt.Fprintf(&b, "\n| column | type | unit | meaning |\n|---|---|---|---|\n")
		for _, c := range t.Columns {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", c.Name, typeOf(c), c.Unit, cell(meaning(c)))
		}
	}
	return b.String()
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
