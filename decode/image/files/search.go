package files

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/process"
)

// A candidate is where a program file may be.
type candidate struct {
	path string
	open opener
}

// maxRefused is how many files that were not taken a message names.
const maxRefused = 3

// search looks for the program file of a mapped file.
func (f *Finder) search(file process.File) (*Program, error) {
	var refused []string
	for _, c := range f.candidates(file) {
		p, err := load(file, c.path, c.open)
		if p != nil {
			f.keepCore(p)
			return p, nil
		}
		if err != nil {
			refused = append(refused, c.path+" "+problem(err))
		}
	}
	if _, ok := kernelSymbol(file.Name); ok {
		return nil, notFound(refused, "give the kernel with --vmlinux FILE, or what was in its memory with --kcore FILE")
	}
	if err := checkName(file.Name); err != nil && len(refused) == 0 {
		return nil, err
	}
	name, _ := strings.CutSuffix(file.Name, deleted)
	remedy := fmt.Sprintf("give --sysroot DIR where the file is DIR%s, or give it with -e FILE", Shown(name))
	return nil, notFound(refused, remedy)
}

// problem says why a file is not taken, without a remedy: there are others.
func problem(err error) string {
	if bad, ok := errors.AsType[*image.FormatError](err); ok {
		return bad.Problem
	}
	return "is not read: " + err.Error()
}

func notFound(refused []string, remedy string) error {
	problem := "is not found"
	if len(refused) > maxRefused {
		refused = append(refused[:maxRefused], "…")
	}
	if len(refused) > 0 {
		problem += ": " + strings.Join(refused, ", ")
	}
	return &image.FormatError{Problem: problem, Remedy: remedy}
}

// candidates are where the program file of a mapped file may be, the best first.
func (f *Finder) candidates(file process.File) []candidate {
	symbolic := checkName(file.Name) != nil
	name, gone := strings.CutSuffix(file.Name, deleted)
	var list []candidate
	symbol, kernel := kernelSymbol(file.Name)
	if kernel && f.vmlinux != nil {
		list = append(list, f.vmlinux.candidate())
	}
	for _, g := range f.files {
		if g.is(file.BuildID, name) || kernel && g.isKernel(file.BuildID, symbol) {
			list = append(list, g.candidates(name)...)
		}
	}
	// What is now at the path of a deleted file is another one, unless its build ID says it is not.
	byName := !symbolic && (!gone || file.BuildID != "")
	if byName {
		for _, t := range f.sysroots {
			list = append(list, t.candidate(name))
		}
	}
	for _, at := range buildIDPaths(file) {
		for _, t := range f.buildIDs {
			list = append(list, candidate{t.path(at), t.opener(at)})
		}
	}
	if byName && f.host != nil && printable(name) {
		list = append(list, f.host.candidate(name))
	}
	return list
}

// named are the trees that have files at their recorded names. On this machine a name must be one
// that shows.
func (f *Finder) named(name string) []*tree {
	if f.host == nil || !printable(name) {
		return f.sysroots
	}
	return append(slices.Clip(f.sysroots), f.host)
}

// is reports whether a file that was given may be the one that was mapped, by build ID or by name.
func (g *given) is(buildID, name string) bool {
	if buildID != "" && g.buildID != "" && sameID(buildID, g.buildID) {
		return true
	}
	if g.packed {
		name, _, _ = strings.Cut(name, inArchive)
	}
	return path.Base(name) == filepath.Base(g.path)
}

// isKernel reports whether a file that was given is the kernel that was mapped, if the recording or the file has no
// build ID: it has the symbol that the map is about.
func (g *given) isKernel(buildID, symbol string) bool {
	if g.core || g.symbols || g.packed || buildID != "" && g.buildID != "" {
		return false
	}
	s, err := g.open()
	if err != nil {
		return false
	}
	defer s.Close()
	m, err := image.OpenMapped(image.File{Data: s, Size: s.size})
	if err != nil {
		return false
	}
	_, ok := m.Symbol(symbol)
	return ok
}

func (g *given) candidate() candidate { return candidate{g.path, g.open} }

// candidates are the file itself, if it is a program, or the entry of it that a name is about.
func (g *given) candidates(name string) []candidate {
	_, inside, _ := strings.Cut(name, inArchive)
	switch {
	case g.symbols:
		return nil
	case g.packed:
		return []candidate{{g.path + inArchive + inside, g.archive.opener(inside, g.open)}}
	}
	return []candidate{g.candidate()}
}

// candidate is a file at its recorded name, which may be in an archive.
func (t *tree) candidate(name string) candidate {
	if archive, inside, ok := strings.Cut(name, inArchive); ok {
		return candidate{t.path(archive) + inArchive + inside, t.entryOpener(archive, inside)}
	}
	return candidate{t.path(name), t.opener(name)}
}

// buildIDPaths are the paths of a program in a directory of build IDs: those of perf's ~/.debug,
// and the bare ID.
func buildIDPaths(file process.File) []string {
	kinds := []string{"elf"}
	if _, ok := kernelSymbol(file.Name); ok {
		kinds = []string{"kcore", "elf", "vmlinux"}
	} else if strings.HasPrefix(file.Name, "[vdso]") {
		kinds = []string{"vdso"}
	}
	var paths []string
	for _, dir := range buildIDDirs(file.BuildID) {
		for _, kind := range kinds {
			paths = append(paths, dir+"/"+kind)
		}
		paths = append(paths, dir)
	}
	return paths
}

// buildIDDirs are the directories of a build ID: as recorded, and without zeros at its end.
func buildIDDirs(id string) []string {
	var dirs []string
	for _, id := range slices.Compact([]string{id, stripID(id)}) {
		if len(id) > 2 {
			dirs = append(dirs, ".build-id/"+id[:2]+"/"+id[2:])
		}
	}
	return dirs
}
