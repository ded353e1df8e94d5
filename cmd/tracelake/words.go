package main

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/tracelake/tracelake/decode/figures"
)

// count puts a number before its noun: "1 loss", "2,000 losses",
// "2 branches", "2 entries".
func count(n int64, noun string) string { return figures.Count(n, noun) }

// list joins words of a sentence: "pft, etmv3 or etmv2".
func list(words []string, last string) string {
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// thousands writes n with commas.
func thousands(n int64) string { return figures.Thousands(n) }

// percent is n of total, rounded, but never to all or nothing.
func percent(n, total int64) string { return figures.Percent(n, total) }

// percentTo is n of total in percent, with that many decimals.
func percentTo(n, total int64, decimals int) string { return figures.PercentTo(n, total, decimals) }

// otherStops says how many stops are at memory that is not ranked.
func otherStops(n int64) string {
	return count(n, "stop") + " in more pages of 4 KiB than are ranked (65,536)"
}

// sourceWords names a source, to follow its number: " PTM_0 (pft 1.1, core cpu_0)".
// A source without a name has its number for one, which is not printed twice.
func sourceWords(number, name, protocol, version, core string) string {
	words := strings.TrimSpace(protocol + " " + version)
	if core != "" {
		words = strings.TrimPrefix(words+", core "+core, ", ")
	}
	if words != "" {
		words = " (" + words + ")"
	}
	if name == number {
		name = ""
	}
	if name != "" {
		name = " " + name
	}
	return name + words
}

// writeJSON writes an object for programs.
func writeJSON(w io.Writer, x any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(x)
}
