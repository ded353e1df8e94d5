// Package queries holds queries over datasets, each a question with its answer. Its
// tests run them.
package queries

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A query is a file: the question, what else there is to say, the SQL, and real
// answers.
type query struct {
	name, question, sql string
	answers             []answer
}

// An answer is what a query gives of datasets: the first of its rows, and how many
// there are.
type answer struct {
	datasets []string
	rows     int
	columns  []string
	first    [][]string
}

var answerHead = regexp.MustCompile(`^Answer of ([a-z]+)(?: and ([a-z]+))?, (\d+) rows?:$`)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// queries returns all queries, by name.
func queries(t *testing.T) []query {
	t.Helper()
	files, err := filepath.Glob("Q[0-9][0-9].sql")
	check(t, err)
	var all []query
	for _, f := range files {
		text, err := os.ReadFile(f)
		check(t, err)
		q, err := parse(strings.TrimSuffix(f, ".sql"), string(text))
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		all = append(all, q)
	}
	return all
}

// parse reads a file: comments before the SQL, and answers after it.
func parse(name, text string) (query, error) {
	q := query{name: name}
	sql, answers, ok := strings.Cut(text, "\n\n-- Answer of ")
	if !ok {
		return q, fmt.Errorf("no answer follows the query")
	}
	q.sql = sql
	first, _, _ := strings.Cut(sql, "\n")
	if q.question, ok = strings.CutPrefix(first, "-- "); !ok || !strings.Contains(q.question, "?") {
		return q, fmt.Errorf("begins with %q, want a question", first)
	}
	for text := range strings.SplitSeq("Answer of "+answers, "\n\n-- ") {
		a, err := parseAnswer(text)
		if err != nil {
			return q, err
		}
		q.answers = append(q.answers, a)
	}
	return q, nil
}

// parseAnswer reads its first line, the names of columns, and rows; a last line … is
// for those that are not shown.
func parseAnswer(text string) (answer, error) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	head := answerHead.FindStringSubmatch(lines[0])
	if head == nil {
		return answer{}, fmt.Errorf("no head of an answer: %q", lines[0])
	}
	a := answer{datasets: slices.DeleteFunc(head[1:3], func(s string) bool { return s == "" })}
	a.rows, _ = strconv.Atoi(head[3]) // digits
	for _, line := range lines[1:] {
		a.first = append(a.first, strings.Split(strings.TrimPrefix(line, "-- "), " | "))
	}
	if len(a.first) == 0 {
		return a, fmt.Errorf("the answer of %s has no columns", head[1])
	}
	a.columns, a.first = a.first[0], a.first[1:]
	if n := len(a.first); n > 0 && a.first[n-1][0] == "…" {
		a.first = a.first[:n-1]
	} else if n != a.rows {
		return a, fmt.Errorf("the answer shows %d rows of %d, and no …", n, a.rows)
	}
	return a, nil
}

// compare compares what a query gave with its answer.
func (a *answer) compare(t *testing.T, got result) {
	t.Helper()
	if !slices.Equal(got.Columns, a.columns) {
		t.Errorf("columns %q, want %q", got.Columns, a.columns)
	}
	if len(got.Rows) != a.rows {
		t.Errorf("%d rows, want %d", len(got.Rows), a.rows)
	}
	for i, want := range a.first {
		if i < len(got.Rows) && !slices.Equal(got.Rows[i], want) {
			t.Errorf("row %d:\n got %s\nwant %s", i, strings.Join(got.Rows[i], " | "), strings.Join(want, " | "))
		}
	}
}

// The index has each query with its question.
func TestIndex(t *testing.T) {
	text, err := os.ReadFile("README.md")
	check(t, err)
	all := queries(t)
	for _, q := range all {
		if row := fmt.Sprintf("| [%s](%s.sql) | %s |\n", q.name, q.name, q.question); !strings.Contains(string(text), row) {
			t.Errorf("README.md has no row\n%s", row)
		}
	}
	if n := strings.Count(string(text), "| [Q"); n != len(all) || n < 42 {
		t.Errorf("README.md lists %d queries of %d", n, len(all))
	}
}
