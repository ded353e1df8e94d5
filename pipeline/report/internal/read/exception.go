package read

import "github.com/tracelake/tracelake/schema"

// An Exception is type and number of an exception, which may be NULL.
type Exception struct {
	Type   schema.Null[schema.ExceptionType]
	Number schema.Null[uint16]
}

// ExceptionAt returns the exception that two columns of a row say.
func ExceptionAt(b *schema.Batch, row int, kind schema.IndexU8, number schema.IndexU16) Exception {
	kinds, numbers := &b.Columns[kind], &b.Columns[number]
	return Exception{
		schema.Null[schema.ExceptionType]{V: schema.ExceptionType(kinds.U8[row]), OK: !kinds.Null(row)},
		schema.Null[uint16]{V: numbers.U16[row], OK: !numbers.Null(row)},
	}
}

func (x Exception) String() string {
	return schema.ExceptionText(x.Type, x.Number)
}
