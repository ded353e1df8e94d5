package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	goName   = regexp.MustCompile("`([a-z][a-z0-9]*)\\.([A-Z]\\w*(?:\\.\\w+)*)`")
	testName = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w*`)
	scenario = regexp.MustCompile("(?:scenarios?|,) `([a-z0-9-]+(?:/[a-z0-9-]+\\*?)?)`")
)

// A test, a scenario or a Go name that a page gives as its witness exists.
func TestNames(t *testing.T) {
	declared, tests := declarations(t)
	for _, page := range []string{"decisions.md", "glossary.md"} {
		text := space.ReplaceAllString(read(t, path.Join("docs", page)), " ")
		seen := 0
		for _, name := range goName.FindAllStringSubmatch(text, -1) {
			for part := range strings.SplitSeq(name[2], ".") {
				if seen++; !declared[name[1]][part] {
					t.Errorf("%s names %s, and package %s has no %s", page, name[0], name[1], part)
				}
			}
		}
		for _, name := range testName.FindAllString(text, -1) {
			if seen++; !tests[name] {
				t.Errorf("%s names %s, which is no test", page, name)
			}
		}
		for list := range strings.SplitSeq(text, ";") {
			if !strings.Contains(list, "scenario") {
				continue
			}
			_, list, _ = strings.Cut(list, "scenario")
			for _, name := range scenario.FindAllStringSubmatch("scenario"+list, -1) {
				if seen++; !isScenario(t, name[1]) {
					t.Errorf("%s names the scenario %s, which is none", page, name[1])
				}
			}
		}
		if seen < 10 {
			t.Errorf("%s: only %d names found", page, seen)
		}
	}
}

// isScenario says whether a protocol has a scenario, or a folder of them, of
// that name, in which * is any text.
func isScenario(t *testing.T, name string) bool {
	t.Helper()
	for _, ending := range []string{"", ".txtar"} {
		found, err := fs.Glob(os.DirFS(root), "decode/*/testdata/scenario/"+name+ending)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) > 0 {
			return true
		}
	}
	return false
}

// The glossary can be searched like a dictionary.
func TestGlossaryIsSorted(t *testing.T) {
	var words []string
	for line := range strings.Lines(read(t, "docs/glossary.md")) {
		if cells := strings.Split(line, "|"); len(cells) == 4 && !strings.HasPrefix(line, "|---") {
			words = append(words, strings.ToLower(strings.TrimSpace(cells[1])))
		}
	}
	if len(words) < 40 || !slices.IsSorted(words[1:]) {
		t.Errorf("%d words, sorted: %t", len(words), slices.IsSorted(words[1:]))
	}
	for i := 2; i < len(words); i++ {
		if words[i] < words[i-1] {
			t.Errorf("%q comes after %q", words[i], words[i-1])
		}
	}
}

// declarations returns what the packages of the repository declare, fields
// included, by the name of the package, and the names of all tests.
func declarations(t *testing.T) (declared map[string]map[string]bool, tests map[string]bool) {
	t.Helper()
	declared, tests = map[string]map[string]bool{}, map[string]bool{}
	for _, s := range sources(t) {
		if path.Ext(s.name) != ".go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path.Join(root, s.name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		names := tests
		if !strings.HasSuffix(s.name, "_test.go") {
			if names = declared[file.Name.Name]; names == nil {
				names = map[string]bool{}
				declared[file.Name.Name] = names
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				names[n.Name.Name] = true
				return false
			case *ast.TypeSpec:
				names[n.Name.Name] = true
			case *ast.ValueSpec:
				addAll(names, n.Names)
			case *ast.Field:
				addAll(names, n.Names)
			}
			return true
		})
	}
	return declared, tests
}

func addAll(names map[string]bool, all []*ast.Ident) {
	for _, n := range all {
		names[n.Name] = true
	}
}
