package report

import "github.com/tracelake/tracelake/pipeline/report/internal/read"

// places are the source lines that the program has instructions of. A line counts
// where its instructions are from, not where they were inlined at.
type places struct {
	files []string
	lines []place
	file  read.Index[string]
	line  read.Index[place]
}

// A place is a source line.
type place struct {
	file   int32 // in places.files
	number uint32
}

// index returns the index of a line, which it adds if need be.
func (p *places) index(file string, number uint32) int32 {
	if p.file == nil {
		p.file, p.line = read.Index[string]{}, read.Index[place]{}
	}
	f, isNew := p.file.Of(file)
	if isNew {
		p.files = append(p.files, file)
	}
	at := place{int32(f), number}
	l, isNew := p.line.Of(at)
	if isNew {
		p.lines = append(p.lines, at)
	}
	return int32(l)
}
