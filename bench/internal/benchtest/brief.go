package benchtest

import (
	"strings"

	"github.com/tracelake/tracelake/schema"
)

// Brief is some cells of the rows of the tables that want names, in its notation:
// "TABLE ROW ROW, TABLE ROW". An instruction is its address, another row begins with
// its seq; an exception and an event end with their offset, but for the places of an
// exception.
func (r Record) Brief(want string) string {
	if want == "" {
		return ""
	}
	cells := map[string]func(f []string) string{
		schema.Instructions.Name: func(f []string) string { return f[3] },
		schema.Exceptions.Name:   func(f []string) string { return strings.Join([]string{f[0], f[6], f[7], f[8]}, ":") },
		schema.Events.Name:       func(f []string) string { return strings.Join([]string{f[0], f[3], f[2]}, ":") },
		schema.DataAccesses.Name: func(f []string) string { return strings.Join([]string{f[0], f[3], f[4], f[5], f[9]}, ":") },
		schema.Contexts.Name:     func(f []string) string { return f[0] + ":" + f[3] },
		schema.CycleCounts.Name:  func(f []string) string { return f[0] + ":" + f[4] },
	}
	var tables []string
	for part := range strings.SplitSeq(want, ", ") {
		name, _, _ := strings.Cut(part, " ")
		words := []string{name}
		for _, row := range r[name] {
			words = append(words, cells[name](strings.Fields(row)))
		}
		tables = append(tables, strings.Join(words, " "))
	}
	return strings.Join(tables, ", ")
}
