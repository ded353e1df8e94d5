package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"github.com/tracelake/tracelake/bench/sample"
)

// Every report of the sample fits 80 columns, and 60: but for commands to copy, which are not broken.
func TestReportsFit(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := sample.Extract("capture"); err != nil {
		t.Fatal(err)
	}
	fits := func(t *testing.T, width int, args ...string) {
		t.Helper()
		var out, errors bytes.Buffer
		cmd := exec.Command("tracelake", args...)
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "COLUMNS="+strconv.Itoa(width))
		cmd.Stdout, cmd.Stderr = &out, &errors
		if err := cmd.Run(); err != nil {
			t.Errorf("%q: %v: %s", args, err, errors.String())
		}
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			if n := uniseg.StringWidth(line); n > width && !toCopy(line) {
				t.Errorf("%q: %d columns, not %d: %s", args, n, width, line)
			}
		}
	}
	run := filepath.Join("demo", demoDataset)
	for _, width := range []int{80, 60} {
		fits(t, width, "demo", "-o", "demo")
		fits(t, width, "inspect", "capture")
		for _, report := range reportCommand().Subcommands {
			switch report.Name {
			case "html": // no text
				continue
			case "quality":
				fits(t, width, "report", "quality", "capture")
				continue
			}
			flags, ok := reportsWith[report.Name]
			if !ok {
				t.Errorf("report %s is not tried", report.Name)
			}
			for _, more := range flags {
				fits(t, width, slices.Concat([]string{"report", report.Name, run}, more)...)
			}
		}
	}
}

// Why code was missed is shown however narrow the terminal is: other columns go.
func TestWhyIsShown(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := sample.Extract("capture"); err != nil {
		t.Fatal(err)
	}
	said(t, "export", "capture", "-e", "capture/"+sample.ELF, "--level", "none", "-o", "run")
	for _, width := range []string{"80", "60"} {
		for _, by := range []string{"file", "function", "line"} {
			text := said(t, "report", "coverage", "run", "--by", by, "--top", "0", "--width", width)
			if header := regexp.MustCompile(`(?m)^(FILE|FUNCTION|LINE) .*WHY$`); !header.MatchString(text) {
				t.Errorf("by %s at %s columns:\n%s", by, width, text)
			}
		}
	}
}

// toCopy says whether a line is a command or a query, which may be long.
func toCopy(line string) bool {
	command := strings.TrimLeft(line, " ")
	return command != line && (strings.HasPrefix(command, "tracelake ") || strings.HasPrefix(command, "SELECT ") ||
		strings.HasPrefix(command, "FROM "))
}

// reportsWith are flags that change what the reports of a dataset look like.
var reportsWith = map[string][][]string{
	"coverage":   {{"--baseline", "demo/dataset"}, {"--by", "function", "--top", "0"}, {"--by", "line", "--top", "0"}},
	"branches":   {{"--baseline", "demo/dataset", "--top", "0"}, {"--by", "file"}},
	"hotspots":   {{"--baseline", "demo/dataset", "--top", "0"}, {"--by", "line"}},
	"calls":      {{"--baseline", "demo/dataset", "--top", "0"}},
	"exceptions": {{"--baseline", "demo/dataset"}},
	"tasks":      {{"--baseline", "demo/dataset"}},
	"last":       {{}, {"--before", "exception=3", "-n", "100"}},
	"disasm":     {{"--function", "quicksort"}, {"--file", "kernel.c"}},
	"trust":      {{}},
}
