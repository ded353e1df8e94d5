package pipeline

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The names in docs/data-flow.md exist.
func TestDataFlowNames(t *testing.T) {
	text, err := os.ReadFile("../docs/data-flow.md")
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]string{
		"capture": "../decode/capture", "frame": "../decode/frame", "pft": "../decode/pft", "etmv3": "../decode/etmv3",
		"flow":   "../decode/flow",
		"decode": "../decode", "schema": "../schema", "dataset": "../schema/dataset", "pipeline": ".", "stitch": "stitch",
		"rows": "rows",
		"plan": "plan", "engine": "engine", "probe": "probe", "window": "window", "keep": "keep",
	}
	declared := map[string]map[string]bool{}
	for name, folder := range folders {
		declared[name] = declarations(t, folder)
	}
	seen := 0
	for _, match := range regexp.MustCompile(`\b([a-z]+)\.([A-Za-z]+)(?:\.([A-Za-z]+))?`).FindAllStringSubmatch(string(text), -1) {
		names, ok := declared[match[1]]
		if !ok || match[2] == "go" || match[2] == "md" {
			continue
		}
		for _, name := range match[2:] {
			if name != "" && !names[name] {
				t.Errorf("docs/data-flow.md names %s, and %s has no %s", match[0], match[1], name)
			}
			seen++
		}
	}
	if seen < 15 {
		t.Errorf("only %d names found", seen)
	}
}

// declarations returns the functions, methods and types of a package.
func declarations(t *testing.T, folder string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names[d.Name.Name] = true
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						names[s.Name.Name] = true
					}
				}
			}
		}
	}
	return names
}
