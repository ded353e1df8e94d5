// Package files finds the program files that the processes of a recording map, and says which
// code a map puts in memory.
//
// A file is taken if its build ID is that of the recording; one with another is refused, and
// never used in its place. Each file is read once, however many processes map it.
// The rules are those of docs/perfdata.md, §7.
//
// Its API is not stable (docs/guide/library.md).
package files

import (
	"errors"
	"slices"
	"sync"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/process"
)

// Options say where program files are. They are looked for in the order of the fields.
type Options struct {
	Files []string // program files, by build ID or, where the recording or the file has none, by name
	// Open opens those of Files and says how many bytes they have; nil: they are paths.
	Open     func(name string) (File, int64, error)
	Sysroots []string // directories with files at their recorded names
	BuildIDs []string // directories with files at their build IDs, as perf's ~/.debug
	Host     bool     // files of this machine, at their recorded names
	Vmlinux  string   // the kernel with its symbols; "" without
	Kcore    string   // what was in memory of the kernel and its modules; "" without
}

// A Finder finds program files. It is safe for concurrent use.
type Finder struct {
	files    []*given
	sysroots []*tree
	buildIDs []*tree
	host     *tree // nil: its files are not used
	vmlinux  *given
	kcore    *Program

	mu      sync.Mutex
	found   map[process.File]found
	missing map[process.File]*wanted
}

// A found is the answer for a file that was mapped.
type found struct {
	program *Program
	err     error
}

// A Placement is what a map puts in memory.
type Placement struct {
	Regions []image.Region // inside the part of the map that was asked for
	Program *Program       // the file that they are from
	Bias    uint64         // address in memory less that of the linker, modulo 2⁶⁴
}

// New opens the files and directories that are named in the options, which must be there.
func New(o Options) (*Finder, error) {
	f := &Finder{found: map[process.File]found{}, missing: map[process.File]*wanted{}}
	if err := f.open(o); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (f *Finder) open(o Options) (err error) {
	for _, path := range o.Files {
		g, err := openGiven(path, o.opener(path))
		if err != nil {
			return err
		}
		f.files = append(f.files, g)
	}
	if f.sysroots, err = openTrees(o.Sysroots); err != nil {
		return err
	}
	if f.buildIDs, err = openTrees(o.BuildIDs); err != nil {
		return err
	}
	if o.Host {
		if f.host, err = openTree("/"); err != nil {
			return err
		}
	}
	if o.Vmlinux != "" {
		if f.vmlinux, err = openGiven(o.Vmlinux, pathOpener(o.Vmlinux)); err != nil {
			return err
		}
	}
	return f.openCore(o.Kcore)
}

// openCore reads what was in memory of the kernel: that of the path, else one of the files.
func (f *Finder) openCore(path string) (err error) {
	var core *given
	if i := slices.IndexFunc(f.files, func(g *given) bool { return g.core }); i >= 0 {
		core = f.files[i]
	}
	if path != "" {
		if core, err = openGiven(path, pathOpener(path)); err != nil {
			return err
		}
	}
	if core != nil {
		f.kcore, err = core.loadCore()
	}
	return err
}

// opener returns what opens a file of Files.
func (o *Options) opener(name string) opener {
	if o.Open == nil {
		return pathOpener(name)
	}
	return func() (source, error) {
		f, size, err := o.Open(name)
		if err != nil {
			return source{}, err
		}
		return source{f, f, size, f.Name()}, nil
	}
}

// Close closes the directories. Placements stay as they are.
func (f *Finder) Close() error {
	var errs []error
	for _, t := range slices.Concat(f.sysroots, f.buildIDs, []*tree{f.host}) {
		if t != nil {
			errs = append(errs, t.root.Close())
		}
	}
	return errors.Join(errs...)
}

// User returns what a part of a map of a user process puts in memory. It fails with a
// [*Missing] if there is no program file for it.
func (f *Finder) User(part process.Part) (Placement, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	file, offset := part.Map.File, part.Map.Offset+uint64(part.From-part.Map.Address)
	if inside, start, ok := f.inArchive(file, offset); ok {
		file, offset = inside, offset-start
	}
	program, err := f.program(file)
	if err != nil {
		return Placement{}, f.miss(part, err)
	}
	size := uint64(part.To - part.From)
	regions := program.At(part.From, offset, size)
	if len(regions) == 0 {
		return Placement{}, f.miss(part, &image.FormatError{
			Problem: "has no code at what is mapped of it (" + program.Path + ")",
			Remedy:  "give the program that ran",
		})
	}
	return Placement{Regions: regions, Program: program, Bias: program.Bias(part.From, offset, size)}, nil
}

// program returns the program file of a mapped file. It is looked for once.
func (f *Finder) program(file process.File) (*Program, error) {
	a, ok := f.found[file]
	if !ok {
		a.program, a.err = f.search(file)
		f.found[file] = a
	}
	return a.program, a.err
}
