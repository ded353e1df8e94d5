package main

import (
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline/convert"
)

// pathFlags say where source files are.
func pathFlags() []cli.Flag {
	return []cli.Flag{
		groupOutput.strings("path-map", "`OLD=NEW` if the sources moved"),
		groupOutput.stringOr("source-root", "relative paths of sources start at `DIR`", "where the program runs"),
	}
}

// readPaths reads where source files are.
func readPaths(ctx *cli.Context) (convert.Paths, error) {
	mapped, err := readPathMap(ctx)
	return convert.Paths{Map: mapped, Root: ctx.String("source-root")}, err
}

// readPathMap reads which folders moved.
func readPathMap(ctx *cli.Context) ([]convert.Mapping, error) {
	var all []convert.Mapping
	for _, text := range ctx.StringSlice("path-map") {
		from, to, ok := strings.Cut(text, "=")
		if !ok || from == "" {
			return nil, usage("--path-map "+text, "is not OLD=NEW", "write --path-map /build/firmware=src")
		}
		all = append(all, convert.Mapping{From: from, To: to})
	}
	return all, nil
}

// A sourceText reads lines of source files.
type sourceText struct {
	paths convert.Paths
	files map[string][]string // lines; nil: the file cannot be read
}

func newSourceText(p convert.Paths) *sourceText {
	return &sourceText{paths: p, files: map[string][]string{}}
}

// maxSource is the most bytes of a source file that are read.
const maxSource = 16 << 20

// line returns a line of a file, without the room before it; "": there is none.
func (t *sourceText) line(file string, number uint32) string {
	if file == "" {
		return ""
	}
	lines, ok := t.files[file]
	if !ok {
		lines = readLines(t.paths.Local(file))
		t.files[file] = lines
	}
	if number == 0 || int64(number) > int64(len(lines)) {
		return ""
	}
	return strings.Join(strings.Fields(lines[number-1]), " ")
}

// readLines returns the lines of a file; nil if it cannot be read.
func readLines(path string) []string {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSource))
	if err != nil {
		return nil
	}
	return slices.Collect(strings.Lines(string(text)))
}

// missing returns the files that lines were wanted of and that cannot be read.
func (t *sourceText) missing() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(t.files)), func(file string) bool { return t.files[file] != nil })
}
