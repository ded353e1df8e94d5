package content

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/pipeline/report/timeline"
)

// However much happened, and however few buckets a page is to have, a ledger has all of it. How much it holds is bounded:
// where many functions take turns, by fewer buckets.
func TestLedger(t *testing.T) {
	for functions, atLeast := range map[int32]int64{2: 4, 30: 40} { // buckets: one part of what is asked for
		l, want, end := manyDoers(functions)
		for _, most := range []int64{1000, 300, 7, 1} {
			x := l.columns(most, None)
			if diff := cmp.Diff(want, sumsOf(&x), cmp.AllowUnexported(doer{}, share{})); diff != "" {
				t.Errorf("of %d buckets want -, got +:\n%s", most, diff)
			}
			seq, at := int64(0), int64(0)
			for e := range x.At {
				seq, at = seq+x.Seq[e], at+x.At[e]
			}
			n, shares := int64(len(x.Count)), int64(len(x.Doer))
			if n > max(most, 2) || n < most/atLeast || shares > max(most*sharesEach, 2*int64(len(want))) || seq != 50_000 || at != end {
				t.Errorf("of %d functions and %d buckets there are %d with %d shares, to seq %d at %d", functions, most, n, shares, seq, at)
			}
		}
	}
}

// manyDoers returns a ledger of functions that take turns, what each took, and where the axis ends.
func manyDoers(functions int32) (l *ledger, took map[doer]share, at int64) {
	random := rand.New(rand.NewPCG(1, 2))
	l, took = newLedger(1000), map[doer]share{}
	l.reach(nobody, &timeline.Event{Exact: true}, 0)
	for seq := range int64(50_000) {
		d := doer{task: random.Int32N(2), exception: None, function: random.Int32N(functions)}
		s, n := took[d], random.Int64N(9)
		at += n
		l.reach(d, &timeline.Event{Exact: random.IntN(3) > 0, Seq: seq + 1}, at)
		s.took += n
		if random.IntN(100) == 0 {
			s.entries++
			l.add(d, share{entries: 1})
		}
		took[d] = s
	}
	l.finish(&timeline.Event{Exact: true, Seq: 50_000}, at)
	return l, took, at
}

// sumsOf adds up all buckets.
func sumsOf(x *Ledger) map[doer]share {
	sums := map[doer]share{}
	i := 0
	for _, n := range x.Count {
		d := int32(0)
		for range n {
			d += x.Doer[i]
			of := doer{x.Task[d], x.Exception[d], x.Function[d]}
			sums[of] = share{took: sums[of].took + x.Took[i], entries: sums[of].entries + x.Entries[i]}
			i++
		}
	}
	return sums
}

// Of very many functions those that took most are told apart, the others are one, and nothing is lost.
func TestManyFunctions(t *testing.T) {
	const other = 9999
	l, want, end := manyDoers(2000)
	x := l.columns(1000, other)
	all, apart := int64(0), 0
	for d, s := range sumsOf(&x) {
		all += s.took
		if d.function == other {
			continue
		}
		if apart++; s != want[d] {
			t.Errorf("%v has %v, want %v", d, s, want[d])
		}
	}
	if all != end || apart > 2*apartAtMost || apart < apartAtMost || len(x.Count) < 4 {
		t.Errorf("%d of %d, %d doers apart in %d buckets", all, end, apart, len(x.Count))
	}
}
