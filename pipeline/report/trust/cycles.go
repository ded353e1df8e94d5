package trust

import (
	"fmt"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Cycles are those that were traced.
type Cycles struct {
	Traced   bool  // packets counted any
	Executed int64 // of instructions, and of entries of exceptions
	Unplaced int64 // passed while trace was on, but are of neither: the addresses are not known
	Gaps     int64 // passed while trace was off
}

// add adds those of a dataset, of which so many are of instructions and of entries of exceptions, if known.
func (c *Cycles) add(d *dataset.Dataset, executed schema.Null[int64]) error {
	all, gaps, traced := int64(0), int64(0), false
	add := func(b *schema.Batch) error {
		for row := range b.Rows() {
			n, off := int64(schema.EpochsCycles.At(b, row)), int64(schema.EpochsGapCycles.At(b, row))
			if n < 0 || off < 0 || off > n || n > read.MaxCount-all {
				return fmt.Errorf("epoch %d has counts that no trace can have", int32(schema.EpochsEpoch.At(b, row)))
			}
			all, gaps, traced = all+n, gaps+off, true
		}
		return nil
	}
	for _, source := range d.Sources(&schema.Epochs) {
		if err := read.EachBatch(d, &schema.Epochs, source, add); err != nil {
			return err
		}
	}
	if !executed.OK {
		executed.V = all - gaps
	}
	if traced {
		c.Traced, c.Executed, c.Gaps = true, c.Executed+executed.V, c.Gaps+gaps
		c.Unplaced += all - gaps - executed.V
	}
	return nil
}
