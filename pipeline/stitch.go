package pipeline

import (
	"errors"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// A stitcher takes the decoded units of one source in order, settles what
// crosses their borders, and cuts the stream of runs and rows into row-group
// jobs by ordinal.
type stitcher struct {
	carry
	code    decode.TimestampCode
	tables  tables
	totals  schema.Totals
	missing image.Missing

	// The segment that is open: its base stays, its row grows.
	open       base
	row        schema.Segment
	exceptions int64 // rows of `exceptions`, returns too

	numbers map[schema.BlockKey]uint32 // of code blocks, by first use
}

func newStitcher(source uint8, code decode.TimestampCode, t tables) *stitcher {
	return &stitcher{carry: newCarry(source), code: code, tables: t, numbers: map[schema.BlockKey]uint32{}}
}

// decoded is a unit on its way from a worker to the stitcher.
type decoded struct {
	*unit
	rows *decode.Unit
}

// stitch takes the next unit.
func (s *stitcher) stitch(d decoded) error {
	if err := s.unsynced(d.unit); err != nil {
		return err
	}
	numbers, err := s.number(d.rows.Blocks)
	if err != nil {
		return err
	}
	var from decode.Ends
	for i := range d.rows.Segments {
		seg := &d.rows.Segments[i]
		if err := s.segment(d.rows, seg, from, numbers); err != nil {
			return err
		}
		from = seg.Ends
	}
	return nil
}

// unsynced takes what stands before the first cut.
func (s *stitcher) unsynced(u *unit) error {
	if err := s.tables.events.add(s.base, u.events); err != nil {
		return err
	}
	for _, l := range u.losses {
		s.totals.Bytes += l.Bytes
		s.totals.BytesLost += l.Bytes
	}
	s.totals.Losses += int64(len(u.losses))
	return s.tables.losses.add(s.base, u.losses)
}

// number gives the blocks of a unit their numbers in the source, new ones in
// order.
func (s *stitcher) number(blocks []*schema.Block) ([]uint32, error) {
	numbers := make([]uint32, len(blocks))
	var first []codeBlock
	for i, b := range blocks {
		n, ok := s.numbers[b.Key]
		if !ok {
			n = uint32(len(s.numbers))
			s.numbers[b.Key] = n
			for position := range b.Address {
				first = append(first, codeBlock{n, position, b})
			}
		}
		numbers[i] = n
	}
	return numbers, s.tables.codeBlocks.add(s.base, first)
}

// segment takes a segment, or a part of one, whose rows begin at from.
func (s *stitcher) segment(u *decode.Unit, seg *decode.Segment, from decode.Ends, numbers []uint32) error {
	if !seg.Continued {
		if err := s.openSegment(seg); err != nil {
			return err
		}
	}
	// Rows stand on the start of the segment, but for what the part before
	// said last.
	b := s.open
	b.timestamp, b.timestamps, b.vmid = s.timestamp, int32(from.Timestamps), s.vmid
	b.ordinal = s.open.ordinal + s.exceptions
	timestamps := u.Timestamps[from.Timestamps:seg.Ends.Timestamps]
	s.resolve(s.code, timestamps)
	s.count(u, seg, from)
	if err := s.addRows(b, u, seg, from, numbers); err != nil {
		return err
	}
	s.part(&seg.Tail, timestamps)
	if seg.Open {
		return nil
	}
	s.close(&seg.Tail, s.row.Instructions, s.exceptions)
	return s.tables.segments.add(s.open, []schema.Segment{s.row})
}

// count adds what a part counts to the segment's row and the source's totals.
func (s *stitcher) count(u *decode.Unit, seg *decode.Segment, from decode.Ends) {
	part, row, t := &seg.Row, &s.row, &s.totals
	row.Bytes += part.Bytes
	row.BytesDecoded += part.BytesDecoded
	row.BytesLost += part.BytesLost
	row.BytesUnplaced += part.BytesUnplaced
	row.Instructions += part.Instructions
	row.Exceptions += part.Exceptions
	t.Bytes += part.Bytes
	t.BytesDecoded += part.BytesDecoded
	t.BytesLost += part.BytesLost
	t.BytesUnplaced += part.BytesUnplaced
	t.Instructions += part.Instructions
	t.Exceptions += part.Exceptions
	t.DataAccesses += int64(seg.Ends.Accesses - from.Accesses)
	t.Losses += int64(seg.Ends.Losses - from.Losses)
	for _, e := range u.Events[from.Events:seg.Ends.Events] {
		switch e.Event {
		case schema.EventTraceOn, schema.EventOverflow, schema.EventDebugExit:
			t.Gaps++
		case schema.EventUnmapped:
			s.missing.Add(e.Address.V, 1)
		}
	}
}

// openSegment begins a segment.
func (s *stitcher) openSegment(seg *decode.Segment) error {
	first := !s.base.segment.OK
	events, counts := s.carry.open(&seg.Lead)
	if len(events) > 0 && events[0].Event != schema.EventInconsistent && !first {
		s.totals.Gaps++
	}
	s.open = s.base
	s.row = schema.Segment{Key: seg.Row.Key, Address: seg.Row.Address, Reason: seg.Row.Reason}
	s.exceptions = 0
	s.totals.Segments++
	if err := s.tables.events.add(s.open, events); err != nil {
		return err
	}
	return s.tables.counts.add(s.open, counts)
}

// addRows hands the rows of a part to their tables.
func (s *stitcher) addRows(b base, u *decode.Unit, seg *decode.Segment, from decode.Ends, numbers []uint32) error {
	to, t := seg.Ends, &s.tables
	timestamps, events := unknownTimestamps(u.Timestamps[from.Timestamps:to.Timestamps], u.Events[from.Events:to.Events])
	exceptions := exceptionRows(b, u, u.Exceptions[from.Exceptions:to.Exceptions])
	s.exceptions += int64(len(exceptions))
	return errors.Join(
		t.runs.add(runs{
			base: b, unit: u, numbers: numbers, from: from.Runs, to: to.Runs,
			spans: u.Spans[from.Spans:to.Spans],
			seq:   b.seq + s.row.Instructions - seg.Row.Instructions, rows: seg.Row.Instructions,
		}),
		t.exceptions.add(b, exceptions),
		t.counts.add(b, u.Counts[from.Counts:to.Counts]),
		t.timestamps.add(b, timestamps),
		t.contexts.add(b, s.changes(u.Contexts[from.Contexts:to.Contexts])),
		t.accesses.add(b, u.Accesses[from.Accesses:to.Accesses]),
		t.events.add(b, events),
		t.losses.add(b, u.Losses[from.Losses:to.Losses]),
		t.packets.add(b, u.Packets[from.Packets:to.Packets]),
	)
}

// finish hands over what is left of every table.
func (s *stitcher) finish() error {
	t := &s.tables
	return errors.Join(
		t.runs.flush(), t.codeBlocks.flush(), t.exceptions.flush(), t.counts.flush(), t.timestamps.flush(),
		t.contexts.flush(), t.accesses.flush(), t.events.flush(), t.losses.flush(), t.segments.flush(), t.packets.flush(),
	)
}
