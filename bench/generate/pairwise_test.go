package generate

import (
	"slices"
	"testing"
)

// settingOf returns the setting of a name; values are numbered as in axes.
func settingOf(t *testing.T, name string, value int) setting {
	t.Helper()
	i := slices.IndexFunc(axes, func(a axis) bool { return a.name == name })
	if i < 0 || value >= axes[i].values {
		t.Fatalf("there is no %s %d", name, value)
	}
	return setting{i, value}
}

// Each pair of settings is in a trial, or cannot be.
func TestPairwise(t *testing.T) {
	for seed := range uint64(5) {
		m := &matrix{left: map[pair]bool{}}
		trials, refused := pairwise(seed)
		for _, tr := range trials {
			chosen := make([]int, len(axes))
			for a := range axes {
				for v := range axes[a].values {
					other := tr
					if axes[a].set(&other, v); other == tr {
						chosen[a] = v
					}
				}
			}
			eachPair(chosen, func(p pair) { m.left[p] = true })
		}
		all := 0
		for a := range axes {
			for b := range a {
				all += axes[a].values * axes[b].values
			}
		}
		if len(m.left)+len(refused) != all || len(trials) > 100 {
			t.Errorf("seed %d: %d pairs in %d trials, %d refused, want %d", seed, len(m.left), len(trials), len(refused), all)
		}
		// Timestamps are of 3.5 and PFT, the return stack and data of one protocol,
		// and one stream is of one core.
		for _, tt := range []struct {
			a, b  string
			x, y  int
			there bool
		}{
			{"protocol", "data", 0, 1, false},
			{"protocol", "data", 2, 1, true},
			{"protocol", "data", 2, 4, false},
			{"protocol", "timestamps", 6, 1, false},
			{"protocol", "timestamps", 7, 1, true},
			{"protocol", "workload", 8, 0, false},
			{"return stack", "alt branch", 1, 1, false},
			{"VMID", "two atoms", 1, 1, true},
			{"framing", "cores", 2, 1, false},
			{"framing", "cores", 1, 2, true},
		} {
			p := pairOf(settingOf(t, tt.a, tt.x), settingOf(t, tt.b, tt.y))
			if m.left[p] != tt.there || slices.Contains(refused, p) == tt.there {
				t.Errorf("seed %d: %s %d with %s %d: in a trial %t, want %t", seed, tt.a, tt.x, tt.b, tt.y, m.left[p], tt.there)
			}
		}
	}
}
