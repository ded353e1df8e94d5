package page

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	topLevel = regexp.MustCompile(`(?m)^(export )?(?:async )?(?:function|const|let) (\w+)`)
	imported = regexp.MustCompile(`(?m)^import \{(.*)\} from '\./(.*)\.js';$`)
	anImport = regexp.MustCompile(`(?m)^import\b`)
)

// Modules that are written one after another do what they do as modules: each imports only what
// one before it exports, and no two have a name in common. Nothing is exported in vain, and each
// begins with what it draws, in ten lines at most.
func TestModules(t *testing.T) {
	files, err := fs.Glob(moduleFiles, "js/*.js")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(moduleNames) {
		t.Errorf("%d modules are listed, the folder has %q", len(moduleNames), files)
	}
	owner, exports, used := map[string]string{}, map[string]string{}, map[string]bool{}
	for _, name := range moduleNames {
		data, err := moduleFiles.ReadFile("js/" + name + ".js")
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		imports := imported.FindAllStringSubmatch(text, -1)
		if n := len(anImport.FindAllString(text, -1)); n != len(imports) {
			t.Errorf("%s: %d of %d imports are understood", name, len(imports), n)
		}
		for _, i := range imports {
			for word := range strings.SplitSeq(i[1], ", ") {
				if exports[word] != i[2] {
					t.Errorf("%s imports %s of %s, which no module before it exports", name, word, i[2])
				}
				used[word] = true
			}
		}
		for _, d := range topLevel.FindAllStringSubmatch(text, -1) {
			if owner[d[2]] != "" {
				t.Errorf("%s is in %s and in %s", d[2], owner[d[2]], name)
			}
			owner[d[2]] = name
			if d[1] != "" {
				exports[d[2]] = name
			}
		}
		lines := strings.Split(text, "\n")
		for i, l := range lines {
			if strings.Count(l, "`")%2 != 0 {
				t.Errorf("%s: line %d: a text has several lines", name, i+1)
			}
		}
		if n := slices.IndexFunc(lines, func(l string) bool { return !strings.HasPrefix(l, "//") }); n < 1 || n > 10 {
			t.Errorf("%s begins with %d lines that say what it draws, want 1 to 10", name, n)
		}
	}
	for word, name := range exports {
		if !used[word] {
			t.Errorf("%s exports %s, which no module imports", name, word)
		}
	}
}

// The module cannot write markup, nor run text; it and the style sheet are small.
func TestModule(t *testing.T) {
	text := strings.ReplaceAll(module(), "http://www.w3.org/2000/svg", "") // the name of SVG elements
	forbidden := `innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|\bFunction\b|style=|</script|<!--|\bimport\b|https?:`
	if found := regexp.MustCompile(forbidden).FindAllString(text, -1); len(found) > 0 {
		t.Errorf("the module has %q", found)
	}
	if len(module()) > 100_000 || len(styles) > 14_000 {
		t.Errorf("the module has %d bytes and report.css %d, want 100,000 and 14,000 at most", len(module()), len(styles))
	}
}
