package page_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline/convert"
	"github.com/tracelake/tracelake/pipeline/report/page"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// textOf returns the text that a page has of a source file of some path, the lines joined; "": none.
func textOf(t *testing.T, file string, s content.Sources) string {
	t.Helper()
	dirs := datasettest.Datasets(t, `
source 0x10
file fw.elf 0x1000 0x100 match=1
function 0x1000 4 main
code 0x1000 a32 other executed=1 at="`+file+`:1"
`)
	p, err := page.Read(dirs, content.Options{Sources: s})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(p.Data.Source.Files[0].Text, "|")
}

// writeFiles writes files in a new folder, each with its name for text.
func writeFiles(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name+"\n\tof "+name+"\r\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Source files are found under their roots, of several in the first that has one, and where they
// moved to.
func TestSourceFiles(t *testing.T) {
	one, two := writeFiles(t, "a.c", "src/b.c"), writeFiles(t, "a.c", "c.c", "sub/src/d.c")
	if err := os.WriteFile(filepath.Join(two, "a.c"), []byte("another"), 0o666); err != nil {
		t.Fatal(err)
	}
	moved := func(from, to string) []convert.Mapping { return []convert.Mapping{{From: from, To: to}} }
	for _, tt := range []struct {
		file    string
		sources content.Sources
		want    string
	}{
		{"a.c", content.Sources{Roots: []string{one}}, "a.c|\tof a.c"},
		{"./src/../src/b.c", content.Sources{Roots: []string{one}}, "src/b.c|\tof src/b.c"},
		{"a.c", content.Sources{Roots: []string{one, two}}, "a.c|\tof a.c"},
		{"a.c", content.Sources{Roots: []string{two, one}}, "another"},
		{"c.c", content.Sources{Roots: []string{one, two}}, "c.c|\tof c.c"},
		{one + "/a.c", content.Sources{Roots: []string{one}}, "a.c|\tof a.c"},
		{"/build/fw/src/b.c", content.Sources{Roots: []string{one}, Map: moved("/build/fw", ".")}, "src/b.c|\tof src/b.c"},
		{"/build/fw/src/b.c", content.Sources{Map: moved("/build/fw", one)}, "src/b.c|\tof src/b.c"},
		{"/build/src/d.c", content.Sources{Roots: []string{two}, Map: moved("/build", "sub")}, "sub/src/d.c|\tof sub/src/d.c"},
		{"none.c", content.Sources{Roots: []string{one}}, ""},
		{"a.c", content.Sources{Roots: []string{one}, None: true}, ""},
	} {
		if got := textOf(t, tt.file, tt.sources); got != tt.want {
			t.Errorf("%s in %v: %q, want %q", tt.file, tt.sources, got, tt.want)
		}
	}
}

// A path of a program file is anybody's: nothing outside of the roots comes onto a page, no hidden
// file, and nothing but regular files of a size that somebody may have written.
func TestSourceFilesOfOthers(t *testing.T) {
	outside := writeFiles(t, "secret.c")
	root := writeFiles(t, "a.c", ".env", ".git/config", "sub/.ssh/key")
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	link(filepath.Join(outside, "secret.c"), "link.c")
	link(outside, "folder")
	link("a.c", "inside.c")
	if err := os.WriteFile(filepath.Join(root, "large.c"), make([]byte, 8<<20+1), 0o666); err != nil {
		t.Fatal(err)
	}
	up, err := filepath.Rel(root, filepath.Join(outside, "secret.c"))
	if err != nil {
		t.Fatal(err)
	}
	sources := content.Sources{Roots: []string{root}, Map: []convert.Mapping{{From: "/moved", To: root}, {From: "/up", To: "../" + filepath.Base(outside)}}}
	for _, file := range []string{
		filepath.Join(outside, "secret.c"), up, "x/../" + up, "/moved/" + up, "/up/secret.c", "link.c", "folder/secret.c", "/etc/passwd", "../../../../../../../etc/passwd",
		".env", ".git/config", "sub/.ssh/key", "/moved/.env", "large.c", "sub", ".", "",
	} {
		if file == "" {
			continue
		}
		if got := textOf(t, file, sources); got != "" {
			t.Errorf("%s: %.80q", file, got)
		}
	}
	if got := textOf(t, "inside.c", sources); got == "" {
		t.Error("a link inside of the root is not followed")
	}
}

// Lines of source files are as clean as names; those that are too long are cut.
func TestSourceLines(t *testing.T) {
	root := writeFiles(t, "a.c")
	if err := os.WriteFile(filepath.Join(root, "a.c"), []byte("bad \xff\n"+strings.Repeat("x", 1<<20)+"\nright\u202eleft"), 0o666); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(textOf(t, "a.c", content.Sources{Roots: []string{root}}), "|")
	if len(lines) != 3 || lines[0] != `bad \xff` || len(lines[1]) > 2100 || lines[2] != `right\u202eleft` {
		t.Errorf("%.60q", lines)
	}
}

// A root that is not there is an error, which names it.
func TestNoSourceRoot(t *testing.T) {
	dirs := datasettest.Datasets(t, aSource+aProgram+itsLines)
	_, err := page.Read(dirs, content.Options{Sources: content.Sources{Roots: []string{filepath.Join(t.TempDir(), "none")}}})
	if err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("%v", err)
	}
}

// hostileNames are what names of a page may hold, and what they must be shown as.
var hostileNames = map[string]string{
	`</script><script>alert(1)</script>`: `</script><script>alert(1)</script>`,
	`<!--<script>`:                       `<!--<script>`,
	`"><svg onload=alert(1)>`:            `"><svg onload=alert(1)>`,
	"up\u202edown":                       `up\u202edown`,
	"zero\u200bwidth":                    `zero\u200bwidth`,
	"line\u2028end":                      `line\u2028end`,
	"esc\x1b[2J":                         `esc\u001b[2J`,
	"bad\xff\xc0":                        `bad\xff\xc0`,
	`__proto__`:                          `__proto__`,
}

// Names are shown, and do nothing: in the text of the page they are escaped, in its data they are
// clean, and both have the first and last of those that are too long.
func TestHostileNames(t *testing.T) {
	text := &strings.Builder{}
	text.WriteString("source 0x10 checks=10\nfile fw.elf 0x1000 0x1000 match=1\n")
	names := []string{"begin" + strings.Repeat("x", 64<<10) + "end"}
	for name := range hostileNames {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		writeFunction(text, i, name)
	}
	p, out := makePage(t, t.TempDir(), datasettest.Datasets(t, text.String())...)
	if p.Title != "page" || strings.Count(strings.ToLower(string(out)), "<script") != 2 || strings.Contains(string(out), "<svg onload") {
		t.Error("a name is an element of the page")
	}
	shown := readable(string(out))
	for _, want := range hostileNames {
		if !slices.Contains(p.Data.Functions.Name, want) || !slices.Contains(p.Data.Files.Path, want+".c") || !strings.Contains(shown, want) {
			t.Errorf("the page does not show %s", want)
		}
	}
	for _, name := range slices.Concat(p.Data.Functions.Name, p.Data.Files.Path) {
		if n := len([]rune(name)); n > 300 {
			t.Errorf("a name has %d characters", n)
		}
	}
	long := slices.IndexFunc(p.Data.Functions.Name, func(name string) bool { return strings.HasPrefix(name, "beginx") })
	if long < 0 || !strings.HasSuffix(p.Data.Functions.Name[long], "xend") {
		t.Errorf("the long name is %v", long)
	}
}

// writeFunction describes a function of one line, in a file of the same name.
func writeFunction(text *strings.Builder, i int, name string) {
	at := strconv.Quote(name + ".c:1")
	fmt.Fprintf(text, "function %#x 4 %s at=%s\n", 0x1000+4*i, strconv.Quote(name), at)
	fmt.Fprintf(text, "code %#x a32 other at=%s executed=%d\n", 0x1000+4*i, at, 1000-i)
}
