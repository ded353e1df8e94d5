package capture

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/decode"
)

// families are the protocols that sources may have: those that are decoded, then
// those that are known by name.
type families []decode.Family

// known are protocols that captures name, so that their sources have a name
// where nothing decodes them.
var known = families{
	{Name: "itm", Types: []string{"ITM"}, TraceID: decode.TraceIDField{
		Registers: []string{"CONTROL", "ITM_CTRL"},
		Shift:     16,
	}},
	{Name: "stm", Types: []string{"STM"}, TraceID: decode.TraceIDField{Registers: []string{"STMTCSR"}, Shift: 16}},
}

// newFamilies returns the families that are decoded, and the known ones that are
// not among them.
func newFamilies(decoded []decode.Family) families {
	fs := families(slices.Clone(decoded))
	for i := range known {
		if fs.find(known[i].Name).Name == "" {
			fs = append(fs, known[i])
		}
	}
	return fs
}

// find returns the family of that name, or one without a name.
func (fs families) find(name string) *decode.Family {
	for i := range fs {
		if fs[i].Name == name {
			return &fs[i]
		}
	}
	return &decode.Family{}
}

// raw are the names of the protocols that a raw file may hold.
func (fs families) raw() []string {
	var names []string
	for i := range fs {
		if fs[i].Bind != nil {
			names = append(names, fs[i].Name)
		}
	}
	return names
}

// ofType reads protocol and version from the type of a trace source (§5.3):
// PTM1.1, ETM3.5, ITM. Both are "" if it is not known.
func (fs families) ofType(kind string) (protocol, version string) {
	kind = strings.ToUpper(kind)
	for i := range fs {
		for _, t := range fs[i].Types {
			name := strings.TrimRight(t, "0123456789")
			rest, ok := strings.CutPrefix(kind, name)
			if !ok {
				continue
			}
			version := strings.TrimPrefix(rest, "V")
			major, _, _ := strings.Cut(version, ".")
			number := version == "" || version[0] >= '0' && version[0] <= '9'
			if number && (t == name || t == name+major) {
				return fs[i].Name, version
			}
		}
	}
	return "", ""
}

// ofETMIDR reads protocol and version from ETMIDR[11:4].
func (fs families) ofETMIDR(idr uint64) (protocol, version string) {
	for i := range fs {
		if f := &fs[i]; f.Major.OK && uint64(f.Major.V) == idr>>8&0xF {
			return f.Name, f.Version + "." + strconv.FormatUint(idr>>4&0xF, 10)
		}
	}
	return "", ""
}

// ofRegisters reads protocol and version from the registers of a source, of which the type
// says a protocol: where that has other registers for its version than ETMIDR.
func (fs families) ofRegisters(protocol string, regs Registers) (f *decode.Family, version string) {
	if fs.find(protocol).ReadVersion == nil {
		return nil, ""
	}
	for i := range fs {
		if f := &fs[i]; f.ReadVersion != nil {
			if version, ok := f.ReadVersion(regs); ok {
				return f, version
			}
		}
	}
	return nil, ""
}

// splitsData reports whether a source sends data in a stream of its own, by its registers.
func (fs families) splitsData(s *Source) bool {
	field := fs.find(s.Protocol).DataStream
	v, ok := s.Registers.Lookup(field.Register)
	return field.Register != "" && ok && field.Get(v) != 0
}

// traceIDField returns the field that has the trace ID of a source of a protocol.
func (fs families) traceIDField(protocol string) decode.TraceIDField {
	field := fs.find(protocol).TraceID
	if field.Registers == nil {
		field.Registers = []string{"ETMTRACEIDR"}
	}
	return field
}

// traceID returns the trace ID that the registers of a source of a protocol
// have, reserved or not.
func (fs families) traceID(protocol string, regs Registers) (uint64, bool) {
	field := fs.traceIDField(protocol)
	for _, name := range field.Registers {
		if v, ok := regs.Lookup(name); ok {
			return v >> field.Shift & 0x7F, true
		}
	}
	return 0, false
}
