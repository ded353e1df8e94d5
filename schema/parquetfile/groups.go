package parquetfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
)

// Groups are the row groups of a file as they are encoded: what [File.WriteRowGroup] writes
// into another file of the table. Any number of goroutines may read them.
type Groups struct {
	file   io.ReaderAt
	table  *schema.Table
	groups []format.RowGroup
	end    int64 // of what row groups take up
}

// OpenGroups opens the row groups of a file of t. It fails if this program would not write
// the same schema.
func OpenGroups(r io.ReaderAt, size int64, t *schema.Table) (g *Groups, err error) {
	defer damaged(&err)
	c := checker{file: r, size: size}
	m, end, err := c.readFooter()
	if err != nil {
		return nil, err
	}
	if same, err := sameSchema(m, t); err != nil || m.CreatedBy != createdBy || !same {
		return nil, errors.Join(err, errors.New("has another schema"))
	}
	return &Groups{r, t, m.RowGroups, end}, nil
}

// sameSchema says whether a file has the schema that this program writes, byte for byte.
func sameSchema(m *format.FileMetaData, t *schema.Table) (bool, error) {
	of := func(list []format.SchemaElement) ([]byte, error) {
		return thrift.Marshal(new(thrift.CompactProtocol), &format.FileMetaData{Schema: list})
	}
	got, err := of(m.Schema)
	if err != nil {
		return false, err
	}
	want, err := of(elements(t))
	return bytes.Equal(got, want), err
}

// Len returns the number of row groups.
func (g *Groups) Len() int { return len(g.groups) }

// Read reads a row group.
func (g *Groups) Read(i int) (*Chunks, error) {
	rg := &g.groups[i]
	from, n := rg.FileOffset, rg.TotalCompressedSize
	if from < int64(len(magic)) || n < 0 || from > g.end-n || len(rg.Columns) != len(g.table.Columns) {
		return nil, fmt.Errorf("row group %d has %d bytes at offset %d of %d", i, n, from, g.end)
	}
	c := &Chunks{table: g.table, rows: rg.NumRows, data: make([]byte, n)}
	if _, err := g.file.ReadAt(c.data, from); err != nil {
		return nil, fmt.Errorf("row group %d: %w", i, noEOF(err))
	}
	for _, column := range rg.Columns {
		column.MetaData.DataPageOffset -= from
		if hasDictionary(&column.MetaData) {
			column.MetaData.DictionaryPageOffset -= from
		}
		c.columns = append(c.columns, column)
	}
	return c, nil
}
