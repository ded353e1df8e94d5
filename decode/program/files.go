package program

import (
	"cmp"
	"debug/dwarf"
	"slices"

	"github.com/tracelake/tracelake/decode/program/linetable"
)

// files are the names of files and of inlined functions, each made once.
type files struct {
	d     *debugInfo
	users map[int64]int             // the first unit of each line table
	units map[int64]*linetable.Unit // by offset
	paths map[fileKey]string
	same  map[string]string // one string for paths that are equal
	names map[dwarf.Offset]string
	left  int // bytes of paths that may still be made
	shown demangler
}

// A fileKey is a file of a line table.
type fileKey struct {
	table  *linetable.Unit
	number uint32
}

// pathShare is how many bytes of paths there may be for each byte of the file:
// many may have the same directory.
const pathShare = 16

func newFiles(d *debugInfo, fileSize int64, names demangler) *files {
	f := &files{
		d: d, users: map[int64]int{}, units: map[int64]*linetable.Unit{}, left: int(pathShare * fileSize),
		paths: map[fileKey]string{}, same: map[string]string{}, names: map[dwarf.Offset]string{},
		shown: names,
	}
	for i := range d.lines {
		f.units[int64(d.lines[i].Offset)] = &d.lines[i]
	}
	for i, u := range slices.Backward(d.units) {
		f.users[u.table] = i
	}
	return f
}

// ofTable returns the path of a file of a line table, "" if it has no such file.
func (f *files) ofTable(t *linetable.Unit, number uint32) string {
	key := fileKey{t, number}
	path, ok := f.paths[key]
	if ok || f.left < 0 {
		return path
	}
	directory := ""
	if user, ok := f.users[int64(t.Offset)]; ok {
		directory = f.d.units[user].directory
	}
	path = t.File(number, directory)
	if f.left -= len(directory) + len(path); f.left < 0 {
		return ""
	}
	if one, ok := f.same[path]; ok {
		path = one
	}
	f.same[path] = path
	f.paths[key] = path
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
		shown = cmp.Or(f.shown.display(f.d.names(at)), "?")
		f.names[at] = shown
	}
	return shown
}
