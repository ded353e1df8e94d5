package capture

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/tracelake/tracelake/decode/image/files"
)

// This file is the program files of a recording as files of the capture, which are those that were used: they are
// recorded as if each was given with --elf.

// keepProgram notes that a program was read. Of one in an archive all of that is.
func (r *recording) keepProgram(p *files.Program) error {
	size, sum, path := p.Size, p.SHA256, p.Path
	if archive := p.Archive(); archive != "" {
		f, n, err := r.openGiven(p.Opened)
		if err != nil {
			return err
		}
		defer f.Close()
		if sum, err = sumOf(p.Opened, f, n); err != nil {
			return err
		}
		size, path = n, archive
	}
	r.keepMapped(FileArgument{File: path, Mapped: p.Title()}, p.Opened, sum, size)
	return nil
}

// keepSymbols notes that a file for debuggers was read, and returns its hash.
func (r *recording) keepSymbols(s *files.Symbols) (sum [sha256.Size]byte, err error) {
	if sum, err = sumOf(s.Path, s.Data, s.Size); err == nil {
		r.keepMapped(FileArgument{File: s.Path, Mapped: filepath.Base(s.Path)}, s.Opened, sum, s.Size)
	}
	return sum, err
}

// keepMapped notes that a file was read which is known as a.Mapped, and was opened by that name.
func (r *recording) keepMapped(a FileArgument, opened string, sum [sha256.Size]byte, size int64) {
	key := "mapped: " + hex.EncodeToString(sum[:]) // wherever it was found
	if in := r.input(key, a.Mapped, ArgumentFile, opened, size); in != nil {
		in.SHA256 = sum
	}
	a.Input = r.inputs[key]
	same := func(b FileArgument) bool { return b.Mapped == a.Mapped && b.Input == a.Input }
	if list := &r.c.Arguments.ELFs; !slices.ContainsFunc(*list, same) {
		*list = append(*list, a)
	}
}

// sumOf returns the SHA-256 of a file.
func sumOf(name string, f io.ReaderAt, size int64) (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, size)); err != nil {
		return sum, fmt.Errorf("read %s: %w", name, err)
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}
