package visible

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAppend(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"Zürich — 漢字 🙂\tend\n", "Zürich — 漢字 🙂\tend\n"},
		{"\x1b[31mred\x1b[0m", `\u001b[31mred\u001b[0m`},
		{"\x1b]0;title\a", `\u001b]0;title\u0007`},
		{"over\rwritten\b\b\x00\x7f", `over\u000dwritten\u0008\u0008\u0000\u007f`},
		{"\u009b2J", `\u009b2J`}, // CSI of 8-bit terminals, as UTF-8
		{"\x9b2J\xff", `\x9b2J\xff`},
		{"a\u202eb\u2066c\u2069\u061c", `a\u202eb\u2066c\u2069\u061c`},
		{"a\u200bb\u200d\u2060\ufeff\u00ad", `a\u200bb\u200d\u2060\ufeff\u00ad`},
		{"a\u2028b\u2029\u0085", `a\u2028b\u2029\u0085`},
		{"\u3164\ufe0f\u034f", `\u3164\ufe0f\u034f`},
		{"\U000e0041", `\udb40\udc41`}, // a tag letter, as JSON writes it
		{"\xe2\x80", `\xe2\x80`},
		{"\ufffd", "\ufffd"},
	} {
		if got := string(Append(nil, []byte(tt.text))); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.text, got, tt.want)
		}
		var out bytes.Buffer
		w := NewWriter(&out)
		for i := range len(tt.text) { // wherever it is split
			if n, err := w.Write([]byte{tt.text[i]}); n != 1 || err != nil {
				t.Fatal(n, err)
			}
		}
		want := strings.ReplaceAll(tt.want, "\t", `\u0009`)
		if err := w.Flush(); err != nil || out.String() != want {
			t.Errorf("%q byte by byte: got %s, want %s (%v)", tt.text, &out, want, err)
		}
	}
}

// Two lines in a name would be two rows.
func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "Zürich 漢字 🙂": "Zürich 漢字 🙂", "a\tb\nc\r\n": `a\u0009b\u000ac\u000d\u000a`,
		"\x1b]0;t\a\u202e\u200b\xff": `\u001b]0;t\u0007\u202e\u200b\xff`,
		"\xed\xa0\x80":               `\xed\xa0\x80`, // a surrogate, which is no UTF-8
	} {
		if got := Line(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// Start and end of a name stay. What stands for one character is left whole, or out.
func TestCut(t *testing.T) {
	for _, tt := range []struct {
		name string
		most int
		want string
	}{
		{"", 5, ""},
		{"abcde", 5, "abcde"},
		{"abcdef", 5, "ab…ef"},
		{"abcdefg", 6, "abc…fg"},
		{"漢字漢字漢字", 5, "漢字…漢字"},
		{"é🙂é🙂", 3, "é…🙂"},
		{"a\u202eb", 8, `a\u202eb`},
		{"a\u202ebc", 8, "a…bc"},                    // the escape takes 6
		{"ab\x1bcdefgh\xffyz", 13, `ab…efgh\xffyz`}, // the first escape has no room: left out whole
		{"a\nb\tc", 15, `a\u000ab\u0009c`},
		{"\xf0\x9f\x99a\xf0\x9f\x99", 9, `\xf0…\x99`},
		{"a" + strings.Repeat("\u0301", 1<<20), 4, "a\u0301…\u0301"}, // marks take no room, but bytes
		{strings.Repeat("\u202e", 1<<20), 13, `\u202e…\u202e`},
		{"ab", 1, "…"},
	} {
		if got := Cut(tt.name, tt.most); got != tt.want {
			t.Errorf("%.40q to %d: got %s, want %s", tt.name, tt.most, got, tt.want)
		}
	}
}

// JSON remains JSON, of the same value.
func TestJSON(t *testing.T) {
	value := map[string]string{"a\u202e\x1b\u007f": "\u200b\U000e0041\u009b 漢 \\u202e"}
	var plain bytes.Buffer
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	if err := e.Encode(value); err != nil {
		t.Fatal(err)
	}
	shown := Append(nil, plain.Bytes())
	var back map[string]string
	if err := json.Unmarshal(shown, &back); err != nil {
		t.Fatalf("%v: %s", err, shown)
	}
	for key, want := range value {
		if back[key] != want {
			t.Errorf("%q, want %q; in %s", back[key], want, shown)
		}
	}
	if bytes.ContainsRune(shown, 0x202e) || bytes.ContainsRune(shown, 0x7f) {
		t.Errorf("acts: %q", shown)
	}
}

// full is a device without room.
type full struct{ room int }

var errFull = errors.New("full")

func (f *full) Write(b []byte) (int, error) {
	if len(b) > f.room {
		return 0, errFull
	}
	f.room -= len(b)
	return len(b), nil
}

// An error of the underlying writer is kept for Flush, and nothing is written after
// it: a hole would look whole.
func TestWriterFails(t *testing.T) {
	w := NewWriter(&full{room: 4})
	for _, text := range []string{"abc", "def", "g"} {
		_, _ = w.Write([]byte(text))
	}
	if err := w.Flush(); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
	if f := w.Underlying().(*full); f.room != 1 {
		t.Errorf("%d bytes of room left, want 1", f.room)
	}
}

func FuzzAppend(f *testing.F) {
	f.Add("\x1b[31m\u202e\xff 漢")
	f.Fuzz(func(t *testing.T, text string) {
		once := Append(nil, []byte(text))
		if !utf8.Valid(once) || strings.ContainsAny(string(once), "\x1b\r\x00\u202e\u200b\u009b") {
			t.Errorf("%q becomes %q", text, once)
		}
		if twice := Append(nil, once); !bytes.Equal(once, twice) {
			t.Errorf("%q becomes %q, and that %q", text, once, twice)
		}
	})
}

func FuzzCut(f *testing.F) {
	f.Add("\x1b[31m\u202e\xff 漢 and more", 20)
	f.Fuzz(func(t *testing.T, name string, most int) {
		most = max(1, most%1000)
		got, whole := Cut(name, most), Line(name)
		if n := utf8.RuneCountInString(got); n > most || !utf8.ValidString(got) {
			t.Errorf("%q to %d: %q of %d", name, most, got, n)
		}
		if got == whole {
			return
		}
		if utf8.RuneCountInString(whole) <= most {
			t.Errorf("%q to %d: cut to %q", name, most, got)
		}
		for at := range got { // some ellipsis is the one
			head, rest := got[:at], got[at:]
			if tail, ok := strings.CutPrefix(rest, "…"); ok && strings.HasPrefix(whole, head) && strings.HasSuffix(whole, tail) {
				return
			}
		}
		t.Errorf("%q to %d: %q is no start and end of it", name, most, got)
	})
}
