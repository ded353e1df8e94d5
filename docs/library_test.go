package docs

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/sample"
)

// What package comments say of their API.
const (
	isPromised  = "Its API is promised (docs/guide/library.md)."
	codecAlone  = "Of its API the codec is promised (docs/guide/library.md): Config, NewConfig, Packet and Kind."
	isNotStable = "Its API is not stable (docs/guide/library.md)."
)

// Every package says whether its API is promised, and the guide lists those of which it is.
func TestPackagesSayWhatIsPromised(t *testing.T) {
	_, table, _ := strings.Cut(read(t, "docs/guide/library.md"), "## What is promised")
	table, _, _ = strings.Cut(table, "\n## ")
	listed := filesOf(table)
	want := map[string]string{}
	for i, p := range promised {
		want[p.path] = isPromised
		if p.names != nil {
			want[p.path] = codecAlone
		}
		if i >= len(listed) || listed[i] != p.path {
			t.Fatalf("the guide lists %q", listed)
		}
	}
	comments := packageComments(t)
	for name, comment := range comments {
		sentence := want[name]
		if sentence == "" {
			sentence = isNotStable
		}
		if !strings.HasSuffix(comment, "\n\n"+sentence+"\n") {
			t.Errorf("the comment of package %s has to end with a paragraph: %s", name, sentence)
		}
	}
	if len(listed) != len(promised) || len(comments) < 80 {
		t.Errorf("the guide lists %q; there are %d packages", listed, len(comments))
	}
}

// packageComments returns the comments of the packages that others can import, by their path.
func packageComments(t *testing.T) map[string]string {
	t.Helper()
	comments := map[string]string{}
	for _, s := range sources(t) {
		if path.Ext(s.name) != ".go" || strings.HasSuffix(s.name, "_test.go") || strings.Contains(s.name, "internal/") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path.Join(root, s.name), nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if folder := path.Dir(s.name); file.Name.Name != "main" {
			comments[folder] += file.Doc.Text()
		}
	}
	return comments
}

// The program in the guide runs, on the capture that tracelake carries.
func TestLibraryGuide(t *testing.T) {
	_, program, _ := strings.Cut(read(t, "docs/guide/library.md"), "```go\n")
	program, _, _ = strings.Cut(program, "```")
	dir := t.TempDir()
	file, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "main")
	if err := os.WriteFile(file, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", binary, file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := sample.Extract(filepath.Join(dir, "capture")); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(binary)
	run.Dir = dir
	out, err := run.CombinedOutput()
	if err != nil || !bytes.HasPrefix(out, []byte("0 0x40008024 other\n1 0x40008028 other\n")) {
		t.Errorf("%v: %.200s", err, out)
	}
}
