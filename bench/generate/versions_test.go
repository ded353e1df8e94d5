package generate

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/internal/splitmix"
	"github.com/tracelake/tracelake/bench/need"
)

// A versionClass is versions of a protocol with cores of a profile, which differ in nothing that is traced.
type versionClass struct {
	name           string
	protocol       string
	v7M            bool
	oldest, newest int // minor numbers
}

// versionClasses are those of ETMv4 and ETE, with what is new in each.
var versionClasses = []versionClass{
	{"etmv4 4.0", "etmv4", false, 0, 0},
	{"etmv4 4.1, 4.2", "etmv4", false, 1, 2},   // VMIDs of 2 and 4 bytes
	{"etmv4 4.3 to 4.5", "etmv4", false, 3, 5}, // Ignore packets, WFI as a P0 instruction
	{"etmv4 4.6", "etmv4", false, 6, 6},        // timestamp markers
	{"etmv4 4.0, 4.1 of v7-M", "etmv4", true, 0, 1},
	{"etmv4 4.2 of v8-M", "etmv4", true, 2, 2},
	{"etmv4 4.3 to 4.6 of v8-M", "etmv4", true, 3, 6},
	{"ete 1.0", "ete", false, 0, 0},
	{"ete 1.1, 1.2", "ete", false, 1, 2}, // timestamp markers
	{"ete 1.3", "ete", false, 3, 3},      // Instrumentation
}

// recipe returns one of a version of the class, with the options of r. How many elements may be
// speculative, if it is several, is any number.
func (c *versionClass) recipe(r Recipe) Recipe {
	n := splitmix.Hash(r.Seed, 'v')
	r.Minor = c.oldest + int(n%uint64(c.newest-c.oldest+1))
	r.ProfileR = c.protocol == "etmv4" && !c.v7M && n>>8&1 != 0
	if r.MaxSpec == 7 {
		r.MaxSpec = 2 + int(n>>16%254)
	}
	return r
}

// Each version class has as many captures as the others. A long run has 20,000.
func TestVersions(t *testing.T) {
	each := need.Size(1, 2000)
	seen := tally{}
	done := make([]int, len(versionClasses))
	for seed := uint64(1); slices.Min(done) < each; seed++ {
		trials, _ := pairwise(seed)
		for _, tr := range trials {
			class := leastDone(&tr.recipe, done)
			if class < 0 || done[class] == each {
				continue
			}
			done[class]++
			c := &versionClasses[class]
			tr.recipe = c.recipe(tr.recipe)
			t.Run(fmt.Sprintf("%s, seed %d", c.name, tr.recipe.Seed), func(t *testing.T) { tr.roundTrip(t, seen) })
		}
	}
	for i := range versionClasses {
		t.Logf("%s: %d captures", versionClasses[i].name, done[i])
	}
	t.Logf("rows compared: %v", seen)
}

// leastDone returns the class of a recipe's protocol and profile that has the fewest captures, -1 if
// there is none.
func leastDone(r *Recipe, done []int) int {
	least := -1
	for i, c := range versionClasses {
		if c.protocol == r.Protocol && c.v7M == r.V7M && (least < 0 || done[i] < done[least]) {
			least = i
		}
	}
	return least
}
