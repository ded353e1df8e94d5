package perfdata

import (
	"cmp"
	"fmt"
	"slices"
)

// A Session is perf while it records. Each of its methods is something that happens, a moment after
// the one before.
type Session struct {
	Version   int // of the metadata
	Snapshot  bool
	RingBytes int  // of the rings of snapshots; 0: what is traced fits
	PerThread bool // each thread has a ring, not each CPU
	// HardwareIDs has records say the trace IDs, and not the metadata; with Sinks an ID is unique
	// among the CPUs of one sink.
	HardwareIDs, Sinks bool
	Simpleperf         bool

	now     uint64
	cpus    []CPU
	sinks   map[int]uint32
	told    map[int]bool // CPUs whose trace ID a record has said
	rings   []*Ring
	seen    map[thread]bool // what has been traced
	records []Record
	ids     []BuildID
}

// A thread is one on a CPU.
type thread struct{ cpu, tid uint32 }

// The clock of a session in ns: when it starts, and how far apart things are.
const (
	sessionStart = 1_000_000_000
	sessionTick  = 1000
)

// The IDs of the events for the first ring: cs_etm, and the one that tells what is mapped.
const (
	traceEvent = 0x100
	tellEvent  = 0x200
)

// AddCPU adds a CPU whose trace goes to a sink, unless there is one of that number. It fails if that
// has other registers: a CPU has one trace unit.
func (s *Session) AddCPU(c CPU, sink uint32) error {
	if s.sinks == nil {
		s.sinks, s.told, s.seen = map[int]uint32{}, map[int]bool{}, map[thread]bool{}
	}
	for _, other := range s.cpus {
		if other.Number != c.Number {
			continue
		}
		if other.Magic != c.Magic || !slices.Equal(other.Parameters, c.Parameters) {
			return fmt.Errorf("perfdata: CPU %d has trace units with registers %#x and %#x", c.Number, other.Parameters, c.Parameters)
		}
		return nil
	}
	s.cpus = append(s.cpus, c)
	s.sinks[c.Number] = sink
	return nil
}

// Now is the time of what happened last, in ns.
func (s *Session) Now() uint64 { return sessionStart + s.now*sessionTick }

// Add adds a record at the time that comes next.
func (s *Session) Add(r Record, at Stamp) {
	s.now++
	at.Time = s.Now()
	s.records = append(s.records, r.At(at))
}

// tell adds a record of the event that tells what a thread does.
func (s *Session) tell(r Record, pid, tid uint32) {
	s.Add(r, Stamp{PID: pid, TID: tid, ID: tellEvent})
}

// Exec has a process execute a program: what it had mapped is gone.
func (s *Session) Exec(pid uint32, comm string) { s.tell(Comm(pid, pid, comm, true), pid, pid) }

// Fork has a process make another.
func (s *Session) Fork(child, parent uint32) {
	s.now++ // the time is in the record, too
	t := Task{child, parent, child, parent}
	s.records = append(s.records, t.Fork(s.Now()).At(Stamp{PID: parent, TID: parent, Time: s.Now(), ID: tellEvent}))
}

// Thread has a process make a thread.
func (s *Session) Thread(pid, tid uint32, comm string) {
	s.now++
	t := Task{pid, pid, tid, pid}
	s.records = append(s.records, t.Fork(s.Now()).At(Stamp{PID: pid, TID: pid, Time: s.Now(), ID: tellEvent}))
	s.tell(Comm(pid, tid, comm, false), pid, tid)
}

// Exit ends a process.
func (s *Session) Exit(pid uint32) {
	s.now++
	t := Task{pid, pid, pid, pid}
	s.records = append(s.records, t.Exit(s.Now()).At(Stamp{PID: pid, TID: pid, Time: s.Now(), ID: tellEvent}))
}

// Map has a process map a file.
func (s *Session) Map(m Map) { s.tell(m.MMAP2(), m.PID, m.TID) }

// Present says what a process had mapped before the recording began.
func (s *Session) Present(m Map) { s.records = append(s.records, m.MMAP2()) }

// MapKernel says where the kernel or a module was before the recording began.
func (s *Session) MapKernel(m Map) {
	m.PID, m.TID = KernelPID, 0
	s.records = append(s.records, m.MMAP())
}

// BuildID puts a build ID among those that the file lists when the recording ends.
func (s *Session) BuildID(id BuildID) { s.ids = append(s.ids, id) }

// A Run is what a trace unit traced while a thread ran on its CPU.
type Run struct {
	CPU, PID, TID uint32
	Trace         []byte
	Flags         uint64 // AUXRaw if the trace has no frames
}

// Trace has the trace unit of a CPU trace a run, which ends now.
func (s *Session) Trace(r Run) {
	ring := s.ring(r.CPU, r.TID)
	at := Stamp{PID: r.PID, TID: r.TID, CPU: r.CPU, ID: traceEvent + uint64(ring.Index)}
	s.sayID(at)
	if t := (thread{r.CPU, r.TID}); !s.seen[t] {
		s.seen[t] = true
		s.Add(ITraceStart(r.PID, r.TID), at)
	}
	s.Add(ring.AUX(r.Trace, r.Flags), at)
	if s.Snapshot {
		s.Read()
	}
}

// sayID has a record say the trace ID of a CPU, once.
func (s *Session) sayID(at Stamp) {
	n := int(at.CPU)
	if !s.HardwareIDs || s.told[n] {
		return
	}
	s.told[n] = true
	for i := range s.cpus {
		if c := &s.cpus[i]; c.Number == n {
			r := HardwareID(uint8(c.Parameters[TraceIDParameter]))
			if s.Sinks {
				r = SinkID(uint8(c.Parameters[TraceIDParameter]), s.sinks[n])
			}
			s.Add(r, at)
		}
	}
}

// ring is the ring of a CPU or thread.
func (s *Session) ring(cpu, tid uint32) *Ring {
	if s.PerThread {
		cpu = NoCPU
	} else {
		tid = NoCPU
	}
	for _, r := range s.rings {
		if r.CPU == cpu && r.TID == tid {
			return r
		}
	}
	r := &Ring{Index: uint32(len(s.rings)), CPU: cpu, TID: tid, Snapshot: s.Snapshot, Bytes: s.RingBytes}
	s.rings = append(s.rings, r)
	return r
}

// Read has perf read all rings.
func (s *Session) Read() {
	for _, r := range s.rings {
		if len(r.left) > 0 {
			s.records = append(s.records, r.Read())
		}
	}
	s.records = append(s.records, FinishedRound())
}

// Recording ends the session.
func (s *Session) Recording() (*Recording, error) {
	s.Read()
	ids, err := BuildIDs(s.ids...)
	if err != nil {
		return nil, err
	}
	r := &Recording{
		Metadata:   Metadata{Version: s.Version, Snapshot: s.Snapshot, CPUs: s.metadata()},
		SampleType: SampleIP | SampleTID | SampleTime | SampleCPU | SampleIdentifier,
		Records:    s.records, Simpleperf: s.Simpleperf,
		Features: map[int][]byte{
			FeatureHostname: String("bench"), FeatureOSRelease: String("6.1.0"), FeatureVersion: String("6.1"),
			FeatureArch: String("aarch64"), FeatureCommandLine: Strings("perf", "record", "-e", "cs_etm//"),
			FeaturePMUMappings: PMUMappings(), FeatureBuildID: ids,
		},
		IDs: [][]uint64{nil, nil},
	}
	for _, ring := range s.rings {
		r.IDs[0] = append(r.IDs[0], traceEvent+uint64(ring.Index))
		r.IDs[1] = append(r.IDs[1], tellEvent+uint64(ring.Index))
	}
	if s.PerThread && !s.HardwareIDs {
		r.SampleType &^= SampleCPU // perf of those years joins AUX and AUXTRACE of a thread only without
	}
	if s.Simpleperf {
		r.IDs = [][]uint64{slices.Concat(r.IDs...)}
		r.SampleType = SampleIP | SampleTID | SampleTime | SampleID | SampleCPU | SamplePeriod
	}
	return r, nil
}

// metadata are the CPUs in ascending order.
func (s *Session) metadata() []CPU {
	cpus := slices.Clone(s.cpus)
	slices.SortFunc(cpus, func(a, b CPU) int { return cmp.Compare(a.Number, b.Number) })
	for i := range cpus {
		if s.HardwareIDs {
			cpus[i].Parameters = slices.Clone(cpus[i].Parameters)
			cpus[i].Parameters[TraceIDParameter] |= UnusedID
		}
	}
	return cpus
}
