package report

// places are the source lines that the program has instructions of. A line counts
// where its instructions are from, not where they were inlined at.
type places struct {
	files []string
	lines []place
	file  map[string]int32
	line  map[place]int32
}

// A place is a source line.
type place struct {
	file   int32 // in places.files
	number uint32
}

// index returns the index of a line, which it adds if need be.
func (p *places) index(file string, number uint32) int32 {
	if p.file == nil {
		p.file, p.line = map[string]int32{}, map[place]int32{}
	}
	f, ok := p.file[file]
	if !ok {
		f = int32(len(p.files))
		p.file[file] = f
		p.files = append(p.files, file)
	}
	at := place{f, number}
	l, ok := p.line[at]
	if !ok {
		l = int32(len(p.lines))
		p.line[at] = l
		p.lines = append(p.lines, at)
	}
	return l
}
