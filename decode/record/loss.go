package record

import (
	"errors"
	"fmt"

	"github.com/tracelake/tracelake/decode"

	"github.com/tracelake/tracelake/schema"
)

// This file is what a [Recorder] does with the bytes of a part: how far a packet
// may reach, and what becomes of bytes that are no packet.

// Offset returns the capture offset of the unit that Part.Data[i] is in. Where units
// are bytes, Offsets.At(i) is the same, and is inlined.
func (r *Recorder) Offset(i int) int64 { return int64(r.Offsets.At(i >> (r.unitShift & 63))) }

// Bytes returns the bytes from Part.Data[i] on that may belong to one packet:
// those up to the end of the next A-sync. i is an index of the data and never
// decreases.
func (r *Recorder) Bytes(i int) []byte {
	if i >= r.bound {
		r.passBounds(i)
	}
	return r.Part.Data[i:r.bound]
}

func (r *Recorder) passBounds(i int) {
	for len(r.bounds) > 0 && r.bounds[0] <= i {
		r.bounds = r.bounds[1:]
	}
	r.bound = len(r.Part.Data)
	if len(r.bounds) > 0 {
		r.bound = r.bounds[0]
	}
}

// Decoded counts the bytes before Part.Data[i] as decoded, and the rest as lost.
func (r *Recorder) Decoded(i int) {
	n := int64(len(r.Part.Data) - i)
	r.Segment.Row.BytesDecoded, r.Segment.Row.BytesLost = int64(i), n
	if r.lost {
		r.loss.Bytes += n
	}
}

// Stop ends the part at Part.Data[i], where parsing a packet failed with err. A
// packet that the end of the part cuts off is saved for the next part, or lost if
// the stream ends. Any other error begins a loss that reaches to the next cut,
// and Stop returns true.
func (r *Recorder) Stop(i int, seq int64, err error) (lost bool) {
	key := schema.Key{Seq: seq, Offset: r.Offset(i)}
	syntax, bad := errors.AsType[*decode.SyntaxError](err)
	cutOff := !bad && len(r.bounds) == 0
	switch {
	case cutOff && r.Part.End:
		r.truncated(key, i)
		return false
	case cutOff && r.Part.Open:
		r.rest = r.Part.Rest(i)
		r.Segment.Row.BytesDecoded = int64(i)
		return false
	case !bad:
		r.OpenLoss(key, schema.LossBadPacket, fmt.Sprintf("packet 0x%02x reaches past an A-sync", r.Part.Data[i]))
	default:
		reason := schema.LossBadPacket
		if syntax.Reserved {
			reason = schema.LossReservedHeader
		}
		r.OpenLoss(key, reason, fmt.Sprintf("header 0x%02x: %s", syntax.Header, syntax.Reason))
	}
	r.Decoded(i)
	return true
}

// truncated loses the start of a packet at the end of the stream.
func (r *Recorder) truncated(key schema.Key, i int) {
	r.Decoded(i)
	n := r.Segment.Row.BytesLost
	r.Result.Losses = append(r.Result.Losses, schema.Loss{
		Key: key, Bytes: n, Reason: schema.LossTruncated,
		Detail: fmt.Sprintf("packet 0x%02x cut off after %d bytes", r.Part.Data[i], n),
	})
}

// OpenLoss begins a loss that reaches to the next cut, over any parts between.
// Its row is written when the segment ends, if bytes are lost.
func (r *Recorder) OpenLoss(key schema.Key, reason schema.LossReason, detail string) {
	r.closeLoss()
	r.lost, r.loss = true, schema.Loss{Key: key, Reason: reason, Detail: detail}
}

// Lost reports whether a loss has begun: nothing more of the segment is decoded.
func (r *Recorder) Lost() bool { return r.lost }

// closeLoss writes the loss that ends here, if there is one.
func (r *Recorder) closeLoss() {
	if r.lost && r.loss.Bytes > 0 {
		r.Result.Losses = append(r.Result.Losses, r.loss)
	}
}

// discontinue begins the loss after a break of the input.
func (r *Recorder) discontinue() {
	r.broken = true
	key := schema.Key{Seq: r.seq, Offset: r.Offset(0)}
	r.Event(key, schema.EventDiscontinuity, schema.Null[schema.Address]{}, "")
	reason, detail := r.Part.Break.Loss()
	r.OpenLoss(key, reason, detail)
}
