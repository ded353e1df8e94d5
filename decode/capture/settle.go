package capture

import (
	"fmt"
	"strings"
)

// firstReservedID is the first trace ID behind those of sources (§1).
const firstReservedID = 0x70

func isReservedID(id uint64) bool { return id == 0 || id >= firstReservedID }

// needed are the registers a source cannot be decoded without (§5.3). What an
// ETMv3 does not tell has defaults, some by core.
func needed(protocol string) []string {
	switch protocol {
	case PFT:
		return []string{"ETMCR", "ETMIDR", "ETMCCER", "ETMTRACEIDR"}
	case ETMv3:
		return []string{"ETMTRACEIDR"}
	case ETMv2, ETMv1:
		return []string{"ETMCR", "ETMTRACEIDR"}
	}
	return nil
}

// settle finds protocol, version, ID and problems of a snapshot's source from its
// registers.
func (r *reader) settle(s *Source) {
	r.settleProtocol(s)
	if id, ok := traceID(s.Protocol, s.Registers); ok && !isReservedID(id) {
		s.ID = uint8(id)
	}
	if s.Problem != "" {
		return
	}
	if s.Protocol == "" {
		s.Problem = fmt.Sprintf("%s: [device] type %q is no known trace protocol", s.file, clip(s.Type))
		return
	}
	var missing []string
	for _, name := range needed(s.Protocol) {
		if _, ok := s.Registers.Lookup(name); !ok {
			number, _ := registerNumber(name)
			missing = append(missing, fmt.Sprintf("%s (%#02x)", name, number))
		}
	}
	if len(missing) > 0 {
		s.Problem = fmt.Sprintf("%s: [regs] has no %s; add it, or give --reg NAME=VALUE", s.file, strings.Join(missing, ", "))
	}
}

// traceID returns the trace ID that the registers of a source tell, reserved or
// not.
func traceID(protocol string, regs Registers) (uint64, bool) {
	names, shift := []string{"ETMTRACEIDR"}, 0
	switch protocol {
	case ITM:
		names, shift = []string{"CONTROL", "ITM_CTRL"}, 16
	case STM:
		names, shift = []string{"STMTCSR"}, 16
	case ETMv4, ETE:
		names = []string{"TRCTRACEIDR"}
	}
	for _, name := range names {
		if v, ok := regs.Lookup(name); ok {
			return v >> shift & 0x7F, true
		}
	}
	return 0, false
}

// settleProtocol compares the type with ETMIDR; the register wins (§5.3). The
// registers of other components have other meanings: of a type that is not known
// only one called ETMIDR counts.
func (r *reader) settleProtocol(s *Source) {
	var idr uint64
	var ok bool
	switch {
	case followsProgram(s.Protocol):
		idr, ok = s.Registers.Lookup("ETMIDR")
	case s.Protocol == "":
		idr, ok = s.Registers.byName("ETMIDR")
	}
	if !ok {
		return
	}
	protocol, version := protocolOfETMIDR(idr)
	switch {
	case protocol == "":
		r.add("%s: ETMIDR=%#08x is of no protocol known here; type %q holds", s.file, idr, clip(s.Type))
		return
	case protocol != s.Protocol, strings.Contains(s.Version, ".") && s.Version != version:
		r.add("%s: type is %q, but ETMIDR=%#08x says %s %s, which holds", s.file, clip(s.Type), idr, protocol, version)
	}
	s.Protocol, s.Version = protocol, version
}
