//go:build unix

package browsertest

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"image"
	"image/png"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tracelake/tracelake/bench/need"
)

// A View is how a page is looked at.
type View struct {
	Width, Height int // of the window, in pixels
	Dark          bool
	Hash          string // what the address of the page ends with: "", or "#" and more
	// Clock is for measuring: time passes as it does. Else it is virtual, and passes as fast as
	// the browser has nothing to do, so that timers cost nothing.
	Clock bool
}

// String names v: "390×844 dark".
func (v View) String() string {
	scheme := "light"
	if v.Dark {
		scheme = "dark"
	}
	return strings.TrimSpace(fmt.Sprintf("%d×%d %s %s", v.Width, v.Height, scheme, v.Hash))
}

// A Visit is what a browser had of a page at the end: after its scripts, and those of the test.
type Visit struct {
	DOM     string   // of the document, as HTML
	Console []string // messages, in order
	Picture image.Image
}

// patience is longer than any page takes, on a machine that does much else.
const patience = 2 * time.Minute

// Open opens a page as it is, without network.
func Open(t testing.TB, page []byte, v View) *Visit {
	t.Helper()
	program := need.Tool(t, need.Chromium, "chromium-headless-shell")
	dir := t.TempDir()
	file, picture := filepath.Join(dir, "page.html"), filepath.Join(dir, "page.png")
	if err := os.WriteFile(file, page, 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	address := url.URL{Scheme: "file", Path: file} // tests may have a # in their name
	cmd := exec.CommandContext(ctx, program, v.flags(dir, picture, address.String()+v.Hash)...)
	var dom, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &dom, &said
	// The browser is several processes. They end together, before their directory is removed.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel, cmd.WaitDelay = end, 10*time.Second
	err := cmd.Run()
	if cmd.Process != nil {
		_ = end() // those that are left, mostly none
	}
	visit := &Visit{DOM: dom.String(), Console: console(said.String())}
	if err != nil || ctx.Err() != nil || visit.DOM == "" {
		t.Fatalf("%s: %v, %d bytes of DOM; it said:\n%s", v, err, dom.Len(), said.String())
	}
	visit.Picture = readPicture(t, picture)
	return visit
}

func (v View) flags(dir, picture, address string) []string {
	flags := []string{
		"--no-sandbox", // the sandbox refuses root, as which CI runs
		"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
		"--user-data-dir=" + filepath.Join(dir, "browser"),
		"--hide-scrollbars",
		fmt.Sprintf("--window-size=%d,%d", v.Width, v.Height),
		"--enable-logging=stderr",
		"--screenshot=" + picture, "--dump-dom",
	}
	if !v.Clock {
		flags = append(flags, "--virtual-time-budget=8000")
	}
	if v.Dark {
		flags = append(flags, "--blink-settings=preferredColorScheme=0")
	}
	return append(flags, address)
}

// console returns the messages of pages in what the browser logs. One that has several lines
// goes on to the next line with a prefix of its own.
func console(log string) []string {
	var messages []string
	open := false // the line before is of a message
	for line := range strings.SplitSeq(log, "\n") {
		switch _, message, found := strings.Cut(line, ":CONSOLE:"); {
		case found:
			messages, open = append(messages, message), true
		case strings.HasPrefix(line, "[") || strings.HasSuffix(line, ".png"):
			open = false
		case open && line != "":
			messages[len(messages)-1] += "\n" + line
		}
	}
	return messages
}

func readPicture(t testing.TB, name string) image.Image {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

// Ready ends the test if the page did not set data-ready, with what the console said.
func (v *Visit) Ready(t testing.TB) {
	t.Helper()
	head, _, _ := strings.Cut(v.DOM, "<body")
	if !strings.Contains(head, ` data-ready="1"`) {
		t.Fatalf("the page did not set data-ready; its console says:\n%s", strings.Join(v.Console, "\n"))
	}
}

// answer returns the text of the element in which a script of the test leaves what it found.
func (v *Visit) answer() (string, bool) {
	_, rest, found := strings.Cut(v.DOM, `<pre id="`+answerID+`" hidden="">`)
	text, _, closed := strings.Cut(rest, "</pre>")
	return html.UnescapeString(text), found && closed
}
