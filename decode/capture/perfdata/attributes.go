package perfdata

import (
	"fmt"
	"math/bits"
)

// Sizes of attributes: perf_event_attr, and behind it in a file the place of its IDs (§2).
const (
	leastAttr = 64
	mostAttr  = 4 << 10
	attrPlace = 16
)

// Bits of an attribute's flags.
const (
	sampleIDAll = 1 << 18
	useClockID  = 1 << 25
)

// Bits of a sample type: the fields that a trailer may have, in the order of its fields but for
// the last (§2).
const (
	sampleTID        = 1 << 1
	sampleTime       = 1 << 2
	sampleID         = 1 << 6
	sampleCPU        = 1 << 7
	sampleStreamID   = 1 << 9
	sampleBranches   = 1 << 11
	sampleIdentifier = 1 << 16

	trailerFields = sampleTID | sampleTime | sampleID | sampleStreamID | sampleCPU | sampleIdentifier
)

// readAttributes reads the section of attributes, whose entries have that size.
func (r *reader) readAttributes(entry uint64, place [2]uint64) error {
	file := uint64(r.w.part.Size)
	switch {
	case place[0] > file || place[1] > file-place[0]:
		return r.bad(24, fmt.Sprintf("has attributes at offset %#x, %d bytes, beyond its end", place[0], place[1]),
			copyAgain)
	case place[1] == 0:
		return nil
	case entry < leastAttr+attrPlace || entry > mostAttr+attrPlace:
		return r.bad(16, fmt.Sprintf("has attributes of %d bytes", entry), "they have 80 or more: record it again")
	}
	for i := range place[1] / entry {
		b, err := r.w.at(int64(place[0]+i*entry), int(entry))
		if err != nil {
			return err
		}
		r.offset = int64(place[0] + i*entry)
		r.attribute(b[:entry-attrPlace])
	}
	return nil
}

// attribute takes in a perf_event_attr. What an older perf did not write is 0.
func (r *reader) attribute(b []byte) {
	f := fields{b: b}
	f.u32() // type
	if size := f.u32(); size >= leastAttr && size < uint32(len(b)) {
		f.b = b[8:size]
	}
	f.take(16) // config, period
	sampleType := f.u64()
	f.u64() // format of counts
	flags := f.u64()
	f.take(44)
	if clock := f.i32(); flags&useClockID != 0 && !f.short {
		r.f.ClockID = clock
	}
	r.branches = r.branches || sampleType&sampleBranches != 0
	var t trailer
	if flags&sampleIDAll != 0 {
		t = trailer(sampleType & trailerFields)
	}
	switch {
	case !r.attributes:
		r.attributes, r.trailer = true, t
	case t != r.trailer:
		r.odd(otherTrailers, 0)
	}
}

// A trailer is which fields records end with (§2).
type trailer uint64

// A stamp is what a record's trailer says. What it does not say is −1, the time 0.
type stamp struct {
	time     uint64
	pid, tid int32
	cpu      int16
}

// cut cuts the trailer off a record's body.
func (t trailer) cut(body []byte) (rest []byte, s stamp, ok bool) {
	s = stamp{pid: -1, tid: -1, cpu: -1}
	n := len(body) - 8*bits.OnesCount64(uint64(t))
	if n < 0 {
		return nil, s, false
	}
	f := fields{b: body[n:]}
	if t&sampleTID != 0 {
		s.pid, s.tid = f.i32(), f.i32()
	}
	if t&sampleTime != 0 {
		s.time = f.u64()
	}
	f.take(8 * bits.OnesCount64(uint64(t&(sampleID|sampleStreamID))))
	if t&sampleCPU != 0 {
		s.cpu = cpuNumber(f.u32())
	}
	return body[:n], s, true
}

// mostCPU is more than any kernel numbers its CPUs.
const mostCPU = 1<<15 - 1

// cpuNumber returns a CPU's number, −1 for all ones and for what is no number of a CPU.
func cpuNumber(v uint32) int16 {
	if v > mostCPU {
		return -1
	}
	return int16(v)
}
