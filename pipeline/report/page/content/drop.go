package content

// Drawn counts the spans and nodes of pictures.
func (p *Content) Drawn() int {
	n := 0
	if p.Data.Flame != nil {
		n = len(p.Data.Flame.Parent)
	}
	for i := range p.Data.Times {
		n += len(p.Data.Times[i].Depth)
	}
	return n
}

// DropNotSeen drops the lines that were not seen of files without text, and counts them.
func (p *Content) DropNotSeen() (lines int64) {
	if p.Data.Source == nil {
		return 0
	}
	for i := range p.Data.Source.Files {
		if f := &p.Data.Source.Files[i]; f.Text == nil {
			lines += int64(len(f.NotSeen))
			f.NotSeen = []uint32{}
		}
	}
	return lines
}

// DropCode drops the instructions of lines, and counts them.
func (p *Content) DropCode() (n int64) {
	if p.Data.Source == nil {
		return 0
	}
	for i := range p.Data.Source.Files {
		if f := &p.Data.Source.Files[i]; f.Code != nil {
			n += int64(len(f.Code.Line))
			f.Code = nil
		}
	}
	return n
}

// DropDetail drops the instructions around points, and counts them.
func (p *Content) DropDetail() (n int64) {
	for i, c := range p.times {
		if c.detail != nil {
			n += int64(len(c.detail.Code))
			c.detail, p.Data.Times[i].Detail = nil, nil
		}
	}
	return n
}
