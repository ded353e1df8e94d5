package perfdata

import "fmt"

// A Record is a record of the data section, without its trailer.
type Record struct {
	Type  uint32
	Misc  uint16
	Stamp Stamp // what the trailer says, of a record of the kernel
	Body  []byte
	// Payload follows the record and is not of its size. It is padded to whole words.
	Payload []byte
}

// A Stamp is what the trailer of a record says.
type Stamp struct {
	PID, TID uint32
	Time     uint64 // ns; 0: before all others
	CPU      uint32
	ID       uint64 // of the event, for this CPU or thread
}

// At returns the record with a trailer.
func (r Record) At(s Stamp) Record {
	r.Stamp = s
	return r
}

// The types of records. From firstUser on they are perf's own, and without trailer.
const (
	TypeMMAP          = 1
	TypeLost          = 2
	TypeComm          = 3
	TypeExit          = 4
	TypeFork          = 7
	TypeSample        = 9
	TypeMMAP2         = 10
	TypeAUX           = 11
	TypeITraceStart   = 12
	TypeLostSamples   = 13
	TypeSwitch        = 14
	TypeSwitchCPUWide = 15
	TypeKSymbol       = 17
	TypeTextPoke      = 20
	TypeAUXOutputHWID = 21
	firstUser         = 64
	TypeHeaderAttr    = 64
	TypeHeaderBuildID = 67
	TypeFinishedRound = 68
	TypeAUXTraceInfo  = 70
	TypeAUXTrace      = 71
	TypeTimeConv      = 79
	TypeHeaderFeature = 80
	TypeCompressed    = 81
	TypeFinishedInit  = 82
	TypeCompressed2   = 83
	recordHeader      = 8
	mostRecord        = 1<<16 - 1
)

// append appends the record to b, with the trailer that t says.
func (r *Record) append(b []byte, t SampleType) ([]byte, error) {
	var trailer []byte
	if r.Type < firstUser && r.Type != TypeSample {
		trailer = r.Stamp.trailer(t)
	}
	size := recordHeader + len(r.Body) + len(trailer)
	if size > mostRecord {
		return nil, fmt.Errorf("perfdata: record of type %d has %d bytes; %d are the most", r.Type, size, mostRecord)
	}
	b = order.AppendUint32(b, r.Type)
	b = order.AppendUint16(b, r.Misc)
	b = order.AppendUint16(b, uint16(size))
	return append(append(b, r.Body...), trailer...), nil
}

// trailer has the fields of t, each of 8 bytes.
func (s *Stamp) trailer(t SampleType) []byte {
	var b []byte
	for _, f := range []struct {
		field SampleType
		value uint64
	}{
		{SampleTID, uint64(s.TID)<<32 | uint64(s.PID)},
		{SampleTime, s.Time},
		{SampleID, s.ID},
		{SampleStreamID, s.ID},
		{SampleCPU, uint64(s.CPU)},
		{SampleIdentifier, s.ID},
	} {
		if t&f.field != 0 {
			b = order.AppendUint64(b, f.value)
		}
	}
	return b
}
