package etmv4

import "github.com/tracelake/tracelake/decode"

// historyEntries is how many addresses the history has.
const historyEntries = 3

// A Target is an address with its instruction set, as packets tell it: with SF, A64; else
// T32 if IS1, else A32.
type Target struct {
	Address uint64
	IS1     bool
}

// A State is what packets leave out as earlier packets have told it (docs/etmv4.md §4). It
// is packet state: it follows the stream, never speculation, and an address that is
// cancelled stays in the history. After a Trace Info packet it depends on nothing before.
type State struct {
	// History has the last addresses told, the newest first: of targets, sources and Q
	// packets alike.
	History [historyEntries]Target
	// Timestamp is the last one told, complete.
	Timestamp uint64
	// Threshold is added to the counts of cycle count packets.
	Threshold uint32
	// Info is that of the last Trace Info packet.
	Info uint32
}

// Apply does what p does to the state (docs/etmv4.md §4.1, §4.2). Afterwards History[0] is
// the address of p, if it has one, and Timestamp its timestamp.
func (s *State) Apply(c *Config, p *Packet) {
	switch p.Kind {
	case TraceInfo:
		*s = State{Threshold: p.Info.Threshold.Value, Info: p.Info.Info.Value}
	case Timestamp:
		s.Timestamp = decode.Merge(s.Timestamp, p.Timestamp, timestampBits(p.TimestampBytes))
	case Address, AddressContext, SourceAddress, Q:
		if p.Form != NoAddress {
			s.push(s.target(p))
		}
	case Exception:
		if c.withoutReturn(p) {
			s.push(Target{})
		}
	default: // nothing
	}
}

// target returns the address of p. Bits above those sent are those of the newest entry.
func (s *State) target(p *Packet) Target {
	return s.resolve(addressCode{p.Form, p.Entry, p.IS1}, p.Address, p.AddressBits)
}

func (s *State) resolve(code addressCode, address uint64, bits uint8) Target {
	if code.form == ExactMatch {
		return s.History[code.entry]
	}
	return Target{Address: decode.Merge(s.History[0].Address, address, bits), IS1: code.is1}
}

// push makes t the newest entry, and drops the oldest.
func (s *State) push(t Target) {
	s.History = [historyEntries]Target{t, s.History[0], s.History[1]}
}

// Cycles returns the count of a cycle count packet, which has one.
func (s *State) Cycles(p *Packet) uint64 {
	return uint64(s.Threshold) + uint64(p.Cycles.Value)
}

// timestampBits is how many bits of a timestamp so many bytes have.
func timestampBits(n uint8) uint8 {
	if n == maxTimestampBytes {
		return 64
	}
	return 7 * n
}
