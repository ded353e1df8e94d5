package stitch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A Checkpoint is a row of `segments`, as far as it says where decoding can begin.
type Checkpoint struct {
	schema.Keys
	schema.Start
}

// ErrPlace says that a row of `segments` is not one that a Stitcher makes.
var ErrPlace = errors.New("its row cannot be")

// Resume begins at a segment that is not the first of the source: the next segment that
// Stitch takes is that of the first place, and nothing before it is known but what the
// row says. Those after the first are of later segments, rising, at which all is again as
// their rows say: what the first needs from before may be missing in rows up to there.
// Resume is called before Stitch. It fails with [ErrPlace].
func (s *Stitcher) Resume(checkpoints ...Checkpoint) error {
	for i := range checkpoints {
		c, more, err := s.restore(&checkpoints[i])
		if err != nil {
			return fmt.Errorf("segment %d: %w: %w", checkpoints[i].Segment.V, ErrPlace, err)
		}
		if i > 0 {
			s.resumed = append(s.resumed, c)
			continue
		}
		s.carry, s.half, s.reached = c, c.half, c.reached
		s.taken, s.at = checkpoints[i].Segment.V, checkpoints[i].StreamOffset
		s.Outcome.FirstCut = schema.Of(checkpoints[i].ByteOffset)
		if x := more.Data; x != nil {
			s.data.Resume(x.Address, x.Bits)
		}
	}
	return nil
}

// Lead returns what the decoder has to see before the cut, as far as the place says it. It is nothing
// where the place cannot be read: [Stitcher.Resume] fails there.
func (at *Checkpoint) Lead(code decode.TimestampCode) decode.Lead {
	x, err := parseCarried(at.Carried, code)
	if err != nil {
		return decode.Lead{}
	}
	return x.Lead
}

// restore returns what a place says: the inverse of start.
func (s *Stitcher) restore(at *Checkpoint) (carry, *carried, error) {
	more, err := parseCarried(at.Carried, s.code)
	if err == nil {
		err = at.check()
	}
	if err != nil {
		return carry{}, nil, err
	}
	c := carry{
		base: Base{
			Source: s.carry.base.Source, Segment: schema.Null[int32]{V: at.Segment.V - 1, OK: at.Segment.V > 0},
			seq: at.Seq, ordinal: at.Ordinal, epoch: at.Epoch.V, cycle: at.Cycle.V, timestamp: at.Timestamp,
			vmid: at.VMID, contextID: at.ContextID,
		},
		lost: more.Lost, contradiction: more.Contradiction, half: more.Half, waits: more.Waits, untimed: more.Untimed,
	}
	if at.Epoch.OK {
		c.nextEpoch = at.Epoch.V + 1
	}
	if at.Security.OK {
		c.context = schema.Of(schema.Context{
			ContextID: at.ContextID, VMID: at.VMID, Security: at.Security.V, ExceptionLevel: at.ExceptionLevel,
		})
	}
	if at.Timestamp.OK {
		c.timestampRaw, c.timestampBits = s.code.Raw(at.Timestamp.V), s.code.Bits
	}
	more.restore(&c)
	return c, more, nil
}

// restore puts into c what differs from what the columns say.
func (x *carried) restore(c *carry) {
	if x.Reached != nil {
		isa := schema.ISA(slices.Index(schema.ISANames, x.Reached.ISA))
		c.reached = schema.Of(decode.Position{
			PC:        decode.PC{Address: x.Reached.Address, ISA: isa},
			NonSecure: x.Reached.NonSecure,
		})
	}
	if x.Context != nil {
		c.base.contextID, c.base.vmid = null(x.Context.ContextID), null(x.Context.VMID)
	}
	if x.Timestamp != nil {
		c.timestampRaw, c.timestampBits = x.Timestamp.Raw, x.Timestamp.Bits
	}
	if x.Restart != nil {
		c.restart = schema.Of(decode.Restart{Seq: x.Restart.Seq, Unknown: x.Restart.Unknown})
	}
}

func null[T any](x *T) schema.Null[T] {
	if x == nil {
		return schema.Null[T]{}
	}
	return schema.Of(*x)
}

// check fails if a value is not one that a row can have.
func (at *Checkpoint) check() error {
	switch {
	case !at.Segment.OK || at.Segment.V < 0:
		return errors.New("has no ordinal")
	case at.Seq < 0 || at.ByteOffset < 0 || at.StreamOffset < 0 || at.Ordinal < 0:
		return errors.New("counts below 0")
	case at.Epoch.V < 0 || at.Epoch.V == math.MaxInt32 || at.Cycle.V < 0:
		return fmt.Errorf("has no epoch %d with %d cycles", at.Epoch.V, at.Cycle.V)
	case at.DecodeFrom < 0 || at.DecodeFrom > at.Segment.V:
		return fmt.Errorf("cannot be decoded from segment %d on", at.DecodeFrom)
	}
	return nil
}

// parseCarried reads the column `carried`, of a source whose timestamps have this code.
func parseCarried(text string, code decode.TimestampCode) (*carried, error) {
	x := &carried{}
	if text == "" {
		return x, nil
	}
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields() // a later program's: rows may depend on it
	if err := d.Decode(x); err != nil {
		return nil, fmt.Errorf("carried: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("carried: more follows its object")
	}
	return x, x.check(code)
}

func (x *carried) check(code decode.TimestampCode) error {
	switch {
	case x.Reached != nil && !slices.Contains(schema.ISANames, x.Reached.ISA):
		return fmt.Errorf("carried: %q is no instruction set", x.Reached.ISA)
	case x.Half && x.Reached == nil:
		return errors.New("carried: half an instruction, but not where")
	case x.Waits < 0:
		return fmt.Errorf("carried: %d cycles", x.Waits)
	case x.Timestamp != nil && x.Timestamp.Bits > code.Bits:
		return fmt.Errorf("carried: %d bits of a timestamp that has %d", x.Timestamp.Bits, code.Bits)
	case x.Lead.Bytes < 0 || x.Lead.Bytes > decode.MaxLead || x.Lead.Offset < 0:
		return fmt.Errorf("carried: %d bytes before the cut, from offset %d on", x.Lead.Bytes, x.Lead.Offset)
	case x.Data != nil && x.Data.Bits > 32:
		return fmt.Errorf("carried: %d bits of an address", x.Data.Bits)
	}
	return nil
}

// resume makes the carry that of the row of the segment which opens next, if that is a
// place.
func (s *Stitcher) resume() {
	if len(s.resumed) == 0 {
		return
	}
	if c := &s.resumed[0]; c.base.Segment == s.carry.base.Segment {
		s.carry, s.resumed = *c, s.resumed[1:]
	}
}
