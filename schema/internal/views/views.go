// Package views has the views of views.sql that answer questions over several
// tables. Each is a file of the folder sql: its query, after a comment that says
// what a row is and describes each column.
package views

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed sql/*.sql
var files embed.FS

// order is the order of the views: each uses only those before it, and tables.
var order = []string{
	"builds", "runs", "program", "places", "counts_all", "outside_code", "trust", "trust_all",
	"coverage_instructions", "coverage_functions", "coverage_lines", "coverage_branches", "coverage_predicated",
	"coverage_files", "coverage",
	"uncovered", "branch_outcomes", "call_edges", "hot_functions", "hot_lines", "instruction_mix",
}

// A View is a view, in words and in SQL.
type View struct {
	Name    string
	Doc     string // sentences; the first is "One row per …"
	Columns []Column
	Query   string // without a semicolon
}

// A Column is a column of a view.
type Column struct {
	Name, Type, Doc string // Type is that of DuckDB; Doc is sentences
}

// All returns the views, in an order in which they can be made.
func All() []View {
	all := make([]View, len(order))
	for i, name := range order {
		text, err := files.ReadFile("sql/" + name + ".sql")
		if err != nil {
			panic(err) // it is part of the program
		}
		all[i] = parse(name, string(text))
	}
	return all
}

// parse takes a file apart. It panics if the file has no comment in the form of
// the others, as it is part of the program.
func parse(name, text string) View {
	v := View{Name: name}
	for line := range strings.Lines(text) {
		comment, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "-- ")
		switch {
		case v.Query != "" || !ok:
			v.Query += line
		case v.Doc == "":
			v.Doc = comment
		default:
			v.Columns = append(v.Columns, parseColumn(name, comment))
		}
	}
	v.Query = strings.TrimSuffix(v.Query, ";\n")
	return v
}

// parseColumn reads "name TYPE: What it is.".
func parseColumn(view, comment string) Column {
	head, doc, ok := strings.Cut(comment, ": ")
	column, kind, typed := strings.Cut(head, " ")
	if !ok || !typed {
		panic(fmt.Sprintf("views: %s.sql: no column in: %s", view, comment))
	}
	return Column{Name: column, Type: kind, Doc: doc}
}
