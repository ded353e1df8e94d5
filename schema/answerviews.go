package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/schema/internal/views"
)

// writeAnswerViews writes the views that answer questions over several tables,
// if the dataset has the tables of [Answers]: a truth has none of them.
func writeAnswerViews(b *strings.Builder, tables []*Table) {
	for _, t := range Answers() {
		if !slices.Contains(tables, t) {
			return
		}
	}
	for _, v := range views.All() {
		fmt.Fprintf(b, "\nCREATE OR REPLACE VIEW %s AS\n%s;\n", v.Name, v.Query)
		fmt.Fprintf(b, "COMMENT ON VIEW %s IS %s;\n", v.Name, quote(v.Doc))
		for _, c := range v.Columns {
			fmt.Fprintf(b, "COMMENT ON COLUMN %s.\"%s\" IS %s;\n", v.Name, c.Name, quote(c.Doc))
		}
	}
}
