package generate

import (
	"math/rand/v2"
	"slices"

	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/schema"
)

// A trial is a recipe and the workload it is for.
type trial struct {
	recipe   Recipe
	workload workloadKind
}

// A workloadKind is a kind of program.
type workloadKind struct {
	bytes int // of a program made up; 0 is the sample
	calls bool
}

// options are those of a program of the kind.
func (k workloadKind) options(r *Recipe) codegen.Options {
	// Without virtualization extensions there is no Hyp mode to call.
	hyp := r.Protocol == "pft" && r.Minor >= 1 || r.Protocol == "etmv3" && r.Minor >= 5
	o := codegen.Options{Seed: r.Seed, Bytes: k.bytes, Base: 0x8000, Arch: r.Arch()}
	if k.calls && !r.V7M {
		o.SMC, o.HVC, o.Security = true, hyp, schema.NonSecure // which both leave
	}
	if o.Arch == program.V8A {
		k.inV8A(&o, r)
	}
	return o
}

// inV8A adds to the options of a program what V8A has: A32 and T32 in it, levels and worlds, and addresses of a
// kernel.
func (k workloadKind) inV8A(o *codegen.Options, r *Recipe) {
	random := rand.New(rand.NewPCG(r.Seed, 'v'))
	o.AArch32, o.Level = codegen.AArch32(random.IntN(3)), uint8(random.IntN(2))
	if o.AArch32 == codegen.Functions {
		o.Level = 0
	}
	o.Transactions, o.HVC = r.Protocol == "ete", k.calls
	if o.AArch32 == codegen.Nothing && random.IntN(2) == 0 {
		o.Base = 0xffffffc008000000
	}
	if !k.calls && r.Protocol == "ete" && random.IntN(4) == 0 {
		o.Security = schema.Realm
	}
}

// An axis is something a trial may have in one of several ways.
type axis struct {
	name   string
	values int
	set    func(t *trial, value int)
}

// axes are all there is to choose. The first is the protocol, which decides what
// of the rest there is.
var axes = []axis{
	choice("protocol", func(t *trial, v Recipe) {
		r := &t.recipe
		r.Protocol, r.Minor, r.V7M, r.ProfileR = v.Protocol, v.Minor, v.V7M, v.ProfileR
	},
		Recipe{Protocol: "pft"}, Recipe{Protocol: "pft", Minor: 1},
		Recipe{Protocol: "etmv3"}, Recipe{Protocol: "etmv3", Minor: 1}, Recipe{Protocol: "etmv3", Minor: 2},
		Recipe{Protocol: "etmv3", Minor: 3}, Recipe{Protocol: "etmv3", Minor: 4}, Recipe{Protocol: "etmv3", Minor: 5},
		Recipe{Protocol: "etmv3", Minor: 4, V7M: true}, Recipe{Protocol: "etmv3", Minor: 5, V7M: true},
		Recipe{Protocol: "etmv4"}, Recipe{Protocol: "etmv4", Minor: 2, ProfileR: true}, Recipe{Protocol: "etmv4", Minor: 6},
		Recipe{Protocol: "etmv4", V7M: true}, Recipe{Protocol: "etmv4", Minor: 4, V7M: true},
		Recipe{Protocol: "ete"}, Recipe{Protocol: "ete", Minor: 3}),
	choice("cycle-accurate", func(t *trial, v bool) { t.recipe.CycleAccurate = v }, false, true),
	choice("timestamps", func(t *trial, v bool) { t.recipe.Timestamps = v }, false, true),
	choice("context ID", func(t *trial, v int) { t.recipe.ContextIDBytes = v }, 0, 1, 2, 4),
	choice("VMID", func(t *trial, v bool) { t.recipe.VMID = v }, false, true),
	choice("broadcast", func(t *trial, v bool) { t.recipe.Broadcast = v }, false, true),
	choice("return stack", func(t *trial, v bool) { t.recipe.ReturnStack = v }, false, true),
	choice("alt branch", func(t *trial, v bool) { t.recipe.AltBranch = v }, false, true),
	choice("two atoms", func(t *trial, v bool) { t.recipe.TwoAtoms = v }, false, true),
	choice("speculation", func(t *trial, v int) { t.recipe.MaxSpec = v }, 0, 1, 7, 255),
	choice("Q elements", func(t *trial, v bool) { t.recipe.QElements = v }, false, true),
	choice("data", func(t *trial, v Data) { t.recipe.Data = v }, NoData, DataAddresses, DataValues, DataBoth, DataOnly),
	choice("framing", func(t *trial, v Framing) { t.recipe.Framing = v }, FramesInMemory, FramesOfPort, NoFrames),
	choice("ring", func(t *trial, v int) { t.recipe.Ring = v }, 0, 1<<10, 4<<10, 64<<10),
	choice("cores", func(t *trial, v int) { t.recipe.Cores = v }, 1, 2, 5),
	choice("exceptions", func(t *trial, v float64) { t.recipe.Exceptions = v }, 0, 500, 30_000),
	choice("switches", func(t *trial, v float64) { t.recipe.Switches = v }, 0, 500, 10_000),
	choice("trace off", func(t *trial, v float64) { t.recipe.TraceOff = v }, 0, 200, 2_000),
	choice("overflow", func(t *trial, v float64) { t.recipe.Overflow = v }, 0, 200, 2_000),
	choice("debug", func(t *trial, v float64) { t.recipe.Debug = v }, 0, 500, 5_000),
	choice("triggers", func(t *trial, v float64) { t.recipe.Triggers = v }, 0, 500, 5_000),
	choice("variation", func(t *trial, v float64) { t.recipe.Variation = v }, 0, 0.03, 0.5),
	choice("workload", func(t *trial, v workloadKind) { t.workload = v },
		workloadKind{}, workloadKind{bytes: 500}, workloadKind{bytes: 10_000, calls: true}, workloadKind{bytes: 200_000}),
	choice("instructions", func(t *trial, v int64) { t.recipe.Instructions = v }, 2, 300, 3_000, 12_000),
}

func choice[T any](name string, set func(*trial, T), values ...T) axis {
	return axis{name, len(values), func(t *trial, i int) { set(t, values[i]) }}
}

// A setting is a value of an axis, a pair two that go together.
type (
	setting struct{ axis, value int }
	pair    [2]setting
)

func pairOf(a, b setting) pair {
	if a.axis > b.axis {
		a, b = b, a
	}
	return pair{a, b}
}

// A matrix chooses trials.
type matrix struct {
	random *rand.Rand
	left   map[pair]bool // that no trial has so far
	order  []pair        // in which they are looked at
}

// pairwise returns trials of which, for each two settings that can go together,
// at least one has both, and the pairs that none has because they cannot. What is
// left to chance the seed decides; it is the seed of the recipes as well, which
// all have another one.
func pairwise(seed uint64) (trials []trial, refused []pair) {
	m := &matrix{random: rand.New(rand.NewPCG(seed, 'p')), left: map[pair]bool{}}
	for a := range axes {
		for b := range a {
			for i := range axes[a].values {
				for k := range axes[b].values {
					p := pairOf(setting{a, i}, setting{b, k})
					m.left[p], m.order = true, append(m.order, p)
				}
			}
		}
	}
	m.random.Shuffle(len(m.order), func(i, k int) { m.order[i], m.order[k] = m.order[k], m.order[i] })
	for _, p := range m.order {
		if !m.left[p] {
			continue
		}
		chosen := m.complete(p)
		if chosen == nil {
			refused = append(refused, p)
			continue
		}
		m.tick(chosen)
		t := newTrial(chosen)
		t.recipe.Seed = seed<<20 + uint64(len(trials))
		trials = append(trials, t)
	}
	return trials, refused
}

// complete returns the values of a trial that has both settings and as many other
// pairs that are left as can easily be had, nil if there is no such trial.
func (m *matrix) complete(p pair) []int {
	protocols := m.random.Perm(axes[0].values)
	if p[0].axis == 0 {
		protocols = []int{p[0].value}
	}
	var best []int
	most := 0
	for _, protocol := range protocols {
		chosen := make([]int, len(axes))
		for i := range chosen {
			chosen[i] = -1
		}
		chosen[0], chosen[p[0].axis], chosen[p[1].axis] = protocol, p[0].value, p[1].value
		if !possible(chosen) {
			continue
		}
		for _, a := range m.random.Perm(len(axes)) {
			if chosen[a] < 0 {
				m.choose(chosen, a)
			}
		}
		if n := m.count(chosen); n > most {
			best, most = chosen, n
		}
	}
	return best
}

// choose chooses the value of an axis that has the most pairs that are left with
// what is chosen already.
func (m *matrix) choose(chosen []int, a int) {
	best, most := -1, -1
	for _, v := range m.random.Perm(axes[a].values) {
		chosen[a] = v
		if n := m.count(chosen); n > most && possible(chosen) {
			best, most = v, n
		}
	}
	chosen[a] = best
}

// count is how many pairs of what is chosen are left.
func (m *matrix) count(chosen []int) int {
	n := 0
	eachPair(chosen, func(p pair) {
		if m.left[p] {
			n++
		}
	})
	return n
}

func (m *matrix) tick(chosen []int) { eachPair(chosen, func(p pair) { delete(m.left, p) }) }

func eachPair(chosen []int, yield func(pair)) {
	for a, i := range chosen {
		for b, k := range chosen[:a] {
			if i >= 0 && k >= 0 {
				yield(pairOf(setting{a, i}, setting{b, k}))
			}
		}
	}
}

// possible says whether a recipe is not refused, whatever is not chosen being as
// without options.
func possible(chosen []int) bool {
	t := newTrial(chosen)
	sampleInM := t.recipe.V7M && t.workload == workloadKind{} && chosen[slices.IndexFunc(axes, func(a axis) bool { return a.name == "workload" })] >= 0
	return !sampleInM && t.recipe.check(&Workload{Arch: t.recipe.Arch()}) == nil
}

func newTrial(chosen []int) trial {
	var t trial
	for a, v := range chosen {
		if v >= 0 {
			axes[a].set(&t, v)
		}
	}
	return t
}
