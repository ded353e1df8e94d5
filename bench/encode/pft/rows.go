package pft

import (
	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/truth"
	codec "github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// sentPacket is a packet that rows are made of: its position in the stream, and the
// cycles it counts, NULL if it counts none or its count means nothing.
type sentPacket struct {
	offset int64
	cycles schema.Null[uint32]
	kind   schema.CountKind
}

// rowWriter makes rows of packets.
type rowWriter struct {
	encode.Recorder
	vmidTraced bool // there was a VMID packet
}

// instructions enters instructions. The cycles are those of the last one, a
// waypoint.
func (t *rowWriter) instructions(waiting []waiting, by sentPacket) {
	for i := range waiting {
		w := &waiting[i]
		var cycles schema.Null[uint32]
		if i == len(waiting)-1 {
			t.count(by)
			cycles = by.cycles
		}
		t.Instruction(by.offset, w.at, &w.instruction, w.executed, cycles)
		if w.returned.OK {
			t.Security = w.returned.V.Security
			t.Context(by.offset, schema.Of(w.returned.V.ISA))
		}
	}
}

// count adds the cycles of a packet, if it has any, to the epoch.
func (t *rowWriter) count(by sentPacket) {
	if by.cycles.OK {
		t.Cycle.V += int64(by.cycles.V)
		t.Count(t.Key(by.offset), by.kind, int64(by.cycles.V))
	}
}

// entry enters an exception entry; x has the columns that rows do not share.
func (t *rowWriter) entry(by sentPacket, x truth.Exception) {
	t.count(by)
	x.Event, x.Cycles = schema.ExceptionEntry, by.cycles
	t.Exception(by.offset, x)
}

// isync enters an I-sync. The first I-sync after an A-sync is a cut. A periodic one is
// a restart only at the start of what is left of a stream.
func (t *rowWriter) isync(by sentPacket, p *codec.Packet, cut bool) {
	first := false
	if cut {
		t.vmidTraced = t.vmidTraced && !t.Begins()
		first = t.Cut(by.offset, schema.Of(p.Address), p.Reason)
	}
	if first || p.Reason != schema.ISyncPeriodic {
		count := encode.GapCount{V: int64(by.cycles.V), OK: by.cycles.OK}
		t.Restart(by.offset, p.Reason, schema.Of(p.Address), schema.Null[encode.GapCount]{V: count, OK: p.HasCycles})
	}
}
