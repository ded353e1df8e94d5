package convert

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	pprof "github.com/google/pprof/profile"

	"github.com/tracelake/tracelake/pipeline/report/calls"
	"github.com/tracelake/tracelake/pipeline/report/profile"
)

// PProf writes a profile of github.com/google/pprof, compressed: a sample for each path that took
// something by itself, with its task as a label. The call trees know functions, not instructions,
// so a location is a function, at its first address and line. Comments say what the profile
// itself cannot. The same profile makes the same bytes.
func PProf(w io.Writer, p *profile.Profile, paths *Paths, comments []string) error {
	b := &pprofBuilder{p: p, paths: paths, out: newPProf(p, comments)}
	b.addSections()
	for i := range p.Frames {
		b.addFrame(&p.Frames[i])
	}
	for i := range p.Nodes {
		if n := &p.Nodes[i]; n.Own.Instructions > 0 || n.Own.Cycles.V > 0 {
			b.addSample(n)
		}
	}
	if err := b.out.CheckValid(); err != nil {
		return fmt.Errorf("make a profile: %w", err)
	}
	return b.out.Write(w)
}

// newPProf returns a profile without samples.
func newPProf(p *profile.Profile, comments []string) *pprof.Profile {
	out := &pprof.Profile{
		SampleType: []*pprof.ValueType{{Type: "instructions", Unit: "count"}},
		PeriodType: &pprof.ValueType{Type: "instructions", Unit: "count"},
		Period:     1, // nothing is sampled
	}
	if p.Executed.Cycles.OK {
		out.SampleType = append(out.SampleType, &pprof.ValueType{Type: "cycles", Unit: "count"})
	}
	out.DefaultSampleType = out.SampleType[0].Type
	if p.ByCycles {
		out.DefaultSampleType = "cycles"
	}
	for _, c := range comments {
		out.Comments = append(out.Comments, clean(c))
	}
	return out
}

// A pprofBuilder fills a profile. Its locations are the frames of the report, in order.
type pprofBuilder struct {
	p     *profile.Profile
	paths *Paths
	out   *pprof.Profile
}

// addSections adds the mappings: the sections of the report, in order.
func (b *pprofBuilder) addSections() {
	named := slices.ContainsFunc(b.p.Frames, func(f calls.Frame) bool { return f.Function != "" })
	for i := range b.p.Sections {
		s := &b.p.Sections[i]
		b.out.Mapping = append(b.out.Mapping, &pprof.Mapping{
			ID: uint64(i + 1), Start: uint64(s.Address), Limit: uint64(s.Address) + uint64(s.Bytes),
			File: clean(s.File), BuildID: clean(s.BuildID), HasFunctions: named, HasFilenames: named, HasLineNumbers: named,
		})
	}
}

// addFrame adds the location of a frame. Code that no function has gets a function of the name of
// its address, or else viewers would take all such code for one.
func (b *pprofBuilder) addFrame(f *calls.Frame) {
	function := &pprof.Function{
		ID: uint64(len(b.out.Function) + 1), Name: clean(f.Text()), SystemName: clean(f.Linkage), StartLine: int64(f.Line),
	}
	if f.File != "" {
		function.Filename = clean(b.paths.Move(f.File))
	}
	l := &pprof.Location{
		ID: function.ID, Address: uint64(f.Address),
		Line: []pprof.Line{{Function: function, Line: int64(f.Line)}},
	}
	if i := b.p.Sections.Find(f.Core, f.Address); i >= 0 && f.IsCode() {
		l.Mapping = b.out.Mapping[i]
	}
	b.out.Function, b.out.Location = append(b.out.Function, function), append(b.out.Location, l)
}

// addSample adds what a node took by itself.
func (b *pprofBuilder) addSample(n *profile.Node) {
	s := &pprof.Sample{Value: []int64{n.Own.Instructions}, Label: labels(&b.p.Tasks[n.Task])}
	if b.p.Executed.Cycles.OK {
		s.Value = append(s.Value, n.Own.Cycles.V)
	}
	for {
		s.Location = append(s.Location, b.out.Location[n.Frame])
		if n.Parent < 0 {
			break
		}
		n = &b.p.Nodes[n.Parent]
	}
	b.out.Sample = append(b.out.Sample, s)
}

// labels say which task a sample is of.
func labels(t *profile.Task) map[string][]string {
	l := map[string][]string{"task": {clean(t.Name)}}
	if t.ContextID.OK {
		l["context_id"] = []string{"0x" + strconv.FormatUint(uint64(t.ContextID.V), 16)}
	}
	if t.Core == "" {
		l["source"] = []string{fmt.Sprintf("%#x", t.Source)}
	} else {
		l["core"] = []string{clean(t.Core)}
	}
	return l
}
