package probe

import (
	"context"

	"github.com/tracelake/tracelake/decode"
)

// best returns the best settings that a search finds, which begins with a trial; it says what was
// changed.
func (p *trials) best(ctx context.Context, e *Evidence, a *trial) (*trial, error) {
	given, err := a, error(nil)
	layouts := hasLayouts(a.family)
	if layouts && a.packetRate() < sureRate {
		if a, err = p.layouts(ctx, e, a); err != nil {
			return nil, err
		}
	}
	if a.failed || !layouts && !e.firstSync.OK {
		return a, nil // without a place from which packets can be read no setting helps
	}
	if a, err = p.vary(ctx, e, a); err != nil {
		return nil, err
	}
	if a, err = p.drop(ctx, e, a); err != nil {
		return nil, err
	}
	err = p.suggest(ctx, e, a)
	a.suggestOptions(given)
	return a, err
}

// vary changes one setting after another for the better, until none is. A change
// has to be clearly better: a tie says nothing.
func (p *trials) vary(ctx context.Context, e *Evidence, best *trial) (*trial, error) {
	for {
		changed, err := p.varyOnce(ctx, e, best)
		if err != nil || changed == best {
			return best, err
		}
		best = changed
	}
}

// varyOnce tries every value of every setting, each with the best of the others
// so far.
func (p *trials) varyOnce(ctx context.Context, e *Evidence, best *trial) (*trial, error) {
	for i := range best.family.Settings {
		setting := &best.family.Settings[i]
		for _, value := range setting.Values {
			t, err := p.change(ctx, e, best, setting, value)
			if err != nil {
				return nil, err
			}
			if t != nil && t.isBetter(best, setting) {
				best = t
			}
		}
	}
	return best, nil
}

// drop takes the first value of each setting with which the sample reads as well:
// where several do, nothing shows that there is more than that.
func (p *trials) drop(ctx context.Context, e *Evidence, best *trial) (*trial, error) {
	for i := range best.family.Settings {
		setting := &best.family.Settings[i]
		given, _ := best.registers.Lookup(setting.Register)
		for _, value := range setting.Values {
			now, _ := best.Lookup(setting.Register)
			if setting.Get(now) == value || setting.Get(now) == setting.Get(given) {
				break
			}
			t, err := p.change(ctx, e, best, setting, value)
			if err != nil {
				return nil, err
			}
			if t != nil && t.rate() >= best.rate() && t.packetRate() >= best.packetRate() {
				best = t
			}
		}
	}
	return best, nil
}

// change tries the settings of a trial with one value of a setting, nil if it has that already, or
// if what shows what is right is not there: a program, or packets that are doubtful. It may fail if its rate would
// be lower: see isBetter.
func (p *trials) change(ctx context.Context, e *Evidence, from *trial, setting *decode.Setting, value uint64,
) (*trial, error) {
	r := from.with(setting, value)
	if r == nil || setting.NeedsProgram && !from.followsProgram() || setting.NeedsPackets && from.undefined == 0 {
		return nil, nil
	}
	least := 0.0
	if from.followsProgram() && !setting.NeedsPackets {
		least = from.rate()
	}
	return p.run(ctx, e, r, least)
}

// isBetter reports whether t is clearly better than the best so far. What only the
// program shows counts if it is the program that ran.
func (t *trial) isBetter(best *trial, setting *decode.Setting) bool {
	switch {
	case setting.NeedsPackets:
		return t.packetRate() > best.packetRate()+clearly
	case setting.NeedsProgram && (t.rate() < goodRate || t.disagrees()):
		return false
	case t.followsProgram() != best.followsProgram() && t.packetRate() > best.packetRate()-clearly:
		return t.followsProgram()
	}
	more := max(little, min(clearly, partly*best.rate()))
	return t.rate() > best.rate()+more && t.packetRate() > best.packetRate()-clearly
}

// disagrees reports whether much of what was compared, however little, is not as in the program: another one
// ran.
func (t *trial) disagrees() bool {
	f := t.facts()
	return float64(f.Agrees) < sureRate*float64(f.Checks)
}

// suggest sets what was changed, each with how well the sample reads without it.
func (p *trials) suggest(ctx context.Context, e *Evidence, best *trial) error {
	for i := range best.family.Settings {
		setting := &best.family.Settings[i]
		given, ok := best.registers.Lookup(setting.Register)
		now, _ := best.Lookup(setting.Register)
		if !ok || setting.Get(given) == setting.Get(now) {
			continue
		}
		without, err := p.run(ctx, e, best.with(setting, setting.Get(given)), 0)
		if err != nil {
			return err
		}
		best.suggested = append(best.suggested, Suggestion{
			Register: setting.Field(), Means: setting.Words(now), With: best.rate(), Without: without.rate(),
		})
	}
	return nil
}

// layouts tries the combinations of options worth a trial, and settings that the
// protocol finds itself, and returns the best trial, from if none is clearly better.
func (p *trials) layouts(ctx context.Context, e *Evidence, from *trial) (*trial, error) {
	var rounds [][]*settings
	auto := from.auto()
	if auto != nil {
		rounds = append(rounds, []*settings{auto})
	}
	rounds = append(rounds, from.combinations())
	if auto != nil {
		rounds = append(rounds, auto.combinations())
	}
	best := from
	for _, round := range rounds {
		for _, r := range round {
			t, err := p.run(ctx, e, r, 0)
			if err != nil {
				return nil, err
			}
			if t.packetRate() > best.packetRate()+clearly {
				best = t
			}
		}
		if best.packetRate() >= goodRate {
			break
		}
	}
	if len(best.found) == 0 {
		return best, nil
	}
	return p.run(ctx, e, best.setTo(parseSettings(best.family, best.found[0].Settings)), 0)
}
