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
// are worth trying.
func (r *reading) combinations() []*reading {
	all := []*reading{r}
	for i := range r.family.Options {
		o := &r.family.Options[i]
		if len(o.Try) == 0 || setsOption(r.fixed, o.Name) {
			continue
		}
		var next []*reading
		for _, x := range all {
			for _, v := range o.Try {
				next = append(next, x.setting(map[string]uint64{o.Name: v}))
			}
		}
		all = next
	}
	return all
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

// tryLayouts tries all combinations of options worth trying and returns the best
// attempt, from if none is clearly better.
func (s *session) tryLayouts(ctx context.Context, src *sourcePlan, from *attempt) (*attempt, error) {
	best := from
	for _, r := range from.combinations() {
		t, err := s.try(ctx, src, r)
		if err != nil {
			return nil, err
		}
		if t.packetRate() > best.packetRate()+clearly {
			best = t
		}
	}
	return s.tryAuto(ctx, src, best)
}

// tryAuto lets the protocol find those settings that it can, and returns the attempt
// with them if it is clearly better.
func (s *session) tryAuto(ctx context.Context, src *sourcePlan, from *attempt) (*attempt, error) {
	auto := map[string]uint64{}
	for i := range from.family.Options {
		o := &from.family.Options[i]
		if v, ok := o.Parse(autoWord); ok {
			auto[o.Name] = v
		}
	}
	if len(auto) == 0 || from.packetRate() > goodRate {
		return from, nil
	}
	t, err := s.try(ctx, src, from.setting(auto))
	if err != nil || len(t.trials) == 0 || t.packetRate() <= from.packetRate()+clearly {
		return from, err
	}
	found := parseSettings(t.family, t.trials[0].Settings)
	return s.try(ctx, src, from.setting(found))
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
