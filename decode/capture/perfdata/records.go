package perfdata

import "math"

// Types of records (§3).
const (
	recordMap            = 1
	recordLost           = 2
	recordComm           = 3
	recordExit           = 4
	recordFork           = 7
	recordSample         = 9
	recordMap2           = 10
	recordAUX            = 11
	recordTraceStart     = 12
	recordLostSamples    = 13
	recordSwitch         = 14
	recordSwitchCPUWide  = 15
	recordSymbol         = 17
	recordPoke           = 20
	recordHardwareID     = 21
	firstOfPerf          = 64 // from here on perf's own, without a trailer
	recordAttribute      = 64
	recordTracingData    = 66
	recordBuildID        = 67
	recordAUXTRACEInfo   = 70
	recordAUXTRACE       = 71
	recordAUXTRACEError  = 72
	recordTimeConversion = 79
	recordFeature        = 80
	recordCompressed     = 81
	recordCompressed2    = 83
	firstOfSimpleperf    = 1 << 15 // from here on simpleperf's own
)

const recordHeader = 8

// A record is one of the file or of what its compressed records hold.
type record struct {
	kind uint32
	misc uint16
	size int64  // bytes of it
	body []byte // behind the header; valid until the next is read

	follows int64 // bytes of its payload that are in the part
}

// parseHeader returns the record that begins with the header b, still without its body.
// Those of simpleperf have a size of 32 bits.
func parseHeader(b []byte) record {
	f := fields{b: b}
	rec := record{kind: f.u32(), misc: f.u16(), size: int64(f.u16())}
	if rec.kind >= firstOfSimpleperf {
		rec.misc, rec.size = 0, int64(rec.misc)<<16|rec.size
	}
	return rec
}

// payload returns how many bytes follow a record that are none (§3, §6).
func (rec *record) payload() int64 {
	f := fields{b: rec.body}
	switch rec.kind {
	case recordAUXTRACE:
		return int64(min(f.u64(), math.MaxInt64))
	case recordTracingData:
		return (int64(f.u32()) + 7) &^ 7
	}
	return 0
}

// records walks over the records of a section.
type records struct {
	r    *reader
	next int64 // offset of the next one
	end  int64
	rec  record // the last one
}

// readRecords reads the records of a section. From the first compressed one on they are read
// as the decompressor wants them.
func (r *reader) readRecords(where section) error {
	s := records{r: r, next: where.offset, end: where.end()}
	for {
		rec, err := s.read()
		switch {
		case err != nil:
			return err
		case rec == nil:
			return nil
		case rec.kind == recordCompressed || rec.kind == recordCompressed2:
			return r.readCompressed(&s, rec)
		}
		if err := r.record(rec); err != nil {
			return err
		}
	}
}

// read returns the next record, valid up to the one after it, or nil behind the last one.
func (s *records) read() (*record, error) {
	r := s.r
	left := s.end - s.next
	r.offset = s.next
	if left < recordHeader {
		if left > 0 {
			s.stop("ends inside a record's header")
		}
		return nil, nil
	}
	b, err := r.w.at(s.next, recordHeader)
	if err != nil {
		return nil, err
	}
	s.rec = parseHeader(b)
	rec := &s.rec
	switch {
	case rec.size < recordHeader:
		s.stop("has a record that is smaller than its header")
		return nil, nil
	case rec.size > left:
		s.stop("has a record that is longer than the rest")
		return nil, nil
	}
	if rec.kind < firstOfSimpleperf { // 64 KiB at most
		b, err := r.w.at(s.next, int(rec.size))
		if err != nil {
			return nil, err
		}
		rec.body = b[recordHeader:]
	}
	s.next += rec.size
	rec.follows = min(rec.payload(), s.end-s.next)
	s.next += rec.follows
	return rec, nil
}

// stop notes that nothing is read from here on.
func (s *records) stop(problem string) {
	if s.r.cutOff < 0 {
		s.r.cutOff = s.next
	}
	s.r.note("%s %s at offset %#x: it is read up to there", s.r.w.part.Name, problem, s.next)
}

// record takes in a record.
func (r *reader) record(rec *record) error {
	if rec.kind >= firstOfPerf {
		return r.recordOfPerf(rec)
	}
	body, stamp, ok := r.trailer.cut(rec.body)
	f := fields{b: body}
	var err error
	switch rec.kind {
	case recordSample:
		r.samples = true
		return nil
	case recordLost, recordLostSamples:
		if rec.kind == recordLost {
			f.u64() // the event's ID
		}
		r.odd(lostRecords, int64(min(f.u64(), math.MaxInt64)))
		return nil
	case recordAUX:
		err = r.aux(&f, stamp)
	case recordHardwareID:
		r.hardwareID(&f, stamp)
	case recordMap, recordMap2, recordComm, recordFork, recordExit, recordTraceStart, recordSwitch, recordSwitchCPUWide,
		recordSymbol, recordPoke:
		err = r.event(rec, &f, stamp)
	default:
		return nil
	}
	if !ok || f.short {
		r.odd(shortRecords, 0)
	}
	return err
}

// recordOfPerf takes in a record that is perf's own, and not the kernel's.
func (r *reader) recordOfPerf(rec *record) error {
	f := fields{b: rec.body}
	var err error
	switch rec.kind {
	case recordAttribute:
		r.attribute(rec.body)
	case recordFeature:
		if bit := f.u64(); !f.short && known(bit) {
			r.feature(bit, f.b)
		}
	case recordBuildID:
		err = r.buildID(rec.misc, &f)
	case recordAUXTRACEInfo:
		err = r.metadata(rec.body)
	case recordAUXTRACE:
		r.auxtrace(rec, &f)
	case recordAUXTRACEError:
		r.odd(auxErrors, 0)
	case recordTimeConversion:
		r.timeConversion(&f)
	}
	if f.short {
		r.odd(shortRecords, 0)
	}
	return err
}
