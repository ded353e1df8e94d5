package perfdata

import "slices"

// Fields of trace IDs (§5).
const (
	idBits      = 0x7F
	firstNoID   = 0x70
	unusedID    = 1 << 31 // in the metadata
	majorShift  = 60
	minorShift  = 56
	sinkShift   = 8
	minorSinkID = 1 // from this minor version on a sink is told
)

// A cpuTraceID is a trace ID of a CPU.
type cpuTraceID struct {
	cpu int16
	id  TraceID
}

// hardwareID takes in AUX_OUTPUT_HW_ID.
func (r *reader) hardwareID(f *fields, s stamp) error {
	v := f.u64()
	id := TraceID{ID: uint8(v)}
	if v>>minorShift&0xF >= minorSinkID {
		id.Sink = uint32(v >> sinkShift)
	}
	switch {
	case f.short:
		return nil
	case v>>majorShift != 0:
		r.odd(otherHardwareIDs, 0)
		return nil
	case id.ID == 0 || id.ID >= firstNoID || s.cpu < 0:
		r.odd(invalidHardwareIDs, 0)
		return nil
	}
	r.ids[s.cpu] = id
	if known := (cpuTraceID{s.cpu, id}); !r.seenIDs[known] {
		r.seenIDs[known] = true
		r.allIDs[s.cpu] = append(r.allIDs[s.cpu], id)
	}
	return r.keep(0)
}

// assignIDs gives CPUs their trace IDs, and the pieces without one that of their CPU.
func (r *reader) assignIDs() {
	first := map[int16]TraceID{}
	for i := range r.f.Metadata.CPUs {
		c := &r.f.Metadata.CPUs[i]
		if c.TraceIDs = r.idsOf(c); len(c.TraceIDs) > 0 {
			first[c.CPU] = c.TraceIDs[0]
		}
	}
	for i := range r.f.Pieces {
		if p := &r.f.Pieces[i]; p.TraceID == 0 {
			p.TraceID, p.Sink = first[p.CPU].ID, first[p.CPU].Sink
		}
	}
}

// idsOf returns the trace IDs of a CPU: as the kernel told them, else as the metadata have them.
func (r *reader) idsOf(c *CPU) []TraceID {
	name := regTraceID
	if c.Kind == ETMv3 || c.Kind == PTM {
		name = regETMTraceID
	}
	v, ok := c.Register(name)
	id := TraceID{ID: uint8(v & idBits)}
	valid := ok && id.ID != 0 && id.ID < firstNoID
	static := valid && v&unusedID == 0
	told := r.allIDs[c.CPU]
	switch {
	case len(told) > 0:
		if static && !slices.ContainsFunc(told, func(t TraceID) bool { return t.ID == id.ID }) {
			r.note("CPU %d has trace ID %#02x in the metadata and %#02x by the kernel, which holds",
				c.CPU, id.ID, told[0].ID)
		}
		return told
	case static, valid && len(r.allIDs) == 0: // an old kernel under a new perf
		return []TraceID{id}
	}
	r.note("CPU %d has no trace ID: its trace in CoreSight frames is nobody's", c.CPU)
	return nil
}
