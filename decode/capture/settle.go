package capture

import (
	"fmt"
	"strings"
)

// firstReservedID is the first trace ID after those of sources (§1).
const firstReservedID = 0x70

func isReservedID(id uint64) bool { return id == 0 || id >= firstReservedID }

// settle finds protocol, version, ID and problems of a snapshot's source from its
// registers.
func (r *reader) settle(s *Source) {
	r.settleProtocol(s)
	if id, ok := r.families.traceID(s.Protocol, s.Registers); ok && !isReservedID(id) {
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
	for _, name := range r.families.find(s.Protocol).Needed {
		if _, ok := s.Registers.Lookup(name); !ok {
			if number, ok := registerNumber(name); ok {
				name += fmt.Sprintf(" (%#02x)", number)
			}
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		s.Problem = fmt.Sprintf("%s: [regs] has no %s; add it, or give --reg NAME=VALUE", s.file, strings.Join(missing, ", "))
	}
}

// settleProtocol compares the type with the registers that have the version, which win
// (§5.3).
func (r *reader) settleProtocol(s *Source) {
	f, version := r.families.ofRegisters(s.Protocol, s.Registers)
	if f == nil {
		r.settleByETMIDR(s)
		return
	}
	if f.Name != s.Protocol || strings.Contains(s.Version, ".") && s.Version != version {
		r.add("%s: type is %q, but its registers say %s %s, which holds", s.file, clip(s.Type), f.Name, version)
	}
	s.Protocol, s.Version = f.Name, version
}

// settleByETMIDR compares the type with ETMIDR. If the type is not known, only a register
// called ETMIDR counts, since the registers of other components have other meanings.
func (r *reader) settleByETMIDR(s *Source) {
	var idr uint64
	var ok bool
	switch {
	case r.families.find(s.Protocol).ETM:
		idr, ok = s.Registers.Lookup("ETMIDR")
	case s.Protocol == "":
		idr, ok = s.Registers.byName("ETMIDR")
	}
	if !ok {
		return
	}
	protocol, version := r.families.ofETMIDR(idr)
	switch {
	case protocol == "":
		r.add("%s: ETMIDR=%#08x is of no protocol known here; type %q holds", s.file, idr, clip(s.Type))
		return
	case protocol != s.Protocol, strings.Contains(s.Version, ".") && s.Version != version:
		r.add("%s: type is %q, but ETMIDR=%#08x says %s %s, which holds", s.file, clip(s.Type), idr, protocol, version)
	}
	s.Protocol, s.Version = protocol, version
}
