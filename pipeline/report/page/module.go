package page

import (
	"embed"
	"regexp"
	"strings"
	"sync"
)

//go:embed js/*.js
var moduleFiles embed.FS

// moduleNames are the modules that draw the page, each after those that it imports.
var moduleNames = []string{
	"model", "text", "keys", "url", "detail", "elements", "table", "canvas", "search", "map", "functions", "source",
	"ledger", "time", "range", "instructions", "minimap", "lanes", "flame", "exceptions", "main",
}

var (
	comments    = regexp.MustCompile(`(?m)^ *(//.*|/\*\*(?s:.*?)\*/)\n`)
	indents     = regexp.MustCompile(`(?m)^ +|^\n`) // no text of a module has several lines: TestModules
	importLine  = regexp.MustCompile(`(?m)^import \{.*\} from '\./(.*)\.js';\n`)
	exportWords = regexp.MustCompile(`(?m)^export `)
)

// module is the module of the page: a page is one file, so it has the text of all modules in
// order, without comments that have lines of their own, indents, imports and exports. TestModules holds that this is the same
// program.
var module = sync.OnceValue(func() string {
	var out strings.Builder
	for _, name := range moduleNames {
		text, err := moduleFiles.ReadFile("js/" + name + ".js")
		if err != nil {
			panic(err) // it is embedded
		}
		out.Write(exportWords.ReplaceAll(importLine.ReplaceAll(indents.ReplaceAll(comments.ReplaceAll(text, nil), nil), nil), nil))
	}
	return out.String()
})
