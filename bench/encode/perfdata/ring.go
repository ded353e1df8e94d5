package perfdata

// Flags of AUX records.
const (
	AUXTruncated = 1 << iota
	AUXOverwrite
	AUXPartial
	AUXCollision
	// AUXRaw says that the trace is that of one source, without frames.
	AUXRaw = 0x100
)

// NoCPU is the CPU of the ring of a thread.
const NoCPU = 0xFFFFFFFF

// A Ring is a buffer that the kernel writes trace to, and perf reads it from. Its zero value but
// for the first fields is an empty one.
type Ring struct {
	Index    uint32
	CPU, TID uint32 // CPU is [NoCPU] of the ring of a thread, else TID is NoCPU
	Snapshot bool   // it is read when somebody asks for it, and AUX tells ends
	// Bytes, if not 0, is how many a ring of snapshots has. A run that is longer leaves its last ones.
	Bytes int

	end  uint64 // of what was written, in bytes since ever
	left []byte // what was not read
}

// AUX writes what a run of a trace unit has left, and is the record that tells so.
func (r *Ring) AUX(trace []byte, flags uint64) Record {
	start := r.end
	r.end += uint64(len(trace))
	at := start
	kept := trace
	if r.Snapshot {
		at, flags = r.end, flags|AUXOverwrite
		if r.Bytes > 0 {
			kept = trace[max(0, len(trace)-r.Bytes):]
		}
	}
	r.left = append(r.left, kept...)
	return Record{Type: TypeAUX, Body: words(at, uint64(len(trace)), flags)}
}

// Lose is the record of a run whose trace, of so many bytes, nobody reads. What was written before
// has to be read first.
func (r *Ring) Lose(size, flags uint64) Record {
	r.end += size
	return Record{Type: TypeAUX, Body: words(r.end-size, size, flags)}
}

// Read is the record AUXTRACE with all that was written since the last one.
func (r *Ring) Read() Record {
	trace := r.left
	r.left = nil
	size := (uint64(len(trace)) + 7) &^ 7
	body := append(words(size, r.end-uint64(len(trace)), 0), halves(r.Index, r.TID, r.CPU, 0)...)
	return Record{Type: TypeAUXTrace, Body: body, Payload: trace}
}
