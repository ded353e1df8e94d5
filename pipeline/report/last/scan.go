package last

import (
	"errors"
	"io"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// An ordered is a column of a table whose values do not fall from row to row.
type ordered struct {
	table  *schema.Table
	column schema.IndexU64
}

// offsetsOf are the offsets of what was executed.
func offsetsOf(d *dataset.Dataset) ordered {
	if d.Has(&schema.Instructions) {
		return ordered{&schema.Instructions, schema.KeyByteOffset}
	}
	return ordered{&schema.Blocks, schema.KeyByteOffset}
}

// eachFrom calls a function with rows of a source from about where a column comes to a value,
// until it returns false.
func eachFrom(d *dataset.Dataset, source uint8, by ordered, least int64, do func(b *schema.Batch, row int) bool) error {
	r, err := d.OpenAt(by.table, source, by.column, least)
	if err != nil {
		return err
	}
	defer r.Close()
	return eachRow(r, do)
}

// eachInstruction calls a function with instructions of a source, from about one on, until it
// returns false.
func eachInstruction(d *dataset.Dataset, source uint8, from int64, do func(b *schema.Batch, row int) bool) error {
	if d.Has(&schema.Instructions) {
		return eachFrom(d, source, ordered{&schema.Instructions, schema.InstructionsSeq}, from, do)
	}
	x, err := d.ExpandAt(source, from)
	if err != nil {
		return err
	}
	defer x.Close()
	return eachRow(x, do)
}

// eachRow calls a function with each row, until it returns false.
func eachRow(r schema.Reader, do func(b *schema.Batch, row int) bool) error {
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for row := range b.Rows() {
			if !do(b, row) {
				return nil
			}
		}
	}
}
