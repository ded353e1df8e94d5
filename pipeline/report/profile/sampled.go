package profile

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// A sampled is a function that ran.
type sampled struct {
	entries int64
	lines   map[uint16]*sampledLine
	inlined map[inlining]*sampled
}

// A sampledLine is a line that ran.
type sampledLine struct {
	count   int64
	targets map[string]int64
}

// An inlining is a function at a line that it was inlined at.
type inlining struct {
	offset uint16
	name   string
}

func newSampled() *sampled {
	return &sampled{lines: map[uint16]*sampledLine{}, inlined: map[inlining]*sampled{}}
}

// line returns a line of s.
func (s *sampled) line(offset uint16) *sampledLine {
	if s.lines[offset] == nil {
		s.lines[offset] = &sampledLine{targets: map[string]int64{}}
	}
	return s.lines[offset]
}

// inline returns a function that was inlined into s.
func (s *sampled) inline(at inlining) *sampled {
	if s.inlined[at] == nil {
		s.inlined[at] = newSampled()
	}
	return s.inlined[at]
}

// add adds another function of the same name.
func (s *sampled) add(o *sampled) {
	s.entries += o.entries
	for offset, x := range o.lines {
		l := s.line(offset)
		l.count += x.count
		for name, n := range x.targets {
			l.targets[name] += n
		}
	}
	for at, x := range o.inlined {
		s.inline(at).add(x)
	}
}

// samples returns the values of s under a name.
func (s *sampled) samples(name string) FunctionSamples {
	f := FunctionSamples{Name: name, Entries: s.entries}
	for _, offset := range slices.Sorted(maps.Keys(s.lines)) {
		l := LineSamples{Offset: offset, Count: s.lines[offset].count}
		for _, target := range slices.Sorted(maps.Keys(s.lines[offset].targets)) {
			l.Targets = append(l.Targets, CallTarget{target, s.lines[offset].targets[target]})
		}
		f.Lines = append(f.Lines, l)
		f.Total += l.Count
	}
	places := slices.SortedFunc(maps.Keys(s.inlined), func(x, y inlining) int {
		return cmp.Or(cmp.Compare(x.offset, y.offset), strings.Compare(x.name, y.name))
	})
	for _, at := range places {
		if x := s.inlined[at].samples(at.name); x.Total > 0 {
			f.Inlined = append(f.Inlined, InlinedSamples{at.offset, x})
			f.Total += x.Total
		}
	}
	return f
}

// samples returns what ran, once all is added.
func (s *sampler) samples() *Samples {
	out := &Samples{}
	for x := range s.m.Code() {
		if x.Function.OK {
			out.Executed += x.Passed
		}
	}
	out.LeftOut = out.Executed - s.placed
	byName := map[string]*sampled{}
	for f, x := range s.functions {
		if byName[f.Linkage] == nil {
			byName[f.Linkage] = newSampled()
		}
		byName[f.Linkage].add(x)
	}
	for name, x := range byName {
		if f := x.samples(name); f.Total > 0 {
			out.Functions = append(out.Functions, f)
		}
	}
	slices.SortFunc(out.Functions, func(x, y FunctionSamples) int {
		return cmp.Or(cmp.Compare(y.Total, x.Total), strings.Compare(x.Name, y.Name))
	})
	return out
}
