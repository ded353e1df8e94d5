package stacks_test

import (
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/schema"
)

// Five damaged bytes of the sample's trace, some of which nothing notices: nearly all that both
// executed keeps the top of its stack. What is below may be lost, as damage drops it.
func TestDamagedStacks(t *testing.T) {
	need.FullRun(t, oneByOne)
	whole := replayed(t, exportSample(t, schema.LevelInstructions), true)
	damaged := replayed(t, exportSample(t, schema.LevelInstructions,
		flip{10007, 0x5a}, flip{20011, 0x5a}, flip{30013, 0x5a}, flip{40009, 0x5a}, flip{50021, 0x5a}), true)
	var common, same, top int
	eachCommon(whole, damaged, func(x, y *instruction) {
		common++
		p, q := whole.path(x.stack), damaged.path(y.stack)
		if slices.Equal(p, q) {
			same++
		}
		if len(q) <= len(p) && slices.Equal(p[:len(q)], q) {
			top++
		}
	})
	t.Logf("of %d instructions that both have, %.1f %% have the same stack, %.1f %% the top of it",
		common, share(same, common), share(top, common))
	if common < len(whole.rows)*9/10 {
		t.Errorf("%d of %d instructions are common", common, len(whole.rows))
	}
	if share(top, common) < 95 {
		t.Error("fewer than 95 % have the top of their stack")
	}
}

func share(part, of int) float64 { return 100 * float64(part) / float64(of) }

// eachCommon calls a function with the instructions that two replays have in common. Flipped bits
// move no packet, so those are at the same addresses, from the first one on that a packet reports.
func eachCommon(a, b *replay, do func(x, y *instruction)) {
	for i, j := 0, 0; i < len(a.rows) && j < len(b.rows); {
		x, y := a.packet(i), b.packet(j)
		switch at, other := a.rows[i].offset, b.rows[j].offset; {
		case at < other:
			i += len(x)
		case at > other:
			j += len(y)
		default:
			for k := 0; k < min(len(x), len(y)) && x[k].address == y[k].address; k++ {
				do(&x[k], &y[k])
			}
			i, j = i+len(x), j+len(y)
		}
	}
}

// packet returns the instructions from one on that the same packet reports.
func (r *replay) packet(from int) []instruction {
	to := from
	for to < len(r.rows) && r.rows[to].offset == r.rows[from].offset {
		to++
	}
	return r.rows[from:to]
}
