package perfdata

// Bits of misc, by the record's type (§3).
const (
	miscExec     = 1 << 13 // COMM, FORK
	miscOut      = 1 << 13 // SWITCH
	miscData     = 1 << 13 // MMAP: not to be executed
	miscBuildID  = 1 << 14 // MMAP2
	protExec     = 4       // MMAP2
	unregistered = 1       // KSYMBOL
)

// event takes in a record of the kernel that changes what processes there are or what code.
func (r *reader) event(rec *record, f *fields, s stamp) error {
	e := Event{Time: s.time, PID: s.pid, TID: s.tid, OtherPID: -1, OtherTID: -1, CPU: s.cpu, Kind: EventKind(rec.kind)}
	bytes := r.bytes
	switch rec.kind {
	case recordMap, recordMap2:
		e.Kind = MapEvent
		r.mapped(rec, f, &e)
	case recordComm:
		e.PID, e.TID = f.i32(), f.i32()
		e.Index, e.Exec = r.name(f.text()), rec.misc&miscExec != 0
	case recordFork, recordExit:
		e.PID, e.OtherPID, e.TID, e.OtherTID = f.i32(), f.i32(), f.i32(), f.i32()
		e.Exec = rec.kind == recordFork && rec.misc&miscExec != 0
	case recordTraceStart:
		e.PID, e.TID = f.i32(), f.i32()
	case recordSwitchCPUWide:
		e.OtherPID, e.OtherTID = f.i32(), f.i32()
		e.Out = rec.misc&miscOut != 0
	case recordSwitch:
		e.Out = rec.misc&miscOut != 0
	case recordSymbol:
		r.symbol(f, &e)
	case recordPoke:
		r.poke(f, &e)
	}
	if f.short {
		return nil
	}
	r.f.Events = append(r.f.Events, e)
	return r.keep(r.bytes - bytes)
}

// mapped takes in MMAP or MMAP2.
func (r *reader) mapped(rec *record, f *fields, e *Event) {
	e.PID, e.TID = f.i32(), f.i32()
	m := Map{Addr: f.u64(), Size: f.u64(), FileOffset: f.u64(), Mode: modeOf(rec.misc), Executable: rec.misc&miscData == 0}
	var id string
	if rec.kind == recordMap2 {
		file := fields{b: f.take(24)} // of which file, or its build ID
		if rec.misc&miscBuildID != 0 && !f.short {
			size := file.u8()
			file.take(3)
			id = trimID(file.b, size)
		}
		m.Executable = f.u32()&protExec != 0
		f.u32() // flags
	}
	if f.short {
		return
	}
	m.Name, m.BuildID = r.name(f.text()), r.name([]byte(id))
	e.Index = uint32(len(r.f.Maps))
	r.f.Maps = append(r.f.Maps, m)
}

// symbol takes in KSYMBOL.
func (r *reader) symbol(f *fields, e *Event) {
	sym := Symbol{Addr: f.u64(), Size: f.u32(), Type: f.u16(), Unregister: f.u16()&unregistered != 0}
	if f.short {
		return
	}
	sym.Name = r.name(f.text())
	e.Index = uint32(len(r.f.Symbols))
	r.f.Symbols = append(r.f.Symbols, sym)
}

// poke takes in TEXT_POKE.
func (r *reader) poke(f *fields, e *Event) {
	p := Poke{Addr: f.u64()}
	before, after := int(f.u16()), int(f.u16())
	old, now := f.take(before), f.take(after)
	if f.short {
		return
	}
	p.Old, p.New = append(p.Old, old...), append(p.New, now...)
	r.bytes += before + after
	e.Index = uint32(len(r.f.Pokes))
	r.f.Pokes = append(r.f.Pokes, p)
}

// timeConversion takes in TIME_CONV (§8).
func (r *reader) timeConversion(f *fields) {
	c := TimeConversion{Shift: f.u64(), Multiplier: f.u64(), Zero: f.u64()}
	if f.short {
		return
	}
	if more := (fields{b: f.b}); len(more.b) >= 18 {
		c.Cycles, c.Mask = more.u64(), more.u64()
		more.u8() // of the zero, which is there
		c.Short = more.u8() != 0
	}
	r.f.Conversion = &c
}

// Nanoseconds returns the time of records at a value of the counter.
func (c *TimeConversion) Nanoseconds(ticks uint64) uint64 {
	if c.Short {
		ticks = c.Cycles + (ticks-c.Cycles)&c.Mask
	}
	whole, part := ticks>>c.Shift, ticks&(1<<c.Shift-1)
	return c.Zero + whole*c.Multiplier + part*c.Multiplier>>c.Shift
}
