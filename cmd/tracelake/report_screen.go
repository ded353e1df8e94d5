package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/table"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/visible"
)

// A screen is the text of a report, as what it is written to can show it.
type screen struct {
	table.Style
	text strings.Builder
}

func newScreen(w io.Writer) *screen {
	s := &screen{}
	dumb := os.Getenv("TERM") == "dumb"
	s.UTF8 = !dumb && utf8Locale()
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		s.Width = n
	}
	if v, ok := w.(*visible.Writer); ok {
		w = v.Underlying()
	}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return s
	}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && s.Width == 0 {
		s.Width = width
	}
	s.Colour = !dumb && os.Getenv("NO_COLOR") == "" && runtime.GOOS != "windows" // whose older consoles print the sequences
	return s
}

// utf8Locale says whether text is UTF-8, by the variables of POSIX. Windows has none
// of them, and its consoles take UTF-8.
func utf8Locale() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := os.Getenv(name); locale != "" {
			locale = strings.ToLower(strings.ReplaceAll(locale, "-", ""))
			return strings.Contains(locale, "utf8")
		}
	}
	return runtime.GOOS == "windows"
}

// line writes a line.
func (s *screen) line(format string, args ...any) {
	s.paragraph("", fmt.Sprintf(format, args...))
}

// paragraph writes text after a label. Where it is too long, it goes on below the
// text.
func (s *screen) paragraph(label, text string) {
	lines := []string{s.Text(text)}
	if s.Width > 0 {
		lines = wrap(lines[0], max(s.Width-len(label), leastText))
	}
	for _, line := range lines {
		s.text.WriteString(label + line + "\n")
		label = strings.Repeat(" ", len(label))
	}
}

// colour colours the first word of what was written from start on.
func (s *screen) colour(start int, word string, v report.Verdict) {
	paint := s.Bad
	switch v {
	case report.Sound:
		paint = s.Good
	case report.Incomplete:
		paint = s.Fair
	}
	text := s.text.String()
	s.text.Reset()
	s.text.WriteString(text[:start] + strings.Replace(text[start:], word, paint(word), 1))
}

// leastText is the room that text takes, however narrow the terminal is.
const leastText = 20

func (s *screen) blank() { s.text.WriteString("\n") }

// table writes a table, and names the columns that did not fit.
func (s *screen) table(t *table.Table) {
	text, omitted := t.Text(s.Style)
	s.text.WriteString(text)
	if len(omitted) > 0 {
		s.line("no room for %s", strings.Join(omitted, ", "))
	}
}

// legend explains the bars of the table above.
func (s *screen) legend(full, part, rest string) {
	s.text.WriteString(table.Legend(s.Style, full, part, rest) + "\n")
}

// left says how many rows the table leaves out.
func (s *screen) left(rows int, noun string) {
	if rows > 0 {
		s.line("%s; --top 0 shows all", count(int64(rows), "more "+noun))
	}
}

// writeTo writes the screen. Its names cannot act any more, so that colours go past
// the [visible.Writer], which would show their sequences.
func (s *screen) writeTo(w io.Writer) error {
	if v, ok := w.(*visible.Writer); ok && s.Colour {
		w = v.Underlying()
	}
	_, err := io.WriteString(w, s.text.String())
	return err
}
