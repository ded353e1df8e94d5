package docs

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// The picture of the rooms in data-flow.md is what the imports say: an arrow from a room to each that it
// imports, but for those that others lead to. What answers questions of datasets is left out: report and
// convert import no room.
func TestRooms(t *testing.T) {
	text, err := os.ReadFile("data-flow.md")
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedImports}, "../pipeline/...")
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string]map[string]bool{}
	for _, p := range loaded {
		from := room(p.PkgPath)
		for path := range p.Imports {
			if to := room(path); from != "" && to != "" && from != to {
				if imports[from] == nil {
					imports[from] = map[string]bool{}
				}
				imports[from][to] = true
			}
		}
	}
	var arrows []string
	for from, tos := range imports {
		for to := range tos {
			if !leads(imports, from, to) {
				arrows = append(arrows, fmt.Sprintf("  %s --> %s\n", from, to))
			}
		}
	}
	slices.Sort(arrows)
	if want := "```mermaid\nflowchart LR\n" + strings.Join(arrows, "") + "```\n"; !strings.Contains(string(text), want) {
		t.Errorf("data-flow.md has to have this picture:\n%s", want)
	}
}

// room returns the room that a package is, or is part of; "" of those that are not in the picture.
func room(path string) string {
	rest, ok := strings.CutPrefix(path, "github.com/tracelake/tracelake/pipeline")
	name, _, _ := strings.Cut(strings.TrimPrefix(rest, "/"), "/")
	switch {
	case !ok || name == "report" || name == "convert":
		return ""
	case name == "":
		return "pipeline"
	}
	return name
}

// leads reports whether a room leads to another over a third.
func leads(imports map[string]map[string]bool, from, to string) bool {
	for over := range imports[from] {
		if over != to && (imports[over][to] || leads(imports, over, to)) {
			return true
		}
	}
	return false
}
