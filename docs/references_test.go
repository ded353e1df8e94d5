// Package docs holds the project's pages. Its tests hold what is cited anywhere
// in the repository against what there is.
package docs

import (
	"fmt"
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
	"testing/fstest"
)

// root is the repository.
const root = ".."

// What a scenario, a comment or a page cites can be had: a page is in the
// repository, a public document in docs/references.md, and a section is a
// heading of the page or listed for the document there.
func TestCitations(t *testing.T) {
	l := library{files: os.DirFS(root), public: publicSections(t), pages: map[string][]string{}}
	seen := 0
	for _, s := range sources(t) {
		for _, c := range s.citations() {
			seen++
			if err := l.check(c, s.name); err != nil {
				t.Errorf("%s: %v", s.name, err)
			}
		}
	}
	if seen < 800 {
		t.Errorf("only %d citations found", seen)
	}
}

// A citation is a section of a document, or the document itself.
type citation struct{ document, section string }

// A source is the texts of a file that cite, comment by comment, and the
// document that a section is of if no text names another.
type source struct {
	name    string
	texts   []string
	section string
}

var (
	documentName = regexp.MustCompile(`(?:[\w./-]+/)?[\w-]+\.md\b|(?:IHI|DDI) \d{4}[A-Z]?|RFC \d+`)
	// after a document: one more of its sections, or what is no section but may
	// stand among them.
	sectionOf = regexp.MustCompile("^`?" +
		`(?:[,;:]| and| to)? (?:§((?:[A-Z]\.?)?\d+(?:\.\d+)*)|([A-Z]\d+(?:\.\d+)+)|(?:tables?|examples?|chapters?) [A-Z]?\d+(?:[.-]\d+)?)`)
	bareSection = regexp.MustCompile(`§((?:[A-Z]\.?)?\d+(?:\.\d+)*)`)
	// "Section numbers are those of DOCUMENT".
	sectionsAre = regexp.MustCompile(`Section(?:s| numbers)\b[^.§]*(?:\(§\)[^.§]*)? are (?:those )?of (?:[^.]*? )??(` +
		documentName.String() + `)`)
	space = regexp.MustCompile(`\s+`)
)

func (s *source) citations() []citation {
	var cited []citation
	section := s.section
	for _, text := range s.texts {
		text = space.ReplaceAllString(text, " ")
		if is := sectionsAre.FindStringSubmatch(text); is != nil {
			section = is[1]
		}
		cited = append(cited, citationsIn(text, section)...)
	}
	return cited
}

// citationsIn returns what a text cites; section is what document its sections
// are of if it names none before them.
func citationsIn(text, section string) []citation {
	var cited []citation
	for text != "" {
		at := documentName.FindStringIndex(text)
		if at == nil {
			at = []int{len(text), len(text)}
		}
		for _, bare := range bareSection.FindAllStringSubmatch(text[:at[0]], -1) {
			cited = append(cited, citation{section, bare[1]})
		}
		document, rest := text[at[0]:at[1]], text[at[1]:]
		if document != "" {
			cited = append(cited, citation{document: document})
		}
		for {
			of := sectionOf.FindStringSubmatch(rest)
			if of == nil {
				break
			}
			if name := of[1] + of[2]; name != "" {
				cited = append(cited, citation{document, name})
			}
			rest = rest[len(of[0]):]
		}
		text = rest
	}
	return cited
}

// What counts as a citation, and what is no such.
func TestWhatIsCited(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []citation
	}{
		{"a loss (§4.2) of IHI 0014Q", []citation{{"its own", "4.2"}, {"IHI 0014Q", ""}}},
		{"ARM IHI 0035B §2.3, §B.3.2, analyze_isync, §4.4",
			[]citation{{"IHI 0035B", ""}, {"IHI 0035B", "2.3"}, {"IHI 0035B", "B.3.2"}, {"its own", "4.4"}}},
		{"docs/etmv3.md §4.6 and §8.6; 5", []citation{{"docs/etmv3.md", ""}, {"docs/etmv3.md", "4.6"}, {"docs/etmv3.md",
			"8.6"}}},
		{"(IHI 0014Q §7.3.1, table 7.4, §7.2)", []citation{{"IHI 0014Q", ""}, {"IHI 0014Q", "7.3.1"}, {"IHI 0014Q", "7.2"}}},
		{"DDI 0406C, A5.2 to A5.6, table B1-3", []citation{{"DDI 0406C", ""}, {"DDI 0406C", "A5.2"}, {"DDI 0406C", "A5.6"}}},
		{"2.3 of 5, table 4.1, R15 and A8", nil},
	} {
		if got := citationsIn(tt.text, "its own"); !slices.Equal(got, tt.want) {
			t.Errorf("%q cites %v, want %v", tt.text, got, tt.want)
		}
	}
	s := source{section: "none", texts: []string{"§1. Section numbers are those of docs/a.md, say §2.", "§3"}}
	if got := s.citations(); !slices.Contains(got, citation{"docs/a.md", "3"}) ||
		slices.Contains(got, citation{"none", "3"}) {
		t.Errorf("a text that says what sections are of: %v", got)
	}
}

// What is cited and not there is an error.
func TestWhatIsNotThere(t *testing.T) {
	l := library{
		files:  fstest.MapFS{"docs/a.md": {Data: []byte("# A\n## 2 Two\n### 2.1 Part\n")}, "bench/README.md": {}},
		public: map[string][]string{"IHI 0014Q": {"7.2"}},
		pages:  map[string][]string{},
	}
	for c, ok := range map[citation]bool{
		{"docs/a.md", ""}: true, {"a.md", "2.1"}: true, {"docs/a.md", "2.2"}: false, {"docs/b.md", ""}: false,
		{"spec/a.md", ""}: false,
		{"README.md", ""}: true, {"IHI 0014Q", ""}: true, {"IHI 0014Q", "7.2"}: true, {"IHI 0014Q", "7.3"}: false,
		{"IHI 0064", ""}: false, {"", "1"}: false,
	} {
		if err := l.check(c, "bench/main.go"); (err == nil) != ok {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// A library is what can be cited.
type library struct {
	files  fs.FS
	public map[string][]string // sections by document
	pages  map[string][]string // sections by path
}

// check fails if the file from cites what there is not.
func (l *library) check(c citation, from string) error {
	if c.document == "" {
		return fmt.Errorf("§%s of no document: name one, or say once that sections are those of one", c.section)
	}
	if sections, ok := l.public[c.document]; ok {
		if c.section != "" && !slices.Contains(sections, c.section) {
			return fmt.Errorf("docs/references.md lists no §%s of %s: look it up there, then list it", c.section, c.document)
		}
		return nil
	}
	if !strings.HasSuffix(c.document, ".md") {
		return fmt.Errorf("%s is not listed in docs/references.md", c.document)
	}
	page, ok := l.find(c.document, path.Dir(from))
	if !ok {
		return fmt.Errorf("%s is not in the repository", c.document)
	}
	if c.section != "" && !slices.Contains(l.headings(page), c.section) {
		return fmt.Errorf("%s has no heading %s", page, c.section)
	}
	return nil
}

// find returns the path of a page that is named from the root, from docs, or
// from the folder of the file that names it.
func (l *library) find(page, folder string) (string, bool) {
	for _, p := range []string{page, path.Join("docs", page), path.Join(folder, page)} {
		if _, err := fs.Stat(l.files, path.Clean(p)); err == nil {
			return path.Clean(p), true
		}
	}
	return "", false
}

var heading = regexp.MustCompile(`(?m)^#+ (\d+(?:\.\d+)*) `)

// headings are the section numbers of a page.
func (l *library) headings(page string) []string {
	if _, ok := l.pages[page]; !ok {
		text, err := fs.ReadFile(l.files, page)
		if err != nil {
			return nil
		}
		l.pages[page] = []string{}
		for _, h := range heading.FindAllStringSubmatch(string(text), -1) {
			l.pages[page] = append(l.pages[page], h[1])
		}
	}
	return l.pages[page]
}

// publicSections reads the table of docs/references.md.
func publicSections(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("references.md")
	if err != nil {
		t.Fatal(err)
	}
	public := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 {
			continue
		}
		public[strings.TrimSpace(cells[1])] = strings.FieldsFunc(cells[4], func(r rune) bool { return r == ',' || r == ' ' })
	}
	return public
}

// sources returns the files of the repository that may cite something.
func sources(t *testing.T) []source {
	t.Helper()
	var found []source
	packages := map[string]string{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != "." && name != ".ci" && strings.HasPrefix(entry.Name(), ".") || entry.Name() == "fuzz" {
				return fs.SkipDir
			}
			return nil
		}
		s := source{name: name}
		switch path.Ext(name) {
		case ".go":
			s.texts = comments(t, name, packages)
		case ".txtar":
			head, _, _ := strings.Cut("\n"+read(t, name), "\n-- ")
			s.texts = []string{head}
		case ".md":
			s.texts = strings.Split(read(t, name), "\n#")
			if heading.MatchString(read(t, name)) {
				s.section = name
			}
		case ".py", ".yml", ".c", ".S":
			s.texts = []string{read(t, name)}
		default:
			if name != "Makefile" && path.Dir(name) != ".ci" {
				return nil
			}
			s.texts = []string{read(t, name)}
		}
		found = append(found, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range found {
		if s := &found[i]; path.Ext(s.name) == ".go" {
			s.section = packages[path.Dir(s.name)]
		}
	}
	return found
}

// comments returns the comments of a Go file. A package comment that says what
// sections are of says it for all files of its folder.
func comments(t *testing.T, name string, packages map[string]string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path.Join(root, name), nil,
		parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if is := sectionsAre.FindStringSubmatch(space.ReplaceAllString(file.Doc.Text(), " ")); is != nil {
		packages[path.Dir(name)] = is[1]
	}
	var texts []string
	for _, group := range file.Comments {
		texts = append(texts, text(group))
	}
	return texts
}

// text is a comment with directives and all.
func text(group *ast.CommentGroup) string {
	var b strings.Builder
	for _, c := range group.List {
		b.WriteString(strings.TrimLeft(c.Text, "/*"))
		b.WriteByte('\n')
	}
	return b.String()
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(path.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
