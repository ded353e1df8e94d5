package report

import (
	"slices"
	"strconv"
	"strings"
)

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
