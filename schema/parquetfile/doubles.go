package parquetfile

import (
	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
)

// doubles are plain numbers with a fraction. They have no bounds in the footer:
// tables that have such columns are small.
type doubles struct {
	memoryless
	valid []uint64 // scratch
}

func (e *doubles) appendPage(dst []byte, v *schema.Vector, valid []uint8) ([]byte, format.Encoding) {
	values := compact(&e.valid, v.U64, valid)
	return appendPlain(dst, values, 8), format.Plain
}
