package reference

import (
	"embed"
	"io"
	"slices"
	"strings"
	"text/template"
)

//go:embed bash.tmpl zsh.tmpl fish.tmpl
var scripts embed.FS

// Shells are those that [Completion] knows.
var Shells = []string{"bash", "zsh", "fish"}

// Completion writes a script that completes commands, flags and file names. It
// panics on a shell that is not among [Shells].
func Completion(w io.Writer, shell string, p *Program) error {
	t := template.New(shell + ".tmpl").Funcs(template.FuncMap{
		"all": All, "names": names, "flags": flagNames, "valued": valued, "quote": quoters[shell],
		"long":  func(f Flag) string { return withDashes(f, true) },
		"short": func(f Flag) string { return withDashes(f, false) },
	})
	return template.Must(t.ParseFS(scripts, shell+".tmpl")).Execute(w, p)
}

// names are the names of commands, apart by spaces.
func names(commands []Command) string {
	var words []string
	for i := range commands {
		words = append(words, commands[i].Name())
	}
	return strings.Join(words, " ")
}

// flagNames are all names of flags, apart by spaces.
func flagNames(flags []Flag) string {
	var words []string
	for _, f := range flags {
		words = append(words, f.Names...)
	}
	return strings.Join(words, " ")
}

// valued are the names of flags that take a value, apart by spaces.
func valued(flags []Flag) string {
	return flagNames(slices.DeleteFunc(slices.Clone(flags), func(f Flag) bool { return f.Value == "" }))
}

// withDashes returns the name of a flag with two dashes or with one, without them,
// or "".
func withDashes(f Flag, two bool) string {
	for _, name := range f.Names {
		if bare := strings.TrimLeft(name, "-"); (len(name)-len(bare) == 2) == two {
			return bare
		}
	}
	return ""
}

// quoters return text as a word of each shell.
var quoters = map[string]func(string) string{
	"bash": quoteSh,
	"zsh":  quoteSh,
	"fish": func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'" },
}

func quoteSh(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
