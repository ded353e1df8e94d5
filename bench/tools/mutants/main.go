// Command mutants measures how well tests find faults: gremlins makes mutants of the
// packages that are hardest to get right, of which a sample is tested. It works in a clone
// of what is committed.
//
//	go run ./bench/tools/mutants [-n 100] [-seed 1]
//
// A line is in the sample with all its mutants. A mutant is killed if it compiles and a
// test fails, or takes longer than a minute of processor time. What survives is listed; less
// than 75 % killed is exit 1.
package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const gremlins = "github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0"

// leastKilled is the share of the sample that has to be killed, in percent.
const leastKilled = 75

// packages are those that are mutated, each with what else tests it besides its own tests.
var packages = []struct{ dir, also string }{
	{"decode/pft", "../../pipeline -run TestScenarios$/^pft"},
	{"decode/etmv3", "../../pipeline -run TestScenarios$/^etmv3"},
	{"decode/flow", "../../pipeline -run TestScenarios$/^(pft|etmv3)"},
	{"schema/parquetfile", "../dataset"},
}

// kinds are the mutants beside those that gremlins makes by default.
var kinds = []string{"--invert-assignments", "--invert-bitwise", "--invert-bwassign", "--invert-logical"}

// wrapper is what gremlins takes for go. It tests a mutant, with exit 2 if that does not compile.
const wrapper = `#!/bin/bash
case " $* " in *" -failfast "*) ;; *) exec %[1]q "$@" ;; esac
%[1]q build . 2>/dev/null || exit 2
case "$PWD" in
%[2]sesac
ulimit -t 60
%[1]q test -vet=off -short -failfast . && %[1]q test -vet=off -short -failfast $also || exit 1
`

func main() {
	log.SetFlags(0)
	n := flag.Int("n", 100, "how many mutants to test")
	seed := flag.Uint64("seed", 1, "which ones")
	flag.Parse()
	if err := run(*n, *seed); err != nil {
		log.Fatal("mutants: ", err)
	}
}

// A mutant is one of a line of a package.
type mutant struct {
	dir, file    string
	Line, Column int
	Type, Status string
}

// A lab is a clone in which mutants are made.
type lab struct{ dir, tree string }

func run(n int, seed uint64) error {
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	l := &lab{dir, filepath.Join(dir, "tree")}
	if err := l.build(); err != nil {
		return err
	}
	var all []mutant
	for _, p := range packages {
		if err := l.control(p.dir); err != nil {
			return err
		}
		found, err := l.gremlins(p.dir, "--dry-run")
		if err != nil {
			return err
		}
		all = append(all, found...)
	}
	covered := slices.DeleteFunc(slices.Clone(all), func(m mutant) bool { return m.Status != "RUNNABLE" })
	chosen := sample(covered, n, seed)
	fmt.Printf("%d mutants, %d in code that the tests of their package run; %d of those are tested\n", len(all), len(covered), len(chosen))
	if err := l.mark(chosen); err != nil {
		return err
	}
	var tested []mutant
	for _, p := range packages {
		found, err := l.gremlins(p.dir, "--diff", "HEAD^", "--timeout-coefficient", "1000")
		if err != nil {
			return err
		}
		tested = append(tested, found...)
	}
	return l.report(tested)
}

// build makes the clone, gremlins, and what it takes for go.
func (l *lab) build() error {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		return err
	}
	bin := filepath.Join(l.dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		return err
	}
	install := exec.Command(goCommand, "install", gremlins)
	install.Env = append(os.Environ(), "GOBIN="+bin)
	if err := l.run(install); err != nil {
		return err
	}
	var also strings.Builder
	for _, p := range packages {
		fmt.Fprintf(&also, "*/%s) also='%s' ;;\n", p.dir, p.also)
	}
	if err := os.WriteFile(filepath.Join(bin, "go"), fmt.Appendf(nil, wrapper, goCommand, also.String()), 0o755); err != nil {
		return err
	}
	if err := l.run(exec.Command("git", "clone", "-q", ".", l.tree)); err != nil {
		return err
	}
	return l.git("config", "diff.relative", "true") // gremlins looks for files of the package
}

// run runs a command, whose output is shown.
func (l *lab) run(c *exec.Cmd) error {
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(c.Args, " "), err)
	}
	return nil
}

func (l *lab) git(args ...string) error {
	return l.run(exec.Command("git", append([]string{"-C", l.tree, "-c", "user.name=mutants", "-c", "user.email="}, args...)...))
}

// control tests a package as a mutant is tested, without one: what fails then is no kill.
func (l *lab) control(dir string) error {
	c := exec.Command(filepath.Join(l.dir, "bin", "go"), "test", "-failfast", ".")
	c.Dir = filepath.Join(l.tree, dir)
	return l.run(c)
}

// gremlins runs gremlins on a package and returns the mutants that it did not skip.
func (l *lab) gremlins(dir string, args ...string) ([]mutant, error) {
	out := filepath.Join(l.dir, "out.json")
	at := filepath.Join(l.tree, dir)
	c := exec.Command(filepath.Join(l.dir, "bin", "gremlins"), slices.Concat([]string{"unleash", "-S", "lktv", "-o", out}, kinds, args, []string{at})...)
	c.Dir, c.Env = at, append(os.Environ(), "PATH="+filepath.Join(l.dir, "bin")+":"+os.Getenv("PATH"))
	if err := l.run(c); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	var result struct {
		Files []struct {
			Name      string `json:"file_name"`
			Mutations []mutant
		}
	}
	if err := json.Unmarshal(text, &result); err != nil {
		return nil, err
	}
	var found []mutant
	for _, f := range result.Files {
		for _, m := range f.Mutations {
			if m.dir, m.file = dir, f.Name; m.Status != "SKIPPED" {
				found = append(found, m)
			}
		}
	}
	return found, nil
}

// sample returns the mutants of lines chosen by a seed: n, and what else the last line has.
func sample(all []mutant, n int, seed uint64) []mutant {
	key := func(m mutant) string {
		return string(fmt.Appendf(nil, "%x", sha256.Sum256(fmt.Appendf(nil, "%d %s/%s:%d", seed, m.dir, m.file, m.Line))))
	}
	slices.SortStableFunc(all, func(a, b mutant) int { return cmp.Compare(key(a), key(b)) })
	for n < len(all) && n > 0 && key(all[n]) == key(all[n-1]) {
		n++
	}
	return all[:min(n, len(all))]
}

// mark commits the tree with the lines of mutants changed, and again as it was: gremlins
// mutates only what differs.
func (l *lab) mark(chosen []mutant) error {
	lines := map[string]map[int]bool{}
	for _, m := range chosen {
		path := filepath.Join(l.tree, m.dir, m.file)
		if lines[path] == nil {
			lines[path] = map[int]bool{}
		}
		lines[path][m.Line] = true
	}
	for path, changed := range lines {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		split := strings.SplitAfter(string(text), "\n")
		for i := range changed {
			split[i-1] = "//" + split[i-1]
		}
		if err := os.WriteFile(path, []byte(strings.Join(split, "")), 0o600); err != nil {
			return err
		}
	}
	if err := l.git("commit", "-qam", "Lines of mutants"); err != nil {
		return err
	}
	if err := l.git("revert", "-n", "HEAD"); err != nil {
		return err
	}
	return l.git("commit", "-qm", "As before")
}

// report prints what survived, and how many were killed. It fails if those are too few.
func (l *lab) report(tested []mutant) error {
	slices.SortFunc(tested, func(a, b mutant) int {
		return cmp.Or(cmp.Compare(a.dir, b.dir), cmp.Compare(a.file, b.file), cmp.Compare(a.Line, b.Line))
	})
	statuses := map[string]int{}
	for _, m := range tested {
		if statuses[m.Status]++; m.Status == "LIVED" {
			line, err := l.line(m)
			if err != nil {
				return err
			}
			fmt.Printf("%s/%s:%d:%d %s: %s\n", m.dir, m.file, m.Line, m.Column, m.Type, line)
		}
	}
	killed := statuses["KILLED"] + statuses["TIMED OUT"]
	viable := killed + statuses["LIVED"]
	fmt.Printf("%d of %d killed; %d do not compile\n", killed, viable, statuses["NOT VIABLE"])
	if 100*killed < leastKilled*viable || viable == 0 {
		return fmt.Errorf("less than %d %% are killed", leastKilled)
	}
	return nil
}

// line returns the text of the line of a mutant.
func (l *lab) line(m mutant) (string, error) {
	f, err := os.Open(filepath.Join(l.tree, m.dir, m.file))
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(strings.Split(string(text), "\n")[m.Line-1]), nil
}
