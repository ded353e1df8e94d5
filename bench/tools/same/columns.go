package main

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// columnMark is in the names of lines that are hashes of columns:
// "none/parquet/counts:address".
const columnMark = ":"

// addColumns adds a hash of the cells of each column of each table of a dataset: of their
// texts, as [schema.Vector.Text] returns them, row by row, source by source. It does not depend on
// row groups, pages or metadata.
func (l *list) addColumns(prefix, dir string) error {
	d, err := dataset.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	for _, t := range schema.Tables() {
		if !d.Has(t) {
			continue
		}
		sums, err := columnSums(d, t)
		if err != nil {
			return err
		}
		for i := range t.Columns {
			name := prefix + "/" + t.Name + columnMark + t.Columns[i].Name
			l.add(name, sums[i].Sum(nil))
		}
	}
	return nil
}

// columnSums hashes the columns of a table.
func columnSums(d *dataset.Dataset, t *schema.Table) ([]hash.Hash, error) {
	sums := make([]hash.Hash, len(t.Columns))
	for i := range sums {
		sums[i] = sha256.New()
	}
	var cells []byte
	for b, err := range d.Batches(t) {
		if err != nil {
			return nil, err
		}
		for c := range b.Columns {
			cells = cells[:0]
			for row := range b.Rows() {
				text := b.Columns[c].Text(row)
				cells = binary.AppendUvarint(cells, uint64(len(text)))
				cells = append(cells, text...)
			}
			sums[c].Write(cells)
		}
	}
	return sums, nil
}
