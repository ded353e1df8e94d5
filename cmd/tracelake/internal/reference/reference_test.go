package reference

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
)

// program is one whose texts would act in a shell, or in roff.
var program = &Program{
	Name: "tracelake", Usage: `it's "quoted"`, Version: "v1", ExitStatus: "0 done.",
	Commands: []Command{
		{
			Path: "export", Usage: "does: it's $HOME `x` \\n", Synopsis: "tracelake export INPUT",
			Description: ".so /etc/passwd\n'in quotes\n\n   .nf literal\n   'too\n\nagain",
			Flags: []Flag{
				{Names: []string{"--output", "-o"}, Value: "DIR", Usage: "it's 100 % [of] $x: \\fB", Group: "Output"},
				{Names: []string{"--overwrite"}, Usage: "replace", Group: "Output"},
			},
		},
		{
			Path: "report", Usage: "reports",
			Commands: []Command{{Path: "report export", Usage: "of that name",
				Flags: []Flag{{Names: []string{"--json"}, Usage: "JSON"}}}},
		},
	},
}

// completions are what is completed, and with what: the last word is the one at the
// cursor. Nothing means that the shell completes file names.
var completions = []struct {
	words []string
	want  string
}{
	{[]string{"tracelake", ""}, "export report"},
	{[]string{"tracelake", "exp"}, "export"},
	{[]string{"tracelake", "--v"}, "--version"},
	{[]string{"tracelake", "export", ""}, ""},
	{[]string{"tracelake", "export", "--o"}, "--output --overwrite"},
	{[]string{"tracelake", "export", "--output", "re"}, ""},
	{[]string{"tracelake", "export", "-o", "re"}, ""},
	{[]string{"tracelake", "export", "--overwrite", "--out"}, "--output"},
	{[]string{"tracelake", "export", "report", "--out"}, "--output"},
	{[]string{"tracelake", "export", "--", "--out"}, ""},
	{[]string{"tracelake", "export", "--h"}, "--help"},
	{[]string{"tracelake", "report", ""}, "export"},
	{[]string{"tracelake", "report", "e"}, "export"},
	{[]string{"tracelake", "report", "export", "run", "--j"}, "--json"},
	{[]string{"tracelake", "report", "export", ""}, ""},
	{[]string{"tracelake", "nothing", ""}, ""},
}

// script returns the script of a shell, in a file.
func script(t *testing.T, shell string) string {
	t.Helper()
	var b strings.Builder
	if err := Completion(&b, shell, program); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "completion")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// output runs a script with the shell, and returns the lines that it prints.
func output(t *testing.T, path string, args ...string) []string {
	t.Helper()
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// compare compares what a shell completed, a line each, with completions.
func compare(t *testing.T, lines []string) {
	t.Helper()
	if len(lines) != len(completions) {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	for i, c := range completions {
		words := strings.Fields(lines[i])
		slices.Sort(words)
		if got := strings.Join(words, " "); got != c.want {
			t.Errorf("%q: %q, want %q", c.words, got, c.want)
		}
	}
}

func TestBash(t *testing.T) {
	bash := need.Tool(t, need.Make, "bash")
	var b strings.Builder
	fmt.Fprintf(&b, "source %s\n", script(t, "bash"))
	for _, c := range completions {
		fmt.Fprintf(&b, "COMP_WORDS=(")
		for _, w := range c.words {
			b.WriteString(quoteSh(w) + " ")
		}
		fmt.Fprintf(&b, ") COMP_CWORD=%d COMPREPLY=()\n_tracelake\necho \"${COMPREPLY[*]}\"\n", len(c.words)-1)
	}
	compare(t, output(t, bash, "--norc", "-c", b.String()))
	// bash makes words of what is around an equals sign
	got := output(t, bash, "--norc", "-c", "source "+script(t,
		"bash")+"\nCOMP_WORDS=(tracelake export --output = re) COMP_CWORD=4\n_tracelake\necho \"<${COMPREPLY[*]}>\"; complete -p tracelake")
	if want := []string{"<>", "complete -o default -F _tracelake tracelake"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// zshStubs print what zsh's own functions would offer: of words with descriptions,
// those that begin as the word at the cursor.
const zshStubs = `
_describe() {
	[[ $1 == -o ]] && shift
	local w
	for w in ${(P)2}; do
		w=${w%%:*}
		[[ $w == ${PREFIX}* ]] && print -n -- "$w "
	done
}
_files() { : }
compset() { : }
compdef() { registered=$2 }
`

func TestZsh(t *testing.T) {
	zsh := need.Tool(t, need.Zsh, "zsh")
	var b strings.Builder
	fmt.Fprintf(&b, "%ssource %s\n[[ $registered == tracelake ]] || exit 1\n", zshStubs, script(t, "zsh"))
	for _, c := range completions {
		b.WriteString("words=(")
		for _, w := range c.words {
			b.WriteString(quoteSh(w) + " ")
		}
		fmt.Fprintf(&b, ") CURRENT=%d PREFIX=%s\n_tracelake\nprint\n", len(c.words), quoteSh(c.words[len(c.words)-1]))
	}
	compare(t, output(t, zsh, "-f", "-c", b.String()))
	// and zsh's own completion takes it
	got := output(t, zsh, "-f", "-c", "autoload -U compinit; compinit -D -u; source "+script(t,
		"zsh")+"; print $_comps[tracelake]")
	if !slices.Equal(got, []string{"_tracelake"}) {
		t.Errorf("completes with %q", got)
	}
}

func TestFish(t *testing.T) {
	fish := need.Tool(t, need.Fish, "fish")
	empty := t.TempDir() // no file names
	var b strings.Builder
	fmt.Fprintf(&b, "source %s\ncd %s\n", script(t, "fish"), empty)
	for _, c := range completions {
		fmt.Fprintf(&b, "echo (complete -C '%s' | string replace -r '\\t.*' '')\n", strings.Join(c.words, " "))
	}
	compare(t, output(t, fish, "--no-config", "-c", b.String()))
	for _, c := range []struct{ line, want string }{
		{"tracelake exp", "export\tdoes: it's $HOME `x` \\n"},
		{"tracelake export --output", "--output\tit's 100 % [of] $x: \\fB"},
	} {
		if got := output(t, fish, "--no-config", "-c", "source "+script(t,
			"fish")+"; complete -C '"+c.line+"'"); !slices.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
}

// The man page has no text that roff obeys, and groff finds nothing to warn of.
func TestMan(t *testing.T) {
	groff := need.Tool(t, need.Groff, "groff")
	var page strings.Builder
	if err := Man(&page, program); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(groff, "-man", "-ww", "-Tascii", "-P-cbou")
	cmd.Stdin = strings.NewReader(page.String())
	var warnings strings.Builder
	cmd.Stderr = &warnings
	out, err := cmd.Output()
	if err != nil || warnings.Len() > 0 {
		t.Fatalf("%v\n%s", err, &warnings)
	}
	for _, want := range []string{
		"TRACELAKE(1)", `tracelake - it's "quoted"`, "tracelake report export", "\n       .so /etc/passwd 'in quotes\n",
		"\n          .nf literal\n          'too\n", "\n       again\n",
		"--output, -o DIR\n", `it's 100 % [of] $x: \fB`, "EXIT STATUS\n       0 done.\n",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the page has no %q:\n%s", want, out)
		}
	}
}
