package profile

// Shorten cuts paths until all together, one after another, have at most so many frames: what
// is deeper counts for the last frame that is left. It returns how many frames a path may have,
// and the instructions that went to another frame for that; 0 if nothing was cut.
func (p *Profile) Shorten(frames int64) (depth int, cut int64) {
	depths := make([]int32, len(p.Nodes))
	at := []int64{0} // how many nodes there are of each depth
	for i := range p.Nodes {
		depths[i] = 1
		if parent := p.Nodes[i].Parent; parent >= 0 {
			depths[i] += depths[parent]
		}
		if int(depths[i]) == len(at) {
			at = append(at, 0)
		}
		at[depths[i]]++
	}
	for depth = 1; depth < len(at) && int64(depth)*at[depth] <= frames; depth++ {
		frames -= int64(depth) * at[depth]
	}
	if depth == len(at) {
		return 0, 0
	}
	return max(1, depth-1), p.cut(depths, int32(max(1, depth-1)))
}

// cut gives nodes deeper than some depth to those above them. It returns their instructions.
func (p *Profile) cut(depths []int32, most int32) (instructions int64) {
	moved := make([]int32, len(p.Nodes)) // where nodes are now
	kept := p.Nodes[:0]
	for i, n := range p.Nodes {
		if n.Parent >= 0 {
			n.Parent = moved[n.Parent]
		}
		if depths[i] > most {
			moved[i] = n.Parent
			kept[n.Parent].Own.Add(n.Own)
			instructions += n.Own.Instructions
			continue
		}
		moved[i] = int32(len(kept))
		kept = append(kept, n)
	}
	p.Nodes = kept
	return instructions
}
