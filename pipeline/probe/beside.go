package probe

import (
	"bytes"
	"cmp"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/pipeline/plan"
)

// This file looks for the program of a snapshot in ELF files that lie beside it.

// A besideELF is an ELF file beside a snapshot, and how it fits the snapshot: equal bytes of those
// that are in its memory, too; where there are none, stops for want of memory that it has.
type besideELF struct {
	name         string
	equal, bytes int64
	found, stops int64
}

// fits says whether the file is the program: nine bytes of ten in memory, which may change, or every
// second stop.
func (b *besideELF) fits() bool {
	if b.bytes > 0 {
		return b.equal*10 >= b.bytes*9
	}
	return b.found*2 > b.stops
}

// words say why the file is proposed, or not.
func (b *besideELF) words() string {
	name := filepath.Base(b.name) + ", beside the snapshot,"
	agree := fmt.Sprintf("%s of %s bytes of memory agree", figures.Thousands(b.equal), figures.Thousands(b.bytes))
	switch {
	case !b.fits() && b.bytes > 0:
		return name + " is another program: " + agree
	case !b.fits():
		return name + " has no memory where it runs"
	case b.bytes == 0:
		return fmt.Sprintf("%s has the missing memory of %s of %s stops; -e takes it", name, figures.Thousands(b.found),
			figures.Thousands(b.stops))
	case b.names():
		return name + " is its program: " + agree + "; --symbols takes names only"
	}
	return name + " is its program: " + agree + "; -e takes memory and names"
}

// names says whether only names are to be taken: the memory of the snapshot is not all as in the file.
func (b *besideELF) names() bool { return b.equal < b.bytes }

// proposeELF looks for the program beside the snapshot, unless one was given, and adds it to the options. It
// reports whether that gives memory.
func (in *Inspection) proposeELF(s *inspector, opt *Options) bool {
	if len(opt.Capture.ELFs)+len(opt.Capture.Symbols) > 0 || s.plan.Capture.Template != nil || opt.Archived {
		return false
	}
	if slices.ContainsFunc(in.Sources, SourceInspection.contradicted) { // by the memory that the snapshot has
		opt.Capture.ELFs = []string{placeholder}
		return true
	}
	var missing image.Missing
	for i := range in.Sources {
		for _, r := range in.Sources[i].missing {
			missing.Add(r.First, r.Stops)
		}
	}
	all := besideELFs(snapshotDir(in.Input), s.plan.Capture.Regions, missing.Ranges(), s.tracesAArch64())
	var best *besideELF
	for i := range all {
		b := &all[i]
		in.note([]string{b.words()})
		if b.fits() && (best == nil || cmp.Or(cmp.Compare(b.equal, best.equal), cmp.Compare(b.found, best.found)) > 0) {
			best = b
		}
	}
	switch {
	case best == nil:
		return false
	case best.names():
		opt.Capture.Symbols = []string{best.name}
		return false
	}
	opt.Capture.ELFs = []string{best.name}
	return true
}

// tracesAArch64 reports whether a source is of a protocol that traces AArch64.
func (s *inspector) tracesAArch64() bool {
	return slices.ContainsFunc(s.plan.Families, func(f decode.Family) bool {
		return f.AArch64 && slices.ContainsFunc(s.plan.Sources, func(src *plan.Source) bool { return src.Protocol == f.Name })
	})
}

// snapshotDir is the directory of a snapshot, which is given by itself or by its ini file.
func snapshotDir(input string) string {
	if info, err := os.Stat(input); err == nil && !info.IsDir() {
		return filepath.Dir(input)
	}
	return input
}

// besideELFs returns the ELF files in a directory and in its parent that have memory which a snapshot
// has, or misses; of AArch64 only if that is traced.
func besideELFs(dir string, memory []image.Region, missing []image.MissingRange, wide bool) []besideELF {
	const most = 8 // files that are read
	var all []besideELF
	for _, d := range []string{dir, filepath.Dir(filepath.Clean(dir))} {
		for _, name := range elfFiles(d) {
			regions := loaded(name)
			if len(regions) == 0 || regions[0].AArch64 && !wide || len(all) == most {
				continue
			}
			b := besideELF{name: name}
			b.compare(regions, memory)
			for _, r := range missing {
				b.stops += r.Stops
				if slices.ContainsFunc(regions, func(x image.Region) bool {
					return x.Address <= r.First && uint64(r.First) < uint64(x.Address)+uint64(len(x.Bytes))
				}) {
					b.found += r.Stops
				}
			}
			if b.bytes+b.stops > 0 {
				all = append(all, b)
			}
		}
		if filepath.Clean(d) == filepath.Dir(filepath.Clean(d)) {
			break // it is its own parent
		}
	}
	return all
}

// elfFiles returns the ELF files of a directory, by name, of its first entries.
func elfFiles(dir string) []string {
	const most = 1000
	f, err := os.Open(dir)
	if err != nil {
		return nil // what cannot be read is not looked at
	}
	defer f.Close()
	entries, _ := f.ReadDir(most)
	var names []string
	for _, e := range entries {
		if name := filepath.Join(dir, e.Name()); e.Type().IsRegular() && isELF(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func isELF(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	magic := make([]byte, len(elf.ELFMAG))
	_, err = io.ReadFull(f, magic)
	return err == nil && string(magic) == elf.ELFMAG
}

// loaded returns what a program loads, nothing of a file that is none.
func loaded(name string) []image.Region {
	const most = 256 << 20 // bytes of a file
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() > most {
		return nil
	}
	regions, err := image.ReadELF(image.File{Name: name, Data: f, Size: info.Size()}, nil)
	if err != nil {
		return nil
	}
	return regions
}

// compare counts the bytes of memory that the regions of the file have, too, and those that are equal. What
// several cores see counts once.
func (b *besideELF) compare(regions, memory []image.Region) {
	type seen struct {
		sum     [32]byte
		address uint64
		bytes   int
	}
	counted := map[seen]bool{}
	for i := range memory {
		m := &memory[i]
		key := seen{m.SHA256, uint64(m.Address), len(m.Bytes)}
		if counted[key] {
			continue
		}
		counted[key] = true
		for j := range regions {
			r := &regions[j]
			from := max(uint64(m.Address), uint64(r.Address))
			to := min(uint64(m.Address)+uint64(len(m.Bytes)), uint64(r.Address)+uint64(len(r.Bytes)))
			if from >= to {
				continue
			}
			x, y := m.Bytes[from-uint64(m.Address):to-uint64(m.Address)], r.Bytes[from-uint64(r.Address):to-uint64(r.Address)]
			b.bytes += int64(len(x))
			b.equal += equalBytes(x, y)
		}
	}
}

// equalBytes counts the bytes that are equal, of slices of one length.
func equalBytes(x, y []byte) int64 {
	if bytes.Equal(x, y) {
		return int64(len(x))
	}
	n := int64(0)
	for i := range x {
		if x[i] == y[i] {
			n++
		}
	}
	return n
}
