package pipeline

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
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
	return decodeGrains(t, stream, protocol, mem, blocks, workerCount, grain{unitBytes, partBytes, chunkBytes})
}

// decodeGrains is decodeRows with another grain.
func decodeGrains(t testing.TB, stream decode.Stream, protocol decode.Protocol, mem *image.Memory, blocks bool, workerCount int, g grain) *rowSet {
	t.Helper()
	set := &rowSet{rows: map[string][]map[string]string{}}
	st := newStitcher(0x10, protocol.TimestampCode(), set.tables(blocks))
	pool := &decoders{new: func() decode.Decoder { return protocol.NewDecoder(mem, true) }}
	err := ordered(context.Background(), newWorkers(workerCount), splitBy(stream, protocol, g), pool.decode, st.stitch)
	if err == nil {
		err = st.finish()
	}
	if err != nil {
		t.Fatal(err)
	}
	set.totals = st.outcome.totals
	return set
}

// tables returns tables that end in the set.
func (s *rowSet) tables(blocks bool) tables {
	t := tables{
		codeBlocks: memoryTable(s, &schema.CodeBlocks, fillCodeBlock),
		exceptions: memoryTable(s, &schema.Exceptions, fillException),
		counts:     memoryTable(s, &schema.CycleCounts, fillCycleCount),
		timestamps: memoryTable(s, &schema.Timestamps, fillTimestamp),
		contexts:   memoryTable(s, &schema.Contexts, fillContext),
		accesses:   memoryTable(s, &schema.DataAccesses, fillDataAccess),
		events:     memoryTable(s, &schema.Events, fillEvent),
		losses:     memoryTable(s, &schema.Losses, fillLoss),
		segments:   memoryTable(s, &schema.Segments, fillSegment),
		packets:    memoryTable(s, &schema.Packets, fillPacket),
	}
	level := &schema.Instructions
	if blocks {
		level = &schema.Blocks
	}
	t.runs = &runTable{series: &dataset.Series{Table: level}, submit: s.submit, blocks: blocks}
	return t
}

func memoryTable[T any](s *rowSet, t *schema.Table, fill func(*schema.Batch, *base, *T)) *table[T] {
	return &table[T]{series: &dataset.Series{Table: t}, submit: s.submit, write: fill}
}

func (s *rowSet) submit(j job) error {
	batch := schema.NewBatch(j.series.Table)
	name := j.series.Table.Name
	return j.fill(batch, func() error {
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
	hex := slices.Contains([]string{"address", "return_address", "target", "opcode"}, v.Column.Name)
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
	case schema.Int64:
		return fmt.Sprint(int64(v.U64[i]))
	case schema.String, schema.JSON:
		return v.Str[i]
	case schema.Bytes:
		return fmt.Sprintf("%x", v.Bin[i])
	}
	panic("no type")
}
