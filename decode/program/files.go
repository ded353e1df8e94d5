package program

import (
	"cmp"
	"debug/dwarf"

	"github.com/tracelake/tracelake/decode/program/linetable"
)

// files are the names of files and inlined functions, each made once.
type files struct {
	d     *debugInfo
	users map[int64]int             // the first unit of each line table
	units map[int64]*linetable.Unit // by offset
	paths map[fileKey]string
	same  map[string]string // one string for paths that are equal
	names map[dwarf.Offset]string
}

// A fileKey is a file of a line table, in a unit that uses it.
type fileKey struct {
	table  *linetable.Unit
	number uint32
}

func newFiles(d *debugInfo) *files {
	f := &files{
		d: d, users: map[int64]int{}, units: map[int64]*linetable.Unit{},
		paths: map[fileKey]string{}, same: map[string]string{}, names: map[dwarf.Offset]string{},
	}
	for i := range d.lines {
		f.units[int64(d.lines[i].Offset)] = &d.lines[i]
	}
	for i := len(d.units) - 1; i >= 0; i-- {
		f.users[d.units[i].table] = i
	}
	return f
}

// ofTable returns the path of a file of a line table.
func (f *files) ofTable(t *linetable.Unit, number uint32) string {
	key := fileKey{t, number}
	path, ok := f.paths[key]
	if !ok {
		directory := ""
		if user, ok := f.users[int64(t.Offset)]; ok {
			directory = f.d.units[user].directory
		}
		path = t.File(number, directory)
		if one, ok := f.same[path]; ok {
			path = one
		}
		f.same[path] = path
		f.paths[key] = path
	}
	return path
}

// ofUnit returns the path of a file that an entry of a unit names.
func (f *files) ofUnit(unit int, number uint32) string {
	if t := f.units[f.d.units[unit].table]; t != nil {
		return f.ofTable(t, number)
	}
	return ""
}

// inlinedName returns the name of an inlined function, "" for none.
func (f *files) inlinedName(inline int) string {
	if inline < 0 {
		return ""
	}
	at := f.d.inlines[inline].declaration
	shown, ok := f.names[at]
	if !ok {
		shown = cmp.Or(display(f.d.info.names(at)), "?")
		f.names[at] = shown
	}
	return shown
}
