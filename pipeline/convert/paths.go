package convert

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tracelake/tracelake/pipeline/report"
)

// Paths say where source files are, which need not be where the compiler found them.
type Paths struct {
	Map  []Mapping // the first one that fits a path applies
	Root string    // directory that relative paths start at; "": the working directory
}

// A Mapping puts one start of paths in the place of another.
type Mapping struct{ From, To string }

// Apply returns the files under their new paths, by path. Those under the root become relative
// to it.
func (p *Paths) Apply(files []report.SourceFile) []report.SourceFile {
	moved := make([]report.SourceFile, len(files))
	for i, f := range files {
		f.Path = p.Move(f.Path)
		moved[i] = f
	}
	slices.SortStableFunc(moved, func(x, y report.SourceFile) int { return strings.Compare(x.Path, y.Path) })
	return moved
}

// Move returns the new path of a file.
func (p *Paths) Move(name string) string {
	name = p.mapped(name)
	if root := strings.TrimSuffix(p.Root, "/"); root != "" {
		name = strings.TrimPrefix(name, root+"/")
	}
	return name
}

// mapped replaces the start of a path, whole folders only.
func (p *Paths) mapped(name string) string {
	for _, m := range p.Map {
		from := strings.TrimSuffix(m.From, "/")
		rest, ok := strings.CutPrefix(name, from)
		if ok && (rest == "" || rest[0] == '/') {
			return path.Join(m.To, rest)
		}
	}
	return path.Clean(name)
}

// Find returns the path to open a file at.
func (p *Paths) Find(name string) string {
	if p.Root == "" || absolute(name) {
		return name
	}
	return path.Join(p.Root, name)
}

// Local returns the path to open a file at that the compiler found under a name.
func (p *Paths) Local(name string) string { return p.Find(p.Move(name)) }

// absolute says whether a path starts at a root, of Windows too.
func absolute(name string) bool {
	return strings.HasPrefix(name, "/") || len(name) > 1 && name[1] == ':'
}

// Missing returns the paths of files that cannot be found.
func (p *Paths) Missing(files []report.SourceFile) []string {
	var missing []string
	for _, f := range files {
		if info, err := os.Stat(p.Find(f.Path)); err != nil || info.IsDir() {
			missing = append(missing, f.Path)
		}
	}
	return missing
}

// clean returns text on one line: formats of lines have no way to write others.
func clean(text string) string {
	if !strings.ContainsFunc(text, isControl) && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd"):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case isControl(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isControl(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) }
