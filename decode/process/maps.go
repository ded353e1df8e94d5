package process

import (
	"iter"
	"math/rand/v2"

	"github.com/tracelake/tracelake/schema"
)

// Maps are the executable maps of an address space at a time. Where records overlap, the later
// one has the addresses. Maps do not change, and nil has none.
type Maps struct {
	root *node
	// While the timeline is made: until when Maps may grow, which is while their process has
	// them for itself and no time has passed.
	number uint32 // nodes with it are of no other maps
	pid    int32
	time   uint64
	shared bool
}

// A Part is what later maps leave of a map: one that is inside another leaves two parts.
type Part struct {
	From, To schema.Address // without To
	Map      *Map           // the same for all versions of Maps and all forks
}

// Find returns the part of a map that has an address.
func (m *Maps) Find(addr schema.Address) (Part, bool) {
	if m == nil {
		return Part{}, false
	}
	for n := m.root; n != nil; {
		switch {
		case addr < n.From:
			n = n.left
		case addr >= n.To:
			n = n.right
		default:
			return n.Part, true
		}
	}
	return Part{}, false
}

// All returns the parts of maps by address; they do not overlap.
func (m *Maps) All() iter.Seq[Part] {
	return func(yield func(Part) bool) {
		if m != nil {
			m.root.each(yield)
		}
	}
}

// add adds a map. A later one wins.
func (m *Maps) add(record *Map) {
	part := Part{record.Address, record.End(), record}
	m.root = m.insert(m.root, &node{Part: part, owner: m.number, priority: rand.Uint32()})
}

// insert adds a node to a tree: below nodes of higher priority, as long as it overlaps none.
func (m *Maps) insert(n, added *node) *node {
	switch {
	case n == nil:
		return added
	case n.priority >= added.priority && added.To <= n.From:
		n = m.own(n)
		n.left = m.insert(n.left, added)
		return n
	case n.priority >= added.priority && added.From >= n.To:
		n = m.own(n)
		n.right = m.insert(n.right, added)
		return n
	}
	below, rest := m.split(n, added.From)
	_, above := m.split(rest, added.To)
	return m.join(m.join(below, added), above)
}

// has reports whether the map is there as a whole.
func (m *Maps) has(record *Map) bool {
	p, ok := m.Find(record.Address)
	return ok && p.From == record.Address && p.To == record.End() && *p.Map == *record
}

// A node of a treap is a part of a map. Versions of Maps share nodes: each changes only those
// that it owns, so that a record costs a logarithm of nodes, and one of the same time a node.
type node struct {
	Part
	left, right *node
	priority    uint32 // random: no input makes the tree deep
	owner       uint32 // number of the maps that may change the node
}

func (n *node) each(yield func(Part) bool) bool {
	return n == nil || n.left.each(yield) && yield(n.Part) && n.right.each(yield)
}

// own returns n, or a copy that m may change.
func (m *Maps) own(n *node) *node {
	if n.owner == m.number {
		return n
	}
	c := *n
	c.owner = m.number
	return &c
}

// split returns what is below an address and what is not; it cuts a node that has both.
func (m *Maps) split(n *node, at schema.Address) (below, above *node) {
	if n == nil {
		return nil, nil
	}
	n = m.own(n)
	switch {
	case at <= n.From:
		below, n.left = m.split(n.left, at)
		return below, n
	case at >= n.To:
		n.right, above = m.split(n.right, at)
		return n, above
	}
	tail := &node{Part: Part{at, n.To, n.Map}, right: n.right, priority: n.priority, owner: m.number}
	n.To, n.right = at, nil
	return n, tail
}

// join returns one tree of two, of which one is below the other.
func (m *Maps) join(below, above *node) *node {
	switch {
	case below == nil:
		return above
	case above == nil:
		return below
	case below.priority >= above.priority:
		below = m.own(below)
		below.right = m.join(below.right, above)
		return below
	}
	above = m.own(above)
	above.left = m.join(below, above.left)
	return above
}
