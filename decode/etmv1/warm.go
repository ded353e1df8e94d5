package etmv1

import (
	"encoding/binary"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// This file is the fast path of the second pass: instructions without data, and branches
// whose address is not full, through code whose blocks are cached and linked. It makes
// what [Decoder.sample] makes of them, and leaves everything else to that.

// warm walks samples from the current one on, as long as they are warm.
func (d *Decoder) warm() {
	if d.packets || d.cfg.CycleAccurate || d.skip || d.unowed > 0 || d.at < d.busy || d.split != (split{}) || d.unplacedRun.active || !d.walk.Known() {
		return
	}
	first, at, limit := d.at, d.at, min(d.end, d.framed)
	view := d.view[(at-d.from)*port.SampleBytes : (limit-d.from)*port.SampleBytes]
samples:
	for len(view) > 0 {
		n, unit := 1, int(at-d.data)
		switch view[0] & 0xF {
		case statusIE:
			d.rec.Settle()
			if n = d.walk.PassSamples(&d.rec.Offsets, unit, passed(view)); n == 0 {
				if len(view) == port.SampleBytes || view[port.SampleBytes]&0xF != statusIE || !d.walk.PassPair(&d.rec.Offsets, unit+1) {
					break samples
				}
				n = 2
			}
			d.seen = at + int64(n) - 1
		case statusIN:
			d.rec.Settle()
			if !d.walk.FailSample(&d.rec.Offsets, unit) {
				break samples
			}
			d.seen = at
		case statusBE:
			if n = window; len(view) < window*port.SampleBytes || !d.warmBranch(view, at) {
				break samples
			}
		case statusWT:
			if at > d.next || at == d.next && !d.half { // no byte is owed
				break samples
			}
			d.rec.Segment.Quality.Waits++
		case port.StatusTD:
		default:
			break samples
		}
		at += int64(n)
		view = view[n*port.SampleBytes:]
	}
	if at > first {
		d.at, d.offset = at, d.rec.Offset(d.index(at-1))
	}
}

// passed returns how many samples of IE records begin with: one at least.
func passed(records []byte) int {
	const two = 0xF<<32 | 0xF
	n := port.SampleBytes
	for n+2*port.SampleBytes <= len(records) && binary.LittleEndian.Uint64(records[n:])&two == statusIE {
		n += 2 * port.SampleBytes
	}
	for n < len(records) && records[n]&0xF == statusIE {
		n += port.SampleBytes
	}
	return n / port.SampleBytes
}

// warmBranch walks the BE of a sample, whose window is in view, unless it is not warm.
func (d *Decoder) warmBranch(view []byte, at int64) bool {
	b := &d.branches.all()[0]
	to := pcOf(&b.address)
	if b.fate != live || b.extra || b.address.Full() || b.window != window-1 || to.ISA == schema.Jazelle || d.cfg.nearVectors(to) ||
		view[port.SampleBytes]&0xF > statusWT || view[2*port.SampleBytes]&0xF > statusWT {
		return false
	}
	d.rec.Settle()
	if !d.walk.BranchSample(&d.rec.Offsets, int(at-d.data), to, d.rec.Space()) {
		return false
	}
	d.branches.drop(1)
	q := &d.rec.Segment.Quality
	if b.compared {
		q.FIFOChecks++
		if b.agrees {
			q.FIFORight++
		}
	}
	q.IndirectBranch()
	d.seen, d.busy = at+window-1, at+window
	d.afterAddress(b)
	return true
}

// nearVectors reports whether a position may be an exception vector.
func (c *Config) nearVectors(at decode.PC) bool {
	return at.Address-c.Vectors() < 4*uint32(len(vectorTypes))
}
