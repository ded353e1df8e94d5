package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
)

// commands run the program in a folder.
type commands struct {
	program, dir string
}

// A result is what a command left.
type result struct {
	code           int
	stdout, stderr []byte
}

// text returns all of it.
func (r *result) text() []byte {
	return slices.Concat([]byte("exit "+strconv.Itoa(r.code)+"\n"), r.stdout, []byte("\nstderr\n"), r.stderr)
}

// run runs the program. It fails if that could not be started.
func (c commands) run(ctx context.Context, args ...string) (*result, error) {
	cmd := exec.CommandContext(ctx, c.program, args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.dir, &stdout, &stderr
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "COLUMNS=", "TZ=UTC", "LC_ALL=C.UTF-8")
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited || ctx.Err() != nil {
		return nil, errors.Join(err, ctx.Err())
	}
	return &result{cmd.ProcessState.ExitCode(), stdout.Bytes(), stderr.Bytes()}, nil
}

// build builds the program of the module at hand.
func build(ctx context.Context, to string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", to,
		"github.com/tracelake/tracelake/cmd/tracelake")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return cmd.Run()
}

// makeAll makes the lists of all captures.
func (s *settings) makeAll(ctx context.Context, dir string) ([]list, error) {
	jobs, err := s.captures()
	if err != nil {
		return nil, err
	}
	program, err := filepath.Abs(s.program)
	if err != nil {
		return nil, err
	}
	lists := make([]list, len(jobs))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(s.jobs)
	for i, j := range jobs {
		group.Go(func() error {
			c := commands{program, filepath.Join(dir, j.name)}
			defer os.RemoveAll(c.dir)
			lists[i].capture = j.name
			if err := lists[i].make(ctx, j, c); err != nil {
				return fmt.Errorf("%s: %w", j.name, err)
			}
			return nil
		})
	}
	return lists, group.Wait()
}

// make makes the list of a capture.
func (l *list) make(ctx context.Context, j job, c commands) error {
	if err := os.Mkdir(c.dir, 0o755); err != nil {
		return err
	}
	input, err := j.make(ctx, c)
	if err != nil {
		return err
	}
	if j.damage != 0 {
		if err := spoil(c.dir, j.damage); err != nil {
			return err
		}
	}
	if err := l.addFiles("capture", c.dir); err != nil {
		return err
	}
	m := maker{ctx, c, l}
	if err := m.ofCapture(input); err != nil {
		return err
	}
	if err := m.exports(input); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(c.dir, "instructions-parquet-1")); err != nil {
		return nil // nothing was decoded, as the list says
	}
	return m.answers(input)
}

// A maker adds to a list what commands make of a capture.
type maker struct {
	ctx context.Context
	commands
	*list
}

// run adds what a command prints.
func (m maker) run(name string, args ...string) error {
	r, err := m.commands.run(m.ctx, args...)
	if err != nil {
		return err
	}
	m.add(name, r.text())
	return nil
}

// ofCapture adds what is said of the capture itself.
func (m maker) ofCapture(input []string) error {
	withFlags := func(flags ...string) []string { return slices.Concat(flags, input) }
	return errors.Join(
		m.run("inspect.txt", withFlags("inspect")...),
		m.run("inspect.json", withFlags("inspect", "--json")...),
		m.run("quality.txt", withFlags("report", "quality")...),
		m.run("quality.json", withFlags("report", "quality", "--json")...),
		m.run("packets.txt", "packets", input[0]),
	)
}

// workers are the values of -j.
var workers = []string{"1", "3"}

// exports adds the datasets of all levels and formats.
func (m maker) exports(input []string) error {
	for _, level := range []string{"instructions", "blocks", "none"} {
		for _, format := range []string{"parquet", "arrow"} {
			for _, j := range workers {
				dir := level + "-" + format + "-" + j
				args := slices.Concat([]string{"export", "-o", dir, "--level", level, "--format", format, "-j", j, "--no-progress"},
					input)
				if level == "none" {
					args = append(args, "--tables", "all")
				}
				if err := m.export(dir, args, j == workers[0]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// export adds one dataset, with the cells of its columns if they are wanted.
func (m maker) export(dir string, args []string, columns bool) error {
	if err := m.run(dir+".txt", args...); err != nil {
		return err
	}
	path := filepath.Join(m.dir, dir)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := m.addFiles(dir, path); err != nil || !columns {
		return err
	}
	return m.addColumns(dir, path)
}

// answers adds what is said of datasets.
func (m maker) answers(input []string) error {
	const rows, blocks, none, window = "instructions-parquet-1", "blocks-arrow-1", "none-parquet-1", "window"
	// A baseline that is another than the dataset: what is left after some KiB.
	args := slices.Concat([]string{"export", "-o", window, "--level", "none", "--no-progress", "--from", "3000"}, input)
	if err := m.export(window, args, true); err != nil {
		return err
	}
	baseline := none
	if _, err := os.Stat(filepath.Join(m.dir, window)); err == nil {
		baseline = window
	}
	var errs []error
	say := func(name string, args ...string) { errs = append(errs, m.run(name, args...)) }
	report := func(name string, args ...string) {
		args = append([]string{"report"}, args...)
		say("report/"+name+".txt", args...)
		say("report/"+name+".narrow.txt", append(args, "--width", "64", "--ascii")...)
		say("report/"+name+".json", append(args, "--json")...)
	}
	for _, name := range []string{"coverage", "branches", "hotspots", "calls", "exceptions", "tasks", "trust", "last"} {
		report(name, name, rows)
	}
	for _, name := range []string{"hotspots", "coverage"} {
		for _, by := range []string{"function", "file", "line"} {
			report(name+"-"+by, name, rows, "--by", by, "--top", "7")
		}
	}
	for _, name := range []string{"coverage", "branches", "hotspots", "calls", "exceptions"} {
		say("report/"+name+"-baseline.txt", "report", name, rows, "--baseline", baseline, "--force")
		say("report/"+name+"-baseline.json", "report", name, rows, "--baseline", baseline, "--force", "--json")
	}
	for _, name := range []string{"hotspots", "trust", "last", "exceptions"} {
		say("report/"+name+"-blocks.json", "report", name, blocks, "--json")
		say("report/"+name+"-none.txt", "report", name, none)
	}
	report("last-source", "last", rows, "--source", "0x10", "-n", "200")
	say("report/hotspots-two.txt", "report", "hotspots", rows, baseline, "--force")
	if function := m.hottest(rows); function != "" {
		report("disasm", "disasm", rows, "--function", function)
	}
	say("page.html", "report", "html", rows, "-o", "-", "--source-root", "input")
	say("page-none.html", "report", "html", none, "-o", "-", "--no-source")
	for _, format := range []string{
		"lcov", "cobertura", "modoff", "folded", "pprof", "callgrind", "autofdo", "profgen", "speedscope",
		"perfetto",
	} {
		say("convert/"+format, "convert", "--to", format, rows, "-o", "-")
	}
	return errors.Join(errs...)
}

// hottest returns the function that took most; "": none has a name.
func (m maker) hottest(dir string) string {
	r, err := m.commands.run(m.ctx, "report", "hotspots", dir, "--json", "--top", "1")
	if err != nil {
		return ""
	}
	var answer struct {
		Rows []struct {
			Function string `json:"function"`
		} `json:"rows"`
	}
	if json.Unmarshal(r.stdout, &answer) != nil || len(answer.Rows) == 0 {
		return ""
	}
	return answer.Rows[0].Function
}

// runBlock is what a manifest says of the run that wrote it, and its own hash, which depends on
// that.
var runBlock = regexp.MustCompile(`(?s),\n  "run": \{.*`)

// addFiles adds the files of a folder. Of a manifest it leaves out the block run.
func (l *list) addFiles(name, dir string) error {
	return filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		p, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		below := strings.TrimPrefix(filepath.ToSlash(path[len(dir):]), "/")
		if e.Name() == "manifest.json" {
			p = runBlock.ReplaceAll(p, nil)
		}
		l.add(name+"/"+below, p)
		return nil
	})
}
