package pipeline

import (
	"context"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/verdict"
	"github.com/tracelake/tracelake/schema"
)

// refine improves an attempt, and says what was changed.
func (s *session) refine(ctx context.Context, src *sourcePlan, a *attempt) (*attempt, error) {
	given, err := a, error(nil)
	layouts := hasLayouts(a.family)
	if layouts && a.packetRate() < sureRate {
		if a, err = s.tryLayouts(ctx, src, a); err != nil {
			return nil, err
		}
	}
	if a.failed || !layouts && !src.firstSync.OK {
		return a, nil // without a place from which packets can be read no setting helps
	}
	if a, err = s.improve(ctx, src, a); err != nil {
		return nil, err
	}
	if a, err = s.simplify(ctx, src, a); err != nil {
		return nil, err
	}
	err = s.suggest(ctx, src, a)
	a.suggestOptions(given)
	return a, err
}

const (
	// A rate counts as higher if it is by clearly; a low one, by this part of it and at
	// least by a little.
	clearly, partly, little = 0.005, 0.2, 0.0002
	// A remedy has this rate at the least, and this many times the rate there is.
	goodRate, muchBetter = 0.5, 1.05
	// With this rate there is no doubt about the layout.
	sureRate = 0.9
)

// improve changes one setting after another for the better, until none is. A change
// has to be clearly better: a tie says nothing.
func (s *session) improve(ctx context.Context, src *sourcePlan, best *attempt) (*attempt, error) {
	for {
		changed, err := s.improveOnce(ctx, src, best)
		if err != nil || changed == best {
			return best, err
		}
		best = changed
	}
}

// improveOnce tries every value of every setting, each with the best of the others
// so far.
func (s *session) improveOnce(ctx context.Context, src *sourcePlan, best *attempt) (*attempt, error) {
	for i := range best.family.Settings {
		setting := &best.family.Settings[i]
		for _, value := range setting.Values {
			t, err := s.change(ctx, src, best, setting, value)
			if err != nil {
				return nil, err
			}
			if t != nil && t.improves(best, setting.NeedsProgram) {
				best = t
			}
		}
	}
	return best, nil
}

// simplify takes the first value of each setting with which the sample reads as well:
// where several do, nothing shows that there is more than that.
func (s *session) simplify(ctx context.Context, src *sourcePlan, best *attempt) (*attempt, error) {
	for i := range best.family.Settings {
		setting := &best.family.Settings[i]
		given, _ := best.registers.Lookup(setting.Register)
		for _, value := range setting.Values {
			now, _ := best.Lookup(setting.Register)
			if setting.Get(now) == value || setting.Get(now) == setting.Get(given) {
				break
			}
			t, err := s.change(ctx, src, best, setting, value)
			if err != nil {
				return nil, err
			}
			if t != nil && t.rate() >= best.rate() {
				best = t
			}
		}
	}
	return best, nil
}

// change tries an attempt with one value of a setting, nil if it has that already, or
// if only a program shows what is right and there is none. It may fail if its rate would
// be lower: see improves.
func (s *session) change(ctx context.Context, src *sourcePlan, from *attempt, setting *decode.Setting, value uint64) (*attempt, error) {
	r := from.with(setting, value)
	if r == nil || setting.NeedsProgram && !from.followsProgram() {
		return nil, nil
	}
	least := 0.0
	if from.followsProgram() {
		least = from.rate()
	}
	return s.try(ctx, src, r, least)
}

// improves reports whether t is clearly better than the best so far. What only the
// program shows counts if it is the program that ran.
func (t *attempt) improves(best *attempt, needsProgram bool) bool {
	switch {
	case needsProgram && t.rate() < goodRate:
		return false
	case t.followsProgram() != best.followsProgram() && t.packetRate() > best.packetRate()-clearly:
		return t.followsProgram()
	}
	more := max(little, min(clearly, partly*best.rate()))
	return t.rate() > best.rate()+more && t.packetRate() > best.packetRate()-clearly
}

// suggest sets what was changed, each with how well the sample reads without it.
func (s *session) suggest(ctx context.Context, src *sourcePlan, best *attempt) error {
	for i := range best.family.Settings {
		setting := &best.family.Settings[i]
		given, ok := best.registers.Lookup(setting.Register)
		now, _ := best.Lookup(setting.Register)
		if !ok || setting.Get(given) == setting.Get(now) {
			continue
		}
		without, err := s.try(ctx, src, best.with(setting, setting.Get(given)), 0)
		if err != nil {
			return err
		}
		best.suggested = append(best.suggested, Suggestion{
			Register: setting.Field(), Means: setting.Words(now), With: best.rate(), Without: without.rate(),
		})
	}
	return nil
}

// suggestions returns the values of registers with which a sample of a source reads
// better, if not all is well with those it has.
func (s *session) suggestions(ctx context.Context, src *sourcePlan) ([]Suggestion, error) {
	defer src.forget()
	now, err := s.tryAsRead(ctx, src)
	if err != nil || src.verdict.Status == verdict.Good && (now.doubts == 0 || src.layout != nil) {
		return nil, err
	}
	best, err := s.refine(ctx, src, now)
	if err != nil || best.rate() < goodRate {
		return nil, err
	}
	return best.suggested, nil
}

// tryAsRead decodes a sample of a source as the source was read.
func (s *session) tryAsRead(ctx context.Context, src *sourcePlan) (*attempt, error) {
	i := slices.IndexFunc(s.plan.protocols, func(f decode.Family) bool { return f.Name == src.Protocol })
	return s.try(ctx, src, &reading{family: &s.plan.protocols[i], registers: src.Registers}, 0)
}

// remedy returns the best other way to read a source, nil if none is much better
// than the way it was read.
func (s *session) remedy(ctx context.Context, src *sourcePlan) (*verdict.Remedy, error) {
	now, err := s.tryAsRead(ctx, src)
	if err != nil || muchBetter*now.rate() > 1 {
		return nil, err // no rate is higher than 1
	}
	best, err := s.bestReading(ctx, src, now)
	if err != nil || best.rate() < goodRate || best.rate() < muchBetter*now.rate() {
		return nil, err
	}
	f := best.facts()
	r := &verdict.Remedy{Flags: s.flags(src, best), Right: f.Right()}
	if best.family.Name != src.Protocol {
		r.Protocol = best.family.Name
	}
	return r, nil
}

// flags returns what the command line needs so that a source is read in this way.
// --protocol is for raw files; in a snapshot ETMIDR decides.
func (s *session) flags(src *sourcePlan, a *attempt) []string {
	var flags []string
	if s.severalSources() {
		flags = append(flags, "--source "+schema.SourceText(src.ID))
	}
	if a.family.Name == src.Protocol {
		return append(flags, a.flags()...)
	}
	if s.capture.Raw() {
		flags = append(flags, "--protocol "+a.family.Name)
		return append(flags, a.flags()...)
	}
	all := &reading{family: a.family, registers: defaults(nil), set: map[string]uint64{}}
	for _, d := range a.family.Defaults {
		all.set[d.Register], _ = a.Lookup(d.Register)
	}
	return append(flags, all.flags()...)
}

// severalSources reports whether more than one source has bytes and a decoder.
func (s *session) severalSources() bool {
	n := 0
	for _, src := range s.plan.sources {
		if src.status == schema.StatusDecoded {
			n++
		}
	}
	return n > 1
}

// mayBe reports whether a source is tried as another protocol: as one with layouts only
// if they are wrong, or nothing was decoded.
func (s *sourcePlan) mayBe(f *decode.Family) bool {
	if !f.ETM || !hasLayouts(f) {
		return f.ETM
	}
	return !s.buffer.framed && (s.layout != nil || s.outcome.Empty())
}

// bestReading returns the best way there is to read a sample of a source, which was read
// as now.
func (s *session) bestReading(ctx context.Context, src *sourcePlan, now *attempt) (best *attempt, err error) {
	for i := range s.plan.protocols {
		family, t := &s.plan.protocols[i], now
		if family.Name != src.Protocol {
			if !src.mayBe(family) {
				continue
			}
			if t, err = s.try(ctx, src, &reading{family: family, registers: defaults(family.Defaults)}, 0); err != nil {
				return nil, err
			}
			if now.rate() >= goodRate && t.rate() < leastRate {
				continue // no setting makes it the right protocol
			}
		}
		if t, err = s.refine(ctx, src, t); err != nil {
			return nil, err
		}
		if best == nil || t.rate() > best.rate()+clearly {
			best = t
		}
	}
	return best, nil
}
