package decode

import (
	"math"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// This file is the log of what ran in a work unit. A decoder writes it, in the order of the
// trace; all else is made of it. What ran is runs, each with its packet and its costs
// ([Result.Runs]), or what packets do that come again and again: paths, which are written down
// once in a unit and named by an [Entry] of eight bytes each time.
//
// Entries and runs are one sequence: an entry is a path, or so many of the runs that no entry
// before it names. The runs of a part that none of its entries names come last.

// An Entry is what ran by one packet or several.
type Entry struct {
	Path   uint32 // index of the path, or OwnRuns
	Offset uint32 // of a path: capture offset of its packet, less Result.Base; of OwnRuns: how many runs
}

// OwnRuns is what an [Entry] has in place of a path that is some of Result.Runs.
const OwnRuns = math.MaxUint32

// A Path is what a packet does: shapes in order. A shape is a run without a packet; none has
// cycles or offsets of its own.
type Path struct {
	First, Count uint32 // of its shapes, in Result.PathShapes
	Instructions uint32
}

// ShapesOf returns the shapes of a path, as indexes.
func (r *Result) ShapesOf(p *Path) []uint32 { return r.PathShapes[p.First:][:p.Count] }

// NameRuns has an entry name the runs of the part that none names so far: a path comes after
// them.
func (r *Result) NameRuns() {
	if n := len(r.Runs) - r.Named; n > 0 {
		r.Entries = append(r.Entries, Entry{OwnRuns, uint32(n)})
		r.Named = len(r.Runs)
	}
}

// last returns what ran last in a range: a run of its own, or a shape.
func (r *Result) last(from, to Ends) *schema.Run {
	switch n, k := to[Entries], to[Runs]; {
	case k > r.namedIn(from, to) || n > from[Entries] && r.Entries[n-1].Path == OwnRuns:
		return &r.Runs[k-1]
	case n > from[Entries]:
		shapes := r.ShapesOf(&r.Paths[r.Entries[n-1].Path])
		return &r.Shapes[shapes[len(shapes)-1]]
	}
	return nil
}

// RanSince reports whether anything ran since a span began.
func (r *Result) RanSince(s *schema.Span) bool {
	isPath := func(e Entry) bool { return e.Path != OwnRuns }
	return s.Run < len(r.Runs) || slices.ContainsFunc(r.Entries[s.Entry:], isPath)
}

// namedIn returns the index after the runs of a range that entries name.
func (r *Result) namedIn(from, to Ends) int {
	if r.Named >= 0 && to[Runs] == len(r.Runs) && to[Entries] == len(r.Entries) {
		return r.Named // the part at hand
	}
	named := from[Runs]
	for _, e := range r.Entries[from[Entries]:to[Entries]] {
		if e.Path == OwnRuns {
			named += int(e.Offset)
		}
	}
	return named
}

// shorten returns the path that is another one without its last instruction, which is not its
// only one.
func (r *Result) shorten(path uint32) uint32 {
	p := r.Paths[path]
	short := Path{First: uint32(len(r.PathShapes)), Count: p.Count, Instructions: p.Instructions - 1}
	r.PathShapes = append(r.PathShapes, r.ShapesOf(&p)...)
	last := r.Shapes[r.PathShapes[len(r.PathShapes)-1]]
	if last.Count == 1 {
		short.Count--
		r.PathShapes = r.PathShapes[:len(r.PathShapes)-1]
	} else {
		dropLast(&last)
		r.Shapes = append(r.Shapes, last)
		r.PathShapes[len(r.PathShapes)-1] = uint32(len(r.Shapes) - 1)
	}
	r.Paths = append(r.Paths, short)
	return uint32(len(r.Paths) - 1)
}

// dropLast takes the last instruction off a run that has more.
func dropLast(run *schema.Run) {
	run.Count--
	run.Failed &^= 1 << run.Count
	run.Outcome = schema.Passed // no branch: only the last one of a block is
	if run.Failed>>(run.Count-1)&1 == 1 {
		run.Outcome = schema.NotTaken
	}
}

// A Log is what ran in a range of a result, as far as its entries name it, and what they name.
type Log struct {
	Entries    []Entry
	First      int // index of the first of them in the result
	Shapes     []schema.Run
	Paths      []Path
	PathShapes []uint32
	Base       int64 // as in the result
}

// Log returns the log of a range. Later entries of the result do not change it.
func (r *Result) Log(from, to Ends) Log {
	return Log{r.Entries[from[Entries]:to[Entries]], from[Entries], r.Shapes, r.Paths, r.PathShapes, r.Base}
}

// ShapesOf returns the shapes of a path, as indexes.
func (l *Log) ShapesOf(path uint32) []uint32 {
	p := &l.Paths[path]
	return l.PathShapes[p.First:][:p.Count]
}

// Last returns what ran last in a range, of which some runs are its own; nil if nothing did.
func (l *Log) Last(own []schema.Run) *schema.Run {
	named := 0
	for _, e := range l.Entries {
		if e.Path == OwnRuns {
			named += int(e.Offset)
		}
	}
	n := len(l.Entries)
	if len(own) > named || n > 0 && l.Entries[n-1].Path == OwnRuns {
		return &own[len(own)-1]
	}
	if n == 0 {
		return nil
	}
	shapes := l.ShapesOf(l.Entries[n-1].Path)
	return &l.Shapes[shapes[len(shapes)-1]]
}

// RunCount returns how many runs a range is, of which some are its own.
func (l *Log) RunCount(own int) int {
	n := own
	for _, e := range l.Entries {
		if e.Path != OwnRuns {
			n += int(l.Paths[e.Path].Count)
		}
	}
	return n
}

// Expand appends all runs of a range: its own, of which the first has an index in the result, and
// those of its paths. It returns the spans, too, each with the index in dst that its first run has.
func (l *Log) Expand(dst, own []schema.Run, first int, spans []schema.Span) ([]schema.Run, []schema.Span) {
	var moved []schema.Span
	moved = append(moved, spans...)
	k, run := 0, first
	take := func(n int) { // runs of its own
		for ; k < len(spans) && spans[k].Run < run+n; k++ {
			moved[k].Run = len(dst) + max(0, spans[k].Run-run)
		}
		dst = append(dst, own[run-first:][:n]...)
		run += n
	}
	for i, e := range l.Entries {
		if e.Path == OwnRuns {
			take(int(e.Offset))
			continue
		}
		for ; k < len(spans) && spans[k].Run <= run && spans[k].Entry <= l.First+i; k++ {
			moved[k].Run = len(dst)
		}
		dst = l.appendPath(dst, e)
	}
	take(first + len(own) - run)
	for ; k < len(spans); k++ {
		moved[k].Run = len(dst)
	}
	for i := range moved {
		moved[i].Entry = 0
	}
	return dst, moved
}

// appendPath appends the runs of a path.
func (l *Log) appendPath(dst []schema.Run, e Entry) []schema.Run {
	for _, s := range l.ShapesOf(e.Path) {
		dst = append(dst, l.Shapes[s])
		dst[len(dst)-1].Offset = l.Base + int64(e.Offset)
	}
	return dst
}
