package perfdata

import (
	"cmp"
	"fmt"
	"slices"
)

// Beginnings of a file, in either byte order (§1).
const (
	magic        = "PERFILE2"
	magicSwapped = "2ELIFREP"
)

// Limits on what is kept of a recording, which compressed records would let grow beyond all
// bounds.
const (
	maxKept  = 1 << 24   // pieces and events
	maxBytes = 256 << 20 // of names and code
	maxParts = 1 << 15
)

// Detect reports whether a file begins as perf.data does, in either byte order, piped or not.
func Detect(head []byte) bool {
	if len(head) < len(magic) {
		return false
	}
	s := string(head[:len(magic)])
	return s == magic || s == magicSwapped
}

// Read reads a recording: one part, or those of a directory: data, then data.0, data.1 and so on.
// It reads no trace. Its error is an [*Error], but where reading fails.
func Read(parts []Part) (*File, error) {
	if len(parts) == 0 || len(parts) > maxParts {
		problem := fmt.Sprintf("has %d files", len(parts))
		return nil, &Error{File: "perf.data", Offset: noPlace, Problem: problem, Remedy: "name a recording"}
	}
	r := newReader(parts)
	for i := range parts {
		if err := r.readPart(i, &parts[i]); err != nil {
			return nil, err
		}
	}
	r.begin(0, &parts[0])
	if err := r.finish(); err != nil {
		return nil, err
	}
	return r.f, nil
}

// A reader reads a recording into f.
type reader struct {
	f      *File
	parts  []Part
	w      window // on the part that is read
	part   int16
	offset int64 // of the record that is read
	cutOff int64 // where the first part ends too early, or noPlace

	attributes bool // one was read
	trailer    trailer
	branches   bool // an event samples branches
	samples    bool // there are samples
	unpack     packing

	hasMetadata bool
	rings       map[Ring]int32
	traces      []auxtrace
	ids         map[int16]TraceID // of CPUs, as AUX_OUTPUT_HW_ID said last (§5)
	allIDs      map[int16][]TraceID
	seenIDs     map[cpuTraceID]bool

	names map[string]uint32
	kept  int // pieces and events
	bytes int // of names and code
	odds  [oddities]tally
}

func newReader(parts []Part) *reader {
	return &reader{
		parts:   parts,
		f:       &File{ClockID: NoClock, Names: []string{""}},
		cutOff:  noPlace,
		rings:   map[Ring]int32{},
		ids:     map[int16]TraceID{},
		allIDs:  map[int16][]TraceID{},
		seenIDs: map[cpuTraceID]bool{},
		names:   map[string]uint32{"": 0},
	}
}

// begin begins a part.
func (r *reader) begin(i int, part *Part) {
	r.w, r.part, r.offset = window{part: part}, int16(i), 0
}

// readPart reads a part: of a directory the first alone has a header (§10).
func (r *reader) readPart(i int, part *Part) error {
	r.begin(i, part)
	where := section{0, part.Size}
	if i == 0 {
		var err error
		if where, err = r.readHeader(); err != nil {
			return err
		}
	}
	return r.readRecords(where)
}

// finish makes of what was read what the model has.
func (r *reader) finish() error {
	if err := r.checkMetadata(); err != nil {
		return err
	}
	r.assignIDs()
	r.join()
	r.noteOdds()
	slices.SortStableFunc(r.f.Pieces, func(a, b Piece) int { return cmp.Compare(a.Time, b.Time) })
	slices.SortStableFunc(r.f.Events, func(a, b Event) int { return cmp.Compare(a.Time, b.Time) })
	return r.checkTrace()
}

// keep counts a piece or an event, and bytes that are kept of it.
func (r *reader) keep(bytes int) error {
	r.kept++
	r.bytes += bytes
	if r.kept > maxKept || r.bytes > maxBytes {
		return r.bad(r.offset, "tells of more processes, maps and pieces of trace than there is room for",
			"record a shorter time")
	}
	return nil
}

// name returns the index of a name.
func (r *reader) name(b []byte) uint32 {
	i, ok := r.names[string(b)]
	if !ok {
		i = uint32(len(r.f.Names))
		r.f.Names = append(r.f.Names, string(b))
		r.names[r.f.Names[i]] = i
		r.bytes += len(b) // keep looks at them
	}
	return i
}
