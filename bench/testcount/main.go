// Command testcount reads what `go test -json` prints and prints what matters of
// it: a line for each package, the output of tests that fail, why tests were
// skipped and how many for each reason, and last the counts. It exits with 1 if a
// test or a build failed.
//
//	go test -json ./... | go run ./bench/testcount
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

func main() {
	out := bufio.NewWriter(os.Stdout)
	c, err := read(os.Stdin, out)
	if err == nil {
		c.summarize()
		err = out.Flush()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testcount:", err)
	}
	if err != nil || c.failed > 0 {
		os.Exit(1)
	}
}

// An event is a line of `go test -json`: see `go doc test2json`.
type event struct {
	Action, Package, Test, Output string
}

// A test is one that runs, or a package.
type test struct {
	output  bytes.Buffer
	parent  bool // it has subtests, which are counted in its place
	failure bool // a subtest or test of it failed, which is counted in its place
}

// A testKey names a test, or, without a test, a package.
type testKey struct{ pkg, name string }

// A counter adds up the events of a run. A test with subtests does not count, but
// if it fails and they do not; neither does a package.
type counter struct {
	out                     *bufio.Writer
	running                 map[testKey]*test
	passed, failed, skipped int
	reasons                 map[string]int // skipped tests for each
}

// read counts the events of a run, and prints packages and failures to out as
// they come.
func read(events io.Reader, out *bufio.Writer) (*counter, error) {
	c := &counter{out: out, running: make(map[testKey]*test), reasons: make(map[string]int)}
	for r := bufio.NewReader(events); ; {
		line, err := r.ReadBytes('\n')
		var e event
		switch {
		case len(line) == 0:
		case json.Unmarshal(line, &e) != nil:
			fmt.Fprintf(out, "%s", line) // go test could not start
		default:
			c.add(&e)
		}
		if err == io.EOF {
			return c, nil
		}
		if err != nil {
			return c, err
		}
	}
}

func (c *counter) add(e *event) {
	key := testKey{e.Package, e.Test}
	switch e.Action {
	case "start", "run":
		c.running[key] = &test{}
		if p := c.parentOf(key); p != nil && p.name != "" {
			c.running[*p].parent = true
		}
	case "output":
		if t := c.running[key]; t != nil {
			t.output.WriteString(e.Output)
		}
	case "build-output":
		fmt.Fprint(c.out, e.Output)
	case "pass", "skip", "fail":
		if e.Test == "" {
			c.endPackage(key, e.Action)
		} else {
			c.end(key, e.Action)
		}
	}
}

// parentOf returns the running test that key is a subtest of, or the package of
// a test.
func (c *counter) parentOf(key testKey) *testKey {
	for name := key.name; name != ""; {
		name = name[:max(strings.LastIndexByte(name, '/'), 0)]
		if p := (testKey{key.pkg, name}); c.running[p] != nil {
			return &p
		}
	}
	return nil
}

// end counts a test.
func (c *counter) end(key testKey, action string) {
	t := c.running[key]
	if t == nil {
		return
	}
	delete(c.running, key)
	switch {
	case action == "fail":
		c.print(t)
		if !t.failure {
			c.failed++
		}
		if p := c.parentOf(key); p != nil {
			c.running[*p].failure = true
		}
	case t.parent:
	case action == "skip":
		c.skipped++
		c.reasons[reason(t.output.String())]++
	default:
		c.passed++
	}
}

// endPackage prints the line of a package. Tests that still run failed: the
// process ended under them.
func (c *counter) endPackage(key testKey, action string) {
	var left []testKey
	for k := range c.running {
		if k.pkg == key.pkg && k.name != "" {
			left = append(left, k)
		}
	}
	slices.SortFunc(left, func(a, b testKey) int { return cmp.Compare(b.name, a.name) }) // subtests first
	for _, k := range left {
		fmt.Fprintf(&c.running[k].output, "--- FAIL: %s (it still ran when the process ended)\n", k.name)
		c.end(k, "fail")
	}
	p := c.running[key]
	if p == nil {
		p = &test{}
	}
	delete(c.running, key)
	if action == "fail" {
		c.print(p)
		if !p.failure {
			c.failed++
		}
	} else {
		lines := strings.SplitAfter(strings.TrimSuffix(p.output.String(), "\n"), "\n")
		fmt.Fprintln(c.out, lines[len(lines)-1]) // ok, or no test files
	}
	c.out.Flush()
}

// print prints the output of what failed, without the lines of a verbose run.
func (c *counter) print(t *test) {
	for line := range strings.Lines(t.output.String()) {
		if !strings.HasPrefix(line, "=== ") {
			fmt.Fprint(c.out, line)
		}
	}
}

// logLine is how testing prints what a test logs.
var logLine = regexp.MustCompile(`(?m)^ +\S+\.go:\d+: (.*)$`)

// reason returns why a test skipped: the last it logged, or the first line of
// that.
func reason(output string) string {
	logged := logLine.FindAllStringSubmatch(output, -1)
	if logged == nil {
		return "no reason given"
	}
	return logged[len(logged)-1][1]
}

// summarize prints the reasons of skips, the most frequent first, and the counts.
func (c *counter) summarize() {
	reasons := slices.SortedFunc(maps.Keys(c.reasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(c.reasons[b], c.reasons[a]), cmp.Compare(a, b))
	})
	if len(reasons) > 0 {
		fmt.Fprintln(c.out, "skipped:")
	}
	for _, r := range reasons {
		fmt.Fprintf(c.out, "%6d  %s\n", c.reasons[r], r)
	}
	fmt.Fprintf(c.out, "%d passed, %d failed, %d skipped\n", c.passed, c.failed, c.skipped)
}
