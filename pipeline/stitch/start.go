package stitch

import (
	"encoding/json"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A carried is what crosses a cut beside what columns of `segments` have. The zero value
// is what mostly does: nothing. It is written as JSON, which is part of the format.
type carried struct {
	Lost          bool              `json:"lost,omitempty"` // as in carry
	Contradiction string            `json:"contradiction,omitempty"`
	Reached       *carriedPosition  `json:"reached,omitempty"` // where the I-sync is to be compared with it
	Half          bool              `json:"half,omitempty"`
	Context       *carriedContext   `json:"context,omitempty"` // nil: that of the columns
	Timestamp     *carriedTimestamp `json:"timestamp,omitempty"`
	Waits         int64             `json:"waits,omitempty"`
	Untimed       bool              `json:"untimed,omitempty"`
	Restart       *carriedRestart   `json:"restart,omitempty"` // that waits for its count
	Data          *carriedData      `json:"data,omitempty"`
	Lead          decode.Lead       `json:"lead,omitzero"` // as in decode.SegmentStart
}

type carriedPosition struct {
	Address   schema.Address `json:"address"`
	ISA       string         `json:"isa"`
	NonSecure bool           `json:"non_secure"`
}

// A carriedContext is the context of rows that come, as far as they take it over: it
// differs from that in the last row of `contexts` after a loss. What is nil is NULL.
type carriedContext struct {
	ContextID *uint32 `json:"context_id,omitempty"`
	VMID      *uint32 `json:"vmid,omitempty"`
}

// A carriedTimestamp has the bits of the timestamp that were sent: all of them where its
// value is none of a row. In JSON they are a string, as many readers take no number of
// 64 bits.
type carriedTimestamp struct {
	Raw  uint64 `json:"raw,string"`
	Bits uint8  `json:"bits"`
}

type carriedRestart struct {
	Seq     int64 `json:"seq"`
	Unknown bool  `json:"unknown,omitempty"`
}

// A carriedData is the address that data packets complete, of a source that has sent data.
type carriedData struct {
	Address schema.Address `json:"address"`
	Bits    uint8          `json:"bits"`
}

// start returns what is known right before the I-sync of a segment.
func (s *Stitcher) start(seg *decode.Segment) schema.Start {
	c, lead := &s.carry, &seg.Start
	b := &c.base
	at := schema.Start{
		StreamOffset: s.at, Ordinal: b.ordinal, Timestamp: b.timestamp, DecodeFrom: s.openOrdinal(),
		Epoch: schema.Null[int32]{V: b.epoch, OK: c.nextEpoch > 0},
	}
	if at.Epoch.OK && lead.CycleAccurate {
		at.Cycle = schema.Of(b.cycle)
	}
	if x := &c.context; x.OK {
		at.ContextID, at.VMID, at.Security = x.V.ContextID, x.V.VMID, schema.Of(x.V.Security)
		at.ExceptionLevel = x.V.ExceptionLevel
	}
	more := c.carried(seg, s.code)
	if address, bits, ok := s.data.Address(); ok {
		more.Data = &carriedData{address, bits}
	}
	at.Carried = more.text()
	if since := s.data.Since(); since.OK {
		at.DecodeFrom = min(at.DecodeFrom, since.V)
	}
	if lead.Dependent {
		s.dependent = s.dependent.with(s.openOrdinal())
	}
	at.DecodeFrom = s.dependent.before(at.DecodeFrom)
	return at
}

// openOrdinal returns the ordinal of the segment that openSegment opens next.
func (s *Stitcher) openOrdinal() int32 {
	if last := s.carry.base.Segment; last.OK {
		return last.V + 1
	}
	return 0
}

// carried returns what of c crosses the cut of a segment, but for what columns have.
func (c *carry) carried(seg *decode.Segment, code decode.TimestampCode) carried {
	lead := &seg.Start
	x := carried{
		Lost: c.lost, Contradiction: c.contradiction, Half: c.half, Waits: c.waits, Untimed: c.untimed && seg.CountsEach,
		Context: c.carriedContext(lead), Timestamp: c.carriedTimestamp(code), Lead: lead.Lead,
	}
	if c.lost {
		x.Waits = 0 // dropped
	}
	if at := c.reached; at.OK && (c.half || lead.At.OK && at.V != lead.At.V) {
		x.Reached = &carriedPosition{at.V.Address, at.V.ISA.String(), at.V.NonSecure}
	}
	if r := &c.restart; lead.CycleAccurate && r.OK && !r.V.Counted {
		x.Restart = &carriedRestart{r.V.Seq, r.V.Unknown}
	}
	return x
}

// carriedContext returns the context that rows of the segment may take over, nil if it
// is that of the last row of `contexts`.
func (c *carry) carriedContext(lead *decode.SegmentStart) *carriedContext {
	last, id := c.context.V, c.base.contextID
	if c.lost || !lead.SameContext {
		id = last.ContextID // no row takes it over
	}
	if id == last.ContextID && c.base.vmid == last.VMID {
		return nil
	}
	return &carriedContext{pointer(id), pointer(c.base.vmid)}
}

// carriedTimestamp returns the bits of the timestamp that were sent, nil if they are
// those of the last timestamp in a row.
func (c *carry) carriedTimestamp(code decode.TimestampCode) *carriedTimestamp {
	whole := c.timestampBits == code.Bits && c.timestampBits > 0
	if last := c.base.timestamp; last.OK && whole && code.Value(c.timestampRaw) == last.V ||
		!last.OK && c.timestampBits == 0 {
		return nil
	}
	return &carriedTimestamp{c.timestampRaw, c.timestampBits}
}

func pointer[T any](x schema.Null[T]) *T {
	if !x.OK {
		return nil
	}
	return &x.V
}

// text returns x as JSON, "" if nothing is carried.
func (x *carried) text() string {
	if *x == (carried{}) {
		return ""
	}
	b, err := json.Marshal(x)
	if err != nil {
		panic(err) // plain values only
	}
	return string(b)
}
