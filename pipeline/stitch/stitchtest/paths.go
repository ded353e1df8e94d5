package stitchtest

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// AsPaths returns a sink of runs that passes them on as a decoder has them to which they come again
// and again: as paths of up to so many shapes, where cycles are not traced.
func AsPaths(to stitch.RunSink, most int) stitch.RunSink {
	return stitch.TeeRuns(nil, func(r stitch.Runs) error {
		if most == 0 || r.Base.CycleAccurate {
			return to.Add(r)
		}
		x := pathMaker{most: most, paths: map[[3]schema.Run]uint32{}, shapes: map[schema.Run]uint32{}}
		return to.Add(x.logged(r))
	})
}

// A pathMaker makes the log of a part, which becomes a unit of its own.
type pathMaker struct {
	most   int
	log    decode.Log
	paths  map[[3]schema.Run]uint32
	shapes map[schema.Run]uint32
}

// logged returns a part with paths in place of runs without cycles.
func (x *pathMaker) logged(r stitch.Runs) stitch.Runs {
	u := r.Unit
	unit := &decode.Result{Blocks: u.Blocks, Costs: u.Costs, Offsets: u.Offsets, Timestamps: u.Timestamps}
	runs, spans := r.Unit.Runs[r.From:r.To], append([]schema.Span(nil), r.Spans...)
	var own []schema.Run
	named := 0
	for i, k := 0, 0; i < len(runs); {
		for ; k < len(spans) && r.Spans[k].Run <= r.From+i; k++ {
			spans[k].Run, spans[k].Entry = len(own), len(x.log.Entries)
		}
		n := 0
		for n < min(x.most, 3) && i+n < len(runs) {
			if n > 0 && (k < len(spans) && r.Spans[k].Run == r.From+i+n || runs[i+n].Offset != runs[i+n-1].Offset+1) {
				break // something comes between
			}
			n++
		}
		if n == 0 {
			own = append(own, runs[i])
			i++
			continue
		}
		if len(own) > named {
			x.log.Entries = append(x.log.Entries, decode.Entry{Path: decode.OwnRuns, Offset: uint32(len(own) - named)})
			named = len(own)
		}
		x.log.Entries = append(x.log.Entries, decode.Entry{Path: x.path(runs[i : i+n]), Offset: uint32(runs[i].Offset)})
		i += n
	}
	unit.Runs = own
	r.Unit, r.Log, r.Spans, r.From, r.To = unit, x.log, spans, 0, len(own)
	unit.Retain()
	return r
}

// path returns the number of the path of some runs.
func (x *pathMaker) path(runs []schema.Run) uint32 {
	var key [3]schema.Run
	for i, r := range runs {
		r.Offset, r.Cycle = 0, 0
		key[i] = r
	}
	if n, ok := x.paths[key]; ok {
		return n
	}
	p := decode.Path{First: uint32(len(x.log.PathShapes)), Count: uint32(len(runs))}
	for _, s := range key[:len(runs)] {
		n, ok := x.shapes[s]
		if !ok {
			n = uint32(len(x.log.Shapes))
			x.log.Shapes = append(x.log.Shapes, s)
			x.shapes[s] = n
		}
		x.log.PathShapes = append(x.log.PathShapes, n)
		p.Instructions += uint32(s.Count)
	}
	x.log.Paths = append(x.log.Paths, p)
	x.paths[key] = uint32(len(x.log.Paths) - 1)
	return x.paths[key]
}
