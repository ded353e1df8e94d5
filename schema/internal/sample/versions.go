package sample

import (
	"math/rand/v2"
	"strings"

	"github.com/tracelake/tracelake/schema"
)

// Versions returns a table as it was once, as it is now, with an added column of
// every type, and as it may become: with more of them, in an order that r draws.
func Versions(r *rand.Rand) (once, now, later *schema.Table) {
	once, now, later = EveryType(), EveryType(), EveryType()
	for i := range once.Columns {
		c := once.Columns[i]
		c.Name, c.Added = "added_"+c.Name, true
		now.Columns, later.Columns = append(now.Columns, c), append(later.Columns, c)
		c.Name = "later_" + c.Name
		later.Columns = append(later.Columns, c)
	}
	r.Shuffle(len(later.Columns), func(i, j int) {
		later.Columns[i], later.Columns[j] = later.Columns[j], later.Columns[i]
	})
	return once, now, later
}

// As returns row groups as t has them, a table with other columns: what t does not
// have is left out, and what only t has is NULL or zero.
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
		if w, ok := byName[v.Column.Name]; ok {
			for row := range b.Rows() {
				v.AppendFrom(w, row)
			}
			continue
		}
		v.AppendZeros(b.Rows())
	}
	return out
}

// AddedOnly returns the places of the added columns of a table of [Versions].
func AddedOnly(t *schema.Table) []int {
	var places []int
	for i := range t.Columns {
		if strings.HasPrefix(t.Columns[i].Name, "added_") {
			places = append(places, i)
		}
	}
	return places
}
