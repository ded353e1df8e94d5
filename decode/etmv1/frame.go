package etmv1

import (
	"encoding/binary"

	"github.com/tracelake/tracelake/decode/port"
)

// This file is the first pass over the samples, which needs no program: it finds the
// branches, what became of each, and its address (docs/etmv2.md §4.3).

// The statuses (§5.1, docs/etmv2.md §4.1); TR and TD are those of package port.
const (
	statusIE = iota
	statusID
	statusIN
	statusWT
	statusBE
	statusBD
)

// A branch is a BE or BD and its address. Samples count from where the first pass
// began.
type branch struct {
	at    int64 // its sample
	own   int64 // ordinal of the TRACESYNC of its address, or none
	syncs int64 // TRACESYNCs before its sample

	data     bool  // BD
	window   uint8 // samples after it that have no status of their own
	fate     fate
	apo      uint8 // address packet offset
	compared bool  // the offset was compared with the branch before:
	agrees   bool  // they agree
	extra    bool  // there are addresses before its own that no branch claims

	// With the fates live and abandoned, if the address came:
	address received
}

// A fate is what became of a branch.
type fate uint8

const (
	live      fate = iota
	abandoned      // another branch took its place
	lost           // an overflow took its address
	unsure         // before the first branch that can be paired
	bad            // a sample after it cannot be
	late           // its address did not come in time
	truncated      // the stream ends before its address
)

// none is an ordinal where there is none.
const none = -1

// tooMany is the offset that says no number (§5.6.1).
const tooMany = 15

// reach is within how many samples after a branch its address must come: more than
// any FIFO holds, fewer than a decoder sees ahead.
const reach = 1000

// maxAbandoned bounds the branches abandoned one after another whose pairing stays
// open.
const maxAbandoned = 64

// A framer is the first pass over samples without a break.
type framer struct {
	next  int64 // the sample to look at
	syncs int64 // TRACESYNCs before it
	addresses

	branches queue[branch] // not settled yet
	open     int           // samples to come that belong to the last of them

	paired   bool  // a branch was paired
	expected int64 // ordinal of the next branch
	fixed    int64 // branches with lower ordinals keep them
	chain    int   // branches abandoned since one could be compared
	ended    bool  // no more samples follow

	// What becomes of branches that are settled when they are seen, while no other
	// waits: they go to a queue if there is one, nowhere if they are unwanted, and else
	// wait for settled.
	usualTo  *queue[branch]
	unwanted bool
	plain    bool // go by the plain rules alone
}

func newFramer(c *Config) framer {
	return framer{addresses: addresses{width: c.Width, idBytes: c.ContextIDBytes}}
}

// again returns a framer for other samples, in the memory of f.
func (f *framer) again() framer {
	f.branches.clear()
	f.came.clear()
	return framer{
		addresses: addresses{width: f.width, idBytes: f.idBytes, came: f.came}, branches: f.branches, usualTo: f.usualTo,
		unwanted: f.unwanted, plain: f.plain,
	}
}

// quiet has the bits of which one is set in every sample that the first pass has to
// look at, if no address is being read: TRACESYNC, and bit 2 of BE, BD, TR and TD.
const quiet = 1<<4 | 1<<2

// scan looks at the samples of b up to a limit. b begins at the sample from.
func (f *framer) scan(b []byte, from, limit int64) {
	f.forget(f.needed())
	end := int(limit - from)
	for i := int(f.next - from); i < end; i++ {
		if f.open == 0 && !f.reading {
			if i = skipQuiet(b, i, end); i == end {
				break
			}
		}
		f.next = from + int64(i)
		if f.usual(b[i*port.SampleBytes : end*port.SampleBytes]) {
			i += window - 1
			continue
		}
		f.sample(port.At(b[i*port.SampleBytes:]))
	}
	f.next = max(f.next, limit)
}

// through looks at all samples of b, which begins at the sample from, and has branches that
// are settled taken now and then. last says that no more samples follow.
func (f *framer) through(b []byte, from int64, last bool, take func()) {
	for n := int64(len(b) / port.SampleBytes); f.next < from+n; take() {
		f.scan(b, from, min(f.next+step, from+n))
	}
	if last {
		f.end()
		take()
	}
}

// skipQuiet returns the first sample from i on that is not quiet, or end.
func skipQuiet(b []byte, i, end int) int {
	const both = quiet<<32 | quiet
	for ; i+2 <= end && binary.LittleEndian.Uint64(b[i*port.SampleBytes:])&both == 0; i += 2 {
		// two samples at a time
	}
	for ; i < end; i++ {
		if port.At(b[i*port.SampleBytes:])&quiet != 0 {
			return i
		}
	}
	return end
}

// sample looks at the next sample.
func (f *framer) sample(s port.Sample) {
	status := s.Status()
	carries := status < port.StatusTR
	if status == port.StatusTR {
		status = replaced(s)
	}
	switch isBranch := status == statusBE || status == statusBD; {
	case isBranch:
		f.abandon()
		f.branches.push(branch{at: f.next, data: status == statusBD, own: none, syncs: f.syncs})
		f.open = 2
	case f.open > 0:
		f.offset(status)
	}
	if carries {
		f.take(s, f.next)
		if s.Sync() {
			f.syncs++
			f.fix()
		}
	}
	f.next++
}

// abandon ends the last branch at another one, if samples of it are still to come.
func (f *framer) abandon() {
	if f.open == 0 {
		return
	}
	b := f.last()
	f.open = 0
	if b.fate == live {
		b.fate = abandoned
	}
	f.pair(b)
}

// offset takes a sample of the address packet offset (§5.6.1).
func (f *framer) offset(status uint8) {
	b := f.last()
	if status > statusWT {
		b.fate = bad
	}
	b.apo |= status & 3 << (2 * b.window)
	b.window++
	if f.open--; f.open == 0 {
		f.pair(b)
	}
}

// pair pairs the last branch with an ordinal.
func (f *framer) pair(b *branch) {
	comparable := b.fate == live && b.apo != tooMany
	if !f.paired && !comparable {
		if b.fate != bad {
			b.fate = unsure
		}
		return
	}
	b.own = max(f.expected, b.syncs) // not one that came before it
	if comparable {
		own := b.syncs + int64(b.apo)
		if f.paired {
			b.compared, b.agrees = true, own == f.expected
			b.extra = own > f.expected
			f.goBack(own)
		}
		b.own, f.paired = own, true
	}
	f.expected = b.own + 1
	if b.fate != abandoned {
		f.chain = 0
	} else if f.chain++; f.chain < maxAbandoned {
		return
	}
	f.fix()
}

// goBack takes the addresses that an overflow took from the branches before the last,
// whose own ordinal is limit.
func (f *framer) goBack(limit int64) {
	branches := f.branches.all()
	at := f.last().at
	for i := len(branches) - 2; i >= 0; i-- {
		switch b := &branches[i]; {
		case b.own != none && b.own < f.fixed, at-b.at >= reach:
			return
		case b.fate == abandoned && limit > b.syncs:
			limit--
			b.own = limit
		case b.own >= limit || b.fate == abandoned:
			b.own = none
			if b.fate == live {
				b.fate = lost
			}
		case b.own != none:
			return
		}
	}
}

// fix settles the ordinals of the addresses that have begun, unless a branch is open
// or was abandoned last: the next one may take them away.
func (f *framer) fix() {
	if f.open == 0 && f.paired && (f.chain == 0 || f.chain >= maxAbandoned) {
		f.fixed = f.syncs
	}
}

// end says that no more samples follow.
func (f *framer) end() {
	if f.open > 0 {
		f.open = 0
		f.last().miss(truncated)
	}
	f.ended = true
}

// last returns the last branch.
func (f *framer) last() *branch {
	all := f.branches.all()
	return &all[len(all)-1]
}

// settled returns the first branch if nothing can change it any more, and removes it;
// otherwise nil. The branch is valid until samples are looked at.
func (f *framer) settled() *branch {
	if n := f.branches.len(); n == 0 || f.open > 0 && n == 1 {
		return nil
	}
	b := &f.branches.all()[0]
	if (b.fate == live || b.fate == abandoned) && !f.resolve(b) {
		return nil
	}
	f.branches.drop(1)
	return b
}

// resolve gives a branch its address. It returns false if samples are still to come
// that decide.
func (f *framer) resolve(b *branch) bool {
	at := f.find(b.own)
	came := at != nil
	switch {
	case b.own == none: // an abandoned branch
	case came && at.last-b.at >= reach, !came && f.next-b.at >= reach+3:
		b.miss(late)
	case came && (b.own < f.fixed || f.ended):
		b.address = *at
		if at.unknown && b.fate == live {
			b.fate = lost
		}
	case f.ended:
		b.miss(truncated)
	default:
		return false
	}
	return true
}

// miss notes why a live branch has no address.
func (b *branch) miss(why fate) {
	if b.fate == live {
		b.fate = why
	}
}

// needed is the lowest ordinal that a branch may still need.
func (f *framer) needed() int64 {
	n := f.syncs
	for i := range f.branches.all() {
		b := &f.branches.all()[i]
		if b.fate == live && f.open > 0 && b == f.last() {
			n = min(n, b.syncs)
		} else if b.own != none {
			n = min(n, b.own)
		}
	}
	return n
}

// firstBranch is the first sample that may be that of a branch.
func (f *framer) firstBranch() int64 {
	if f.branches.len() > 0 {
		return f.branches.all()[0].at
	}
	return f.next
}
