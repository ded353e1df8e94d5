package image

import (
	"maps"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tracelake/tracelake/schema"
)

// Pages are pages of memory, of 4 KiB each. Any number of goroutines may add to them. The
// zero value has none.
type Pages struct {
	low  [lowWords]atomic.Uint64 // a bit for each page below 4 GiB
	high highPages
}

// highPages are pages from 4 GiB on: as many as can be kept, or all there are.
type highPages struct {
	mu    sync.Mutex
	words map[schema.Address]uint64 // as those of low, by what number they would have there
	all   bool
}

const (
	pagesPerWord = 64
	lowWords     = schema.End32 >> pageShift / pagesPerWord
	// maxHighWords bounds the memory of pages from 4 GiB on: a trace may go to any of them.
	maxHighWords = 1 << 14
)

// A PageRange is adjacent pages, by their first and last address.
type PageRange struct{ First, Last schema.Address }

// Add adds the pages from one address to another, both included.
func (p *Pages) Add(first, last schema.Address) {
	from, to := first>>pageShift, last>>pageShift
	for n := from; n <= min(to, lowWords*pagesPerWord-1); n++ {
		word, bit := &p.low[n/pagesPerWord], uint64(1)<<(n%pagesPerWord)
		if word.Load()&bit == 0 { // the usual case is that it is there
			word.Or(bit)
		}
	}
	if to >= lowWords*pagesPerWord {
		p.high.add(max(from, lowWords*pagesPerWord), to)
	}
}

// add adds pages by number.
func (p *highPages) add(from, to schema.Address) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.words == nil {
		p.words = map[schema.Address]uint64{}
	}
	if to/pagesPerWord-from/pagesPerWord >= maxHighWords {
		p.all = true
	}
	for n := from; n <= to && !p.all; n++ {
		p.words[n/pagesPerWord] |= 1 << (n % pagesPerWord)
		p.all = len(p.words) > maxHighWords
	}
}

// word returns the pages of a word.
func (p *highPages) word(n schema.Address) uint64 {
	if p.all {
		return ^uint64(0)
	}
	return p.words[n]
}

// snapshot returns a copy that nobody adds to.
func (p *highPages) snapshot() *highPages {
	p.mu.Lock()
	defer p.mu.Unlock()
	return &highPages{words: maps.Clone(p.words), all: p.all}
}

// meets says whether p and q, to which nobody adds, have a page in common.
func (p *highPages) meets(q *highPages) bool {
	if p.all && q.all {
		return true
	}
	if p.all {
		p, q = q, p
	}
	for n, word := range p.words {
		if word&q.word(n) != 0 {
			return true
		}
	}
	return false
}

// Meets says whether p and q have a page in common. Nil has none.
func (p *Pages) Meets(q *Pages) bool {
	if p == nil || q == nil {
		return false
	}
	for i := range p.low {
		if p.low[i].Load()&q.low[i].Load() != 0 {
			return true
		}
	}
	return p.high.snapshot().meets(q.high.snapshot())
}

// Ranges returns the pages by address.
func (p *Pages) Ranges() []PageRange {
	var ranges pageRanges
	for i := range p.low {
		ranges.add(schema.Address(i), p.low[i].Load())
	}
	high := p.high.snapshot()
	if high.all {
		ranges.join(PageRange{schema.End32, schema.MaxAddress})
		return ranges
	}
	for _, n := range slices.Sorted(maps.Keys(high.words)) {
		ranges.add(n, high.words[n])
	}
	return ranges
}

type pageRanges []PageRange

// add adds the pages of a word, which are after those that are there.
func (r *pageRanges) add(n schema.Address, word uint64) {
	for ; word != 0; word &= word - 1 {
		first := (n*pagesPerWord + schema.Address(bits.TrailingZeros64(word))) << pageShift
		r.join(PageRange{first, first + 1<<pageShift - 1})
	}
}

// join adds a range after those that are there.
func (r *pageRanges) join(next PageRange) {
	if n := len(*r); n > 0 && (*r)[n-1].Last+1 == next.First {
		(*r)[n-1].Last = next.Last
		return
	}
	*r = append(*r, next)
}

// Watched returns m with a note in p of each page in which it is looked at, be there memory or
// not: where all pages of p are the same in two memories, who looked at one of them would
// have seen the same in the other.
func (m *Memory) Watched(p *Pages) *Memory {
	w := *m
	w.watch = p
	return &w
}

// Look notes that the bytes from one address to another, both included, are looked at: [Memory.Fetch]
// notes only that of the first one.
func (m *Memory) Look(first, last schema.Address) {
	if m.watch != nil && first <= last {
		m.watch.Add(first, last)
	}
}

// Changed returns the pages that are not the same in two memories, in any space.
func Changed(a, b *Memory) *Pages {
	changed := &Pages{}
	for s := range Space(spaces) {
		changed.addChanges(a.pieces[s], b.pieces[s])
		changed.addChanges(b.pieces[s], a.pieces[s])
	}
	return changed
}

// addChanges adds the pages with a byte of a that b does not have.
func (p *Pages) addChanges(a, b []piece) {
	other := &Memory{}
	other.pieces[AnySpace] = b
	for _, x := range a {
		for at := uint64(x.address); at < x.end(); {
			page := min(at|(1<<pageShift-1), x.end()-1) + 1 // where it ends
			if !other.has(schema.Address(at), x.bytes[at-uint64(x.address):page-uint64(x.address)]) {
				p.Add(schema.Address(at), schema.Address(page-1))
			}
			at = page
		}
	}
}

// has says whether m, in AnySpace, has these bytes at an address.
func (m *Memory) has(at schema.Address, bytes []byte) bool {
	for len(bytes) > 0 {
		there := m.Fetch(AnySpace, at)
		n := min(len(there), len(bytes))
		if n == 0 || string(there[:n]) != string(bytes[:n]) {
			return false
		}
		at, bytes = at+schema.Address(n), bytes[n:]
	}
	return true
}

func (p *piece) end() uint64 { return uint64(p.address) + uint64(len(p.bytes)) }
