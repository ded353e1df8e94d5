package arrowfile

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/tracelake/tracelake/schema"
)

// The metadata of a field.
const (
	keyDescription = "description"
	keyUnit        = "unit"
)

// fields returns the fields of t.
func fields(t *schema.Table) []arrow.Field {
	list := make([]arrow.Field, len(t.Columns))
	for i, c := range t.Columns {
		keys, values := []string{keyDescription}, []string{c.Doc}
		if c.Unit != "" {
			keys, values = append(keys, keyUnit), append(values, c.Unit)
		}
		list[i] = arrow.Field{Name: c.Name, Type: dataType(c.Type), Nullable: c.Nullable, Metadata: arrow.NewMetadata(keys, values)}
	}
	return list
}

// enumType is the type of all enums: their values are few and known beforehand.
var enumType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.BinaryTypes.String}

func dataType(t schema.Type) arrow.DataType {
	switch t {
	case schema.Uint8:
		return arrow.PrimitiveTypes.Uint8
	case schema.Uint16:
		return arrow.PrimitiveTypes.Uint16
	case schema.Uint32:
		return arrow.PrimitiveTypes.Uint32
	case schema.Uint64:
		return arrow.PrimitiveTypes.Uint64
	case schema.Int32:
		return arrow.PrimitiveTypes.Int32
	case schema.Int64:
		return arrow.PrimitiveTypes.Int64
	case schema.Bool:
		return arrow.FixedWidthTypes.Boolean
	case schema.Enum:
		return enumType
	case schema.String, schema.JSON:
		return arrow.BinaryTypes.String
	case schema.Bytes:
		return arrow.BinaryTypes.Binary
	}
	panic(fmt.Sprintf("arrowfile: no type %d", t))
}
