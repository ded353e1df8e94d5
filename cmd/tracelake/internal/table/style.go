package table

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tracelake/tracelake/pipeline/report/visible"
)

// A Style is what a terminal, or what else is written to, can show.
type Style struct {
	Width  int  // in columns; 0: any
	UTF8   bool // else ASCII
	Colour bool
}

// Text returns text on one line, with no character that acts, and in ASCII none that
// it lacks.
func (s Style) Text(text string) string {
	text = visible.Line(text)
	if s.UTF8 {
		return text
	}
	return ascii(text)
}

// inASCII is how signs are written that sentences of the program have.
var inASCII = strings.NewReplacer("×", "x", "µ", "u", "…", "...", "–", "-", "→", "->")

// ascii writes what is not ASCII as \u and hexadecimal digits, but for a few signs.
func ascii(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return text
	}
	text = inASCII.Replace(text)
	var b []byte
	for _, r := range text {
		if r < utf8.RuneSelf {
			b = append(b, byte(r))
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			b = fmt.Appendf(b, `\u%04x`, unit)
		}
	}
	return string(b)
}

// choose returns text in UTF-8, or what stands for it in ASCII.
func (s Style) choose(utf8, ascii string) string {
	if s.UTF8 {
		return utf8
	}
	return ascii
}

// None is what stands where there is no value.
func (s Style) None() string { return s.choose("–", "-") }

// Arrow is what stands between a value and what it became.
func (s Style) Arrow() string { return s.choose(" → ", " -> ") }

// The colours: control sequences of ECMA-48, section 8.3.117.
const (
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	plain  = "\x1b[0m"
)

func (s Style) paint(colour, text string) string {
	if !s.Colour || text == "" {
		return text
	}
	return colour + text + plain
}

// Good colours a word that says so itself.
func (s Style) Good(text string) string { return s.paint(green, text) }

// Fair colours a word that says so itself.
func (s Style) Fair(text string) string { return s.paint(yellow, text) }

// Bad colours a word that says so itself.
func (s Style) Bad(text string) string { return s.paint(red, text) }
