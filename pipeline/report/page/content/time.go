package content

import (
	"slices"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/growth"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/timeline"
	"github.com/tracelake/tracelake/schema"
)

// readTimes reads the time of the sources of a dataset, past the instructions that are to be shown.
func (p *Content) readTimes(m *report.Merged, dir string, opt *Options) ([]*clockwork, error) {
	dirs := []string{dir}
	growths, err := growth.Read(dirs, opt.Test)
	if err != nil {
		return nil, err
	}
	var times []*clockwork
	err = timeline.Each(m, dirs, opt.Test, timeline.Everything, nil, func(t *timeline.Timeline) error {
		var g *growth.Curve
		if i := slices.IndexFunc(growths, func(g growth.Curve) bool { return g.Source == t.Source }); i >= 0 {
			g = &growths[i]
		}
		c, err := p.readClockwork(m, t, g, opt)
		times = append(times, c)
		return err
	})
	return times, err
}

// readClockwork reads the time of a source.
func (p *Content) readClockwork(m *report.Merged, t *timeline.Timeline, g *growth.Curve, opt *Options) (*clockwork, error) {
	c := &clockwork{
		name: schema.SourceText(t.Source), least: t.AtLeast, place: read.Place{Dir: t.Dir, Source: t.Source}, unit: t.Unit,
		hz: t.CycleHz, growth: g, offCycles: t.OffCycles,
	}
	if t.Core != "" {
		c.name += " " + t.Core
	}
	gaps, worst := seqsOf(p.Lost.Gaps, c.place), p.worstSeqs(c.place)
	shown, err := p.shownSeqs(m, t, worst, opt)
	if err != nil {
		return nil, err
	}
	c.windows = detailWindows(shown, t.Window.From, t.Window.Until, opt.Detail, p.mostGroups(t.Dir, opt))
	seqs := slices.Concat(gaps, worst, edges(c.windows))
	if g != nil {
		seqs = append(seqs, g.Seqs...)
	}
	if t.Unit == durations.InInstructions { // then the time of each is known
		seqs = append(seqs, evenly(t.Window)...)
	}
	c.spans, err = readSpans(t, newFrameIndex(&Frames{}, p.functions), seqs)
	c.gaps, c.keep = c.spans.timesOf(gaps), c.spans.timesOf(worst)
	slices.Sort(c.keep)
	return c, err
}

// seqsOf are those of places that are of a source.
func seqsOf(places []read.Place, of read.Place) (seqs []int64) {
	for _, p := range places {
		if p.Dir == of.Dir && p.Source == of.Source {
			seqs = append(seqs, p.Seq)
		}
	}
	return seqs
}

// timesOf are the times of instructions that were passed.
func (r *spanReader) timesOf(seqs []int64) []int64 {
	times := []int64{}
	for _, seq := range seqs {
		if at, ok := r.passed[seq]; ok {
			times = append(times, at)
		}
	}
	return times
}

// draw returns the time at a resolution.
func (c *clockwork) draw(parts int64) Time {
	r, t := c.spans, &thinner{parts: parts, keep: c.keep}
	x := Time{Name: Name(c.name), Unit: c.unit.String(), Length: r.length, Hz: c.hz, Gaps: c.gaps}
	r.frames.merged()
	t.spansOf(&x, r, r.length, 0, len(r.spans))
	x.Frames = *r.frames.frames
	x.Lanes = t.lanes(r)
	t.offs(&x, r)
	if c.growth != nil {
		x.Growth = r.growth(c.growth)
	}
	x.Detail, x.Ledger = c.detail, r.ledger.columns(4*parts, r.frames.merged())
	x.pack()
	return x
}

// evenly returns instructions of a window at equal distances.
func evenly(w timeline.Window) []int64 {
	var seqs []int64
	step := max(1, (w.Until-w.From)/resolution)
	for seq := w.From; seq < w.Until; seq += step {
		seqs = append(seqs, seq)
	}
	return seqs
}

// pack puts differences in the place of times.
func (x *Time) pack() {
	differences(x.Start)
	differences(x.Off.Start)
	differences(x.Growth.At)
	for i := range x.Lanes {
		differences(x.Lanes[i].Start)
	}
}

// LeastCall is how many instructions the shortest call took that is drawn; 0: all are drawn.
func (p *Content) LeastCall() int64 {
	for _, t := range p.times {
		if t.least > 0 {
			return t.least
		}
	}
	return 0
}

// OffCycles are those in which trace was off, of which it is not known when that was.
func (p *Content) OffCycles() (sum int64) {
	for _, t := range p.times {
		sum += t.offCycles
	}
	return sum
}
