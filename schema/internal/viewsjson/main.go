// Command viewsjson writes python/tracelake/views.json, the parts of views.sql for
// the Python module: what each [schema.ViewsPart] has, the text as its lines, and a part for each
// schema version that is read where its text differs. It is run by go generate.
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
	OldestVersion int    `json:"oldest_version"`
	Parts         []part `json:"parts"`
}

type part struct {
	With    []string `json:"with,omitempty"`
	Without []string `json:"without,omitempty"`
	Version int      `json:"version,omitempty"` // that it is for, 0: all
	Lines   []string `json:"lines"`
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: viewsjson FILE")
	}
	s := script{SchemaVersion: schema.Version, OldestVersion: schema.OldestVersion}
	for i, p := range schema.ViewsParts(schema.Version) {
		s.Parts = append(s.Parts, partsOf(i, p)...)
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

// partsOf returns part i, once for all schema versions, or for each.
func partsOf(i int, newest schema.ViewsPart) []part {
	var parts []part
	differ := false
	for version := schema.OldestVersion; version <= schema.Version; version++ {
		p := schema.ViewsParts(version)[i]
		differ = differ || p.Text != newest.Text
		parts = append(parts, part{p.With, p.Without, version, slices.Collect(strings.Lines(p.Text))})
	}
	if !differ {
		parts = parts[len(parts)-1:]
		parts[0].Version = 0
	}
	return parts
}
