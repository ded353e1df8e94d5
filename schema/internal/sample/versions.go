package sample

import (
	"math/rand/v2"

	"github.com/tracelake/tracelake/schema"
)

// Versions returns a table as it is now, and as it may become: with more columns of
// every type, in an order that r draws.
func Versions(r *rand.Rand) (now, later *schema.Table) {
	now, later = EveryType(), EveryType()
	for _, c := range now.Columns {
		c.Name = "later_" + c.Name
		later.Columns = append(later.Columns, c)
	}
	r.Shuffle(len(later.Columns), func(i, j int) {
		later.Columns[i], later.Columns[j] = later.Columns[j], later.Columns[i]
	})
	return now, later
}

// As returns row groups as t has them, a table with fewer columns.
func As(t *schema.Table, groups [][]*schema.Batch) [][]*schema.Batch {
	var out [][]*schema.Batch
	for _, g := range groups {
		var batches []*schema.Batch
		for _, b := range g {
			batches = append(batches, as(t, b))
		}
		out = append(out, batches)
	}
	return out
}

func as(t *schema.Table, b *schema.Batch) *schema.Batch {
	out := schema.NewBatch(t)
	byName := map[string]*schema.Vector{}
	for i := range b.Columns {
		byName[b.Columns[i].Column.Name] = &b.Columns[i]
	}
	for i := range out.Columns {
		v := &out.Columns[i]
		for row := range b.Rows() {
			v.AppendFrom(byName[v.Column.Name], row)
		}
	}
	return out
}
