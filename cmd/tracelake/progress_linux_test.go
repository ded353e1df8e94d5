package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tracelake/tracelake/bench/need"
)

// onTerminal runs tracelake with stderr on a terminal and returns what that
// shows.
func onTerminal(t *testing.T, env []string, args ...string) string {
	t.Helper()
	return runOnTerminal(t, 0, env, func(c *exec.Cmd, terminal *os.File) { c.Stderr = terminal }, args...)
}

// runOnTerminal runs tracelake with a terminal of so many columns, 0 being unknown,
// which connect connects, and returns what that shows.
func runOnTerminal(t *testing.T, columns uint16, env []string, connect func(c *exec.Cmd, terminal *os.File),
	args ...string) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		need.Missing(t, need.Terminal, err.Error())
	}
	defer master.Close()
	fd := int(master.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: columns})
	}
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	shown := make(chan string)
	go func() {
		b, _ := io.ReadAll(master) // ends with EIO once no slave is open
		shown <- string(b)
	}()
	cmd := exec.Command("tracelake", args...)
	connect(cmd, slave)
	cmd.Env = append(os.Environ(), append([]string{"TERM=xterm"}, env...)...)
	err = cmd.Run()
	slave.Close()
	text := <-shown
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return text
}

func TestProgressOnTerminal(t *testing.T) {
	const bar, cleared = "% |", "\x1b[2K\r"
	args := append(longTrace(t, 4), "-o", filepath.Join(t.TempDir(), "out"), "--overwrite")

	text := onTerminal(t, []string{"NO_COLOR=1"}, args...)
	before, after, ok := strings.Cut(text, "/out: ")
	if !ok || !strings.Contains(before, bar) {
		t.Errorf("no bar before the summary in %q", text)
	}
	if strings.Contains(after, bar) || !strings.Contains(before[strings.LastIndex(before, bar):], cleared) {
		t.Errorf("the bar is not cleared before the summary in %q", text)
	}
	if regexp.MustCompile(`\x1b\[[0-9;]*m`).MatchString(text) {
		t.Errorf("colours in %q", text)
	}
	for _, flag := range []string{"--no-progress", "--quiet"} {
		text := onTerminal(t, []string{"NO_COLOR=1"}, append(args, flag)...)
		if strings.Contains(text, bar) || strings.Contains(text, "\x1b") {
			t.Errorf("%s: %q", flag, text)
		}
		if quiet := flag == "--quiet"; quiet != (text == "") {
			t.Errorf("%s: %q", flag, text)
		}
	}
	if text := onTerminal(t, []string{"TERM=dumb"}, args...); strings.Contains(text, "\x1b") {
		t.Errorf("TERM=dumb: %q", text)
	}
}

// Every long command has the bar, and clears it.
func TestProgressOfAll(t *testing.T) {
	const cleared = "\x1b[2K\r"
	export := longTrace(t, 4)
	dir := filepath.Join(t.TempDir(), "out")
	onTerminal(t, nil, append(export, "-o", dir, "--quiet")...)
	input := export[1:]
	for what, args := range map[string][]string{
		"checking out": {"verify", dir},
		"comparing":    {"verify", dir, "--truth", dir},
		"decoding":     append([]string{"report", "quality"}, input...),
		"listing":      append([]string{"packets"}, input[:len(input)-2]...),
	} {
		text := onTerminal(t, nil, args...)
		if !strings.Contains(text, what) || !strings.Contains(text, "% |") || !strings.HasSuffix(text, cleared) {
			t.Errorf("%q: %.2000q", args, text)
		}
	}
}
