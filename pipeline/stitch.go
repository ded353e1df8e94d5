package pipeline

import (
	"errors"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/access"
	"github.com/tracelake/tracelake/schema"
)

// A stitcher takes the decoded units of one source in order, settles what
// crosses their borders, and cuts the stream of runs and rows into row-group
// jobs by ordinal.
type stitcher struct {
	carry
	hold    hold
	data    *access.Collector
	code    decode.TimestampCode
	tables  tables
	outcome outcome

	// Of the last part that was taken; within: its segment began inside an
	// instruction.
	half, within bool
	stood        schema.Null[decode.Position]

	// The segment that is open: its base stays, its row grows.
	open       base
	row        schema.Segment
	exceptions int64   // rows of `exceptions`, returns too
	lowered    []int64 // what its parts say of instructions that were taken back

	numbers map[schema.BlockKey]uint32 // of code blocks, by first use
}

func newStitcher(source uint8, code decode.TimestampCode, t tables) *stitcher {
	return &stitcher{
		carry: newCarry(source), code: code, tables: t, numbers: map[schema.BlockKey]uint32{},
		data: access.NewCollector(func(rows []schema.DataAccess) error { return t.accesses.add(base{source: source}, rows) }),
	}
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
	numbers := make([]uint32, len(d.rows.Blocks))
	var from decode.Ends
	for i := range d.rows.Segments {
		seg := &d.rows.Segments[i]
		p := &part{Segment: *seg, unit: d.rows, numbers: numbers, from: from, to: seg.Ends}
		if s.goesInside(seg) {
			in := seg.Inside
			p = &part{Segment: in.Segments[0], unit: in, numbers: make([]uint32, len(in.Blocks)), to: in.Segments[0].Ends}
		}
		if err := s.number(p); err != nil {
			return err
		}
		s.half, s.stood = p.Tail.Half, p.Tail.Reached
		if err := s.take(p); err != nil {
			return err
		}
		from = seg.Ends
	}
	return nil
}

// goesInside says whether a segment begins inside the instruction that the one
// before it ended in, or goes on one that does.
func (s *stitcher) goesInside(seg *decode.Segment) bool {
	if !seg.Continued {
		s.within = seg.Inside != nil && s.half && s.stood == seg.Lead.At
	}
	return s.within && seg.Inside != nil
}

// take takes the next part. It waits if it may still change.
func (s *stitcher) take(p *part) error {
	s.hold.settle(p)
	if p.Tail.Act != decode.EarlierAct || s.hold.full() {
		if err := s.release(); err != nil {
			return err
		}
	}
	if p.Tail.Act == decode.NoAct || p.Tail.Act == decode.EarlierAct && len(s.hold.parts) == 0 {
		return s.segment(p)
	}
	s.hold.add(p)
	return nil
}

// release takes the parts that waited.
func (s *stitcher) release() error {
	for _, p := range s.hold.release() {
		if err := s.segment(p); err != nil {
			return err
		}
	}
	return nil
}

// unsynced takes what stands before the first cut.
func (s *stitcher) unsynced(u *unit) error {
	if err := s.tables.events.add(s.base, u.events); err != nil {
		return err
	}
	s.keep(s.code, u.kept)
	t := &s.outcome.totals
	for _, l := range u.losses {
		t.Bytes += l.Bytes
		t.BytesLost += l.Bytes
	}
	t.Losses += int64(len(u.losses))
	s.outcome.lost.add(u.losses)
	s.outcome.asyncs += int64(u.asyncs)
	return s.tables.losses.add(s.base, u.losses)
}

// number gives the blocks of a part their numbers in the source, new ones in
// order.
func (s *stitcher) number(p *part) error {
	var first []codeBlock
	for i := p.from.Blocks; i < p.to.Blocks; i++ {
		b := p.unit.Blocks[i]
		n, ok := s.numbers[b.Key]
		if !ok {
			n = uint32(len(s.numbers))
			s.numbers[b.Key] = n
			for position := range b.Address {
				first = append(first, codeBlock{n, position, b})
			}
		}
		p.numbers[i] = n
	}
	return s.tables.codeBlocks.add(s.base, first)
}

// segment takes a segment, or a part of one.
func (s *stitcher) segment(p *part) error {
	if !p.Continued {
		if err := s.openSegment(&p.Segment); err != nil {
			return err
		}
	}
	if p.lowered > 0 {
		s.lowered = append(s.lowered, p.lowered)
	}
	// Rows stand on the start of the segment, but for what the part before
	// said last.
	b := s.open
	b.seq -= int64(len(s.lowered))
	b.timestamp, b.timestamps, b.vmid = s.timestamp, int32(p.from.Timestamps), s.vmid
	b.ordinal = s.open.ordinal + s.exceptions
	timestamps := p.unit.Timestamps[p.from.Timestamps:p.to.Timestamps]
	s.resolve(s.code, timestamps)
	s.carry.take(p.unit, &p.Segment, p.from, p.to)
	s.pointBack(p)
	if c := p.Back.Count; c.OK && s.late(&p.unit.Counts[c.V.Count], b.seq) {
		p.unit.RemoveEvent(c.V.Event, &p.to)
	}
	s.count(p)
	if err := s.addRows(b, p); err != nil {
		return err
	}
	s.part(&p.Tail, s.open.seq-s.before(p.Tail.Restart.V.Seq), timestamps)
	if p.Open {
		return nil
	}
	s.close(s.code, &p.Tail, s.row.Instructions, s.exceptions)
	return s.tables.segments.add(s.open, []schema.Segment{s.row})
}

// before counts the instructions taken back that an ordinal of the segment
// counts.
func (s *stitcher) before(seq int64) int64 {
	n := int64(0)
	for _, from := range s.lowered {
		if from <= seq {
			n++
		}
	}
	return n
}

// pointBack settles the ordinals of late counts in a part. Those of restarts
// before an instruction that was taken back do not count it, as all else does.
func (s *stitcher) pointBack(p *part) {
	if len(s.lowered) == 0 {
		return
	}
	for i := p.from.Counts; i < p.to.Counts; i++ {
		if x := &p.unit.Counts[i]; x.Late {
			x.Seq += int64(len(s.lowered)) - s.before(x.Seq)
		}
	}
}

// count adds what a part counts to the segment's row and the source's totals.
func (s *stitcher) count(p *part) {
	of, row, t := &p.Row, &s.row, &s.outcome.totals
	row.Bytes += of.Bytes
	row.BytesDecoded += of.BytesDecoded
	row.BytesLost += of.BytesLost
	row.BytesUnplaced += of.BytesUnplaced
	row.Instructions += of.Instructions
	row.Exceptions += of.Exceptions
	t.Bytes += of.Bytes
	t.BytesDecoded += of.BytesDecoded
	t.BytesLost += of.BytesLost
	t.BytesUnplaced += of.BytesUnplaced
	t.Instructions += of.Instructions
	t.Exceptions += of.Exceptions
	losses := p.unit.Losses[p.from.Losses:p.to.Losses]
	t.Losses += int64(len(losses))
	s.outcome.lost.add(losses)
	for _, e := range p.unit.Events[p.from.Events:p.to.Events] {
		switch {
		case e.Event.Restarts():
			t.Gaps++
		case e.Event == schema.EventUnmapped:
			s.outcome.missing.Add(e.Address.V, 1)
		}
	}
	s.outcome.quality.Add(&p.Quality)
}

// openSegment begins a segment.
func (s *stitcher) openSegment(seg *decode.Segment) error {
	first := !s.base.segment.OK
	if first {
		s.outcome.firstCut = schema.Of(seg.Row.Offset)
	}
	if lead := &seg.Lead; !first && lead.Reason == schema.ISyncPeriodic && lead.At.OK {
		s.outcome.quality.ISync(lead.Offset, s.reached, lead.At.V)
	}
	events, counts := s.carry.open(&seg.Lead)
	if !first && slices.ContainsFunc(events, func(e schema.Event) bool { return e.Event.Restarts() }) {
		s.outcome.totals.Gaps++
	}
	s.open = s.base
	s.row = schema.Segment{Key: seg.Row.Key, Address: seg.Row.Address, Reason: seg.Row.Reason}
	s.exceptions, s.lowered = 0, s.lowered[:0]
	s.outcome.totals.Segments++
	if err := s.tables.events.add(s.open, events); err != nil {
		return err
	}
	return s.tables.counts.add(s.open, counts)
}

// addRows hands the rows of a part to their tables.
func (s *stitcher) addRows(b base, p *part) error {
	u, from, to, t := p.unit, p.from, p.to, &s.tables
	unmatched, err := s.data.Follow(access.Base{Seq: b.seq, Segment: b.segment}, u.Data[from.Data:to.Data], p.Tail.Act)
	if err != nil {
		return err
	}
	events := mergeEvents(u.Events[from.Events:to.Events], unmatched, from.Events)
	timestamps, events := timestampEvents(u.Timestamps[from.Timestamps:to.Timestamps], events)
	exceptions := exceptionRows(b, u, u.Exceptions[from.Exceptions:to.Exceptions])
	s.exceptions += int64(len(exceptions))
	return errors.Join(
		t.runs.add(runs{
			base: b, unit: u, numbers: p.numbers, from: from.Runs, to: to.Runs, cost: from.Costs,
			spans: u.Spans[from.Spans:to.Spans],
			seq:   s.open.seq + s.row.Instructions - p.Row.Instructions, rows: p.Row.Instructions,
		}),
		t.exceptions.add(b, exceptions),
		t.counts.add(b, u.Counts[from.Counts:to.Counts]),
		t.timestamps.add(b, timestamps),
		t.contexts.add(b, s.changes(u.Contexts[from.Contexts:to.Contexts])),
		t.events.add(b, events),
		t.losses.add(b, u.Losses[from.Losses:to.Losses]),
		t.packets.add(b, u.Packets[from.Packets:to.Packets]),
	)
}

// finish ends the source, after which its totals hold, and hands over what is left of every table.
func (s *stitcher) finish() error {
	if err := errors.Join(s.release(), s.data.Finish()); err != nil {
		return err
	}
	s.outcome.totals.DataAccesses = s.data.Rows()
	t := &s.tables
	return errors.Join(
		t.runs.flush(), t.codeBlocks.flush(), t.exceptions.flush(), t.counts.flush(), t.timestamps.flush(),
		t.contexts.flush(), t.accesses.flush(), t.events.flush(), t.losses.flush(), t.segments.flush(), t.packets.flush(),
	)
}
