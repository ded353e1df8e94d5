package pipeline

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/pipeline/rows"
	"github.com/tracelake/tracelake/schema"
)

// A rowSet is the rows of a decode in memory, table by table: what an export
// would write, as text.
type rowSet struct {
	totals schema.Totals
	rows   map[string][]map[string]string
}

// decodeRows decodes a stream the way Export does, into memory.
func decodeRows(t testing.TB, stream decode.Stream, protocol decode.Protocol, mem *image.Memory, blocks bool, workerCount int) *rowSet {
	t.Helper()
	return decodeGrains(t, stream, protocol, mem, blocks, workerCount, usualGrain)
}

// decodeGrains is decodeRows with another grain.
func decodeGrains(t testing.TB, stream decode.Stream, protocol decode.Protocol, mem *image.Memory, blocks bool, workerCount int, g engine.Grain) *rowSet {
	t.Helper()
	set := &rowSet{rows: map[string][]map[string]string{}}
	out := rows.Output{Series: seriesOf(level(blocks)), Submit: set.submit}
	set.totals = decodeInto(t, 0x10, protocol, mem, stream, workerCount, g, out).Totals
	return set
}

func (s *rowSet) submit(j rows.Job) error {
	batch := schema.NewBatch(j.Series.Table)
	name := j.Series.Table.Name
	return j.Fill(batch, func() error {
		batch.Expand()
		for i := range batch.Rows() {
			row := map[string]string{}
			for c := range batch.Columns {
				v := &batch.Columns[c]
				row[v.Column.Name] = cellText(v, i)
			}
			s.rows[name] = append(s.rows[name], row)
		}
		batch.Reset()
		return nil
	})
}

// cellText is a value as scenarios write it: addresses and opcodes in hex.
func cellText(v *schema.Vector, i int) string {
	if v.Column.Nullable && v.Valid[i] == 0 {
		return "NULL"
	}
	hex := v.Column.Hex
	switch v.Column.Type {
	case schema.Enum:
		return v.Column.Names[v.U8[i]]
	case schema.Bool:
		return fmt.Sprint(v.U8[i] == 1)
	case schema.Uint8:
		return fmt.Sprint(v.U8[i])
	case schema.Uint16:
		return fmt.Sprint(v.U16[i])
	case schema.Uint32:
		if hex {
			return fmt.Sprintf("%08x", v.U32[i])
		}
		return fmt.Sprint(v.U32[i])
	case schema.Int32:
		return fmt.Sprint(int32(v.U32[i]))
	case schema.Uint63:
		return fmt.Sprint(v.U64[i])
	case schema.Uint64:
		return fmt.Sprintf("%08x", v.U64[i])
	case schema.Int64:
		return fmt.Sprint(int64(v.U64[i]))
	case schema.Float64:
		return strconv.FormatFloat(math.Float64frombits(v.U64[i]), 'g', -1, 64)
	case schema.String, schema.JSON:
		return v.Str[i]
	case schema.Bytes:
		return fmt.Sprintf("%x", v.Bin[i])
	}
	panic("no type")
}
