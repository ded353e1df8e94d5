// Package growth says whether more trace would show more of the program.
//
// Its API is not stable (docs/guide/library.md).
package growth

import (
	"math"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Curve is when the addresses that a source executed were executed first: if the last ones
// come late, more trace would show more.
type Curve struct {
	Dir          string
	Source       uint8
	First        int64 // the seq that the source begins with
	Instructions int64
	Seqs         []int64 // of each address the first, ascending
}

// Read returns the growth of each source of the datasets that executed anything.
func Read(dirs []string, test string) ([]Curve, error) {
	var all []Curve
	err := read.EachSource(dirs, test, &schema.Counts, func(d *dataset.Dataset, s *schema.SourceTotals) error {
		first, _ := d.Manifest.Seqs(s)
		g := Curve{Dir: d.Dir, Source: s.Source, First: first, Instructions: s.Instructions}
		err := read.EachBatch(d, &schema.Counts, s.Source, func(b *schema.Batch) error {
			for _, seq := range *schema.CountsFirstSeq.In(b) {
				g.Seqs = append(g.Seqs, int64(seq))
			}
			return nil
		})
		slices.Sort(g.Seqs)
		if len(g.Seqs) > 0 {
			all = append(all, g)
		}
		return err
	})
	return all, err
}

// At returns at which instruction, counted from the first of the source, a share of the addresses
// had been executed.
func (g *Curve) At(share float64) int64 {
	n := int(math.Ceil(share*float64(len(g.Seqs)))) - 1
	return g.Seqs[min(max(0, n), len(g.Seqs)-1)] - g.First
}
