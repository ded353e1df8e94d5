package process

// A Timeline knows what was where at which time. It does not change and is safe for concurrent
// use. All its questions take time as the logarithm of the events.
type Timeline struct {
	pids  history[int32]  // by thread
	names history[string] // by thread
	runs  history[run]    // by CPU
	maps  history[*Maps]  // by process
}

// A run is the thread that a CPU runs, if one is known.
type run struct {
	tid   int32
	known bool
}

// New returns the timeline of events, which are in the order of time: those of one time hold in
// the order that they have.
func New(events []Event) *Timeline {
	t := &Timeline{}
	for i := range events {
		t.add(&events[i])
	}
	t.pids.seal()
	t.names.seal()
	t.runs.seal()
	t.maps.seal()
	return t
}

// add takes the next event.
func (t *Timeline) add(e *Event) {
	if e.PID != KernelPID {
		t.pids.set(e.TID, e.Time, e.PID)
	}
	switch e.Kind {
	case Mapped:
		t.addMap(e)
	case Forked, Synthesized:
		t.fork(e)
	case Executed:
		t.maps.set(e.PID, e.Time, nil)
		t.names.set(e.TID, e.Time, e.Name)
	case Named:
		t.names.set(e.TID, e.Time, e.Name)
	case SwitchedIn:
		t.runs.set(e.CPU, e.Time, run{e.TID, true})
	case SwitchedOut:
		t.switchOut(e)
	}
}

// addMap adds a map to those its process has: to the same Maps if they are its own and of the
// same time.
func (t *Timeline) addMap(e *Event) {
	now := t.maps.now[e.PID]
	if !e.Executable || e.Map.End() == e.Map.Address || now.has(&e.Map) {
		return
	}
	record := e.Map
	if now == nil || now.pid != e.PID || now.time != e.Time || now.shared {
		before := now
		now = &Maps{number: uint32(len(t.maps.changes)), pid: e.PID, time: e.Time}
		if before != nil {
			now.root = before.root
		}
		t.maps.set(e.PID, e.Time, now)
	}
	now.add(&record)
}

// fork begins a process or a thread, which has the name of the thread that made it.
func (t *Timeline) fork(e *Event) {
	if name, ok := t.names.now[e.ParentTID]; ok {
		t.names.set(e.TID, e.Time, name)
	}
	if e.PID == e.Parent {
		return
	}
	var maps *Maps
	if e.Kind == Forked {
		if maps = t.maps.now[e.Parent]; maps != nil {
			maps.shared = true
		}
	}
	t.maps.set(e.PID, e.Time, maps)
}

// switchOut leaves a CPU without a known thread. The first event of a CPU also says who ran
// there before.
func (t *Timeline) switchOut(e *Event) {
	if _, ok := t.runs.now[e.CPU]; !ok {
		t.runs.set(e.CPU, 0, run{e.TID, true})
	}
	t.runs.set(e.CPU, e.Time, run{})
}

// PID returns the process of a thread at a time, which before the first event of the thread is
// that of this event. It is false for a thread without an event.
func (t *Timeline) PID(tid int32, time uint64) (pid int32, ok bool) {
	return t.pids.atOrFirst(tid, time)
}

// At returns the maps of the process of a thread at a time, with those of that very time. Equal
// maps of one process, and of its forks as long as neither changes them, are the same pointer.
// They are nil if nothing is known to be mapped.
func (t *Timeline) At(tid int32, time uint64) *Maps {
	pid, ok := t.PID(tid, time)
	if !ok {
		return nil
	}
	maps, _ := t.maps.at(pid, time)
	return maps
}

// Kernel returns the maps of the kernel and its modules at a time, as [Timeline.At] does.
func (t *Timeline) Kernel(time uint64) *Maps {
	maps, _ := t.maps.at(KernelPID, time)
	return maps
}

// Name returns the name of a thread at a time, which before it was first named is the first
// one, or "". The name of a process is that of the thread with its number.
func (t *Timeline) Name(tid int32, time uint64) string {
	name, _ := t.names.atOrFirst(tid, time)
	return name
}

// Ran returns the thread that a CPU runs at a time: 0 is the idle one. It is false if switches
// do not tell.
func (t *Timeline) Ran(cpu int32, time uint64) (tid int32, ok bool) {
	r, _ := t.runs.at(cpu, time)
	return r.tid, r.known
}
