package arrowfile

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/tracelake/tracelake/schema"
)

// A Reader reads the rows of a file that this package wrote, be it an earlier or
// later one, one record batch at a time. Columns that it does not know are not
// read; those that the file lacks, as its schema version did not have them, are NULL.
type Reader struct {
	table   *schema.Table
	file    *projection
	ipc     *ipc.FileReader
	records int // that were read
	batch   *schema.Batch
}

var _ schema.Reader = (*Reader)(nil)

// Open begins to read a file of t. A file that is damaged, or of other columns,
// is an error here or in [Reader.Next].
func Open(r io.ReaderAt, size int64, t *schema.Table) (f *Reader, err error) {
	defer damaged(&err)
	f = &Reader{table: t, batch: schema.NewBatch(t)}
	if f.file, err = newProjection(r, size, t); err != nil {
		return nil, err
	}
	if f.ipc, err = ipc.NewFileReader(io.NewSectionReader(f.file, 0, size), ipc.WithAllocator(&bounded{})); err != nil {
		return nil, err
	}
	return f, checkFields(f.ipc.Schema(), f.file.where.of(t))
}

// damaged makes an error of a panic: arrow panics on damaged files.
func damaged(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged file: %v", p)
	}
}

// checkFields checks that a file has the columns of t.
func checkFields(s *arrow.Schema, t *schema.Table) error {
	for i, want := range fields(t) {
		got := s.Field(i)
		if got.Name != want.Name || got.Nullable != want.Nullable || !arrow.TypeEqual(got.Type, want.Type) {
			return notColumn(got.Name, want.Name, t)
		}
	}
	return nil
}

// Next returns the rows of the next record batch that has any.
func (f *Reader) Next() (b *schema.Batch, err error) {
	defer damaged(&err)
	f.batch.Reset()
	for f.batch.Rows() == 0 {
		if f.records == f.ipc.NumRecords() {
			return nil, io.EOF
		}
		if err := f.read(); err != nil {
			return nil, fmt.Errorf("record batch %d: %w", f.records, err)
		}
		f.records++
	}
	return f.batch, nil
}

// read appends the next record batch to f.batch.
func (f *Reader) read() error {
	if err := f.file.keepBatch(f.records); err != nil {
		return err
	}
	record, err := f.ipc.RecordAt(f.records)
	if err != nil {
		return err
	}
	defer record.Release()
	if record.NumRows() > schema.BatchRows {
		return fmt.Errorf("%d rows, more than %d", record.NumRows(), schema.BatchRows)
	}
	for n, i := range f.file.where.has {
		err := checkLength(record, n)
		if err == nil {
			err = appendArray(&f.batch.Columns[i], record.Column(n))
		}
		if err != nil {
			return fmt.Errorf("column %s: %w", f.table.Columns[i].Name, err)
		}
	}
	for _, i := range f.file.where.lacks {
		f.batch.Columns[i].AppendZeros(int(record.NumRows()))
	}
	return nil
}

// checkLength fails if a column has not as many rows as its record batch, as in a
// damaged file.
func checkLength(record arrow.Record, column int) error {
	if n := record.Column(column).Len(); int64(n) != record.NumRows() {
		return fmt.Errorf("%d rows in a record batch of %d", n, record.NumRows())
	}
	return nil
}

// appendArray appends copies of the rows of a to v. The value in a NULL slot
// becomes the zero value.
func appendArray(v *schema.Vector, a arrow.Array) error {
	if v.Column.Nullable {
		for i := range a.Len() {
			valid := uint8(1)
			if a.IsNull(i) {
				valid = 0
			}
			v.Valid = append(v.Valid, valid)
		}
	} else if a.NullN() != 0 {
		return errors.New("NULL in a column that has none")
	}
	switch a := a.(type) {
	case *array.Int32:
		return appendIntegers(v, a.Int32Values())
	case *array.Int64:
		return appendIntegers(v, a.Int64Values())
	case *array.Float64:
		for i := range a.Len() {
			bits := uint64(0)
			if a.IsValid(i) {
				bits = math.Float64bits(a.Value(i))
			}
			v.U64 = append(v.U64, bits)
		}
	case *array.Boolean:
		for i := range a.Len() {
			bit := uint8(0)
			if a.IsValid(i) && a.Value(i) {
				bit = 1
			}
			v.U8 = append(v.U8, bit)
		}
	case *array.Dictionary:
		return appendCodes(v, a)
	case *array.String:
		for i := range a.Len() {
			s := ""
			if a.IsValid(i) {
				s = string(append([]byte{}, a.Value(i)...)) // arrow's points into the file
			}
			v.Str = append(v.Str, s)
		}
	case *array.Binary:
		for i := range a.Len() {
			p := []byte{}
			if a.IsValid(i) {
				p = append(p, a.Value(i)...)
			}
			v.Bin = append(v.Bin, p)
		}
	default:
		panic(fmt.Sprintf("arrowfile: no array %T", a))
	}
	return nil
}

// appendIntegers appends numbers as a file has them, 0 where v.Valid says NULL.
func appendIntegers[T int32 | int64](v *schema.Vector, numbers []T) error {
	first := v.Len()
	for i, x := range numbers {
		if v.Column.Nullable && v.Null(first+i) {
			x = 0
		}
		if err := v.AppendInteger(int64(x)); err != nil {
			return err
		}
	}
	return nil
}

// appendCodes appends the values of an enum. A file may number them differently
// from the schema.
func appendCodes(v *schema.Vector, a *array.Dictionary) error {
	names := a.Dictionary().(*array.String)
	codes := make([]uint8, names.Len())
	known := make([]bool, names.Len())
	for i := range codes {
		code := slices.Index(v.Column.Names, names.Value(i))
		codes[i], known[i] = uint8(max(code, 0)), code >= 0
	}
	for i := range a.Len() {
		if a.IsNull(i) {
			v.U8 = append(v.U8, 0)
			continue
		}
		index := a.GetValueIndex(i)
		if index >= len(codes) || !known[index] {
			return fmt.Errorf("value %d of its dictionary is none of the schema", index)
		}
		v.U8 = append(v.U8, codes[index])
	}
	return nil
}
