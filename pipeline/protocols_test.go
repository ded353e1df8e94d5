package pipeline

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
)

// protocolPlaces are the files that name a protocol, or import its packages, outside of
// those packages and bench/generate/<protocol>.go: see CONTRIBUTING.md. A protocol that is
// added appears in the first one alone.
var protocolPlaces = map[string]string{
	"pipeline/protocols.go":                  "the list of them",
	"cmd/tracelake/demo.go":                  "the protocol of the sample",
	"bench/sample/internal/remake/remake.go": "the protocol of the sample",
	"bench/generate/samples.go":              "what nobody knows of a Trace FIFO Offset",
	"bench/compare/driver.go":                "the decoders of OpenCSD",
	"bench/compare/subject.go":               "what is compared with OpenCSD",
	"bench/repeat/repeat.go":                 "whose A-sync has eleven zeros",
	"bench/outside/got.go":                   "what OpenCSD says of them",
	"bench/compare/ports.go":                 "trace ports compared with ETMv3",
	"bench/generate/perf.go":                 "the registers of which perf knows the names",
	"bench/tools/same/captures.go":           "the captures of the list",
}

// What is true of one protocol is said by its package, so that a new one is added in few
// places.
func TestProtocolsAreNamedInFewPlaces(t *testing.T) {
	need.FullRun(t, readOnly)
	var own []string
	for _, f := range Protocols() {
		own = append(own, f.Name)
	}
	seen := map[string]bool{}
	for _, root := range []string{"cmd", "pipeline", "decode", "schema", "bench"} {
		err := filepath.WalkDir(filepath.Join("..", root), func(name string, e fs.DirEntry, err error) error {
			name = strings.TrimPrefix(filepath.ToSlash(name), "../")
			if err != nil || e.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") ||
				isForTests(name) || isOwn(name, own) {
				return err
			}
			if what := namesProtocol(t, name, own); what != "" {
				seen[name] = true
				if protocolPlaces[name] == "" {
					t.Errorf("%s names a protocol: %s; what is so may be a property of decode.Family", name, what)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name := range protocolPlaces {
		if !seen[name] {
			t.Errorf("%s names no protocol any more", name)
		}
	}
}

// isForTests reports whether a file is for tests only.
func isForTests(name string) bool {
	return strings.Contains(name, "test/") || strings.HasPrefix(name, "schema/internal/")
}

// isOwn reports whether a file is a protocol's own.
func isOwn(name string, protocols []string) bool {
	return slices.ContainsFunc(protocols, func(p string) bool {
		return strings.Contains(name, "/"+p+"/") || name == "bench/generate/"+p+".go"
	})
}

// namesProtocol returns what in a file is the name of a protocol, or imports its packages.
func namesProtocol(t *testing.T, name string, protocols []string) (what string) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", name), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(literal.Value)
		if err == nil && (slices.Contains(protocols, text) ||
			strings.HasPrefix(text, "github.com/") && slices.Contains(protocols, path.Base(text))) {
			what = literal.Value
		}
		return true
	})
	return what
}
