package arrowfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/tracelake/tracelake/schema"
)

// This file limits the memory that arrow allocates for the lengths in a damaged
// file.

const (
	maxFooter    = 16 << 20  // bytes; a file of 64 row groups of 16 batches has 60 KB
	maxMemory    = 512 << 20 // bytes of dictionaries and of one record batch
	trailerBytes = 10        // length of the footer, magic
)

// A bounded allocator panics beyond maxMemory. [damaged] makes that an error.
type bounded struct {
	memory.GoAllocator
	taken int
}

func (b *bounded) take(n int) {
	if n > maxMemory-b.taken {
		panic(fmt.Sprintf("needs more than %d bytes", maxMemory))
	}
	b.taken += n
}

// Allocate returns memory of size bytes.
func (b *bounded) Allocate(size int) []byte {
	b.take(size)
	return b.GoAllocator.Allocate(size)
}

// Reallocate returns memory of size bytes that begins as p.
func (b *bounded) Reallocate(size int, p []byte) []byte {
	b.take(size - len(p))
	return b.GoAllocator.Reallocate(size, p)
}

// Free gives memory back.
func (b *bounded) Free(p []byte) {
	b.taken -= len(p)
	b.GoAllocator.Free(p)
}

// readFooter reads the footer of a file (Arrow columnar format, "IPC File Format"),
// and returns where it begins.
func readFooter(r io.ReaderAt, size int64) (b []byte, at int64, err error) {
	trailer := make([]byte, trailerBytes)
	if size < int64(2*trailerBytes) {
		return nil, 0, errors.New("is no arrow file, or not all of one")
	}
	if _, err := r.ReadAt(trailer, size-trailerBytes); err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	if string(trailer[4:]) != string(ipc.Magic) {
		return nil, 0, errors.New("is no arrow file, or not all of one")
	}
	n := int64(binary.LittleEndian.Uint32(trailer))
	if n < 8 || n > min(maxFooter, size-2*trailerBytes) {
		return nil, 0, fmt.Errorf("a footer of %d bytes", n)
	}
	b = make([]byte, n)
	_, err = r.ReadAt(b, size-trailerBytes-n)
	return b, size - trailerBytes - n, err
}

// checkFooter checks the lengths in a footer that has the columns of t and no
// others: arrow makes room for as many fields and keys as it says.
func checkFooter(b []byte, t *schema.Table) error {
	meta, ok := root(b).table(1)
	if !ok {
		return errors.New("its footer has no schema")
	}
	if n := meta.length(2); n > len(b)/4 {
		return fmt.Errorf("its footer has a list of %d", n)
	}
	for i, want := range fields(t) {
		field := meta.element(1, i)
		if field.byte(2) != unionType(want.Type) {
			return notColumn(field.text(0), want.Name, t)
		}
		if children, keys := field.length(5), field.length(6); children != 0 || keys > len(b)/4 {
			return fmt.Errorf("column %d has %d columns and %d keys", i, children, keys)
		}
	}
	return nil
}

// unionType is the number of a type in the union Type of Schema.fbs; for a
// dictionary, that of its values. Arrow reads the dictionaries before it returns
// the schema, and for some other types it allocates as many buffers as the file
// claims, so the types are checked first.
func unionType(t arrow.DataType) byte {
	switch t.ID() {
	case arrow.STRING, arrow.DICTIONARY:
		return 5 // Utf8
	case arrow.BINARY:
		return 4 // Binary
	case arrow.BOOL:
		return 6 // Bool
	case arrow.FLOAT64:
		return 3 // FloatingPoint
	default:
		return 2 // Int
	}
}

// notColumn says that a column of a file is not the one of t that is to be there.
func notColumn(name, want string, t *schema.Table) error {
	return fmt.Errorf("its column %q is not %s of %s in schema version %d", name, want, t.Name, schema.Version)
}
