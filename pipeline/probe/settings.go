package probe

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/plan"
)

// settings are one way to read a stream: a protocol and the values of its registers and
// options.
type settings struct {
	family    *decode.Family
	registers decode.Registers  // as given, or the defaults
	set       map[string]uint64 // those to set in place of them
	fixed     []string          // options NAME=WORD that are not varied
}

// Lookup implements [decode.Registers].
func (r *settings) Lookup(name string) (uint64, bool) {
	if v, ok := r.set[name]; ok {
		return v, true
	}
	return r.registers.Lookup(name)
}

// with returns the settings with one value of a setting, nil if it has that
// already or no such register.
func (r *settings) with(s *decode.Setting, value uint64) *settings {
	old, ok := r.Lookup(s.Register)
	if !ok || s.Put(old, value) == old {
		return nil
	}
	return r.setTo(map[string]uint64{s.Register: s.Put(old, value)})
}

// setTo returns the settings with values for some registers or options.
func (r *settings) setTo(values map[string]uint64) *settings {
	changed := &settings{family: r.family, registers: r.registers, set: maps.Clone(r.set), fixed: r.fixed}
	if changed.set == nil {
		changed.set = map[string]uint64{}
	}
	maps.Copy(changed.set, values)
	return changed
}

// words returns NAME=VALUE of the registers that are set, in order.
func (r *settings) words() []string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(r.set)) {
		words = append(words, name+"="+r.text(name))
	}
	return words
}

// text returns the value that is set of a register or an option: in hex, or the word
// for it.
func (r *settings) text(name string) string {
	if o := r.family.Option(name); o != nil {
		if word := o.Word(r.set[name]); word != "" {
			return word
		}
	}
	return fmt.Sprintf("0x%X", r.set[name])
}

// flags returns the registers of changed as flags of the command line.
func (r *settings) flags() []string {
	var flags []string
	for _, word := range r.changed() {
		flags = append(flags, "--reg "+word)
	}
	return flags
}

// changed returns NAME=VALUE of the registers that are set to other values than those
// given, in order.
func (r *settings) changed() []string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(r.set)) {
		given, ok := r.registers.Lookup(name)
		if o := r.family.Option(name); o != nil && !ok && len(o.Try) == 0 && len(o.Words) > 0 {
			given, ok = o.Words[0].Value, true // the default
		}
		if !ok || given != r.set[name] {
			words = append(words, name+"="+r.text(name))
		}
	}
	return words
}

// A lacking are the registers of a source, and what is taken of those that it lacks.
type lacking struct {
	decode.Registers
	missing defaults
}

// Lookup implements [decode.Registers].
func (l lacking) Lookup(name string) (uint64, bool) {
	if v, ok := l.Registers.Lookup(name); ok {
		return v, true
	}
	return l.missing.Lookup(name)
}

// asRead are the settings with which a source is read as a family.
func asRead(src *plan.Source, family *decode.Family) *settings {
	if family.Missing == nil {
		return &settings{family: family, registers: src.Registers}
	}
	missing := family.Missing(decode.Source{
		Registers: src.Registers, CoreType: src.CoreType, Profile: string(src.Profile),
	})
	return &settings{family: family, registers: lacking{src.Registers, missing}}
}

// defaults are the registers that a family assumes where none are given.
type defaults []decode.RegisterDefault

// Lookup implements [decode.Registers].
func (d defaults) Lookup(name string) (uint64, bool) {
	for _, r := range d {
		if strings.EqualFold(r.Register, name) {
			return r.Value, true
		}
	}
	return 0, false
}

// autoWord is the word of an option's value that its protocol finds itself.
const autoWord = "auto"

// hasLayouts reports whether a protocol has layouts worth a trial.
func hasLayouts(f *decode.Family) bool {
	for i := range f.Options {
		if len(f.Options[i].Try) > 0 {
			return true
		}
	}
	return false
}

// combinations returns the settings with each combination of the values of options that
// are worth a trial, or that it has.
func (r *settings) combinations() []*settings {
	all := []*settings{r}
	for i := range r.family.Options {
		o := &r.family.Options[i]
		if len(o.Try) == 0 || setsOption(r.fixed, o.Name) {
			continue
		}
		values := o.Try
		if now, ok := r.Lookup(o.Name); ok && !slices.Contains(values, now) {
			values = append(slices.Clip(values), now)
		}
		var next []*settings
		for _, x := range all {
			for _, v := range values {
				next = append(next, x.setTo(map[string]uint64{o.Name: v}))
			}
		}
		all = next
	}
	return all
}

// auto returns them with those settings to be found that its protocol can find,
// nil if it can find none.
func (r *settings) auto() *settings {
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
	return r.setTo(values)
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

// withAnyLayout adds a value of each option worth a trial to the words that are given: a
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
