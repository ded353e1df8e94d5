package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"github.com/tracelake/tracelake/schema/datasettest"
)

// colours are the sequences that a report may hold.
var colours = regexp.MustCompile(`\x1b\[[0-9]+m`)

// On a terminal a report is as wide as that and coloured; without colours it is the
// same text, and names act in neither.
func TestReportOnTerminal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := datasettest.Write(dir, `
source 0x10 bytes=1000 checks=30
file fw.elf 0x1000 0x100 match=1
function 0x1000 8 main
function 0x1008 8 "evil\x1b[31m\x1b[2J"
code 0x1000 a32 other executed=5 at=a/very/long/path/to/a/source/file/whose/name/is/long/too/main.c:1
code 0x1004 a32 other conditional failed=5 at=a/very/long/path/to/a/source/file/whose/name/is/long/too/main.c:1
code 0x1008 a32 other at=b/main.c:3
`); err != nil {
		t.Fatal(err)
	}
	run := func(columns uint16, env ...string) string {
		stdout := func(c *exec.Cmd, terminal *os.File) { c.Stdout = terminal }
		env = append([]string{"LC_ALL=C.UTF-8", "COLUMNS=", "NO_COLOR="}, env...)
		text := runOnTerminal(t, columns, env, stdout, "report", "coverage", dir, "--by", "function")
		return strings.ReplaceAll(text, "\r\n", "\n")
	}
	plain := run(80, "NO_COLOR=1")
	for line := range strings.Lines(plain) {
		if n := uniseg.StringWidth(strings.TrimSpace(line)); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if strings.Contains(plain, "\x1b") || !strings.Contains(plain, "█") || !strings.Contains(plain, "hidden at ") || !strings.Contains(plain, `evil\u001b[31m\u001b[2J`) {
		t.Errorf("%s", plain)
	}
	coloured := run(80)
	if !strings.Contains(coloured, "\x1b[32mGood:\x1b[0m") || colours.ReplaceAllString(coloured, "") != plain {
		t.Errorf("%s", coloured)
	}
	if text := run(80, "TERM=dumb"); strings.Contains(text, "\x1b") || strings.Contains(text, "█") || !strings.Contains(text, "##") {
		t.Errorf("%s", text)
	}
	if text := run(80, "COLUMNS=200", "NO_COLOR=1"); text != plain {
		t.Errorf("COLUMNS counts on a terminal: %s", text)
	}
	if text := run(0, "COLUMNS=200", "NO_COLOR=1"); strings.Contains(text, "hidden at ") { // a terminal that does not say
		t.Errorf("%s", text)
	}
}
