package report

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// selects takes all that is not selected out of the figures. It fails with a [*NoMatchError] if a glob matches nothing.
func (m *Merged) selects(s *Selection) error {
	if len(s.Functions)+len(s.Files) == 0 {
		return nil
	}
	m.selected = map[location]bool{}
	used := map[string]bool{}
	for _, p := range m.programs {
		functions := make([]bool, len(p.functions))
		for i := range p.functions {
			functions[i] = p.functions[i].matches(s.Functions, used)
		}
		for i := range p.code {
			x := &p.code[i]
			if x.function == none || !functions[x.function] || !matchesFile(m.fileOf(p, x), s.Files, used) {
				x.exclusion = unselected
				continue
			}
			m.selected[location{p.core, p.functions[x.function].address}] = true
		}
	}
	for _, glob := range s.Functions {
		if !used[glob] {
			return &NoMatchError{glob, m.functionNames()}
		}
	}
	for _, glob := range s.Files {
		if !used[glob] {
			return &NoMatchError{glob, m.fileNames()}
		}
	}
	return nil
}

// matches says whether any of globs matches a name of f, or there are none. It marks those that do.
func (f *function) matches(globs []string, used map[string]bool) bool {
	found := len(globs) == 0
	for _, glob := range globs {
		is := func(name string) bool { ok, _ := path.Match(glob, name); return ok } // a bad pattern matches nothing
		if f.isAt(glob) || is(f.name) || is(f.linkage) || slices.ContainsFunc(strings.Fields(f.alias), is) {
			used[glob], found = true, true
		}
	}
	return found
}

// matchesFile says whether any of globs matches a path, or there are none. It marks those that do.
func matchesFile(file string, globs []string, used map[string]bool) bool {
	found := len(globs) == 0
	for _, glob := range globs {
		parts, n := strings.Split(file, "/"), strings.Count(glob, "/")+1
		if ok, _ := path.Match(glob, strings.Join(parts[max(0, len(parts)-n):], "/")); ok {
			used[glob], found = true, true
		}
	}
	return found
}

// fileOf returns the file of an instruction: that of its line or, if it has none, of its function.
func (m *Merged) fileOf(p *program, x *instruction) string {
	if x.line == none {
		return p.functions[x.function].file
	}
	file, _ := m.lineOf(x)
	return file
}

// fileNames are the last parts of the paths of all files, each once, in order.
func (m *Merged) fileNames() []string {
	var names []string
	for _, file := range m.places.files {
		names = append(names, path.Base(file))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// functionNames are the names of all functions, each once, in order.
func (m *Merged) functionNames() []string {
	var names []string
	for _, p := range m.programs {
		for i := range p.functions {
			names = append(names, p.functions[i].name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// isAt says whether text is the address of f in hexadecimal.
func (f *function) isAt(text string) bool {
	return strings.EqualFold(f.address.Hex(), text)
}

// exclude takes instructions out of the figures. One that has several exclusions
// counts for the first.
func (m *Merged) exclude(list []Exclusion) {
	for n, e := range list {
		m.excluded = append(m.excluded, Excluded{Exclusion: e})
		lines := m.places.matching(e.Name)
		for p, x := range m.code() {
			if x.counted() && (p.functions[x.function].named(e.Name) || inFile(p, x, e.Name, lines)) {
				x.exclusion = int32(n)
			}
		}
	}
}

// inFile says whether an instruction is of one of some lines or, if it has no line,
// in a function of the file of that name.
func inFile(p *program, x *instruction, file string, lines map[int32]bool) bool {
	if x.line != none {
		return lines[x.line]
	}
	return endsIn(p.functions[x.function].file, file)
}

// concludeExclusions counts what was left out.
func (m *Merged) concludeExclusions() {
	for _, x := range m.code() {
		if x.exclusion < 0 { // it counts, or nobody asked about it
			continue
		}
		e := &m.excluded[x.exclusion]
		e.Instructions++
		e.Covered += one(x.passed() > 0)
	}
}

// named says whether f has a name.
func (f *function) named(name string) bool {
	return name == f.name || name == f.linkage || slices.Contains(strings.Fields(f.alias), name)
}

// matching returns the lines that FILE or FILE:LINE means.
func (p *places) matching(name string) map[int32]bool {
	file, number := name, uint64(0)
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		if n, err := strconv.ParseUint(name[i+1:], 10, 32); err == nil {
			file, number = name[:i], n
		}
	}
	lines := map[int32]bool{}
	for i, l := range p.lines {
		if endsIn(p.files[l.file], file) && (number == 0 || number == uint64(l.number)) {
			lines[int32(i)] = true
		}
	}
	return lines
}

// endsIn says whether the last parts of a path are those of end.
func endsIn(path, end string) bool {
	rest, ok := strings.CutSuffix(path, end)
	return ok && end != "" && (rest == "" || strings.HasSuffix(rest, "/"))
}
