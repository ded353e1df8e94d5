package pipeline

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/rows"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// bitErrorRates are those recovery is measured at, and how much is recovered at
// the least of instructions, by any macrocell with an A-sync every 1024 bytes.
var bitErrorRates = [...]struct {
	rate, floor float64
}{{1e-6, 0.99}, {1e-5, 0.93}, {1e-4, 0.75}}

// A recovery is how much of a truth a decode of its damaged stream has.
type recovery struct {
	right int // instructions of the truth that are there
	wrong int // instructions that are not in the truth
	of    int // instructions of the truth
}

func (r *recovery) add(x recovery) {
	r.right, r.wrong, r.of = r.right+x.right, r.wrong+x.wrong, r.of+x.of
}

// share is how much is recovered, from 0 to 1.
func (r *recovery) share() float64 { return float64(r.right) / float64(r.of) }

func (r *recovery) String() string {
	return fmt.Sprintf("%.2f %% (%.2f %%)", 100*r.share(), 100*float64(r.wrong)/float64(r.of))
}

// recovered compares decoded instructions with the truth. Flipped bits move no
// packet, so an instruction is recovered if the packet at the same offset reports
// it, with address, instruction set and outcome, after the same instructions.
func recovered(truth, found []tracedInstruction) recovery {
	r := recovery{of: len(truth), wrong: len(found)}
	for i, j := 0, 0; i < len(truth) && j < len(found); {
		a, b := packetEnd(truth, i), packetEnd(found, j)
		switch at, other := truth[i].offset, found[j].offset; {
		case at < other:
			i = a
		case at > other:
			j = b
		default:
			for i < a && j < b && truth[i] == found[j] {
				i, j, r.right = i+1, j+1, r.right+1
			}
			i, j = a, b
		}
	}
	r.wrong -= r.right
	return r
}

// packetEnd returns the end of the instructions that the packet of instruction i
// reports.
func packetEnd(list []tracedInstruction, i int) int {
	end := i
	for end < len(list) && list[end].offset == list[i].offset {
		end++
	}
	return end
}

// instructions decodes other bytes of a stream, and returns the instructions only.
func (g *generated) instructions(t testing.TB, data []byte) []tracedInstruction {
	t.Helper()
	found := make([]tracedInstruction, 0, len(g.truth.instructions))
	part := &decodedTables{tables: map[string]*schema.Batch{}}
	out := part.output(func(t *schema.Table) bool { return t == &schema.Instructions })
	out.Submit = func(j rows.Job) error {
		batch := part.tables[j.Series.Table.Name]
		return j.Fill(batch, func() error {
			batch.Expand()
			found = append(found, part.tracedInstructions()...)
			batch.Reset()
			return nil
		})
	}
	tables := rows.New(out)
	st := stitch.New(g.id, g.protocol.TimestampCode(), tables.Sinks)
	g.with(data).stitchTo(t, st, decode.Wanted{})
	if err := errors.Join(st.Finish(), tables.Flush()); err != nil {
		t.Fatal(err)
	}
	return found
}

// flipBits flips bits at a rate, each by itself.
func flipBits(r *rand.Rand, data []byte, rate float64) (flipped []byte, flips int) {
	flipped = slices.Clone(data)
	for bit := 0; ; bit++ {
		if bit += int(r.ExpFloat64() / rate); bit >= 8*len(data) {
			return flipped, flips
		}
		flipped[bit/8] ^= 1 << (bit % 8)
		flips++
	}
}

// How much of a trace is recovered if each bit may be wrong. Several programs are
// tested, since the effect of a wrong address depends on the code.
func TestRecovery(t *testing.T) {
	need.FullRun(t, oneGoroutine)
	run := generatedRun{id: 0x10, bytes: 48 << 10, eventful: 1}
	programs, syncs := uint64(2), []int{1024}
	if need.Long() {
		run.bytes, programs, syncs = 1<<20, 5, []int{1024, 256}
	}
	for _, m := range macrocells {
		if !m.dataOnly { // which traces no instructions
			t.Run(m.name, func(t *testing.T) { m.checkRecovery(t, run, programs, syncs) })
		}
	}
}

// checkRecovery demands what is left of streams of so many programs, for each
// distance of A-syncs.
func (m *macrocell) checkRecovery(t *testing.T, run generatedRun, programs uint64, syncs []int) {
	t.Helper()
	for _, run.sync = range syncs {
		var sums [len(bitErrorRates)]recovery
		for run.seed = range programs {
			m.recover(t, run, &sums)
		}
		row := []any{m.name, run.sync, sums[0].of}
		for i, rate := range bitErrorRates {
			if sums[i].share() < rate.floor {
				t.Errorf("%v of bits wrong, A-sync every %d bytes: %s recovered, want %.0f %%", rate.rate, run.sync, &sums[i], 100*rate.floor)
			}
			row = append(row, sums[i].String())
		}
		t.Log(row...)
		if need.Long() {
			wantConformance(t, row...)
		}
	}
}

// recover damages a stream at all rates, and adds up what is recovered.
func (m *macrocell) recover(t *testing.T, run generatedRun, sums *[len(bitErrorRates)]recovery) {
	t.Helper()
	g := m.generate(t, run)
	if got := recovered(g.truth.instructions, g.instructions(t, g.data)); got.right != got.of || got.wrong > 0 || got.of == 0 {
		t.Fatalf("undamaged: %+v", got)
	}
	for i, rate := range bitErrorRates {
		data, flips := flipBits(rand.New(rand.NewPCG(run.seed, 5)), g.data, rate.rate)
		got := recovered(g.truth.instructions, g.instructions(t, data))
		if flips > 8 && got.right == got.of {
			t.Errorf("%d flips, and all is there", flips)
		}
		sums[i].add(got)
	}
}

// What counts as recovered.
func TestRecovered(t *testing.T) {
	in := func(offset uint32, address schema.Address) tracedInstruction {
		return tracedInstruction{offset: offset, address: address}
	}
	truth := []tracedInstruction{in(1, 8), in(1, 12), in(1, 16), in(3, 20), in(4, 24), in(4, 28)}
	for _, tt := range []struct {
		name    string
		decoded []tracedInstruction
		want    recovery
	}{
		{"all", truth, recovery{right: 6, of: 6}},
		{"nothing", nil, recovery{of: 6}},
		{"a packet of others", slices.Concat(truth[:3], []tracedInstruction{in(3, 40)}, truth[4:]), recovery{5, 1, 6}},
		{"the end of a packet missing", slices.Concat(truth[:2], truth[3:]), recovery{5, 0, 6}},
		{"the beginning of a packet missing", truth[1:], recovery{3, 2, 6}},
		{"reported by another packet", []tracedInstruction{in(2, 8), in(2, 12), in(5, 28)}, recovery{0, 3, 6}},
		{"too many", slices.Concat(truth, []tracedInstruction{in(4, 32), in(5, 36)}), recovery{6, 2, 6}},
		{"another outcome", []tracedInstruction{{offset: 3, address: 20, executed: 1}}, recovery{0, 1, 6}},
	} {
		if got := recovered(truth, tt.decoded); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
