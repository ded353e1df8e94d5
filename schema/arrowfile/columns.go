package arrowfile

import (
	"errors"
	"fmt"

	"github.com/tracelake/tracelake/schema"
)

// This file finds the columns of a table in a file, which may have others, or be of a schema version that did not
// have all.

// Limits that files of this package do not reach. A file beyond one is not read.
const (
	maxFields = 1 << 12 // columns, and those in columns; dictionaries
	maxName   = 1 << 10 // bytes of the name of a column
	maxDepth  = 16      // of columns in one another
)

// A location says where a file has the columns of a table.
type location struct {
	has    []int   // columns of the table that the file has
	places []int   // of each of them: its place in the file
	lacks  []int   // columns of the table that the file does not have, as they came with a later schema version
	shapes []shape // of all columns of the file
}

// locate finds the columns of t in the schema of a footer, of a schema version. It fails if the
// file lacks one that it has to have.
func locate(meta flat, t *schema.Table, version int) (*location, error) {
	l := new(location)
	names := map[string]int{}
	w := shapes{left: maxFields}
	for i := range meta.length(1) {
		f := meta.element(1, i)
		s, err := w.of(f, 0)
		if err != nil {
			return nil, fmt.Errorf("column %d: %w", i, err)
		}
		name := f.text(0)
		if _, ok := names[name]; ok {
			return nil, fmt.Errorf("has two columns %.40q", name)
		}
		names[name] = i
		l.shapes = append(l.shapes, s)
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		place, ok := names[c.Name]
		switch {
		case ok:
			l.has, l.places = append(l.has, i), append(l.places, place)
		case c.Since > version:
			l.lacks = append(l.lacks, i)
		default:
			return nil, fmt.Errorf("has no column %q, which %s has", c.Name, t.Name)
		}
	}
	return l, nil
}

// isAll says whether a file has the columns that were located, in their order, and
// no others.
func (l *location) isAll() bool {
	for i, place := range l.places {
		if place != i {
			return false
		}
	}
	return len(l.shapes) == len(l.places)
}

// of returns t without the columns that the file lacks.
func (l *location) of(t *schema.Table) *schema.Table {
	if len(l.lacks) == 0 {
		return t
	}
	part := *t
	part.Columns = nil
	for _, i := range l.has {
		part.Columns = append(part.Columns, t.Columns[i])
	}
	return &part
}

// A shape is how much of a record batch a column takes (Arrow columnar format,
// "RecordBatch message").
type shape struct {
	nodes   int
	buffers int // and as many more as the record batch says, for views
	views   int // columns that have those
}

// shapes works out the shapes of columns.
type shapes struct{ left int }

// Types of columns, as numbered in the union Type of Schema.fbs.
const (
	typeUnion      = 14
	typeBinaryView = 23
	typeUTF8View   = 24
)

// buffersOf is how many buffers a column of a type has, without those of columns in
// it (Arrow columnar format, "Buffer Listing for Each Layout").
var buffersOf = map[byte]int{
	1: 0,             // null
	2: 2, 3: 2, 6: 2, // numbers and booleans
	4: 3, 5: 3, 19: 3, 20: 3, // bytes and texts
	7: 2, 8: 2, 9: 2, 10: 2, 11: 2, 18: 2, // decimals and times
	12: 2, 17: 2, 21: 2, // lists and maps
	13: 1, 16: 1, // structures, lists of fixed length
	typeUnion: 1,        // of sparse ones
	15:        2,        // bytes of fixed length
	22:        0,        // run ends
	25:        3, 26: 3, // views of lists
	typeBinaryView: 2, typeUTF8View: 2, // and variadic ones
}

// of returns the shape of a column, given its Field of Schema.fbs.
func (w *shapes) of(f flat, depth int) (shape, error) {
	if w.left--; w.left < 0 || depth > maxDepth {
		return shape{}, fmt.Errorf("columns are more than %d, or nested more than %d deep", maxFields, maxDepth)
	}
	if name, ok := f.table(0); ok && name.uint32(name.at) > maxName {
		return shape{}, fmt.Errorf("a name of %d bytes", name.uint32(name.at))
	}
	if _, encoded := f.table(4); encoded {
		return shape{nodes: 1, buffers: 2}, nil // the rest is of its dictionary
	}
	buffers, ok := buffersOf[f.byte(2)]
	if !ok {
		return shape{}, fmt.Errorf("is of type %d, which this program does not know", f.byte(2))
	}
	s := shape{nodes: 1, buffers: buffers}
	switch f.byte(2) {
	case typeBinaryView, typeUTF8View:
		s.views = 1
	case typeUnion:
		union, ok := f.table(3)
		if !ok {
			return shape{}, errors.New("is a union of no mode")
		}
		s.buffers += int(union.byte(0) & 1) // 1 is dense: with offsets
	}
	for i := range f.length(5) {
		child, err := w.of(f.element(5, i), depth+1)
		if err != nil {
			return shape{}, err
		}
		s = shape{s.nodes + child.nodes, s.buffers + child.buffers, s.views + child.views}
	}
	return s, nil
}
