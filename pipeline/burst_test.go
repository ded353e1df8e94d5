package pipeline

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
)

// mostBurst is how many bytes a burst error has at the most.
const mostBurst = 64

// randomBurst damages up to so many bytes of a stream side by side.
func randomBurst(r *rand.Rand, data []byte) damage {
	n := min(1+r.IntN(mostBurst), len(data)-1)
	e := edit{at: r.IntN(len(data) - n), n: n}
	old := data[e.at : e.at+n]
	switch r.IntN(6) {
	case 0: // noise
		e.by = noise(r, n)
	case 1: // zeros: the bits to flip are those that are set
		e.by = slices.Clone(old)
	case 2: // ones
		for _, b := range old {
			e.by = append(e.by, ^b)
		}
	case 3: // deleted
	case 4: // inserted
		e.n, e.by = 0, noise(r, n)
	case 5: // repeated
		e.at, e.n, e.by = e.at+n, 0, slices.Clone(old)
	}
	return damage{e}
}

func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// Bursts of errors: bytes that are noise, zeros, ones, missing, too many, or
// there twice.
func TestBursts(t *testing.T) {
	need.FullRun(t, oneGoroutine)
	eachMacrocell(t, func(t *testing.T, m macrocell) {
		v := newVariants(t, m.generate(t, smallRun))
		for _, seed := range damageSeeds(2_000 / damageEach(80)) {
			d := randomBurst(rand.New(rand.NewPCG(seed, 2)), v.data)
			data := d.apply(v.data)
			v.check(t, v.decode(t, data), data, d)
			if t.Failed() {
				t.Fatalf("damage %+v\nagain: go test ./pipeline -run '^%s$' -damage-seed %d", d, t.Name(), seed)
			}
		}
	})
}
