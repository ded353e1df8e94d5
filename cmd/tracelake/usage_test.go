package main

import "testing"

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
