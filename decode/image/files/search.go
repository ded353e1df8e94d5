package files

import (
	"errors"
	"fmt"
	"path"
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
	if _, ok := kernelSymbol(file.Name); ok && f.vmlinux != nil {
		list = append(list, f.vmlinux.candidate())
	}
	for _, g := range f.files {
		if g.is(file.BuildID, name) {
			list = append(list, g.candidate())
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

// is reports whether a file that was given is the one that was mapped: by build ID if both have
// one, else by name.
func (g *given) is(buildID, name string) bool {
	if buildID != "" && g.buildID != "" {
		return sameID(buildID, g.buildID)
	}
	return path.Base(name) == path.Base(g.path)
}

func (g *given) candidate() candidate {
	return candidate{g.path, func() (source, error) { return openPath(g.path) }}
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
