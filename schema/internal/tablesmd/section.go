package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/views"
)

// A section is what the page says of a table or a view.
type section struct {
	name    string
	intro   string // what one row is, and more sentences
	columns []column
	example string // a query, or nothing
}

// describes says whether it has the column in the same words.
func (s section) describes(c column) bool { return slices.ContainsFunc(s.columns, c.same) }

// A column is what the page says of a column.
type column struct {
	name   string
	kind   string // the type of DuckDB, with a ? if it can be NULL
	unit   string
	doc    string
	values []string // of a closed list
}

// same says whether both are described by the same words. Views do not list values, and not all tell units.
func (c column) same(d column) bool {
	return c.name == d.name && c.kind == d.kind && c.doc == d.doc &&
		(c.unit == d.unit || c.unit == "" || d.unit == "") &&
		(len(c.values) == 0 || len(d.values) == 0 || slices.Equal(c.values, d.values))
}

// explained marks the values in a sentence that explains each of them, as "How: start, it began; new, it did not" does.
func (c column) explained() (doc string, all bool) {
	doc = c.doc
	for _, v := range c.values {
		marked := doc
		for _, begin := range []string{": ", "; "} {
			for _, end := range []string{",", ";"} {
				marked = strings.Replace(marked, begin+v+end, begin+"`"+v+"`"+end, 1)
			}
		}
		if marked == doc {
			return c.doc, false
		}
		doc = marked
	}
	return doc, true
}

func tableSections(tables []*schema.Table) []section {
	sections := make([]section, len(tables))
	for i, t := range tables {
		sections[i] = tableSection(t)
	}
	return sections
}

func tableSection(t *schema.Table) section {
	s := section{name: t.Name, intro: fmt.Sprintf("One row per %s. Written %s.", t.Row, written(t)), example: t.Example}
	if len(t.Key) > 0 {
		s.intro += " Rows are in order of " + strings.Join(t.Key, ", ") + "."
	}
	for _, c := range t.Columns {
		s.columns = append(s.columns, newColumn(c.Name, c.Type.SQL(), c.Unit, c.Nullable, c.Doc, c.Names))
	}
	return s
}

func written(t *schema.Table) string {
	if t.Level == schema.AnyLevel {
		return t.Written.String()
	}
	return fmt.Sprintf("%s at level %s", t.Written, t.Level)
}

// summarySection describes the view `summary`, which is made from whatever tables there are.
func summarySection() section {
	s := section{
		name: "summary",
		intro: "One row per source, made from the other tables. " +
			"A column is NULL if the table it is made from was not exported.",
		example: "SELECT source, bytes_lost, bytes_unplaced, instructions, exceptions, gaps, seconds FROM summary;",
	}
	for _, c := range schema.Summary() {
		s.columns = append(s.columns, viewColumn(c.Name, c.Type, c.Doc))
	}
	return s
}

func viewSections(all []views.View) []section {
	sections := make([]section, len(all))
	for i, v := range all {
		sections[i] = viewSection(v)
	}
	return sections
}

func viewSection(v views.View) section {
	s := section{name: v.Name, intro: v.Doc}
	for _, c := range v.Columns {
		s.columns = append(s.columns, viewColumn(c.Name, c.Type, c.Doc))
	}
	return s
}

// viewColumn takes the unit, and whether it can be NULL, from the words: a view has no other place for them.
func viewColumn(name, kind, doc string) column {
	doc, unit, _ := strings.Cut(doc, " Unit: ")
	return newColumn(name, kind, strings.TrimSuffix(unit, "."), strings.Contains(doc, "NULL"), doc, nil)
}

func newColumn(name, kind, unit string, nullable bool, doc string, values []string) column {
	if nullable {
		kind += "?"
	}
	return column{name, kind, unit, short.Replace(doc), values}
}

// short leaves out of a sentence what the head of the page, or of the views, says of all columns.
var short = strings.NewReplacer(saidOnce...)

// saidOnce is what is left out, each with what takes its place.
var saidOnce = []string{
	"…; NULL if it is not known.", "…",
	"; NULL if it is not known.", ".",
	"; NULL until it is known.", ".",
	"; NULL if the trace does not say.", ".",
	"; NULL if the trace gives it none.", ".",
	"; NULL if the trace gives none.", ".",
	"; NULL if there is none.", ".",
	"; NULL if it has none.", ".",
	"; NULL without cycle accuracy.", ".",
	"; NULL without a program file.", ".",
	"; NULL without instructions.", ".",
	"; NULL without bytes.", ".",
	"; NULL without checks.", ".",
	"; NULL if nothing was decoded.", ".",
	"; NULL if events were not exported.", ".",
	" (samples where sources.unit says so)", "",
	" (its frequency is sources.timestamp_hz)", "",
	" (sources.timestamp_hz)", "",
	", in its source,", "",
	" in its source", "",
	", of the same source,", "",
	" of the same source", "",
	" of the same core", "",
}
