package files

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/process"
)

// A Missing is a file that was mapped and has no bytes here.
type Missing struct {
	File    process.File
	Bytes   uint64 // of the file, that are mapped anywhere
	Problem string // continues after the file's name: "is not found"
	Remedy  string
}

func (m *Missing) Error() string {
	name := Shown(m.File.Name)
	if m.File.BuildID != "" {
		name += fmt.Sprintf(" (build ID %s)", unpadded(m.File.BuildID))
	}
	return fmt.Sprintf("%s %s; %s", name, m.Problem, m.Remedy)
}

// A wanted is a missing file, and which ranges of it were asked for.
type wanted struct {
	Missing
	ranges map[fileRange]bool
}

type fileRange struct{ offset, size uint64 }

// miss notes that a part of a map has no bytes, and returns that as an error.
func (f *Finder) miss(part process.Part, err error) error {
	w := f.missing[part.Map.File]
	if w == nil {
		w = &wanted{Missing{File: part.Map.File}, map[fileRange]bool{}}
		w.Problem, w.Remedy = "is not read: "+err.Error(), "see that it can be read"
		if bad, ok := errors.AsType[*image.FormatError](err); ok {
			w.Problem, w.Remedy = bad.Problem, bad.Remedy
		}
		f.missing[part.Map.File] = w
	}
	r := fileRange{part.Map.Offset, part.Map.Size}
	if !w.ranges[r] {
		w.ranges[r] = true
		w.Bytes += r.size
	}
	m := w.Missing
	return &m
}

// Missing returns the files that were asked for without being there, those with most bytes
// mapped first, among equals by name.
func (f *Finder) Missing() []Missing {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []Missing
	for _, w := range f.missing {
		list = append(list, w.Missing)
	}
	slices.SortFunc(list, func(a, b Missing) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.File.Name, b.File.Name),
			cmp.Compare(a.File.BuildID, b.File.BuildID))
	})
	return list
}
