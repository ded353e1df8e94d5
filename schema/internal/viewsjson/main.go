// Command viewsjson writes python/tracelake/views.json, the parts of views.sql for
// the Python module: what each [schema.ViewsPart] has, the text as its lines. It is run
// by go generate.
package main

import (
	"bytes"
	"encoding/json"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/schema"
)

type script struct {
	SchemaVersion int    `json:"schema_version"`
	Parts         []part `json:"parts"`
}

type part struct {
	With    []string `json:"with,omitempty"`
	Without []string `json:"without,omitempty"`
	Lines   []string `json:"lines"`
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: viewsjson FILE")
	}
	s := script{SchemaVersion: schema.Version}
	for _, p := range schema.ViewsParts() {
		s.Parts = append(s.Parts, part{p.With, p.Without, slices.Collect(strings.Lines(p.Text))})
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(s); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(os.Args[1], b.Bytes(), 0o666); err != nil {
		log.Fatal(err)
	}
}
