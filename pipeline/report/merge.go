package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema/dataset"
)

// hasProgram says whether the names of d are from program files.
func hasProgram(d *dataset.Dataset) bool {
	return slices.ContainsFunc(d.Manifest.Images, read.IsSymbols)
}

// A MergeError says that two datasets are not of one program.
type MergeError struct {
	First, Other string // directories
	Why          string
}

func (e *MergeError) Error() string {
	return fmt.Sprintf("%s and %s are not of one program: %s; report on them one by one", e.First, e.Other, e.Why)
}

// mergeable checks that two datasets are of one program: the code of their program
// files is equal or, without such files, all memory.
func mergeable(a, b *dataset.Dataset) error {
	switch {
	case hasProgram(a) && !hasProgram(b):
		return &MergeError{a.Dir, b.Dir, b.Dir + " has no program file (export it with -e FILE)"}
	case hasProgram(b) && !hasProgram(a):
		return &MergeError{a.Dir, b.Dir, a.Dir + " has no program file (export it with -e FILE)"}
	}
	inA, inB := programKeys(a), programKeys(b)
	i := 0
	for i < len(inA) && i < len(inB) && inA[i].key == inB[i].key {
		i++
	}
	switch {
	case i < len(inA) && i < len(inB):
		return &MergeError{a.Dir, b.Dir, inA[i].name + " differs from " + inB[i].name}
	case i < len(inA):
		return &MergeError{a.Dir, b.Dir, b.Dir + " has no " + inA[i].name}
	case i < len(inB):
		return &MergeError{a.Dir, b.Dir, a.Dir + " has no " + inB[i].name}
	}
	return nil
}

// A programKey says which program a dataset has, or a part of it.
type programKey struct {
	key  string // equal in datasets of one program
	name string // for people
}

// programKeys returns what has to be equal for two datasets to be merged, in an
// order that depends on nothing else.
func programKeys(d *dataset.Dataset) []programKey {
	symbols := hasProgram(d)
	var keys []programKey
	for _, i := range d.Manifest.Images {
		switch {
		case symbols && read.IsSymbols(i):
			keys = append(keys, programKey{i.Core + " " + i.CodeSHA256, fmt.Sprintf("%s (code %.12s%s)", i.File, i.CodeSHA256,
				ofCore(i.Core))})
		case !symbols:
			keys = append(keys, programKey{
				fmt.Sprintf("%s %08x %x %s %s", i.Core, i.Address, i.Bytes, i.Space, i.SHA256),
				fmt.Sprintf("%s at %s (SHA-256 %.12s%s)", i.File, i.Address.Hex(), i.SHA256, ofCore(i.Core)),
			})
		}
	}
	slices.SortFunc(keys, func(x, y programKey) int { return strings.Compare(x.key, y.key) })
	return slices.CompactFunc(keys, func(x, y programKey) bool { return x.key == y.key })
}

func ofCore(core string) string {
	if core == "" {
		return ""
	}
	return ", core " + core
}
