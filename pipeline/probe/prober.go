package probe

import (
	"context"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/pipeline/probe/reading"
	"github.com/tracelake/tracelake/schema"
)

// A Prober judges sources that were decoded, and tries other settings on samples of those of which
// little was.
type Prober struct {
	plan *plan.Plan
	// packetsOnly reports that sources are judged by their packets alone.
	packetsOnly bool
	trials
}

// New returns the prober of a plan's sources. packetsOnly reports that they are judged by their
// packets alone: no program is wanted.
func New(p *plan.Plan, packetsOnly bool) *Prober { return &Prober{plan: p, packetsOnly: packetsOnly} }

// Judge sets the reading of a source that was decoded. Where much is wrong it
// decodes a sample in other ways, to find a remedy.
func (p *Prober) Judge(ctx context.Context, e *Evidence) error {
	if e.Source.Status != schema.StatusDecoded {
		return nil
	}
	if e.Source.Layout != nil && e.Outcome.Totals.Segments == 0 {
		var err error
		if e.statuses, err = e.countStatuses(); err != nil {
			return err
		}
	}
	f := facts(&e.Outcome.Outcome)
	f.NoProgram = p.packetsOnly || e.Source.Memory.Empty()
	r := reading.Of(&f)
	e.Reading = &r
	if !r.Fine() && (e.lacking() == nil || f.DoubtsSettings()) {
		defer func() { e.kept = nil }()
		var err error
		if r.Remedy, err = p.remedy(ctx, e); err != nil {
			return fmt.Errorf("source %s: try other settings: %w", schema.SourceText(e.Source.ID), err)
		}
	}
	r.Cause = e.reasonOf(&r)
	return nil
}

// better returns a trial of the registers with which a sample of a source reads best, nil if all is
// well with those it has, or nothing fits.
func (p *Prober) better(ctx context.Context, e *Evidence) (*trial, error) {
	defer func() { e.kept = nil }()
	now, err := p.tryAsRead(ctx, e)
	if err != nil || e.Reading.Fine() && (now.undefined == 0 || e.Source.Layout != nil) {
		return nil, err
	}
	best, err := p.best(ctx, e, now)
	if err != nil || best.rate() >= goodRate {
		return best, err
	}
	if best.followsProgram() {
		return p.withoutProgram().better(ctx, e)
	}
	return nil, nil
}

// withoutProgram returns a prober that tries by packets alone, as where another program ran.
func (p *Prober) withoutProgram() *Prober {
	return &Prober{plan: p.plan, packetsOnly: p.packetsOnly, trials: trials{byPackets: true}}
}

// tryAsRead decodes a sample of a source as the source was read.
func (p *Prober) tryAsRead(ctx context.Context, e *Evidence) (*trial, error) {
	return p.run(ctx, e, asRead(e.Source, &p.plan.Families[p.familyOf(e)]), 0)
}

// remedy returns the best other way to read a source, nil if none is much better
// than the way it was read.
func (p *Prober) remedy(ctx context.Context, e *Evidence) (*reading.Remedy, error) {
	now, err := p.tryAsRead(ctx, e)
	if err != nil || muchBetter*now.rate() > 1 {
		return nil, err // no rate is higher than 1
	}
	best, err := p.bestProtocol(ctx, e, now)
	if err != nil {
		return nil, err
	}
	if best.rate() < goodRate || best.rate() < muchBetter*now.rate() {
		if best.followsProgram() {
			return p.withoutProgram().remedy(ctx, e)
		}
		return nil, nil
	}
	f := best.facts()
	r := &reading.Remedy{Flags: p.flags(e.Source, best), Right: f.Right()}
	if best.family.Name != e.Source.Protocol {
		r.Protocol = best.family.Name
	}
	return r, nil
}

// flags returns what the command line needs so that a source is read in this way.
// --protocol is for raw files; in a snapshot ETMIDR decides (see [Prober.mayBe]).
func (p *Prober) flags(src *plan.Source, t *trial) []string {
	var flags []string
	if len(p.plan.Decoded()) > 1 {
		flags = append(flags, "--source "+schema.SourceText(src.ID))
	}
	if t.family.Name == src.Protocol {
		return append(flags, t.flags()...)
	}
	if p.plan.Capture.Raw() {
		flags = append(flags, "--protocol "+t.family.Name)
		return append(flags, t.flags()...)
	}
	all := &settings{family: t.family, registers: defaults(nil), set: map[string]uint64{}}
	for _, d := range t.family.Defaults {
		all.set[d.Register], _ = t.Lookup(d.Register)
	}
	return append(flags, all.flags()...)
}

// mayBe reports whether a source is tried as another protocol: in a snapshot where ETMIDR
// says which it is, and as one with layouts only if they are wrong, or nothing was decoded.
func (p *Prober) mayBe(e *Evidence, f *decode.Family) bool {
	now := p.plan.Families[p.familyOf(e)]
	if !p.plan.Capture.Raw() && (!now.ETM || !f.ETM) {
		return false
	}
	return !hasLayouts(f) || !e.Source.Buffer.Framed && (e.Source.Layout != nil || e.Outcome.Empty())
}

// familyOf returns the index of the protocol that a source was read as.
func (p *Prober) familyOf(e *Evidence) int {
	return slices.IndexFunc(p.plan.Families, func(f decode.Family) bool { return f.Name == e.Source.Protocol })
}

// bestProtocol returns the best way there is to read a sample of a source, which was read
// as now.
func (p *Prober) bestProtocol(ctx context.Context, e *Evidence, now *trial) (best *trial, err error) {
	for i := range p.plan.Families {
		family, t := &p.plan.Families[i], now
		if family.Name != e.Source.Protocol {
			if !p.mayBe(e, family) {
				continue
			}
			if t, err = p.run(ctx, e, &settings{family: family, registers: defaults(family.Defaults)}, 0); err != nil {
				return nil, err
			}
			if now.rate() >= goodRate && t.rate() < leastRate {
				continue // no setting makes it the right protocol
			}
		}
		if t, err = p.best(ctx, e, t); err != nil {
			return nil, err
		}
		if best == nil || t.rate() > best.rate()+clearly {
			best = t
		}
	}
	return best, nil
}
