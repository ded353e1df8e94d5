package files

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/image/jit"
	"github.com/tracelake/tracelake/decode/process"
)

// A Program is a program file that was found. Its code is in memory, the file is closed.
type Program struct {
	*image.Mapped
	Path   string // where it was found; one in an archive is ARCHIVE!/ENTRY
	Opened string // the name by which its file, or the archive, was opened

	open   opener
	symbol uint64 // of a kernel: the address of the symbol that its map is about, as linked
	dump   *jit.Dump
}

// An opener opens a file each time it is called. If there is none the source has no reader.
type opener func() (source, error)

// A source is an open file.
type source struct {
	io.ReaderAt
	io.Closer
	size int64  // in bytes
	name string // by which it was opened
}

// A File is an open file, which has the name by which it was opened.
type File interface {
	io.ReaderAt
	io.Closer
	Name() string
}

// load reads the program of a mapped file. It returns nil if there is no such file, and a
// [*image.FormatError] if it is another one.
func load(file process.File, path string, open opener) (*Program, error) {
	s, err := open()
	if err != nil || s.ReaderAt == nil {
		return nil, err
	}
	defer s.Close()
	p := &Program{Path: path, Opened: s.name, open: open}
	if err := p.read(image.File{Name: file.Name, Data: s, Size: s.size}); err != nil {
		return nil, err
	}
	if len(p.Segments) == 0 {
		return nil, image.ErrNoCode
	}
	if err := p.check(file); err != nil {
		return nil, err
	}
	if p.SHA256, err = sum(s); err != nil {
		return nil, err
	}
	if err := p.Load(); err != nil {
		return nil, err
	}
	p.Data = nil // it is closed
	return p, nil
}

// read reads what p has but for its code.
func (p *Program) read(f image.File) (err error) {
	if !isDump(f.Name) {
		p.Mapped, err = image.OpenMapped(f)
		return err
	}
	if p.dump, err = jit.ReadDump(f); err != nil {
		return err
	}
	p.Mapped, err = image.NewMapped(f, p.dump.AArch64)
	return err
}

// sum returns the SHA-256 of a file.
func sum(s source) (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	if _, err = io.Copy(h, io.NewSectionReader(s, 0, s.size)); err != nil {
		return sum, err
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

// check refuses a program that is not the one that was mapped. What was in memory of a kernel has
// no build ID: who gives it, or the directory that it is in, answers for it.
func (p *Program) check(file process.File) error {
	symbol, kernel := kernelSymbol(file.Name)
	if p.Core() {
		if !kernel {
			return &image.FormatError{Problem: "is what was in memory (ET_CORE), no program", Remedy: giveRan}
		}
		return nil
	}
	switch {
	case file.BuildID != "" && p.BuildID == "":
		return &image.FormatError{Problem: "has no build ID, not " + unpadded(file.BuildID), Remedy: giveRan}
	case file.BuildID != "" && !sameID(file.BuildID, p.BuildID):
		return &image.FormatError{
			Problem: fmt.Sprintf("has build ID %s, not %s", p.BuildID, unpadded(file.BuildID)), Remedy: giveRan,
		}
	case !kernel:
		return nil
	}
	var ok bool
	if p.symbol, ok = p.Symbol(symbol); !ok {
		return &image.FormatError{Problem: "has no symbol " + symbol, Remedy: "give vmlinux with its symbols"}
	}
	return nil
}

// giveRan is the remedy for a file that is another one.
const giveRan = "give the file that ran"

// A given is a file that the user gives, by its path.
type given struct {
	path    string
	open    opener
	buildID string
	core    bool
	symbols bool // it has the symbols of a program alone
	packed  bool // it is an archive
	archive archive
}

// openGiven reads the headers of a file of the options.
func openGiven(path string, open opener) (*given, error) {
	s, err := open()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if strings.HasSuffix(path, archiveSuffix) {
		g := &given{path: path, open: open, packed: true}
		g.archive.entries, err = readEntries(s)
		return g, err
	}
	m, err := image.OpenMapped(image.File{Name: filepath.Base(path), Data: s, Size: s.size})
	if err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	return &given{path: path, open: open, buildID: m.BuildID, core: m.Core(), symbols: len(m.Segments) == 0}, nil
}

// loadCore reads what was in the memory of a kernel.
func (g *given) loadCore() (*Program, error) {
	if !g.core {
		return nil, fmt.Errorf("%s is not what was in memory of a kernel (ET_CORE); give kcore_dir/kcore of "+
			"perf record --kcore, or the kernel with --vmlinux", g.path)
	}
	p, err := load(process.File{Name: kernelPrefix}, g.path, g.open)
	if err != nil {
		return nil, fmt.Errorf("%s %w", g.path, err)
	}
	p.Name = filepath.Base(g.path)
	return p, nil
}

// Symbols opens the file that has the symbols of a program: the one for debuggers that was given, or that a
// directory of build IDs has, else the program itself. The caller closes it.
func (f *Finder) Symbols(p *Program) (Symbols, error) {
	for _, g := range f.files {
		if g.symbols && p.BuildID != "" && sameID(g.buildID, p.BuildID) {
			return p.symbols(g.candidate())
		}
	}
	for _, dir := range buildIDDirs(p.BuildID) {
		for _, t := range f.buildIDs {
			for _, name := range []string{dir + ".debug", dir + "/debug"} {
				if x, err := p.symbols(candidate{t.path(name), t.opener(name)}); err == nil {
					return x, nil
				}
			}
		}
	}
	x, err := p.symbols(candidate{p.Path, p.open})
	x.Own, x.SHA256 = true, p.SHA256
	return x, err
}

// Symbols are an open file that has the symbols of a program.
type Symbols struct {
	image.File // without SHA256, unless it is the program's own
	io.Closer
	Path   string
	Opened string // as [Program.Opened]
	Own    bool   // it is the program itself
}

// symbols opens the file with its symbols.
func (p *Program) symbols(c candidate) (Symbols, error) {
	s, err := c.open()
	if err == nil && s.ReaderAt == nil {
		err = fmt.Errorf("%s is no longer there; leave the program files as they are until the end", c.path)
	}
	return Symbols{File: image.File{Name: p.Name, Data: s, Size: s.size}, Closer: s, Path: c.path, Opened: s.name}, err
}

// Title returns the last element of the name of the program's file, or of the archive that it is in: as it was
// mapped, of a kernel as it was found.
func (p *Program) Title() string {
	if archive, _, ok := strings.Cut(p.Name, inArchive); ok {
		return path.Base(archive)
	}
	if _, kernel := kernelSymbol(p.Name); kernel {
		return filepath.Base(p.Path)
	}
	name, _ := strings.CutSuffix(p.Name, deleted)
	return path.Base(name)
}

// Archive returns the path of the archive that the program is in; "" if it is in none.
func (p *Program) Archive() string {
	if _, _, ok := strings.Cut(p.Name, inArchive); !ok {
		return ""
	}
	at, _, _ := strings.Cut(p.Path, inArchive)
	return at
}

// pathOpener returns what opens a regular file.
func pathOpener(path string) opener { return func() (source, error) { return openPath(path) } }

// openPath opens a regular file.
func openPath(path string) (source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return source{}, err
	}
	if !info.Mode().IsRegular() {
		return source{}, fmt.Errorf("%s is no file; give a program file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return source{}, err
	}
	return source{file, file, info.Size(), path}, nil
}
