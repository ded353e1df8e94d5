package docs

import (
	"go/scanner"
	"go/token"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// additions are the things whose files CONTRIBUTING.md lists, by the heading of their list.
var additions = []struct {
	heading string
	named   string // what names it: an identifier or a string of Go, or any text of other code
	within  string // folders that are looked at; "": all
	word    string // that all of its files have, in any case
	least   int    // files that name it
}{
	{"A packet, as `ExceptionReturn` of PFT", `^ExceptionReturn$`, `^(decode|bench/encode)/pft/`, "exceptionreturn", 6},
	{"A protocol, as `etmv2`", `(?i)etmv2`, "", "", 10},
	{"A table, as `data_accesses`", `^(Append)?DataAccesses$|\bdata_accesses\b`, "", "access", 13},
	{"A report, as `exceptions`", `report/exceptions"?$|^exceptionsCommand$`, "", "exceptions", 6},
	{"A converted format, as `autofdo`", `(?i)autofdo`, "", "autofdo", 4},
}

// CONTRIBUTING.md lists the files that an addition touches: all that name one of its kind which is there,
// and none that has nothing of it.
func TestHowToAdd(t *testing.T) {
	all := sources(t)
	for _, x := range additions {
		_, list, ok := strings.Cut(read(t, "CONTRIBUTING.md"), "\n### "+x.heading+"\n")
		list, _, _ = strings.Cut(list, "\n#")
		listed := filesOf(list)
		if !ok || len(listed) < 5 {
			t.Errorf("CONTRIBUTING.md lists %d files of %q", len(listed), x.heading)
		}
		for _, name := range listed {
			if info, err := os.Stat(path.Join(root, name)); err != nil {
				t.Errorf("%q: %v", x.heading, err)
			} else if !info.IsDir() && !strings.Contains(strings.ToLower(read(t, name)), x.word) {
				t.Errorf("%q: %s has nothing of it", x.heading, name)
			}
		}
		named, within, seen := regexp.MustCompile(x.named), regexp.MustCompile(x.within), 0
		for _, s := range all {
			if !isCode(s.name) || !within.MatchString(s.name) || !names(t, s.name, named) {
				continue
			}
			seen++
			if !slices.ContainsFunc(listed, func(l string) bool { return l == s.name || strings.HasSuffix(l, "/") && strings.HasPrefix(s.name, l) }) {
				t.Errorf("%q: %s names it, and is not listed", x.heading, s.name)
			}
		}
		if seen < x.least {
			t.Errorf("%q: only %d files name it", x.heading, seen)
		}
	}
}

// filesOf returns the paths in the first column of a table.
func filesOf(table string) (files []string) {
	for row := range strings.Lines(table) {
		if cells := strings.Split(row, "|"); len(cells) == 4 {
			for _, name := range codeSpan.FindAllStringSubmatch(cells[1], -1) {
				files = append(files, name[1])
			}
		}
	}
	return files
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

// isCode reports whether a file is code, and no test and no data of one.
func isCode(name string) bool {
	switch path.Ext(name) {
	case ".go", ".yml":
		return !strings.HasSuffix(name, "_test.go") && !strings.Contains(name, "testdata/")
	}
	return false
}

// names reports whether a file has a name: a Go file in an identifier or a string.
func names(t *testing.T, name string, named *regexp.Regexp) bool {
	t.Helper()
	text := []byte(read(t, name))
	if path.Ext(name) != ".go" {
		return slices.ContainsFunc(strings.Fields(string(text)), named.MatchString)
	}
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile(name, -1, len(text)), text, nil, 0)
	for {
		switch _, tok, word := s.Scan(); {
		case tok == token.EOF:
			return false
		case (tok == token.IDENT || tok == token.STRING) && named.MatchString(word):
			return true
		}
	}
}
