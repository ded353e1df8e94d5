package profile

// walk calls enter with each node of p, and leave when all below it are through.
func (p *Profile) walk(enter, leave func(node int32)) {
	first, next := p.links()
	for at := first[0]; at != none; {
		enter(at)
		down := first[at+1]
		for down == none {
			leave(at)
			if down = next[at]; down != none {
				break
			}
			if at = p.Nodes[at].Parent; at == none {
				return
			}
		}
		at = down
	}
}

// links returns the first child of each node, at its index and 1, that of all roots before
// them; and the next child of the same parent.
func (p *Profile) links() (first, next []int32) {
	first, next = make([]int32, len(p.Nodes)+1), make([]int32, len(p.Nodes))
	for i := range first {
		first[i] = none
	}
	for i := len(p.Nodes) - 1; i >= 0; i-- {
		slot := &first[p.Nodes[i].Parent+1]
		next[i], *slot = *slot, int32(i)
	}
	return first, next
}
