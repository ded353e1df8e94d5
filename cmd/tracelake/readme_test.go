package main

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
)

// A document is one whose commands run, in turn, in an empty directory.
type document struct {
	file   string
	notRun map[string]string // the lines that no test runs, and why
}

// documents are the README and the guides.
func documents(t *testing.T) []document {
	t.Helper()
	guides, err := filepath.Glob("../../docs/guide/*.md")
	if err != nil || len(guides) == 0 {
		t.Fatal(err)
	}
	all := []document{{"../../README.md", map[string]string{
		"make test":                  "this is one of the tests it runs",
		"go install ./cmd/tracelake": "it writes to GOBIN",
	}}}
	for _, file := range guides {
		d := document{file, nil}
		switch filepath.Base(file) {
		case "library.md":
			d.notRun = map[string]string{"go get github.com/tracelake/tracelake": "docs runs its program"}
		case "perf.md":
			d.notRun = map[string]string{
				"perf record -e cs_etm//u -- ./program":   "it needs CoreSight; the recording is made by readmeInputs",
				"simpleperf record -e cs-etm:u ./program": "it needs Android",
			}
		case "synthesis.md":
			d.notRun = map[string]string{
				"arm-linux-gnueabihf-gcc -static -o prog prog.c":              "the compiler is seldom there; bench/generate runs it where it is",
				"qemu-arm -singlestep -d exec,cpu,nochain -D prog.log ./prog": "as the compiler; the log is made by readmeInputs",
			}
		}
		all = append(all, d)
	}
	return all
}

// A readmeCommand is a line of a document that a user types, with what the command
// reads then, SQL or a script, and what the document shows that the command prints.
type readmeCommand struct{ line, stdin, prints string }

// The README and the guides are right: a user who types their lines in turn, in an empty directory,
// sees all of them succeed.
func TestREADME(t *testing.T) {
	need.FullRun(t, "what it runs is in scripts too")
	for _, d := range documents(t) {
		t.Run(filepath.Base(d.file), func(t *testing.T) { d.run(t) })
	}
}

// run types the lines of a document.
func (d *document) run(t *testing.T) {
	text, err := os.ReadFile(d.file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	readmeInputs(t, dir)
	var skipped []string
	for _, c := range readmeCommands(string(text)) {
		switch {
		case d.notRun[c.line] != "":
			skipped = append(skipped, c.line)
		case c.line == "python":
			t.Run(c.line, func(t *testing.T) { readmeCommand{line: need.Interpreter(t), stdin: c.stdin}.run(t, dir) })
		case strings.HasSuffix(c.line, "duckdb") || strings.Contains(c.line, "duckdb ") || strings.Contains(c.line, "tracelake sql "):
			t.Run(c.line, func(t *testing.T) {
				out := c.run(t, dir, filepath.Dir(need.DuckDB(t)))
				if !strings.Contains(out, "─┤\n│") {
					t.Errorf("%s\n%sno rows:\n%s", c.line, c.stdin, out)
				}
				c.check(t, out)
			})
		default:
			t.Run(c.line, func(t *testing.T) {
				if strings.Contains(c.line, "analyser.etms") { // which the lines of Python make
					need.Interpreter(t)
				}
				c.check(t, c.run(t, dir))
			})
		}
	}
	slices.Sort(skipped)
	if want := slices.Sorted(maps.Keys(d.notRun)); !slices.Equal(slices.Compact(skipped), want) {
		t.Errorf("lines that are not run:\n%q, want\n%q", skipped, want)
	}
}

// The README is two screens, in the order in which questions come.
func TestREADMEIsShort(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if words, lines := len(bytes.Fields(text)), bytes.Count(text, []byte("\n")); words > 1200 || lines > 200 {
		t.Errorf("%d words and %d lines, 1,200 and 200 at most", words, lines)
	}
	at := 0
	for _, part := range []string{
		"# tracelake", "<picture>", "## Install", "tracelake demo", "make test", "## Your capture", "tracelake inspect", "tracelake report html",
		"tracelake export", "## Ask", "## SQL and Python", "## Supported", "## How right, how fast, how big", "## The Go library", "## Documentation", "License",
	} {
		i := bytes.Index(text[at:], []byte(part))
		if i < 0 {
			t.Fatalf("%s: is not there, or too early", part)
		}
		at += i
	}
}

// inlineCommand is a command in the text, and no mention of one.
var inlineCommand = regexp.MustCompile("`((?:go [^\\s`]+|tracelake [^\\s`]+ [^\\s`]+)[^`]*)`")

// readmeCommands returns the commands of a document: lines that are indented by
// four, each with the block of SQL that follows it, those in the text, and python
// for each of its scripts.
func readmeCommands(text string) []readmeCommand {
	var commands []readmeCommand
	fenced, kind := false, ""
	for line := range strings.Lines(text) {
		if after, ok := strings.CutPrefix(line, "```"); ok {
			fenced, kind = !fenced, strings.TrimSpace(after)
			if kind == "python" {
				commands = append(commands, readmeCommand{line: kind})
			}
			continue
		}
		indented, ok := strings.CutPrefix(line, "    ")
		switch {
		case kind == "sql", kind == "python":
			commands[len(commands)-1].stdin += line
		case kind == "text":
			commands[len(commands)-1].prints += line
		case fenced:
		case ok:
			commands = append(commands, readmeCommand{line: strings.TrimSpace(indented)})
		default:
			for _, m := range inlineCommand.FindAllStringSubmatch(line, -1) {
				commands = append(commands, readmeCommand{line: m[1]})
			}
		}
	}
	return commands
}

// check checks that a command prints what the README shows.
func (c readmeCommand) check(t *testing.T, out string) {
	t.Helper()
	if c.prints != "" && c.prints != out {
		t.Errorf("%s prints\n%s\nthe README shows\n%s", c.line, out, c.prints)
	}
}

// utf8 is the locale that the README shows output in.
const utf8 = "LC_ALL=C.UTF-8"

// run runs a line with bash in dir. From a checkout, `go run ./cmd/tracelake` is
// tracelake.
func (c readmeCommand) run(t *testing.T, dir string, path ...string) string {
	t.Helper()
	cmd := exec.Command("bash", "-c", strings.ReplaceAll(c.line, "go run ./cmd/tracelake", "tracelake"))
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(c.stdin)
	module, err := filepath.Abs("../../python")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), utf8, "COLUMNS=", "PYTHONPATH="+module, "PATH="+strings.Join(append(path, os.Getenv("PATH")), string(filepath.ListSeparator)))
	out, err := cmd.Output()
	if err != nil {
		failed, _ := errors.AsType[*exec.ExitError](err)
		t.Errorf("%s\n%s%v\n%s", c.line, c.stdin, err, failed.Stderr)
	}
	return string(out)
}

// readmeInputs makes the user's files that the README's commands name: a program,
// here that of the sample, a log of QEMU, what a logic analyser saw on the pins
// of an ETMv1 (docs/etmv2.md §8.4, K), and a recording of perf.
func readmeInputs(t *testing.T, dir string) {
	t.Helper()
	made := t.TempDir()
	if err := sample.Extract(made); err != nil {
		t.Fatal(err)
	}
	elf, err := os.ReadFile(filepath.Join(made, sample.ELF))
	if err != nil {
		t.Fatal(err)
	}
	writeRecording(t, dir)
	log := qemuLogText("40008044", "40008048", "4000804c", "40008044") // a loop of the sample
	pins := "PIPESTAT,TRACESYNC,TRACEPKT\n4,1,80\n0,0,80\n0,0,82\n0,0,80\n0,0,10\n2,0,00\n4,1,41\n0,0,00\n0,0,00\n0,0,00\n"
	for name, content := range map[string][]byte{"prog": elf, "prog.log": []byte(log), "analyser.csv": []byte(pins)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
