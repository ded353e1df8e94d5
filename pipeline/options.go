package pipeline

import (
	"context"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode"
)

// This file tries options in place of registers: how a buffer holds the units of a
// source, and settings that a protocol finds by trying.

// autoWord is the word of an option's value that its protocol finds by trying.
const autoWord = "auto"

// hasLayouts reports whether a protocol has layouts worth trying.
func hasLayouts(f *decode.Family) bool {
	for i := range f.Options {
		if len(f.Options[i].Try) > 0 {
			return true
		}
	}
	return false
}

// combinations returns the reading with each combination of the values of options that
// are worth trying, or that it has.
func (r *reading) combinations() []*reading {
	all := []*reading{r}
	for i := range r.family.Options {
		o := &r.family.Options[i]
		if len(o.Try) == 0 || setsOption(r.fixed, o.Name) {
			continue
		}
		values := o.Try
		if now, ok := r.Lookup(o.Name); ok && !slices.Contains(values, now) {
			values = append(slices.Clip(values), now)
		}
		var next []*reading
		for _, x := range all {
			for _, v := range values {
				next = append(next, x.setting(map[string]uint64{o.Name: v}))
			}
		}
		all = next
	}
	return all
}

// auto returns the reading with those settings to be found that its protocol can find,
// nil if it can find none.
func (r *reading) auto() *reading {
	values := map[string]uint64{}
	for i := range r.family.Options {
		o := &r.family.Options[i]
		if v, ok := o.Parse(autoWord); ok && !setsOption(r.fixed, o.Name) {
			values[o.Name] = v
		}
	}
	if len(values) == 0 {
		return nil
	}
	return r.setting(values)
}

// setsOption reports whether one of the words NAME=VALUE sets the option.
func setsOption(words []string, option string) bool {
	for _, word := range words {
		if name, _, _ := strings.Cut(word, "="); strings.EqualFold(strings.TrimSpace(name), option) {
			return true
		}
	}
	return false
}

// tryLayouts tries the combinations of options worth trying, and settings that the
// protocol finds itself, and returns the best attempt, from if none is clearly better.
func (s *session) tryLayouts(ctx context.Context, src *sourcePlan, from *attempt) (*attempt, error) {
	var rounds [][]*reading
	auto := from.auto()
	if auto != nil {
		rounds = append(rounds, []*reading{auto})
	}
	rounds = append(rounds, from.combinations())
	if auto != nil {
		rounds = append(rounds, auto.combinations())
	}
	best := from
	for _, round := range rounds {
		for _, r := range round {
			t, err := s.try(ctx, src, r, 0)
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
	if len(best.trials) == 0 {
		return best, nil
	}
	return s.try(ctx, src, best.setting(parseSettings(best.family, best.trials[0].Settings)), 0)
}

// parseSettings reads "NAME=WORD NAME=WORD".
func parseSettings(f *decode.Family, words string) map[string]uint64 {
	values := map[string]uint64{}
	for word := range strings.FieldsSeq(words) {
		name, value, _ := strings.Cut(word, "=")
		if o := f.Option(name); o != nil {
			if v, ok := o.Parse(value); ok {
				values[o.Name] = v
			}
		}
	}
	return values
}

// suggestOptions adds the options in which an attempt differs from what is given.
func (t *attempt) suggestOptions(given *attempt) {
	for i := range t.family.Options {
		o := &t.family.Options[i]
		now, ok := t.set[o.Name]
		before, wasGiven := given.Lookup(o.Name)
		if ok && (!wasGiven || now != before) {
			t.suggested = append(t.suggested, Suggestion{Register: o.Name, Means: o.Word(now), With: t.rate(), Without: given.rate()})
		}
	}
}

// regsFor returns the words NAME=VALUE of the command line for a protocol, false if
// one of them is an option of others only.
func regsFor(family *decode.Family, families []decode.Family, regs []string) (own []string, ok bool) {
	for _, word := range regs {
		name, _, _ := strings.Cut(word, "=")
		name = strings.TrimSpace(name)
		of := func(f decode.Family) bool { return f.Option(name) != nil }
		if !of(*family) && slices.ContainsFunc(families, of) {
			return nil, false
		}
	}
	return regs, true
}

// withAnyLayout adds a value of each option worth trying to the words that are given: a
// layout that needs no header.
func withAnyLayout(family *decode.Family, regs []string) []string {
	words := slices.Clone(regs)
	for i := range family.Options {
		if o := &family.Options[i]; len(o.Try) > 0 && !setsOption(regs, o.Name) {
			words = append(words, o.Name+"="+o.Word(o.Try[0]))
		}
	}
	return words
}
