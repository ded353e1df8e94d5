package encode

import (
	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/schema"
)

// A Remainder is what is left of a stream whose first bytes are lost. There are
// no rows before the first cut after the lost bytes.
type Remainder struct {
	Lost     int64      // bytes, from the start of the stream
	Rest     truth.Rows // where rows go from that cut on; nil after it, or if nothing is lost
	AsyncEnd int64      // of the last A-sync
}

// NewRemainder returns the remainder of a stream, and where rows go at its start.
func NewRemainder(rows truth.Rows, lost int64) (Remainder, truth.Rows) {
	if lost > 0 {
		return Remainder{Lost: lost, Rest: rows}, truth.NoRows()
	}
	return Remainder{}, rows
}

// Begins says whether a cut after the last A-sync is the first one of the
// remainder: enough of that A-sync is left.
func (r *Remainder) Begins() bool { return r.Rest != nil && r.AsyncEnd-MinASync >= r.Lost }

// Unsynced enters the loss of the bytes before an offset, before which there is
// no cut.
func (r *Remainder) Unsynced(rows truth.Rows, offset int64) {
	if offset > r.Lost {
		rows.Loss(&truth.Loss{Key: truth.Key{Offset: r.Lost}, Bytes: offset - r.Lost, Reason: schema.LossUnsynced})
	}
}

// End enters the loss of a remainder without a cut, in a stream of that many
// bytes.
func (r *Remainder) End(bytes int64) {
	if r.Rest != nil {
		r.Unsynced(r.Rest, bytes)
	}
}
