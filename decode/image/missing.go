package image

import (
	"cmp"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// pageShift is that of the pages Missing counts in.
const pageShift = 12

// Missing counts where memory was needed but not mapped. Stops are counted by 4 KiB
// page; neighbouring pages with stops make one range. The zero value is ready for
// use, by one goroutine.
type Missing struct {
	pages map[schema.Address]*MissingRange // by number of the page
	other int64
}

// A MissingRange is a range of addresses at which memory is missing.
type MissingRange struct {
	First, Last schema.Address // lowest and highest address that was needed
	Stops       int64
}

// Add counts stops at addr.
func (m *Missing) Add(addr schema.Address, stops int64) {
	if r := m.pages[addr>>pageShift]; r != nil {
		r.First, r.Last = min(r.First, addr), max(r.Last, addr)
		r.Stops += stops
		return
	}
	if len(m.pages) == maxMissingPages {
		m.other += stops
		return
	}
	if m.pages == nil {
		m.pages = make(map[schema.Address]*MissingRange)
	}
	m.pages[addr>>pageShift] = &MissingRange{First: addr, Last: addr, Stops: stops}
}

// Ranges returns the ranges, most stops first, among equals by address.
func (m *Missing) Ranges() []MissingRange {
	pages := make([]MissingRange, 0, len(m.pages))
	for _, r := range m.pages {
		pages = append(pages, *r)
	}
	slices.SortFunc(pages, func(a, b MissingRange) int { return cmp.Compare(a.First, b.First) })
	var ranges []MissingRange
	for _, p := range pages {
		if n := len(ranges); n > 0 && p.First>>pageShift == ranges[n-1].Last>>pageShift+1 {
			ranges[n-1].Last = p.Last
			ranges[n-1].Stops += p.Stops
			continue
		}
		ranges = append(ranges, p)
	}
	slices.SortStableFunc(ranges, func(a, b MissingRange) int { return cmp.Compare(b.Stops, a.Stops) })
	return ranges
}

// Other returns the stops in pages that are in no range, because more pages were
// needed than are counted separately (65,536).
func (m *Missing) Other() int64 { return m.other }
