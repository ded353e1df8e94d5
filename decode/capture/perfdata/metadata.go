package perfdata

import (
	"fmt"
	"slices"
)

// coreSight is the kind of AUXTRACE_INFO that is read.
const coreSight = 3

// auxKinds are the kinds of AUXTRACE_INFO (§4).
var auxKinds = []string{
	"unknown", "Intel PT", "Intel BTS", "CoreSight", "Arm SPE", "s390 CPU sampling", "HiSilicon PTT",
}

// newestVersion is that of the newest metadata that are known.
const newestVersion = 2

// Beginnings of the blocks of trace units (§4).
const (
	blockETMv3 = 0x3030303030303030
	blockETMv4 = 0x4040404040404040
	blockETE   = 0x5050505050505050
)

// Names of what a block has, where the reader looks at it.
const (
	regETMIDR     = "ETMIDR"
	regETMTraceID = "ETMTRACEIDR"
	regTraceID    = "TRCTRACEIDR"
	regDevArch    = "TRCDEVARCH"
	timestamps    = "TS_SOURCE" // no register
)

// parameters are what a block has, in order.
var parameters = map[uint64][]string{
	blockETMv3: {"ETMCR", regETMTraceID, "ETMCCER", regETMIDR},
	blockETMv4: {"TRCCONFIGR", regTraceID, "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8", "TRCAUTHSTATUS", timestamps},
	blockETE: {
		"TRCCONFIGR", regTraceID, "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8", "TRCAUTHSTATUS", regDevArch, timestamps,
	},
}

// oldParameters are how many of them a block of version 0 has.
var oldParameters = map[uint64]uint64{blockETMv3: 4, blockETMv4: 7}

// metadata takes in AUXTRACE_INFO.
func (r *reader) metadata(body []byte) error {
	if r.hasMetadata {
		return r.bad(r.offset, "describes its trace a second time (AUXTRACE_INFO)", "take one recording a file")
	}
	r.hasMetadata = true
	f := fields{b: body}
	if kind := f.u32(); kind != coreSight {
		return r.otherTrace(kind)
	}
	f.u32() // reserved
	m := &r.f.Metadata
	var units uint64
	m.Version, units, m.Snapshot = f.u64(), f.u64(), f.u64() == 1
	m.PMU, units = uint32(units>>32), units&0xFFFFFFFF
	if f.short {
		return r.bad(r.offset, "ends inside the description of its trace (AUXTRACE_INFO)", recordAgain)
	}
	if m.Version > newestVersion {
		r.note("%s: metadata have the unknown version %d: they are read by their counts", r.w.part.Name, m.Version)
	}
	for range units {
		if err := r.block(&f); err != nil {
			return err
		}
	}
	if len(f.b) > 0 {
		r.note("%s: %d bytes follow the last CPU's registers, and are left out", r.w.part.Name, len(f.b))
	}
	if len(m.CPUs) == 0 {
		return r.bad(r.offset, "describes no CPU whose trace is known (AUXTRACE_INFO)", recordAgain)
	}
	return nil
}

// otherTrace returns the error of a recording that is not of CoreSight.
func (r *reader) otherTrace(kind uint32) error {
	name := fmt.Sprintf("kind %d", kind)
	if kind < uint32(len(auxKinds)) {
		name = auxKinds[kind]
	}
	e := r.bad(r.offset, "holds trace of "+name+", not of CoreSight", recordTrace)
	e.Err = ErrNoTrace
	return e
}

// block takes in the block of a CPU.
func (r *reader) block(f *fields) error {
	m := &r.f.Metadata
	kind, number := f.u64(), f.u64()
	count, known := oldParameters[kind]
	if m.Version > 0 {
		count, known = f.u64(), true
	}
	switch {
	case f.short || known && count > uint64(len(f.b)/8):
		return r.bad(r.offset, "ends inside the registers of a CPU (AUXTRACE_INFO)", recordAgain)
	case !known:
		return r.bad(r.offset, fmt.Sprintf("has registers of an unknown trace unit (%#x, version 0)", kind),
			"record it with a newer perf")
	case number > mostCPU:
		return r.bad(r.offset, fmt.Sprintf("describes a CPU %d, which cannot be (AUXTRACE_INFO)", number), recordAgain)
	case m.find(int16(number)) != nil:
		return r.bad(r.offset, fmt.Sprintf("describes CPU %d twice (AUXTRACE_INFO)", number), recordAgain)
	}
	values := f.take(int(8 * count))
	if parameters[kind] == nil {
		r.note("%s: CPU %d has an unknown trace unit (%#x): its trace has no registers", r.w.part.Name, number, kind)
		return nil
	}
	m.CPUs = append(m.CPUs, newCPU(kind, int16(number), values))
	return nil
}

// newCPU returns a CPU with a block of that kind and these parameters.
func newCPU(kind uint64, number int16, values []byte) CPU {
	c := CPU{CPU: number}
	for f := (fields{b: values}); len(c.Registers) < len(parameters[kind]) && len(f.b) > 0; {
		name, v := parameters[kind][len(c.Registers)], f.u64()
		if name == timestamps { // the last one
			c.Timestamp = timestampSource(v)
			break
		}
		c.Registers = append(c.Registers, Register{name, v})
	}
	c.Kind = c.kind(kind)
	return c
}

// kind returns the architecture of a trace unit. TRCDEVARCH decides between ETMv4 and ETE: not
// every writer keeps the block's beginning to it.
func (c *CPU) kind(block uint64) Kind {
	if block == blockETMv3 {
		if id, _ := c.Register(regETMIDR); id>>8&0xF == 3 {
			return PTM
		}
		return ETMv3
	}
	if arch, _ := c.Register(regDevArch); arch&0xFFF == 0xA13 && arch>>12&0xF >= 5 {
		return ETE
	}
	return ETMv4
}

// Register returns the value of the register of that name, if the file has it.
func (c *CPU) Register(name string) (uint64, bool) {
	i := slices.IndexFunc(c.Registers, func(reg Register) bool { return reg.Name == name })
	if i < 0 {
		return 0, false
	}
	return c.Registers[i].Value, true
}

func timestampSource(v uint64) TimestampSource {
	switch v {
	case 0:
		return VirtualCounter
	case 1:
		return PhysicalCounter
	}
	return UnknownTimestamps
}

// find returns the CPU of that number, or nil.
func (m *Metadata) find(number int16) *CPU {
	i := slices.IndexFunc(m.CPUs, func(c CPU) bool { return c.CPU == number })
	if i < 0 {
		return nil
	}
	return &m.CPUs[i]
}
