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

// fields returns the fields of t, in files of a schema version.
func fields(t *schema.Table, version int) []arrow.Field {
	list := make([]arrow.Field, len(t.Columns))
	for i := range t.Columns {
		c := &t.Columns[i]
		keys, values := []string{keyDescription}, []string{c.Doc}
		if c.Unit != "" {
			keys, values = append(keys, keyUnit), append(values, c.Unit)
		}
		list[i] = arrow.Field{Name: c.Name, Type: dataType(c, version), Nullable: c.Nullable,
			Metadata: arrow.NewMetadata(keys, values)}
	}
	return list
}

// enumType and enumType1 (schema version 1) are the types of all enums: their
// values are few and known beforehand.
var (
	enumType  = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	enumType1 = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.BinaryTypes.String}
)

// integerTypes are the types of numbers.
var integerTypes = map[schema.Integer]arrow.DataType{
	{Bits: 8}:                arrow.PrimitiveTypes.Uint8,
	{Bits: 16}:               arrow.PrimitiveTypes.Uint16,
	{Bits: 32}:               arrow.PrimitiveTypes.Uint32,
	{Bits: 64}:               arrow.PrimitiveTypes.Uint64,
	{Bits: 32, Signed: true}: arrow.PrimitiveTypes.Int32,
	{Bits: 64, Signed: true}: arrow.PrimitiveTypes.Int64,
}

func dataType(c *schema.Column, version int) arrow.DataType {
	if i, ok := c.Integer(version); ok {
		return integerTypes[i]
	}
	switch c.Type {
	case schema.Bool:
		return arrow.FixedWidthTypes.Boolean
	case schema.Enum:
		if version == 1 {
			return enumType1
		}
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
