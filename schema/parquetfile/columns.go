package parquetfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
)

// This file finds the columns of a table in a file, which may have others, or be of a schema version that did not
// have all.

// A leaf is a column of a file, without those that it consists of.
type leaf struct {
	element format.SchemaElement
	number  int // among all columns that have values
}

// A location says where a file has the columns of a table.
type location struct {
	leaves []leaf // of each column that the file has
	has    []int  // of each of them: its place in the table
	lacks  []int  // columns of the table that came with a later schema version
}

// locate finds the columns of t in a file of a schema version. It fails if the file lacks one that
// it has to have, or has one with other values.
func locate(m *format.FileMetaData, t *schema.Table, version int) (*location, error) {
	if len(m.Schema) == 0 || m.Schema[0].Name != t.Name {
		return nil, fmt.Errorf("is a table of %d columns, not %s of schema version %d", len(m.Schema)-1, t.Name,
			schema.Version)
	}
	names, err := topLevel(m)
	if err != nil {
		return nil, err
	}
	l := new(location)
	for i := range t.Columns {
		c := &t.Columns[i]
		got, ok := names[c.Name]
		if !ok && c.Since > version {
			l.lacks = append(l.lacks, i)
			continue
		}
		if !ok {
			return nil, fmt.Errorf("has no column %q, which %s of schema version %d has", c.Name, t.Name, schema.Version)
		}
		if want := element(c); got.element.Type != want.Type || got.element.RepetitionType != want.RepetitionType ||
			got.element.NumChildren != want.NumChildren || got.element.ConvertedType != want.ConvertedType {
			return nil, fmt.Errorf("its column %q is not %s of %s in schema version %d", got.element.Name, want.Name, t.Name,
				schema.Version)
		}
		l.leaves, l.has = append(l.leaves, got), append(l.has, i)
	}
	return l, nil
}

// topLevel returns the columns of a file by name. It checks that each row group
// has as many as the schema.
func topLevel(m *format.FileMetaData) (map[string]leaf, error) {
	names := make(map[string]leaf, len(m.Schema))
	number := 0
	for at := 1; at < len(m.Schema); {
		name := m.Schema[at].Name
		if _, ok := names[name]; ok {
			return nil, fmt.Errorf("has two columns %.40q", name)
		}
		names[name] = leaf{m.Schema[at], number}
		next, leaves := skip(m.Schema, at)
		at, number = next, number+leaves
	}
	for i := range m.RowGroups {
		if g := &m.RowGroups[i]; len(g.Columns) != number || g.NumRows < 0 {
			return nil, fmt.Errorf("row group %d has %d columns and %d rows", i, len(g.Columns), g.NumRows)
		}
	}
	return names, nil
}

// skip returns which element follows the column at one, and how many columns with
// values it consists of: itself, or those below it.
func skip(elements []format.SchemaElement, at int) (next, leaves int) {
	for left := int64(1); left > 0 && at < len(elements); at++ {
		children := max(0, int64(elements[at].NumChildren.V))
		left += children - 1
		if children == 0 {
			leaves++
		}
	}
	return at, leaves
}

// project leaves of a footer the columns that were located, in their order.
func (l *location) project(m *format.FileMetaData) {
	root := m.Schema[0]
	root.NumChildren = thrift.New(int32(len(l.leaves)))
	m.Schema = []format.SchemaElement{root}
	m.ColumnOrders = nil
	for _, x := range l.leaves {
		m.Schema = append(m.Schema, x.element)
	}
	for i := range m.RowGroups {
		g := &m.RowGroups[i]
		g.SortingColumns = nil
		columns := make([]format.ColumnChunk, len(l.leaves))
		for i, x := range l.leaves {
			columns[i] = g.Columns[x.number]
		}
		g.Columns = columns
	}
}

// isAll says whether a footer has the columns that were located, in their order,
// and no others.
func (l *location) isAll(m *format.FileMetaData) bool {
	for i, x := range l.leaves {
		if x.number != i {
			return false
		}
	}
	return len(m.Schema) == 1+len(l.leaves)
}

// A refooted file is one that another footer takes the place of the file's.
type refooted struct {
	io.ReaderAt
	end    int64 // of what is the file's
	footer []byte
}

// newRefooted returns a file with footer m after the first end bytes, and its size.
// What is not in m cannot be reached then, be it what parquet-go does not know.
func newRefooted(file io.ReaderAt, end int64, m *format.FileMetaData) (*refooted, int64, error) {
	b, err := thrift.Marshal(new(thrift.CompactProtocol), m)
	if err != nil {
		return nil, 0, fmt.Errorf("the footer: %w", err)
	}
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(b))), magic...)
	return &refooted{file, end, b}, end + int64(len(b)), nil
}

// ReadAt implements [io.ReaderAt].
func (f *refooted) ReadAt(p []byte, at int64) (n int, err error) {
	if at < f.end {
		n, err = f.ReaderAt.ReadAt(p[:min(int64(len(p)), f.end-at)], at)
		if err != nil && !errors.Is(err, io.EOF) || at+int64(n) < f.end {
			return n, err
		}
	}
	k, err := bytes.NewReader(f.footer).ReadAt(p[n:], at+int64(n)-f.end)
	return n + k, err
}
