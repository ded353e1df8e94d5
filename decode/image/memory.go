package image

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"
	"sort"

	"github.com/tracelake/tracelake/schema"
)

// A Region is some bytes of program memory. Its bytes are never changed.
type Region struct {
	File    string         // name of the file they are from, with '/'
	SHA256  [32]byte       // of the whole file
	BuildID string         // of an ELF file, in hex; else ""
	AArch64 bool           // of an ELF file of AArch64
	Profile byte           // for which an ELF file of AArch32 is built: 'A', 'R' or 'M'; 0: it does not say so
	Address schema.Address // of Bytes[0]
	Bytes   []byte         // none of them has the last address
	Space   Space
	Core    string // the core that sees it; "" is every core
	// Moved is what leads from an address of the region to its place: see [schema.Block.Place].
	Moved schema.Address
}

// end returns the address after r.
func (r *Region) end() uint64 { return uint64(r.Address) + uint64(len(r.Bytes)) }

// Order puts regions in the order of precedence that [New] takes. Each tier precedes
// the tiers after it (§6, §8: images of the command line, the core's own dumps,
// memory-space devices). In a tier the exact space precedes [PhysicalSpace], which
// precedes [AnySpace]; in one space the later region comes first.
func Order(tiers ...[]Region) []Region {
	var all []Region
	for _, tier := range tiers {
		start := len(all)
		for _, r := range slices.Backward(tier) {
			all = append(all, r)
		}
		slices.SortStableFunc(all[start:], func(a, b Region) int { return cmp.Compare(a.Space.rank(), b.Space.rank()) })
	}
	return all
}

// Memory is what the fetches of one core see. It does not change and is safe for
// concurrent use.
type Memory struct {
	pieces    [spaces][]piece // by space of the fetch, by address, without overlaps
	watch     *Pages          // nil: nobody watches
	processes Processes       // nil: it is that of all
}

// A piece is a range of memory that comes from one region.
type piece struct {
	address schema.Address
	bytes   []byte
	moved   schema.Address // of the region
}

// New returns the memory of a core that sees the given regions, in order of
// precedence: of several regions that have a byte and serve the space of a fetch
// the first wins. It panics if a region goes beyond [schema.MaxAddress].
func New(regions ...Region) *Memory {
	m := new(Memory)
	for s := range m.pieces {
		m.pieces[s] = flatten(regions, Space(s))
	}
	return m
}

// Empty reports whether there is no memory at all.
func (m *Memory) Empty() bool {
	for _, pieces := range m.pieces {
		if len(pieces) > 0 {
			return false
		}
	}
	return true
}

// Fetch returns the bytes from addr on, up to where the region that has addr
// ends or one of higher precedence begins. Memory may continue after them: another
// Fetch returns that. The result is nil if nothing is mapped at addr. The bytes
// must not be changed.
func (m *Memory) Fetch(space Space, addr schema.Address) []byte {
	m.Look(addr, addr)
	if p := m.find(space, addr); p != nil {
		return p.bytes[addr-p.address:]
	}
	return nil
}

// Moved returns what leads from an address to its place; 0 if nothing is mapped there.
func (m *Memory) Moved(space Space, addr schema.Address) schema.Address {
	if p := m.find(space, addr); p != nil {
		return p.moved
	}
	return 0
}

// find returns the piece that has an address; nil if none has.
func (m *Memory) find(space Space, addr schema.Address) *piece {
	pieces := m.pieces[space]
	i := sort.Search(len(pieces), func(i int) bool { return pieces[i].address > addr }) - 1
	if i < 0 || uint64(addr-pieces[i].address) >= uint64(len(pieces[i].bytes)) {
		return nil
	}
	return &pieces[i]
}

// MappedElsewhere returns another space in which addr is mapped, if there is one.
func (m *Memory) MappedElsewhere(space Space, addr schema.Address) (Space, bool) {
	for _, s := range []Space{SecureSpace, NonSecureSpace, HypSpace} {
		if s != space && m.Fetch(s, addr) != nil {
			return s, true
		}
	}
	return AnySpace, false
}

// flatten resolves the overlaps of the regions that serve fetches from space. It
// sweeps over the borders of regions by address; the open region of highest
// precedence, the lowest index, has the bytes up to the next border.
func flatten(regions []Region, space Space) []piece {
	var starts []int // indexes of regions, by address
	var borders []uint64
	for i := range regions {
		r := &regions[i]
		if r.end() < uint64(r.Address) {
			panic(fmt.Sprintf("image: region of %q at %#x goes beyond the last address", r.File, r.Address))
		}
		if len(r.Bytes) > 0 && r.Space.serves(space) {
			starts = append(starts, i)
			borders = append(borders, uint64(r.Address), r.end())
		}
	}
	slices.SortFunc(starts, func(a, b int) int { return cmp.Compare(regions[a].Address, regions[b].Address) })
	slices.Sort(borders)
	borders = slices.Compact(borders)

	var pieces []piece
	var open intHeap
	last := -1 // region of the last piece
	for k, from := range borders {
		for len(starts) > 0 && uint64(regions[starts[0]].Address) == from {
			heap.Push(&open, starts[0])
			starts = starts[1:]
		}
		for len(open) > 0 && regions[open[0]].end() <= from {
			heap.Pop(&open)
		}
		if len(open) == 0 {
			last = -1
			continue
		}
		r := &regions[open[0]]
		to := borders[k+1] - uint64(r.Address) // an open region ends at a border to come
		if open[0] == last {
			p := &pieces[len(pieces)-1]
			p.bytes = r.Bytes[p.address-r.Address : to : to]
			continue
		}
		last = open[0]
		pieces = append(pieces, piece{schema.Address(from), r.Bytes[from-uint64(r.Address) : to : to], r.Moved})
	}
	return pieces
}

// An intHeap is a heap with the smallest number on top.
type intHeap []int

func (h intHeap) Len() int           { return len(h) }
func (h intHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h intHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *intHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *intHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
