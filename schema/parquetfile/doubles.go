package parquetfile

import (
	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
)

// doubles are plain numbers with a fraction. They have no bounds in the footer:
// tables that have such columns are small.
type doubles struct {
	valid []uint64 // scratch
}

func (e *doubles) appendPage(dst []byte, v *schema.Vector, valid []uint8) ([]byte, format.Encoding) {
	values := v.U64
	if valid != nil {
		e.valid = compact(e.valid, values, valid)
		values = e.valid
	}
	return appendPlain(dst, values, 8), format.Plain
}

func (e *doubles) appendDictionary(dst []byte) ([]byte, int) { return dst, 0 }

func (e *doubles) bounds() (least, greatest []byte) { return nil, nil }

func (e *doubles) reset() {}
