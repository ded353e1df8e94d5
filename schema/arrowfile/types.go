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
	for i := range t.Columns {
		c := &t.Columns[i]
		keys, values := []string{keyDescription}, []string{c.Doc}
		if c.Unit != "" {
			keys, values = append(keys, keyUnit), append(values, c.Unit)
		}
		list[i] = arrow.Field{
			Name: c.Name, Type: dataType(c), Nullable: c.Nullable,
			Metadata: arrow.NewMetadata(keys, values),
		}
	}
	return list
}

// enumType is the type of all enums: their values are few and known beforehand.
var enumType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}

func dataType(c *schema.Column) arrow.DataType {
	switch c.Type {
	case schema.Uint8, schema.Uint16, schema.Int32:
		return arrow.PrimitiveTypes.Int32
	case schema.Uint32, schema.Uint63, schema.Uint64, schema.Int64:
		return arrow.PrimitiveTypes.Int64
	case schema.Bool:
		return arrow.FixedWidthTypes.Boolean
	case schema.Enum:
		return enumType
	case schema.String, schema.JSON:
		return arrow.BinaryTypes.String
	case schema.Bytes:
		return arrow.BinaryTypes.Binary
	case schema.Float64:
		return arrow.PrimitiveTypes.Float64
	}
	panic(fmt.Sprintf("arrowfile: no type %d", c.Type))
}
