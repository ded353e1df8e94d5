package perfdata

// The size of a perf_event_attr, and where its fields are.
const (
	defaultAttrBytes = 128
	attrType         = 0
	attrSize         = 4
	attrConfig       = 8
	attrPeriod       = 16
	attrSampleType   = 24
	attrReadFormat   = 32
	attrFlags        = 40
)

// Flags of a perf_event_attr.
const (
	flagMmap          = 1 << 8
	flagComm          = 1 << 9
	flagTask          = 1 << 13
	flagSampleIDAll   = 1 << 18
	flagMmap2         = 1 << 23
	flagCommExec      = 1 << 24
	flagContextSwitch = 1 << 26
)

// The event that tells what is mapped, and who runs: perf calls it dummy.
const (
	softwarePMU = 1
	dummyConfig = 9
)

// readID is the bit of a read format that has perf say the event's ID.
const readID = 1 << 2

func (r *Recording) attrBytes() int {
	if r.AttrBytes == 0 {
		return defaultAttrBytes
	}
	return r.AttrBytes
}

// attr is the perf_event_attr of an event: cs_etm is the first.
func (r *Recording) attr(event int) []byte {
	b := make([]byte, r.attrBytes())
	kind, config, flags := uint32(pmuType), r.Config, uint64(0)
	if event > 0 {
		kind, config = softwarePMU, dummyConfig
	}
	if event == len(r.IDs)-1 {
		flags = flagMmap | flagComm | flagTask | flagMmap2 | flagCommExec | flagContextSwitch
	}
	if r.SampleType != 0 {
		flags |= flagSampleIDAll
	}
	order.PutUint32(b[attrType:], kind)
	order.PutUint32(b[attrSize:], uint32(len(b)))
	order.PutUint64(b[attrConfig:], config)
	order.PutUint64(b[attrPeriod:], 1)
	order.PutUint64(b[attrSampleType:], uint64(r.SampleType))
	order.PutUint64(b[attrReadFormat:], readID)
	order.PutUint64(b[attrFlags:], flags)
	return b
}

func (r *Recording) entriesBytes() int { return len(r.IDs) * (r.attrBytes() + sectionBytes) }

// attributes are what lies between the header and the data, which begins at start: the IDs of the
// events, and the entries that name them.
func (r *Recording) attributes() (b []byte, start uint64) {
	var entries []byte
	for i, ids := range r.IDs {
		entries = append(append(entries, r.attr(i)...), words(uint64(fileHeader+len(b)), uint64(8*len(ids)))...)
		b = append(b, words(ids...)...)
	}
	b = append(b, entries...)
	return b, uint64(fileHeader + len(b))
}
