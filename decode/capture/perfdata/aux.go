package perfdata

import "math"

// mostTrace is more bytes than one record can tell of, and few enough to be added up.
const mostTrace = 1 << 38

// Bits of an AUX record's flags (§6).
const (
	auxFlags   = 0xF
	auxFormat  = 0xFF00
	formatRaw  = 0x100
	noThread   = -1
	roundingUp = 7 // most bytes that fill an AUXTRACE
)

// An auxtrace is the trace of an AUXTRACE record.
type auxtrace struct {
	ring        int32
	part        int16
	at          int64  // where it is in the part
	size        int64  // bytes there
	from        uint64 // its first byte in the ring's count
	taken       uint64 // where in that count the last piece ended
	piecesSoFar int    // how many AUX records are before it
	record      int64  // offset in the part
}

func (t *auxtrace) end() uint64 { return t.from + uint64(t.size) }

// aux takes in AUX: a piece whose Offset is still that in its ring.
func (r *reader) aux(f *fields, s stamp) error {
	offset, size, flags := f.u64(), f.u64(), f.u64()
	if f.short {
		return nil
	}
	if size > mostTrace || offset > math.MaxInt64-mostTrace {
		r.odd(impossibleAUX, 0)
		return nil
	}
	if format := flags & auxFormat; format != 0 && format != formatRaw {
		r.odd(otherFormats, 0)
	}
	id := r.ids[s.cpu]
	r.f.Pieces = append(r.f.Pieces, Piece{
		Time: s.time, PID: s.pid, TID: s.tid, CPU: s.cpu,
		Part: r.part, Ring: -1, Offset: int64(offset), Size: int64(size),
		Flags: PieceFlags(flags & auxFlags), Raw: flags&auxFormat == formatRaw, TraceID: id.ID, Sink: id.Sink,
	})
	return r.keep(0)
}

// auxtrace takes in AUXTRACE, behind which its trace is.
func (r *reader) auxtrace(rec *record, f *fields) {
	size, offset := f.u64(), f.u64()
	f.u64() // reference
	ring := Ring{Index: f.u32(), TID: f.i32(), CPU: cpuNumber(f.u32())}
	if f.short {
		return
	}
	if size > mostTrace || offset > math.MaxInt64-mostTrace {
		r.odd(impossibleAUXTRACE, 0)
		return
	}
	if lost := int64(size) - rec.follows; lost > 0 {
		r.odd(truncatedAUXTRACE, lost)
	}
	r.traces = append(r.traces, auxtrace{
		ring: r.ring(ring), part: r.part, at: r.offset + rec.size, size: rec.follows, from: offset, taken: offset,
		piecesSoFar: len(r.f.Pieces), record: r.offset,
	})
}
