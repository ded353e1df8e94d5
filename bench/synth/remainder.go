package synth

import "github.com/tracelake/tracelake/schema"

// A remainder is what is left of a stream whose first bytes are lost. Until the
// first cut behind them nothing is told.
type remainder struct {
	lost     int64 // bytes, from the start of the stream
	rest     Rows  // where rows go from that cut on; nil behind it, or if nothing is lost
	asyncEnd int64 // of the last A-sync
}

// newRemainder returns the remainder of a stream, and where rows go at its start.
func newRemainder(rows Rows, lost int64) (remainder, Rows) {
	if lost > 0 {
		return remainder{lost: lost, rest: rows}, NoRows()
	}
	return remainder{}, rows
}

// begins says whether a cut behind the last A-sync is the first one of the
// remainder: enough of that A-sync is there.
func (r *remainder) begins() bool { return r.rest != nil && r.asyncEnd-minASync >= r.lost }

// unsynced enters the loss of what stands before an offset, and no cut does.
func (r *remainder) unsynced(rows Rows, offset int64) {
	if offset > r.lost {
		rows.Loss(&Loss{Key: Key{Offset: r.lost}, Bytes: offset - r.lost, Reason: schema.LossUnsynced})
	}
}

// end enters a remainder in which there is no cut, of a stream of that many bytes.
func (r *remainder) end(bytes int64) {
	if r.rest != nil {
		r.unsynced(r.rest, bytes)
	}
}
