package etmv4

import (
	"io"

	"github.com/tracelake/tracelake/decode"
)

// The payloads of one kind of packet each.

// maxControls is how many bytes of PLCTL are read at most.
const maxControls = 4

// fields are the sections in their order.
func (s *TraceInfoSections) fields() [5]*Field {
	return [...]*Field{&s.Info, &s.Key, &s.Spec, &s.Threshold, &s.Window}
}

func (s *TraceInfoSections) parse(r *reader) {
	for follow := true; follow; s.Controls++ {
		if s.Controls == maxControls {
			r.bad("a Trace Info with more than four control bytes")
			return
		}
		x := r.byte()
		if s.Controls == 0 {
			s.Has = x & hasAll
		}
		follow = x&more != 0
	}
	for i, f := range s.fields() {
		if s.Has>>i&1 != 0 {
			*f = r.field(maxFieldBytes)
		}
	}
}

// The longest timestamp has eight bits in its last byte.
const maxTimestampBytes = 9

func (c *Config) parseTimestamp(p *Packet, r *reader) {
	t, n := decode.TimestampCode{Bits: 64}.Parse(r.b[1:])
	if n == 0 {
		r.fail(io.ErrUnexpectedEOF)
		return
	}
	r.n += n
	p.Timestamp, p.TimestampBytes = t, uint8(n)
	if p.HasCycles = r.b[0]&1 != 0; p.HasCycles {
		p.Cycles = c.cycles(r)
	}
}

// cycles reads a count of the width of the cycle counter.
func (c *Config) cycles(r *reader) Field {
	f := r.field(maxCyclesBytes)
	f.Value &= 1<<c.CycleBits - 1
	return f
}

// The bytes of an exception: C E1 TYPE[4:0] E0, 0 0 P TYPE[9:5].
const (
	exceptionTypeMask = 0x1f
	exceptionPending  = 1 << 5
)

// Exceptions of an ETE that no return address follows.
const (
	ETEReset              = 0
	ETETransactionFailure = 24
)

// eteForm is the third byte of these.
const eteForm = 0x70

func (c *Config) parseException(p *Packet, r *reader) {
	x := r.byte()
	p.Return = Return(x>>5&2 | x&1)
	p.Exception = uint16(x >> 1 & exceptionTypeMask)
	if p.Long = x&more != 0; p.Long {
		y := r.byte()
		p.Pending = y&exceptionPending != 0
		p.Exception |= uint16(y&exceptionTypeMask) << 5
	} else if c.withoutReturn(p) {
		r.byte()
	}
}

// withoutReturn reports whether p is one of the exceptions of an ETE that no return address
// follows.
func (c *Config) withoutReturn(p *Packet) bool {
	return c.ETE && p.Kind == Exception && (p.Exception == ETEReset || p.Exception == ETETransactionFailure)
}

// AwaitsAddress reports whether the next address packet tells an address of p: of an
// exception the preferred return address, of a Q packet where it ends.
func (c *Config) AwaitsAddress(p *Packet) bool {
	switch p.Kind {
	case Exception:
		return p.Return != ReturnNone && !c.withoutReturn(p)
	case Q:
		return p.Form == NoAddress
	default:
		return false
	}
}

// The headers of cycle counts.
const (
	headerCycles2 = 0x0c
	headerCycles1 = 0x0e
	headerCycles3 = 0x10
)

// parseCycleCount reads a cycle count. It commits P0 elements unless COMMOPT says that
// none does.
func (c *Config) parseCycleCount(p *Packet, r *reader) {
	h := r.b[0]
	p.HasCycles, p.HasCount = true, !c.CommOpt
	var commits int64 // beside a field
	switch {
	case h < headerCycles1:
		x := r.byte()
		p.Format, p.FromMax = 2, h&1 != 0
		p.Cycles.Value, commits = uint32(x&0xf), int64(x>>4)+1
		if p.FromMax {
			commits = int64(x>>4) + int64(c.MaxSpec) - 15
		}
	case h < headerCycles3:
		p.Format, p.HasCycles = 1, h&1 == 0
		if p.HasCount {
			p.Count = r.field(maxFieldBytes)
			commits = int64(p.Count.Value)
		}
		if p.HasCycles {
			p.Cycles = c.cycles(r)
		}
	default:
		p.Format = 3
		p.Cycles.Value, commits = uint32(h&3), int64(h>>2&3)+1
	}
	if !p.HasCount {
		return
	}
	if commits < 0 || commits > 1<<32-1 {
		r.bad("a cycle count that commits a number of elements that cannot be")
		return
	}
	p.Count.Value = uint32(commits)
}

// The headers of commits, cancels and mispredicts.
const (
	headerCommit     = 0x2d
	headerCancel1    = 0x2e
	headerMispredict = 0x30
	headerCancel2    = 0x34
	headerCancel3    = 0x38
)

// parseSpeculation reads a commit, a cancel or a mispredict. What they do, in this order:
// the atoms, then the cancelling, then the mispredict.
func (p *Packet) parseSpeculation(r *reader) {
	h := r.b[0]
	switch {
	case h == headerCommit:
		p.Count = r.field(maxFieldBytes)
	case h < headerMispredict:
		p.Format, p.Mispredict = 1, h&1 != 0
		p.Count = r.field(maxFieldBytes)
	case h < headerCancel3:
		p.Mispredict = true
		a := fewAtoms[h&3]
		p.Atoms, p.AtomCount = a.atoms, a.count
		if h >= headerCancel2 {
			p.Format, p.Count.Value = 2, 1
		}
	default:
		p.Mispredict, p.Format = true, 3
		p.Count.Value = uint32(h>>1&3) + 2
		p.Atoms, p.AtomCount = uint32(h&1), h&1
	}
}
