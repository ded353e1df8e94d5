package schema

import (
	"fmt"
	"strings"

	"github.com/tracelake/tracelake/schema/internal/views"
)

// answerViews returns the views that answer questions over several tables.
func answerViews() string {
	var b strings.Builder
	for _, v := range views.All() {
		fmt.Fprintf(&b, "\nCREATE OR REPLACE VIEW %s AS\n%s;\n", v.Name, v.Query)
		fmt.Fprintf(&b, "COMMENT ON VIEW %s IS %s;\n", v.Name, quote(v.Doc))
		for _, c := range v.Columns {
			fmt.Fprintf(&b, "COMMENT ON COLUMN %s.\"%s\" IS %s;\n", v.Name, c.Name, quote(c.Doc))
		}
	}
	return b.String()
}
