package tally

import "github.com/tracelake/tracelake/pipeline/stitch"

// foldInstructions is how many instructions the blocks have that are counted one by
// one, at least, before what was counted is added up by address: counters need some
// 40 bytes for each. A program that runs through a MB of code stays below.
const foldInstructions = 1 << 20

// A touched weighs the blocks that were run through since the last fold. It looks
// at runs alone, so folds do not depend on workers.
type touched struct {
	folds  int32   // so far
	last   []int32 // folds before the block of a number was run through last, plus one
	weight int     // of those since the last fold
}

// add adds the blocks of runs. It returns true, and adds nothing, if there are too
// many.
func (t *touched) add(r *stitch.Runs) (full bool) {
	weight := 0
	for i := r.Block; i < r.Blocks; i++ {
		number := int(r.Numbers[i])
		if number >= len(t.last) || t.last[number] != t.folds+1 {
			weight += len(r.Unit.Blocks[i].Address)
		}
	}
	if t.weight > 0 && t.weight+weight > foldInstructions {
		return true
	}
	t.weight += weight
	for _, number := range r.Numbers[r.Block:r.Blocks] {
		for int(number) >= len(t.last) {
			t.last = append(t.last, 0)
		}
		t.last[number] = t.folds + 1
	}
	return false
}

// clear forgets the blocks.
func (t *touched) clear() { t.folds, t.weight = t.folds+1, 0 }
