package tally

import "github.com/tracelake/tracelake/pipeline/stitch"

// A touched weighs the blocks that were run through since the last fold. It looks
// at runs alone, so where folds are does not depend on workers.
type touched struct {
	folds  int32   // so far
	last   []int32 // by number of the block: folds before its last run, plus one
	weight int     // of those since the last fold, in instructions
}

// add adds the blocks of runs, and returns the weight.
func (t *touched) add(r *stitch.Runs) int {
	for i := r.Block; i < r.Blocks; i++ {
		number := int(r.Numbers[i])
		for number >= len(t.last) {
			t.last = append(t.last, 0)
		}
		if t.last[number] != t.folds+1 {
			t.last[number] = t.folds + 1
			t.weight += len(r.Unit.Blocks[i].Address)
		}
	}
	return t.weight
}

// clear forgets the blocks.
func (t *touched) clear() { t.folds, t.weight = t.folds+1, 0 }
