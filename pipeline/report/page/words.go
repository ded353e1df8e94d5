package page

import (
	"strings"

	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
)

// count puts a number before its noun.
func count(n int64, noun string) string { return figures.Count(n, noun) }

// times says how often.
func times(n int64) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return figures.Thousands(n) + " times"
}

// unknown is what stands where there is no figure.
const unknown = "–"

// percentCell is a percentage in a table.
func percentCell(n, of int64) string {
	if of == 0 {
		return unknown
	}
	return content.Percent(n, of) + " %"
}

// exact is n of of as the first line of reports has it.
func exact(n, of int64) string {
	if of == 0 {
		return unknown
	}
	return figures.Percent(n, of)
}

// of is how many of how many.
func of(n, of int64) string { return figures.Thousands(n) + " of " + figures.Thousands(of) }

// function is what rows of the functions are called: without names they are stretches of addresses.
func (p *Page) function() string {
	if p.Data.Named {
		return "function"
	}
	return "stretch"
}

// functions are likewise several.
func (p *Page) functions() string {
	if p.Data.Named {
		return "functions"
	}
	return "stretches"
}

// some lists the first of many words, and says how many more there are.
func some(words []string, all int64) string {
	text := strings.Join(words, ", ")
	if more := all - int64(len(words)); more > 0 {
		text += " and " + figures.Thousands(more) + " more"
	}
	return text
}

// sentence begins text as a sentence, and ends it.
func sentence(text string) string {
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// longestShown is how many characters of a name are shown where there is no more room.
const longestShown = 120

// shown is how many rows tables have without JavaScript.
const shown = 10
