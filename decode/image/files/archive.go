package files

import (
	"archive/zip"
	"io"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode/process"
)

// inArchive is between the name of an archive and that of an entry of it.
const inArchive = "!/"

// archiveSuffix is that of the archives that processes map libraries from.
const archiveSuffix = ".apk"

// An entry is a file in an archive that is stored there as it is.
type entry struct {
	name        string
	start, size uint64 // in the archive, in bytes
}

// An archive is what is stored in an archive.
type archive struct {
	entries []entry
	err     error // why it is not read
}

// inArchive returns the library of an archive that is at an offset, and where it starts; it is
// false for files that are no archives, and where no library is.
func (f *Finder) inArchive(file process.File, offset uint64) (inside process.File, start uint64, ok bool) {
	if !strings.HasSuffix(file.Name, archiveSuffix) || checkName(file.Name) != nil {
		return file, 0, false
	}
	var archives []archive
	for _, g := range f.files {
		if g.is("", file.Name) {
			archives = append(archives, g.archive)
		}
	}
	for _, t := range f.named(file.Name) {
		archives = append(archives, t.archive(file.Name))
	}
	for i := range archives {
		for _, e := range archives[i].entries {
			if offset-e.start < e.size {
				return process.File{Name: file.Name + inArchive + e.name, BuildID: file.BuildID}, e.start, true
			}
		}
	}
	return file, 0, false
}

// archive returns what is stored in an archive, which is read once.
func (t *tree) archive(name string) archive {
	a, ok := t.archives[name]
	if ok {
		return a
	}
	s, err := t.open(name)
	if err == nil && s.ReaderAt != nil {
		a.entries, a.err = readEntries(s)
		s.Close()
	}
	if err != nil {
		a.err = err
	}
	t.archives[name] = a
	return a
}

// readEntries reads the directory of an archive. Entries that are compressed are left out: no
// process maps them.
func readEntries(s source) ([]entry, error) {
	z, err := zip.NewReader(s, s.size)
	if err != nil {
		return nil, err
	}
	var entries []entry
	for _, file := range z.File {
		if file.Method != zip.Store || file.UncompressedSize64 == 0 {
			continue
		}
		start, err := file.DataOffset()
		if err != nil || start < 0 || start > s.size || file.UncompressedSize64 > uint64(s.size-start) {
			continue
		}
		entries = append(entries, entry{file.Name, uint64(start), file.UncompressedSize64})
	}
	return entries, nil
}

// entryOpener returns what opens an entry of an archive.
func (t *tree) entryOpener(name, inside string) opener {
	a := t.archive(name)
	return a.opener(inside, t.opener(name))
}

// opener returns what opens an entry of the archive that open opens.
func (a *archive) opener(inside string, open opener) opener {
	i := slices.IndexFunc(a.entries, func(e entry) bool { return e.name == inside })
	if i < 0 {
		return func() (source, error) { return source{}, a.err }
	}
	e := a.entries[i]
	return func() (source, error) {
		s, err := open()
		if err != nil || s.ReaderAt == nil {
			return source{}, err
		}
		return source{io.NewSectionReader(s, int64(e.start), int64(e.size)), s, int64(e.size), s.name}, nil
	}
}
