package capture

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode"
)

// This file is the settings of protocols that are no registers of the hardware, but
// given like them: LAYOUT=etb.

// optionsOf returns the options of that name: of the protocol of a raw file, of every
// protocol that a snapshot may have.
func (r *reader) optionsOf(name string) []*decode.Option {
	var found []*decode.Option
	for i := range r.families {
		if f := &r.families[i]; r.protocol == "" || r.protocol == f.Name {
			if o := f.Option(name); o != nil {
				found = append(found, o)
			}
		}
	}
	return found
}

// optionFlag reads an option that --reg gives.
func (r *reader) optionFlag(arg, value string, options []*decode.Option) (Register, error) {
	for _, o := range options {
		if v, ok := o.Parse(value); ok {
			return optionRegister(o, v), nil
		}
	}
	return Register{}, usage("--reg "+arg, fmt.Sprintf("is no value of %s (%s)", options[0].Name, options[0].Means),
		"known are "+options[0].Known())
}

// optionRegister returns the value of an option as the register it is given like.
func optionRegister(o *decode.Option, value uint64) Register {
	return Register{Name: o.Name, Bits: 32, Value: value, Word: o.Word(value), option: true}
}

// knownNames lists what --reg can set, for people.
func (r *reader) knownNames() string {
	names := r.knownRegisters()
	for i := range r.families {
		if f := &r.families[i]; r.protocol == "" || r.protocol == f.Name {
			for _, o := range f.Options {
				if !slices.Contains(names, o.Name) {
					names = append(names, o.Name)
				}
			}
		}
	}
	return "known are " + strings.Join(names, ", ")
}

// defaultRegister returns the value of a register, or of an option, that is not given.
func (r *reader) defaultRegister(f *decode.Family, name string, value uint64) Register {
	if o := f.Option(name); o != nil {
		return optionRegister(o, value)
	}
	number, known := registerNumber(name)
	return Register{Name: name, Number: number, HasNumber: known, Bits: 32, Value: value}
}

// deviceRegister returns what reads a line of [regs] of a device: a register, or an
// option of its protocol.
func (r *reader) deviceRegister(d *device) func(key, value string) (Register, error) {
	protocol, _ := r.families.ofType(d.kind)
	family := r.families.find(protocol)
	return func(key, value string) (Register, error) {
		o := family.Option(key)
		if o == nil {
			return r.parseRegister(key, value)
		}
		v, ok := o.Parse(value)
		if !ok {
			return Register{}, fmt.Errorf("has the value %q, which is none of %s (known are %s)", clip(value), o.Name, o.Known())
		}
		return optionRegister(o, v), nil
	}
}

// setFlags sets what --reg gives in the registers of a snapshot's source.
func (b *binder) setFlags(s *Source) {
	f := b.families.find(s.Protocol)
	for _, reg := range b.regs {
		o := f.Option(reg.Name)
		switch {
		case !reg.option:
			s.Registers = s.Registers.set(reg)
		case o == nil: // of another protocol
		case o.Word(reg.Value) != reg.Word:
			s.Problem = fmt.Sprintf("--reg %s=%s: is no value of %s for %s; known are %s", reg.Name, reg.text(), reg.Name,
				s.Protocol, o.Known())
		default:
			s.Registers = s.Registers.set(reg)
		}
	}
}

// checkOptions checks that every option that --reg gives is one of a source.
func (b *binder) checkOptions() error {
	for _, reg := range b.regs {
		taken := func(s *Source) bool { return b.families.find(s.Protocol).Option(reg.Name) != nil }
		if reg.option && !slices.ContainsFunc(b.c.Sources, taken) {
			return usage("--reg "+reg.Name+"="+reg.text(), "is no setting of any source of the snapshot", "leave it out")
		}
	}
	return nil
}
