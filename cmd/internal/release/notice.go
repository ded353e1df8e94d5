package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

const programPackage = "github.com/tracelake/tracelake/cmd/tracelake"

// A module is one whose packages are linked.
type module struct {
	Path, Version string // no version: this one
	Dir           string
	packages      []string // their folders
}

// linkedModules returns the modules that are linked for a target: this one, Go
// itself, and those it needs. This one is first, the others are by path.
func linkedModules(ctx context.Context, target string) ([]*module, error) {
	text, err := run(ctx, target, "list", "-deps", "-json=Dir,Module", programPackage)
	if err != nil {
		return nil, err
	}
	byPath := map[string]*module{"": {Path: "Go", Version: runtime.Version(), Dir: runtimeRoot(ctx, target)}}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var p struct {
			Dir    string
			Module *module
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.Module == nil { // of the standard library
			continue
		}
		if byPath[p.Module.Path] == nil {
			byPath[p.Module.Path] = p.Module
		}
		m := byPath[p.Module.Path]
		m.packages = append(m.packages, p.Dir)
	}
	return slices.SortedFunc(maps.Values(byPath), func(x, y *module) int {
		return cmp.Or(cmp.Compare(min(len(x.Version), 1), min(len(y.Version), 1)), strings.Compare(x.Path, y.Path))
	}), nil
}

// runtimeRoot is the folder of Go, which every binary has a part of.
func runtimeRoot(ctx context.Context, target string) string {
	root, _ := run(ctx, target, "env", "GOROOT") // without it, its licence is missing
	return strings.TrimSpace(string(root))
}

// notice returns the text of NOTICE: the licences of modules, as they have them.
func notice(modules []*module) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("tracelake, and the modules that are linked into it, come under these licences.\n")
	for _, m := range modules {
		files, err := licences(m)
		if err != nil {
			return nil, err
		}
		for _, name := range files {
			text, err := os.ReadFile(filepath.Join(m.Dir, name))
			if err != nil {
				return nil, err
			}
			title := strings.TrimSpace(m.Path+" "+m.Version) + ": " + filepath.ToSlash(name)
			fmt.Fprintf(&b, "\n%s\n%s\n%s\n\n%s\n", strings.Repeat("=", 79), title, strings.Repeat("=", 79),
				strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
		}
	}
	return b.Bytes(), nil
}

// A licence grants; what the other files say goes with it.
var (
	licenceName = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying)([-._].*)?$`)
	besideName  = regexp.MustCompile(`(?i)^(notice|patents)([-._].*)?$`)
)

// licences returns the files with the licences of a module: those in its root, and in
// the folders of linked packages and above them, as of code that was copied there. A
// module without any is an error.
func licences(m *module) ([]string, error) {
	folders := []string{m.Dir}
	for _, dir := range m.packages {
		for ; dir != m.Dir && strings.HasPrefix(dir, m.Dir); dir = filepath.Dir(dir) {
			folders = append(folders, dir)
		}
	}
	slices.Sort(folders)
	var names []string
	granted := false
	for _, dir := range slices.Compact(folders) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			licence := licenceName.MatchString(e.Name())
			if e.IsDir() || filepath.Ext(e.Name()) == ".go" || !licence && !besideName.MatchString(e.Name()) {
				continue
			}
			granted = granted || licence && dir == m.Dir
			name, err := filepath.Rel(m.Dir, filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			names = append(names, name)
		}
	}
	if !granted {
		return nil, fmt.Errorf("%s %s has no licence in %s: do not link it, or find out what it comes under", m.Path,
			m.Version, m.Dir)
	}
	return names, nil
}
