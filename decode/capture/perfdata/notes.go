package perfdata

import (
	"cmp"
	"fmt"
	"math"

	"github.com/tracelake/tracelake/decode/figures"
)

// mostNotes bounds the notes; more are left out.
const mostNotes = 1000

// note adds a sentence for the user.
func (r *reader) note(format string, args ...any) {
	switch n := len(r.f.Notes); {
	case n < mostNotes:
		r.f.Notes = append(r.f.Notes, fmt.Sprintf(format, args...))
	case n == mostNotes:
		r.f.Notes = append(r.f.Notes, "further notes are left out")
	}
}

// bad returns an error at a place of the part that is read.
func (r *reader) bad(offset int64, problem, remedy string) *Error {
	return &Error{File: r.w.part.Name, Offset: offset, Problem: problem, Remedy: remedy}
}

// An oddity is something that may be wrong with many records, and is noted once.
type oddity uint8

const (
	lostRecords oddity = iota
	shortRecords
	auxErrors
	otherTrailers
	otherFormats
	impossibleAUX
	impossibleAUXTRACE
	truncatedAUXTRACE
	otherHardwareIDs
	invalidHardwareIDs
	missingTrace
	outsideTrace
	overwrittenTrace
	repeatedTrace
	unclaimedTrace
	wholeTrace
	oddities
)

// sentences are the notes: of how many records, and of how much in them.
var sentences = [oddities]string{
	lostRecords:        "perf lost %[2]s: processes and maps may be incomplete",
	shortRecords:       "%[1]s shorter than its fields: left out",
	auxErrors:          "%[1]s of an error that perf met in the trace",
	otherTrailers:      "%[1]s with other fields behind records than the first has: the first holds",
	otherFormats:       "%[1]s of trace in an unknown format, taken as CoreSight frames",
	impossibleAUX:      "%[1]s of a range that cannot be (AUX): left out",
	impossibleAUXTRACE: "%[1]s of a range that cannot be (AUXTRACE): left out",
	truncatedAUXTRACE:  "%[1]s of trace that the end of the file cuts off: %[2]s missing",
	otherHardwareIDs:   "%[1]s of a trace ID in an unknown version: left out",
	invalidHardwareIDs: "%[1]s of a trace ID that cannot be: left out",
	missingTrace:       "%[1]s of trace that the file does not have (AUX): %[2]s missing",
	outsideTrace:       "%[1]s of a range outside of what the file has of its ring (AUX): %[2]s missing",
	overwrittenTrace:   "%[1]s of trace that was overwritten before the snapshot (AUX): %[2]s missing",
	repeatedTrace:      "%[1]s of trace that a record before has (AUX): %[2]s left out the second time",
	unclaimedTrace:     "%[1]s of trace that no AUX record tells of: %[2]s left out",
	wholeTrace:         "%[1]s of trace of a ring without AUX records: taken whole, as CoreSight frames",
}

// nouns are what the second figure of a sentence counts, if it is not bytes.
var nouns = [oddities]string{lostRecords: "record"}

// A tally is how often an oddity was met, how much it was, and where first.
type tally struct {
	records, sum int64
	part         string
	offset       int64
}

// noPlace is the offset of what has no place in a file.
const noPlace = -1

// odd counts an oddity of the record that is read.
func (r *reader) odd(o oddity, sum int64) { r.oddAt(o, sum, r.w.part.Name, r.offset) }

func (r *reader) oddAt(o oddity, sum int64, part string, offset int64) {
	t := &r.odds[o]
	if t.records == 0 {
		t.part, t.offset = part, offset
	}
	t.records++
	t.sum = int64(min(uint64(t.sum)+uint64(sum), math.MaxInt64))
}

// noteOdds notes what was counted.
func (r *reader) noteOdds() {
	for o, t := range r.odds {
		if t.records == 0 {
			continue
		}
		noun := cmp.Or(nouns[o], "byte")
		text := fmt.Sprintf(sentences[o]+"%[3]s", figures.Count(t.records, "record"), figures.Count(t.sum, noun), "")
		if t.offset != noPlace {
			text += fmt.Sprintf("; the first at offset %#x", t.offset)
		}
		r.note("%s: %s", t.part, text)
	}
}
