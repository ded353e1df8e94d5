package etmv2

import (
	"encoding/binary"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// This file is the fast path of both passes at once: IE, IN and WT, and on 8 pins
// instructions with a branch address of fewer than five bytes, through code whose blocks
// are cached and linked. It makes what [framer.frame] and [Decoder.status] make of them,
// and leaves all else to those.

// warm walks samples from the next one on, as long as they are warm.
func (d *Decoder) warm() {
	if d.plain || d.packets || !d.rec.Settled() || d.cfg.CycleAccurate || d.cfg.TracesData() || !d.walk.Known() || d.pending || d.context.OK || d.split != (split{}) ||
		d.unplacedRun.active || d.unmapped {
		return
	}
	f, q := d.frames, &d.rec.Segment.Quality
	i := f.at
	view := f.records[i*port.SampleBytes : f.samples*port.SampleBytes]
	owed := f.owedUpTo()
samples:
	for len(view) > 0 {
		n := 1
		switch view[0] & 0xF {
		case StatusIE:
			if n = d.warmPass(view, i); n == 0 {
				break samples
			}
			d.walked()
		case StatusIN:
			if !d.walk.FailSample(&d.rec.Offsets, i) {
				break samples
			}
			d.walked()
		case StatusDE:
			if !d.warmBranch(i) {
				break samples
			}
			owed = f.owedUpTo()
		case StatusWT:
			q.Waits++
			if i >= owed {
				q.WaitsUnowed++
			}
		case StatusTD:
		default:
			break samples
		}
		i += n
		view = view[n*port.SampleBytes:]
	}
	if i > f.at {
		f.at = i
		d.at(i - 1)
	}
}

// owedUpTo returns the first sample from which on no byte is owed.
func (f *framer) owedUpTo() int {
	at := f.pins.At()
	if at.Second {
		return at.Sample + 1
	}
	return at.Sample
}

// warmPass walks the samples of IE that records begin with, of which the first is sample
// i, or the halves of a pair, and returns how many it walked.
func (d *Decoder) warmPass(records []byte, i int) int {
	if n := d.walk.PassSamples(&d.rec.Offsets, i, passed(records)); n > 0 {
		return n
	}
	const second = port.SampleBytes
	if len(records) > second && records[second]&0xF == StatusIE && d.walk.PassPair(&d.rec.Offsets, i+1) {
		return 2
	}
	return 0
}

// passed returns how many samples of IE records begin with: one at least.
func passed(records []byte) int {
	const two = 0xF<<32 | 0xF
	n := port.SampleBytes
	for n+2*port.SampleBytes <= len(records) && binary.LittleEndian.Uint64(records[n:])&two == StatusIE {
		n += 2 * port.SampleBytes
	}
	for n < len(records) && records[n]&0xF == StatusIE {
		n += port.SampleBytes
	}
	return n / port.SampleBytes
}

// warmBranch walks the DE of sample i, if it is an instruction that branches, or an SVC,
// and its group a short branch address. If not, nothing is read.
func (d *Decoder) warmBranch(i int) bool {
	f := d.frames
	if d.cfg.Width != 8 {
		return false
	}
	before := f.pins.At()
	from := i
	if f.cfg.First == FirstNext {
		from++
	}
	f.pins.From(from)
	f.bytes, f.packets = f.bytes[:0], f.packets[:0]
	if f.branch8(i) && d.warmTarget(i, f.packets[0].Branch.Target(d.base)) {
		return true
	}
	f.pins.Seek(before)
	return false
}

// warmTarget walks the instruction of sample i to an address.
func (d *Decoder) warmTarget(i int, to decode.PC) bool {
	state := d.walk.ISA()
	if d.cfg.nearVectors(to) {
		if v, _ := d.cfg.vector(to); v.kind != schema.ExcSVC || !d.warmSVC(i, to, v) {
			return false
		}
	} else {
		returns, ok := d.walk.BranchSample(&d.rec.Offsets, i, to, d.rec.Space())
		if !ok {
			return false
		}
		d.walked()
		if returns {
			d.at(i)
			d.returnIndex = len(d.rec.Result.Exceptions)
			d.rec.Return(d.key())
		}
		d.isa = state
		d.rec.Segment.Quality.IndirectBranch()
	}
	d.base, d.afterBranch = to, true
	return true
}

// warmSVC walks the SVC of sample i to its vector.
func (d *Decoder) warmSVC(i int, to decode.PC, v vector) bool {
	returns := d.walk.PC().Address + 4
	if d.walk.ISA() == schema.T32 {
		returns -= 2
	}
	if !d.walk.SVCSample(&d.rec.Offsets, i, to, d.rec.Space()) {
		return false
	}
	d.walked()
	d.at(i)
	d.rec.Enter(schema.Exception{
		Key: d.key(), Number: v.number, Type: schema.Of(v.kind), Target: schema.Of(to.Address), ReturnAddress: schema.Of(returns),
	})
	return true
}

// nearVectors reports whether a position may be an exception vector.
func (c *Config) nearVectors(at decode.PC) bool {
	return at.Address-c.Vectors() < 4*uint32(len(vectorTypes))
}
