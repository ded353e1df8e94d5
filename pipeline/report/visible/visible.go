// Package visible shows text that others wrote without letting it act: names and
// descriptions in a capture can hold sequences that a terminal obeys, and
// characters that hide or reorder the text around them. Terminal and report page show
// them alike.
//
// Its API is not stable (docs/guide/library.md).
package visible

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// acting are the characters that do something instead of being seen: control and
// format characters (zero-width and bidirectional ones are among them), line and
// paragraph separators, and what Unicode calls ignorable.
var acting = []*unicode.RangeTable{
	unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp,
	unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
}

// Append appends b to dst, each acting character in it as \u and its UTF-16 code
// in hexadecimal, as \u202e, and each byte that is no UTF-8 as \x and its value.
// Line feeds and tabs stay. JSON stays JSON of the same value: outside of its
// strings it has no other acting character.
func Append(dst, b []byte) []byte { return appendBut(dst, b, "\n\t") }

// appendBut is Append; of the control characters those in stay do.
func appendBut(dst, b []byte, stay string) []byte {
	for len(b) > 0 {
		if c := b[0]; ' ' <= c && c <= '~' || strings.IndexByte(stay, c) >= 0 {
			dst, b = append(dst, c), b[1:]
			continue
		}
		r, n := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && n == 1:
			dst = appendHex(append(dst, `\x`...), uint16(b[0]), 2)
		case unicode.In(r, acting...):
			for _, unit := range utf16.AppendRune(nil, r) {
				dst = appendHex(append(dst, `\u`...), unit, 4)
			}
		default:
			dst = append(dst, b[:n]...)
		}
		b = b[n:]
	}
	return dst
}

// Line returns text as [Append] shows it, on one line: line feeds become \u000a, tabs
// \u0009.
func Line(text string) string { return string(appendBut(nil, []byte(text), "")) }

// Cut returns a name as [Line] shows it. Of more than most characters as many are left
// as there is room for beside an ellipsis in their middle; neither a character nor its
// \u or \x is cut in two. The work is bounded by most, not by the name.
func Cut(name string, most int) string {
	if len(name) <= most*utf8.UTFMax {
		if text := Line(name); utf8.RuneCountInString(text) <= most {
			return text
		}
	}
	head, rest := "", name
	for room := most / 2; ; { // half of what the ellipsis leaves, rounded up
		_, n := utf8.DecodeRuneInString(rest)
		text := Line(rest[:n])
		if room -= utf8.RuneCountInString(text); room < 0 {
			break
		}
		head, rest = head+text, rest[n:]
	}
	tail := ""
	for room := most - 1 - utf8.RuneCountInString(head); ; {
		_, n := utf8.DecodeLastRuneInString(rest)
		text := Line(rest[len(rest)-n:])
		if room -= utf8.RuneCountInString(text); room < 0 {
			break
		}
		tail, rest = text+tail, rest[:len(rest)-n]
	}
	return head + "…" + tail
}

// appendHex appends v with that many digits.
func appendHex(dst []byte, v uint16, digits int) []byte {
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		dst = append(dst, "0123456789abcdef"[v>>shift&0xF])
	}
	return dst
}

// A Writer writes text to another writer as [Append] shows it, but tabs become \u0009,
// too: columns are made of spaces. It is used by one goroutine at a time.
type Writer struct {
	to   io.Writer
	rest []byte // the start of a character whose end is still to come
	buf  []byte
	err  error
}

// NewWriter returns a writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Underlying returns the writer that w writes to, for text that is to act: a
// progress bar.
func (w *Writer) Underlying() io.Writer { return w.to }

// Write writes b. It fails for ever once the underlying writer has failed.
func (w *Writer) Write(b []byte) (int, error) {
	text := append(w.rest, b...)
	whole := len(text) - unfinished(text)
	w.buf = appendBut(w.buf[:0], text[:whole], lineFeed)
	w.rest = append(text[:0], text[whole:]...)
	w.write()
	if w.err != nil {
		return 0, w.err
	}
	return len(b), nil
}

// Flush writes what looked like the start of a character. It returns the first
// error of the underlying writer, even if nobody looked at it when it happened.
func (w *Writer) Flush() error {
	w.buf = appendBut(w.buf[:0], w.rest, lineFeed)
	w.rest = nil
	w.write()
	return w.err
}

// lineFeed is what a [Writer] lets act.
const lineFeed = "\n"

// write writes buf.
func (w *Writer) write() {
	if w.err == nil && len(w.buf) > 0 {
		_, w.err = w.to.Write(w.buf)
	}
}

// unfinished returns how many bytes at the end of b may be the start of a
// character.
func unfinished(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if tail := b[len(b)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
