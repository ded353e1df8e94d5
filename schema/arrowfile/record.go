package arrowfile

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/tracelake/tracelake/schema"
)

// Records makes record batches for programs that go on with them in memory.
type Records struct{ group *RowGroup }

// NewRecords returns one for rows of t.
func NewRecords(t *schema.Table) *Records { return &Records{NewRowGroup(t)} }

// Record returns the rows of b, of which there is at least one. It shares no memory with b, but
// buffers that are alike with the record before.
func (r *Records) Record(b *schema.Batch) (arrow.Record, error) {
	for i := range b.Columns {
		b.Columns[i].Expand() // others are lent to record batches until these are written
	}
	if err := r.group.Append(b); err != nil {
		return nil, err
	}
	record := r.group.records[0]
	r.group.Reset()
	return record, nil
}
