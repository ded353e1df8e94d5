package execute

import (
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file has what is V8A's own: exception levels, and A64.

// topLevel is the exception level of the monitor.
const topLevel = 3

// handlerV8A is where an exception with the handler h goes from the state the core is in: to
// the level of the handler, or to the core's if that is higher.
func (e *executor) handlerV8A(x schema.ExceptionType, h step.Place) (step.Place, bool) {
	switch x {
	case schema.ExcReset:
		return h, true
	case schema.ExcSMC:
		return vectorFrom(e.at, h), true
	}
	h.Level, h.Security = max(h.Level, e.at.Level), e.at.Security
	h = vectorFrom(e.at, h)
	return h, e.mapped(h)
}

// vectorFrom is the vector of an exception that comes from a place and goes to the level of h.
func vectorFrom(from, h step.Place) step.Place {
	switch {
	case h.ISA != schema.A64 || from.Level >= h.Level:
	case from.ISA == schema.A64:
		h.Address += program.FromLowerA64 - program.FromSame
	default:
		h.Address += program.FromLowerAArch32 - program.FromSame
	}
	return h
}

// switcherV8A is the handler of the interrupt that changes tasks: the monitor's if the task of
// from, whose security is that of the handler, leaves its world.
func switcherV8A(h, from step.Place, leaves bool) step.Place {
	h.Level, h.Security = max(h.Level, from.Level), from.Security
	if leaves {
		h.Level, h.Security = topLevel, program.MonitorSecurity(from.Security)
	}
	return vectorFrom(from, h)
}

// traps says whether the instruction of a site is undefined where the core is.
func (e *executor) traps(s *site) bool {
	switch s.in.Kind {
	case schema.KindUDF:
		return true
	case schema.KindHVC, schema.KindSMC:
		return e.at.Level == 0
	}
	return false
}

// tableA64 reads the table of a switch, right after its BR: words that the code before adds
// to the address of the table, which ADR says.
func (e *executor) tableA64(in isa.Instruction, at step.Place) []step.Place {
	const (
		before = 12         // bytes from ADR to BR
		adr    = 0x10000080 // ADR of the table, without register
	)
	table := at.Address + schema.Address(in.Size)
	w, ok := e.fetch(at, at.Address-before, 4)
	if !ok || in.Opcode&0xFFFFFC1F != 0xD61F0000 || w&^0x1F != adr {
		return nil
	}
	var places []step.Place
	end := schema.MaxAddress
	for address := table; len(places) < maxTable && address < end; address += 4 {
		offset, ok := e.fetch(at, address, 4)
		to := at
		to.Address = table + schema.Address(int32(offset))
		if !ok || offset&3 != 0 || !e.mapped(to) {
			break
		}
		if to.Address > address {
			end = min(end, to.Address)
		}
		places = append(places, to)
	}
	return places
}
