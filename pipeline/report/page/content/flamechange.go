package content

import (
	"math"

	"github.com/tracelake/tracelake/pipeline/report/profile"
	"github.com/tracelake/tracelake/schema"
)

// comparePaths compares the call trees of both runs, if both have any.
func (p *Content) comparePaths() error {
	b := p.Before
	if b == nil || !b.Matched || p.Profile == nil || !has(b.Merged.Trust(), &schema.Stacks, &schema.Tasks) {
		return nil
	}
	before, err := profile.Read(b.Merged, b.dirs, "")
	if err != nil {
		return err
	}
	x := &paths{
		numbers: map[framePath]int{}, list: []pathChange{{}}, below: []int{0}, cycles: p.Profile.ByCycles && before.ByCycles,
	}
	x.add(newFlame(p.Profile, nil, math.MaxInt64), func(c *pathChange, took int64) { c.now += took })
	x.add(newFlame(before, nil, math.MaxInt64), func(c *pathChange, took int64) { c.before += took })
	if all := x.list[0]; all.now > 0 && all.before > 0 {
		b.paths = x
	}
	return nil
}

// add adds what the nodes of a flame took.
func (x *paths) add(f *Flame, to func(c *pathChange, took int64)) {
	took := f.took(x.cycles)
	at := make([]int, len(f.Parent))
	for i := range f.Parent {
		path := f.path(i, at)
		n, ok := x.numbers[path]
		if !ok {
			n = len(x.list)
			x.numbers[path] = n
			x.list, x.below = append(x.list, pathChange{}), append(x.below, path.below)
		}
		at[i] = n
		to(&x.list[n], took[i])
		if f.Parent[i] == 0 {
			to(&x.list[0], took[i])
		}
	}
}

// path is the path of a node. At has the numbers of the paths of nodes before it.
func (f *Flame) path(i int, at []int) framePath {
	x := framePath{name: f.Frames.Name[f.Frame[i]], kind: f.Frames.Kind[f.Frame[i]]}
	if parent := int(f.Parent[i]); parent > 0 {
		x.below = at[i-parent]
	}
	return x
}

// took is what nodes took.
func (f *Flame) took(cycles bool) []int64 {
	if cycles {
		return f.Cycles
	}
	return f.Instructions
}

// change fills in by how much the share of each path is more than before.
func (x *paths) change(f *Flame) {
	if x == nil {
		return
	}
	f.ChangeUnit = instructions
	if x.cycles {
		f.ChangeUnit = Cycles
	}
	f.Change = make([]float64, len(f.Parent))
	at, all := make([]int, len(f.Parent)), &x.list[0]
	for i := range f.Parent {
		if n, ok := x.numbers[f.path(i, at)]; ok {
			at[i] = n
			c := &x.list[n]
			f.Change[i] = 100 * (float64(c.now)/float64(all.now) - float64(c.before)/float64(all.before))
		}
	}
}

// GoneCalls counts the call paths that only the earlier run has, and says what they took there, of how much. ok is
// whether both runs have call paths.
func (b *Baseline) GoneCalls() (n, took, of int64, ok bool) {
	x := b.paths
	if x == nil {
		return 0, 0, 0, false
	}
	for i := 1; i < len(x.list); i++ {
		if x.list[i].now > 0 {
			continue
		}
		n++
		if x.below[i] == 0 || x.list[x.below[i]].now > 0 {
			took += x.list[i].before
		}
	}
	return n, took, x.list[0].before, true
}
