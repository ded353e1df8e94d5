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

// checkFooter checks the lengths in the footer of a file (Arrow columnar format,
// "IPC File Format"): arrow makes room for as many fields and keys as it says.
func checkFooter(r io.ReaderAt, size int64, t *schema.Table) error {
	trailer := make([]byte, trailerBytes)
	if size < int64(2*trailerBytes) {
		return errors.New("is no arrow file, or not all of one")
	}
	if _, err := r.ReadAt(trailer, size-trailerBytes); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if string(trailer[4:]) != string(ipc.Magic) {
		return errors.New("is no arrow file, or not all of one")
	}
	n := int64(binary.LittleEndian.Uint32(trailer))
	if n < 8 || n > min(maxFooter, size-2*trailerBytes) {
		return fmt.Errorf("a footer of %d bytes", n)
	}
	b := make([]byte, n)
	if _, err := r.ReadAt(b, size-trailerBytes-n); err != nil {
		return err
	}
	footer := flat{b, binary.LittleEndian.Uint32(b)}
	meta, ok := footer.table(1)
	if !ok {
		return errors.New("its footer has no schema")
	}
	if n := meta.length(1); n != len(t.Columns) {
		return fmt.Errorf("%d columns, where %s has %d", n, t.Name, len(t.Columns))
	}
	if n := meta.length(2); n > len(b)/4 {
		return fmt.Errorf("its footer has a list of %d", n)
	}
	for i, want := range fields(t, schema.Version) {
		field := meta.element(1, i)
		if field.byte(2) != unionType(want.Type) {
			return notColumn(field.text(0), want.Name, t, schema.Version)
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
func notColumn(name, want string, t *schema.Table, version int) error {
	return fmt.Errorf("its column %q is not %s of %s in schema version %d", name, want, t.Name, version)
}

// A flat is a table at an offset of a FlatBuffer. Its methods panic if the table
// reaches beyond the buffer.
type flat struct {
	b  []byte
	at uint32
}

func (f flat) uint32(at uint32) uint32 { return binary.LittleEndian.Uint32(f.b[at:]) }

// field returns where a field lies, or 0 if f does not have it.
func (f flat) field(i uint32) uint32 {
	vtable := f.at - f.uint32(f.at) // the distance is signed, and wraps
	if 4+2*i >= uint32(binary.LittleEndian.Uint16(f.b[vtable:])) {
		return 0
	}
	offset := uint32(binary.LittleEndian.Uint16(f.b[vtable+4+2*i:]))
	if offset == 0 {
		return 0
	}
	return f.at + offset
}

// byte returns the byte in a field, 0 if f does not have it.
func (f flat) byte(i uint32) byte {
	at := f.field(i)
	if at == 0 {
		return 0
	}
	return f.b[at]
}

// text returns the text in a field.
func (f flat) text(i uint32) string {
	text, ok := f.table(i)
	if !ok {
		return ""
	}
	return string(f.b[text.at+4:][:text.uint32(text.at)])
}

// table returns the table in a field.
func (f flat) table(i uint32) (flat, bool) {
	at := f.field(i)
	if at == 0 {
		return flat{}, false
	}
	return flat{f.b, at + f.uint32(at)}, true
}

// length returns the length of the list in a field.
func (f flat) length(i uint32) int {
	list, ok := f.table(i)
	if !ok {
		return 0
	}
	return int(list.uint32(list.at))
}

// element returns an element of the list of tables in a field.
func (f flat) element(i uint32, n int) flat {
	list, _ := f.table(i)
	at := list.at + 4 + 4*uint32(n)
	return flat{f.b, at + f.uint32(at)}
}
