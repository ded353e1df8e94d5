package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// conformance is what docs/conformance.md says, by line.
func conformance(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", "conformance.md"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

// wantConformance demands that docs/conformance.md has a row of these cells.
func wantConformance(t *testing.T, cells ...any) {
	t.Helper()
	var row strings.Builder
	row.WriteString("|")
	for _, c := range cells {
		row.WriteString(" " + thousands(fmt.Sprint(c)) + " |")
	}
	if !slices.Contains(conformance(t), row.String()) {
		t.Errorf("docs/conformance.md does not say: %s", row.String())
	}
}

// thousands puts commas into a whole number, and leaves other text alone.
func thousands(text string) string {
	if _, err := strconv.ParseUint(text, 10, 64); err != nil || text[0] == '0' {
		return text
	}
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// A difference is a row of the list in docs/conformance.md.
type difference struct{ capture, source, line string }

// listedDifferences returns the differences that docs/conformance.md lists, as
// diffLines writes them.
func listedDifferences(t testing.TB) []difference {
	t.Helper()
	var listed []difference
	for _, line := range conformance(t) {
		f := strings.Split(strings.Trim(line, "|"), "|")
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		if len(f) != 5 || !strings.HasPrefix(f[3], "`") {
			continue
		}
		offset, text := f[2], strings.Trim(f[3], "`")
		if words := strings.Fields(text); len(words) < 3 || words[2] != offset || !strings.HasPrefix(f[4], "§") {
			t.Errorf("docs/conformance.md: a difference at another offset, or without a section: %s", line)
		}
		listed = append(listed, difference{f[0], f[1], text})
	}
	return listed
}

// differencesOf returns the differences listed for a source.
func differencesOf(t testing.TB, capture, source string) []string {
	t.Helper()
	var lines []string
	for _, d := range listedDifferences(t) {
		if d.capture == capture && d.source == source {
			lines = append(lines, d.line)
		}
	}
	return lines
}

// Every difference in docs/conformance.md is one of a source that is compared.
func TestConformanceListsOnlyCaptures(t *testing.T) {
	for _, d := range listedDifferences(t) {
		known := false
		for _, c := range pftCaptures {
			known = known || c.name == d.capture && fmt.Sprintf("%02x", c.id) == d.source
		}
		for _, c := range etmv3Captures {
			known = known || c.name == d.capture && fmt.Sprintf("%02x", c.id) == d.source
		}
		if !known {
			t.Errorf("no test compares %s %s: %s", d.capture, d.source, d.line)
		}
	}
}
