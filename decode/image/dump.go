package image

import (
	"fmt"
	"io"

	"github.com/tracelake/tracelake/schema"
)

// A File is an open file that holds program memory.
type File struct {
	Name   string // for [Region]
	SHA256 [32]byte
	Data   io.ReaderAt
	Size   int64 // in bytes
	// Placed says that a base is where a recording has the program, whether or not it is position-independent.
	Placed bool
}

// fits fails with a [*FormatError] if f does not have n bytes from off on.
func (f *File) fits(off, n uint64, what string) error {
	if size := uint64(f.Size); n > 0 && (off > size || n > size-off) {
		return &FormatError{
			Problem: fmt.Sprintf("has %d bytes, but its %s takes %#x from offset %#x on", size, what, n, off),
			Remedy:  "the file is cut short or damaged",
		}
	}
	return nil
}

// read returns n bytes of f from off on, after comparing both with its size.
func (f *File) read(off, n uint64, what string) ([]byte, error) {
	if err := f.fits(off, n, what); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(io.NewSectionReader(f.Data, int64(off), int64(n)), b); err != nil {
		return nil, fmt.Errorf("read %s: %w", f.Name, err)
	}
	return b, nil
}

// A FormatError is the reason why a file cannot be program memory.
type FormatError struct {
	Problem string // continues after the file's name: "is no ELF file"
	Remedy  string
}

func (e *FormatError) Error() string { return e.Problem + "; " + e.Remedy }

// A Dump is a range of a plain binary file and its address in memory (§6).
type Dump struct {
	Address uint64
	Offset  uint64 // of the first byte in the file
	Length  uint64 // in bytes, unless ToEnd
	ToEnd   bool   // up to the end of the file
	Wide    bool   // the memory is of AArch64: addresses have 64 bits, else 32
	Space   Space
}

// Len returns the number of bytes d takes of a file of the given size. It fails
// with a [*FormatError] if the file has fewer, or if they do not fit after the
// address (in 32 bits) or into memory.
func (d Dump) Len(fileSize int64) (uint64, error) {
	size := uint64(fileSize)
	if d.Offset > size {
		return 0, &FormatError{
			Problem: fmt.Sprintf("has %d bytes (%#x), fewer than the offset %#x", size, size, d.Offset),
			Remedy:  "correct the offset",
		}
	}
	n := size - d.Offset
	if !d.ToEnd {
		if d.Length > n {
			return 0, &FormatError{
				Problem: fmt.Sprintf("has %d bytes (%#x) from offset %#x on, fewer than the length %d (%#x)", n, n, d.Offset,
					d.Length, d.Length),
				Remedy: "correct the length, or leave it out for the whole file",
			}
		}
		n = d.Length
	}
	class := class32
	if d.Wide {
		class = class64
	}
	if d.Address > class.top || n > class.top-d.Address {
		return 0, &FormatError{
			Problem: fmt.Sprintf("gives %#x bytes at address %#x, which go beyond %s", n, d.Address, class.topWords),
			Remedy:  "correct the address or the length",
		}
	}
	if n > MaxLoad {
		return 0, &FormatError{
			Problem: fmt.Sprintf("gives %d bytes of memory, more than the limit of %d", n, MaxLoad),
			Remedy:  "give only the part that holds code, with offset and length",
		}
	}
	return n, nil
}

// Read reads the bytes of d from f. It fails as [Dump.Len] does, or with the
// error of the file.
func (d Dump) Read(f File) (Region, error) {
	n, err := d.Len(f.Size)
	if err != nil {
		return Region{}, err
	}
	b, err := f.read(d.Offset, n, "dump")
	if err != nil {
		return Region{}, err
	}
	return Region{File: f.Name, SHA256: f.SHA256, Address: schema.Address(d.Address), Bytes: b, Space: d.Space}, nil
}
