package image

import (
	"sync/atomic"

	"github.com/tracelake/tracelake/schema"
)

// Pages are pages of memory, of 4 KiB each. Any number of goroutines may add to them. The
// zero value has none.
type Pages struct {
	bits [schema.AddressEnd >> pageShift / pagesPerWord]atomic.Uint64
}

const pagesPerWord = 64

// A PageRange is adjacent pages, by their first and last address.
type PageRange struct{ First, Last schema.Address }

// Add adds the pages from one address to another, both included.
func (p *Pages) Add(first, last schema.Address) {
	for n := first >> pageShift; n <= last>>pageShift; n++ {
		word, bit := &p.bits[n/pagesPerWord], uint64(1)<<(n%pagesPerWord)
		if word.Load()&bit == 0 { // the usual case is that it is there
			word.Or(bit)
		}
	}
}

// Meets says whether p and q have a page in common. Nil has none.
func (p *Pages) Meets(q *Pages) bool {
	if p == nil || q == nil {
		return false
	}
	for i := range p.bits {
		if p.bits[i].Load()&q.bits[i].Load() != 0 {
			return true
		}
	}
	return false
}

// Ranges returns the pages by address.
func (p *Pages) Ranges() []PageRange {
	var ranges []PageRange
	for i := range p.bits {
		word := p.bits[i].Load()
		for bit := range schema.Address(pagesPerWord) {
			if word>>bit&1 == 0 {
				continue
			}
			first := (schema.Address(i)*pagesPerWord + bit) << pageShift
			last := first + 1<<pageShift - 1
			if n := len(ranges); n > 0 && ranges[n-1].Last+1 == first {
				ranges[n-1].Last = last
				continue
			}
			ranges = append(ranges, PageRange{first, last})
		}
	}
	return ranges
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
			page := min(at>>pageShift<<pageShift+1<<pageShift, x.end()) // where it ends
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
