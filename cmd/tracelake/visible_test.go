package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	stdutf8 "unicode/utf8"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
)

// Names with what a terminal would obey, and hidden and reversing characters;
// and how they are shown.
const (
	evil  = "PTM\x1b[31m\u202e\u200b\u009b2J"
	shown = `PTM\u001b[31m\u202e\u200b\u009b2J`
)

// evilCapture is the sample with evil names.
func evilCapture(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "capture")
	if err := sample.Extract(dir); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.ini"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte("PTM_0"), []byte(evil))
		text = bytes.ReplaceAll(text, []byte("description="), []byte("description="+evil))
		text = bytes.ReplaceAll(text, []byte("ETB_0"), []byte("ETB"+evil))
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Nothing in a capture reaches the terminal as it is, whatever prints it.
func TestNamesDoNotAct(t *testing.T) {
	capture := evilCapture(t)
	for _, args := range [][]string{
		{"inspect", capture},
		{"inspect", capture, "--json"},
		{"report", "quality", capture},
		{"report", "quality", capture, "--json"},
		{"export", capture, "-o", filepath.Join(t.TempDir(), "out")},
		{"export", capture, "-o", filepath.Join(t.TempDir(), evil)},
		{"export", capture, "-o", filepath.Join(t.TempDir(), "out"), "--buffer", "none"}, // an error that lists them
		{"export", capture + evil, "-o", filepath.Join(t.TempDir(), "out")},
		{evil},
	} {
		var stdout, stderr bytes.Buffer
		cmd := exec.Command("tracelake", args...)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		_ = cmd.Run() // the last three fail
		text := stdout.String() + stderr.String()
		if strings.ContainsAny(text, "\x1b\u202e\u200b\u009b") {
			t.Errorf("%q: %q", args, text)
		}
		if !strings.Contains(text, shown) {
			t.Errorf("%q does not show %s: %s", args, shown, text)
		}
		if args[len(args)-1] != "--json" {
			continue
		}
		var report struct{ Sources []struct{ Name string } }
		if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		if got := report.Sources[0].Name; got != evil {
			t.Errorf("%q: the name is %q, want %q", args, got, evil)
		}
	}
}

// hostile are bytes that a terminal obeys, or that hide: ESC, BEL, tab, CSI as one
// byte, U+202E, U+200B, and no UTF-8.
const hostile = "\x1b[7m\a\t\x9b\u202e\u200b\xff"

// hostileCapture is the sample with hostile names of devices, buffers, memory files,
// functions and source files, in a directory that has one.
func hostileCapture(t *testing.T) (dir, program string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "cap"+hostile)
	if err := sample.Extract(dir); err != nil {
		t.Fatal(err)
	}
	for name, pairs := range map[string][]string{
		"snapshot.ini": {"description=", "description=" + hostile},
		"cpu_0.ini":    {"sample.elf", "sample" + hostile + ".elf"},
		"ptm_0.ini":    {"PTM_0", "PTM" + hostile},
		"trace.ini":    {"ETB_0", "ETB" + hostile, "PTM_0", "PTM" + hostile},
		"sample.elf": { // of the same length
			"quicksort", "q\x1b[7m\a\r\t\xff", "sort.c", "\x1b\a\t\xff.c", "kernel_irq", "\u202e\x9b\x1b]0;\a\t", "sort_task", "\u202e\u200b\a\r\xff",
		},
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(pairs); i += 2 {
			if !bytes.Contains(text, []byte(pairs[i])) {
				t.Fatalf("%s has no %s", name, pairs[i])
			}
			text = bytes.ReplaceAll(text, []byte(pairs[i]), []byte(pairs[i+1]))
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	program = filepath.Join(dir, "sample"+hostile+".elf")
	if err := os.Rename(filepath.Join(dir, "sample.elf"), program); err != nil {
		t.Fatal(err)
	}
	return dir, program
}

// No byte of an input acts, whatever prints it: of what is printed only the line feed
// is a control character, and all is UTF-8.
func TestNothingActs(t *testing.T) {
	need.FullRun(t, "what is printed is printed by one goroutine, a hundred times")
	capture, program := hostileCapture(t)
	run, absent := filepath.Join(t.TempDir(), "run"+hostile), filepath.Join(t.TempDir(), hostile)
	commands := [][]string{
		{"inspect", capture},
		{"inspect", capture, "--json"},
		{"inspect", program},
		{"report", "quality", capture},
		{"packets", capture, "--to", "64"},
		{"export", capture, "-o", run, "--symbols", program, "--label", "test=" + hostile, "--task", "2=" + hostile},
		{"export", capture, "-o", run}, // which is there
		{"export", capture, "-o", absent, "--buffer", hostile},
		{"export", capture, "-o", absent, "-e", absent},
		{"export", capture, "-o", absent, "--require", "100"},
		{"inspect", absent},
		{"report", "coverage", absent},
		{"report", hostile},
		{"--" + hostile},
		{"verify", run},
		{"redecode", run, "--capture", capture, "--symbols", program},
		{"archive", capture, "-o", absent + "a", "--symbols", program},
		{"report", "coverage", run, "--exclude", hostile + "=" + hostile},
		{"report", "coverage", run, "--fail-under", "100:lines"},
		{"report", "disasm", run, "--function", hostile},
		{"report", "disasm", run, "--function", "q\x1b[7m\a\r\t\xff", "--source-root", capture},
		{"report", "last", run, "-n", "5", "--source-root", capture},
		{"report", "last", run, "--before", "exception=3"},
		{"report", "trust", run},
		{"report", "coverage", run, "--json"},
		{"prune", run, "--level", "none"},
	}
	for _, report := range []string{"coverage", "hotspots", "branches"} {
		for _, by := range []string{"function", "file", "line"} {
			commands = append(commands, []string{"report", report, run, "--by", by, "--top", "0", "--baseline", run})
		}
	}
	for _, report := range []string{"calls", "exceptions", "tasks", "branches"} {
		commands = append(commands, []string{"report", report, run, "--top", "0"}, []string{"report", report, run, "--json"})
	}
	for _, format := range []string{"folded", "lcov", "cobertura", "callgrind", "autofdo", "profgen", "modoff"} {
		commands = append(commands, []string{"convert", "--to", format, run})
	}
	var all strings.Builder
	for _, args := range commands {
		for _, more := range [][]string{nil, {"--ascii", "--width", "40"}} {
			if more != nil && (args[0] != "report" || args[1] == "quality" || slices.Contains(args, "--json")) {
				continue
			}
			var out bytes.Buffer
			cmd := exec.Command("tracelake", append(slices.Clone(args), more...)...)
			cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "COLUMNS=")
			cmd.Stdout, cmd.Stderr = &out, &out
			_ = cmd.Run() // many fail
			text := out.String()
			all.WriteString(text)
			for i, r := range text {
				_, size := stdutf8.DecodeRuneInString(text[i:])
				if r < ' ' && r != '\n' || 0x7f <= r && r < 0xa0 || r == '\u202e' || r == '\u200b' || r == stdutf8.RuneError && size == 1 || more != nil && r > '~' {
					t.Errorf("%q: %q acts, or is no text, in %q", args, r, text[max(0, i-40):min(len(text), i+20)])
					break
				}
			}
		}
	}
	for _, shown := range []string{ // that they were there
		`PTM\u001b[7m\u0007\u0009\x9b\u202e\u200b\xff`, `ETB\u001b[7m`, `sample\u001b[7m\u0007\u0009\x9b\u202e\u200b\xff.elf`,
		`q\u001b[7m\u0007\u000d\u0009\xff`, `\u001b\u0007\u0009\xff.c:`, `\u202e\x9b\u001b]0;\u0007\u0009`, `run\u001b[7m`,
	} {
		if !strings.Contains(all.String(), shown) {
			t.Errorf("nothing shows %s", shown)
		}
	}
}
