package content

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/timeline"
)

// Limits of a ledger.
const (
	heldShares  = 1 << 20 // while it is made
	sharesEach  = 4       // of a bucket on a page, on average
	apartAtMost = 300     // functions that are told apart where there are more shares
)

// A doer is what runs at a moment: frames, or none. Where nothing was traced all are none.
type doer struct {
	task      int32 // or the asynchronous exception in whose handlers it is
	exception int32 // the innermost one
	function  int32
}

// A share is what a doer took of the axis, and how many exceptions were entered that it begins in.
type share struct {
	doer          int32
	took, entries int64
}

// A bucket is the time from a point of the axis to where the next bucket begins. Rows of the dataset say at
// which instruction it begins.
type bucket struct {
	at, seq int64
	shares  []share // by doer
}

// A ledger adds up what ran in buckets. How many they are is bounded: where there are too many, those that
// begin in the same stretch of the axis are put together, and stretches become twice as long.
type ledger struct {
	most    int // buckets
	width   int64
	number  read.Index[doer]
	doers   []doer
	buckets []bucket
	shares  int             // of all buckets, without what is open
	open    map[int32]share // of the last bucket
	at      int64           // that was reached
	end     bucket          // begins where the axis ends
}

func newLedger(most int) *ledger {
	return &ledger{most: most, width: 1, number: read.Index[doer]{}, open: map[int32]share{}}
}

// reach has a doer run until an event, and begins another bucket there if that can be.
func (l *ledger) reach(d doer, e *timeline.Event, at int64) {
	if len(l.buckets) == 0 {
		l.buckets = []bucket{{at: at, seq: e.Seq}}
	}
	if at > l.at {
		l.add(d, share{took: at - l.at})
		l.at = at
	}
	last := &l.buckets[len(l.buckets)-1]
	if !e.Exact || at/l.width == last.at/l.width {
		return
	}
	l.close()
	l.buckets = append(l.buckets, bucket{at: at, seq: e.Seq})
	for l.isLong(heldShares) {
		l.coarsen()
	}
}

// add adds to what a doer took in the last bucket.
func (l *ledger) add(d doer, more share) {
	n, isNew := l.number.Of(d)
	if isNew {
		l.doers = append(l.doers, d)
	}
	s := l.open[int32(n)]
	l.open[int32(n)] = share{int32(n), s.took + more.took, s.entries + more.entries}
}

// close closes the last bucket.
func (l *ledger) close() {
	last := &l.buckets[len(l.buckets)-1]
	last.shares = added(last.shares, slices.Collect(maps.Values(l.open)))
	l.shares += len(last.shares)
	clear(l.open)
}

// finish closes the ledger where the axis ends.
func (l *ledger) finish(e *timeline.Event, at int64) {
	l.close()
	l.end = bucket{at: at, seq: e.Seq}
	if last := len(l.buckets) - 1; last > 0 && l.buckets[last].at == at {
		l.buckets[last-1].shares = added(l.buckets[last-1].shares, l.buckets[last].shares)
		l.buckets = l.buckets[:last]
	}
}

func byDoer(a, b share) int { return cmp.Compare(a.doer, b.doer) }

// isLong says whether there are too many buckets, or more than so many shares.
func (l *ledger) isLong(shares int) bool {
	return len(l.buckets) > max(l.most, 2) || len(l.buckets) > 2 && l.shares > shares
}

// coarsen makes stretches twice as long. The last bucket stays the last: it may be open.
func (l *ledger) coarsen() {
	l.width *= 2
	var all []bucket
	l.shares = 0
	for i := range l.buckets {
		b := &l.buckets[i]
		last := len(all) - 1
		if last < 0 || b.at/l.width != all[last].at/l.width {
			all = append(all, *b)
		} else {
			all[last].shares = added(all[last].shares, b.shares)
		}
	}
	for i := range all {
		l.shares += len(all[i].shares)
	}
	l.buckets = all
}

// added adds up shares, those of one doer as one.
func added(a, b []share) []share {
	all := slices.Concat(a, b)
	slices.SortFunc(all, byDoer)
	sums := all[:0]
	for _, s := range all {
		if n := len(sums); n > 0 && sums[n-1].doer == s.doer {
			sums[n-1].took += s.took
			sums[n-1].entries += s.entries
			continue
		}
		sums = append(sums, s)
	}
	return sums
}

// lump adds up the functions but those that took most, as another.
func (l *ledger) lump(other int32) {
	took := map[int32]int64{}
	for i := range l.buckets {
		for _, s := range l.buckets[i].shares {
			took[l.doers[s.doer].function] += s.took
		}
	}
	apart := slices.SortedFunc(maps.Keys(took), func(a, b int32) int { return cmp.Or(cmp.Compare(took[b], took[a]), cmp.Compare(a, b)) })
	for _, function := range apart[min(len(apart), apartAtMost):] {
		took[function] = None
	}
	before, number := l.doers, make([]int32, len(l.doers))
	l.number, l.doers = read.Index[doer]{}, nil
	for i, d := range before {
		if d.function != None && took[d.function] == None {
			d.function = other
		}
		n, isNew := l.number.Of(d)
		if number[i] = int32(n); isNew {
			l.doers = append(l.doers, d)
		}
	}
	l.shares = 0
	for i := range l.buckets {
		b := &l.buckets[i]
		shares := slices.Clone(b.shares)
		for j := range shares {
			shares[j].doer = number[shares[j].doer]
		}
		b.shares = added(shares, nil)
		l.shares += len(b.shares)
	}
}

// columns returns the ledger as a page has it, of at most so many buckets. Where functions take turns so often that it
// would be long, most of them are another one.
func (l *ledger) columns(most int64, other int32) Ledger {
	c := *l
	c.buckets, c.most = slices.Clone(l.buckets), int(most)
	for c.isLong(heldShares) {
		c.coarsen()
	}
	if c.shares > c.most*sharesEach {
		c.lump(other)
	}
	for c.isLong(c.most * sharesEach) {
		c.coarsen()
	}
	x := Ledger{}
	for i, b := range append(slices.Clip(c.buckets), c.end) {
		x.Seq, x.At = append(x.Seq, b.seq), append(x.At, b.at)
		if i < len(c.buckets) {
			x.Count = append(x.Count, int64(len(b.shares)))
		}
		before := int32(0)
		for _, s := range b.shares {
			x.Doer, x.Took, x.Entries = append(x.Doer, s.doer-before), append(x.Took, s.took), append(x.Entries, s.entries)
			before = s.doer
		}
	}
	for _, d := range c.doers {
		x.Task, x.Exception, x.Function = append(x.Task, d.task), append(x.Exception, d.exception), append(x.Function, d.function)
	}
	differences(x.Seq)
	differences(x.At)
	return x
}
