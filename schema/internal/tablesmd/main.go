// Command tablesmd writes docs/tables.md, the description of the tables, from
// the tables and views of package schema. It is run by go generate.
package main

import (
	"fmt"
	"log"
	"os"
	"slices"
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

// render returns the page.
func render(tables []*schema.Table) string {
	ofTables, summary, ofViews := tableSections(tables), summarySection(), viewSections(views.All())
	p := page{shared: sharedColumns(slices.Concat(ofTables, []section{summary}, ofViews))}

	fmt.Fprintf(&p.text, head, schema.Version, anchor(p.shared.name), ofAllSources(tables), schema.MetaColumns)
	p.index(tableGroups, ofTables)
	fmt.Fprintf(&p.text, sharedHead, p.shared.name)
	p.columns(p.shared.name, p.shared.columns)
	p.sections(ofTables)
	p.text.WriteString(viewsHead)
	p.section(summary)
	p.text.WriteString(answersHead)
	p.index(viewGroups, ofViews)
	p.sections(ofViews)
	return p.text.String()
}

// ofAllSources names the tables that have one series of parts.
func ofAllSources(tables []*schema.Table) string {
	var names []string
	for _, t := range tables {
		if !t.PerSource {
			names = append(names, t.Name)
		}
	}
	return "`" + strings.Join(names, "`, `") + "`"
}
