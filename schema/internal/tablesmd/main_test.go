package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/views"
)

func TestPageIsUpToDate(t *testing.T) {
	page, err := os.ReadFile("../../../docs/tables.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != render(schema.Tables()) {
		t.Error("docs/tables.md is not what schema/tables.go says: run go generate ./schema")
	}
}

// The page says a rule once, and so has fewer words than the texts that it is made from.
func TestPageIsShort(t *testing.T) {
	if n := len(strings.Fields(render(schema.Tables()))); n > 9500 {
		t.Errorf("docs/tables.md has %d words, and is to have 9,500 at most", n)
	}
}

// Every column is named in its section: with its meaning, or with a link to it.
func TestEveryColumnIsInItsSection(t *testing.T) {
	page := render(schema.Tables())
	all := slices.Concat(tableSections(schema.Tables()), []section{summarySection()}, viewSections(views.All()))
	for _, s := range all {
		_, text, found := strings.Cut(page, "\n## "+s.name+"\n")
		if !found {
			t.Fatalf("no section %s", s.name)
		}
		text, _, _ = strings.Cut(text, "\n## ")
		for _, c := range s.columns {
			if n := strings.Count(text, "`"+c.name+"`"); n == 0 {
				t.Errorf("%s does not name its column %s", s.name, c.name)
			}
		}
	}
}

var (
	asIn    = regexp.MustCompile("\n\\| (`[^|]*`) \\| as in \\[([^]]*)\\]")
	target  = regexp.MustCompile(`\]\(#([^)]*)\)`)
	heading = regexp.MustCompile(`\n##? (.*)`)
)

// A link leads to where a column is described, and not to another link.
func TestLinks(t *testing.T) {
	page := render(schema.Tables())
	for _, row := range asIn.FindAllStringSubmatch(page, -1) {
		_, text, _ := strings.Cut(page, "\n## "+row[2]+"\n")
		text, _, _ = strings.Cut(text, "\n## ")
		for name := range strings.SplitSeq(row[1], ", ") {
			if !strings.Contains(text, "\n| "+name+" ") || strings.Contains(text, "\n| "+name+" |") {
				t.Errorf("%s is not described in %s", name, row[2])
			}
		}
	}
	var anchors []string
	for _, h := range heading.FindAllStringSubmatch(page, -1) {
		anchors = append(anchors, anchor(h[1]))
	}
	for _, link := range target.FindAllStringSubmatch(page, -1) {
		if !slices.Contains(anchors, link[1]) {
			t.Errorf("no heading for #%s", link[1])
		}
	}
}

// Each group of an index begins, and each shared column is one that many have.
func TestGroupsAndSharedColumns(t *testing.T) {
	page := render(schema.Tables())
	for _, g := range slices.Concat(tableGroups, viewGroups) {
		if !strings.Contains(page, "\n- **"+g.about+"**: "+link(g.first)) {
			t.Errorf("no group %q that begins with %s", g.about, g.first)
		}
	}
	all := slices.Concat(tableSections(schema.Tables()), []section{summarySection()}, viewSections(views.All()))
	for _, c := range sharedColumns(all).columns {
		if n := uses(all, c); n < 3 {
			t.Errorf("only %d tables and views share %s", n, c.name)
		}
	}
}

// What the head says once is left out of sentences that have it.
func TestSaidOnce(t *testing.T) {
	var docs strings.Builder
	for _, table := range schema.Tables() {
		for _, c := range table.Columns {
			docs.WriteString(c.Doc + "\n")
		}
	}
	for _, v := range views.All() {
		for _, c := range v.Columns {
			docs.WriteString(c.Doc + "\n")
		}
	}
	for i := 0; i < len(saidOnce); i += 2 {
		if !strings.Contains(docs.String(), saidOnce[i]) {
			t.Errorf("no column says %q", saidOnce[i])
		}
	}
	got := newColumn("n", "BIGINT", "", true, "Ordinal, in its source, of a row; NULL if it is not known.", nil)
	if got.kind != "BIGINT?" || got.doc != "Ordinal of a row." {
		t.Errorf("%+v", got)
	}
}

func TestExplained(t *testing.T) {
	for _, test := range []struct {
		doc    string
		values []string
		want   string
	}{
		{"How: start, it began; new, it did not.", []string{"start", "new"}, "How: `start`, it began; `new`, it did not."},
		{"How: start, it began; or new.", []string{"start", "new"}, ""},
	} {
		got, all := column{doc: test.doc, values: test.values}.explained()
		if all != (test.want != "") || all && got != test.want {
			t.Errorf("%s: %s, %t", test.doc, got, all)
		}
	}
}
