package main

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// odd are words that say less than plain ones.
var odd = regexp.MustCompile(`\b(un)?told\b|\bcomes? to\b|\b(went|goes) on\b|\bat hand\b|\balone\b|\bunplaced\b|what to type`)

// Commands begin with a verb in the imperative, and their help has no odd words.
func TestPlainWords(t *testing.T) {
	walk(newApp(io.Discard, io.Discard).Commands, "", func(path string, c *cli.Command) {
		if verb, _, _ := strings.Cut(c.Usage, " "); strings.HasSuffix(verb, "s") || strings.ToLower(verb) != verb {
			t.Errorf("%s begins with %q, which is no imperative", path, verb)
		}
		if word := odd.FindString(commandHelp(c)); word != "" {
			t.Errorf("the help of %s says %q", path, word)
		}
	})
}

func TestUnknown(t *testing.T) {
	app := newApp(io.Discard, io.Discard)
	for line, want := range map[string]string{
		"exprt":                  "unknown command exprt; did you mean export? commands are ",
		"report html --elv x":    "unknown flag --elv for report html; did you mean --elf? see tracelake report html --help",
		"report nosuch":          "unknown report nosuch; reports are ",
		"--quiet export capture": "unknown flag --quiet for tracelake itself; flags come after the command",
	} {
		_, err := arrange(app, append([]string{programName}, strings.Fields(line)...))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

func TestNearest(t *testing.T) {
	words := []string{"export", "inspect", "packets", "json", "from", "output"}
	for word, want := range map[string]string{
		"exprt": "export", "exports": "export", "xeport": "export", "expotr": "export",
		"form": "from", "jsn": "json", "jason": "json", "outptu": "output",
		"ispct":  "inspect",                            // 2 of 7 wrong
		"report": "export",                             // 2 of 6 wrong
		"jsno":   "json", "fork": "", "js": "", "": "", // half wrong
		"convert": "", "demo": "", "frobnicate": "",
	} {
		if got := nearest(word, words); got != want {
			t.Errorf("nearest(%q) = %q, want %q (distance %d)", word, got, want, distance(word, want))
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"abc", "abc", 0},
		{"abc", "abd", 1},
		{"abc", "acb", 1},
		{"abc", "ab", 1},
		{"kitten", "sitting", 3},
		{"abcd", "badc", 2},
	} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
