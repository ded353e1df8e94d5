package pipeline

import (
	"errors"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/access"
	"github.com/tracelake/tracelake/schema"
)

// A stitcher takes the decoded units of one source in order, resolves what
// crosses their borders, and cuts the stream of runs and rows into row-group
// jobs by ordinal.
type stitcher struct {
	carry   carry
	pending pending
	data    *access.Collector
	code    decode.TimestampCode
	tables  tables
	outcome outcome

	// Of the last part that was taken; within: its segment began inside an
	// instruction.
	half, within bool
	reached      schema.Null[decode.Position]

	// The segment that is open: its base stays, its row grows.
	open       base
	row        schema.Segment
	exceptions int64   // rows of `exceptions`, returns too
	lowered    []int64 // what its parts say of instructions that were cancelled

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
	*workUnit
	rows  *decode.Result
	bytes int64 // of memory that rows takes up
}

// stitch takes the next unit.
func (s *stitcher) stitch(d decoded) error {
	if err := s.unsynced(d.workUnit); err != nil {
		return err
	}
	numbers, runs := make([]uint32, len(d.rows.Blocks)), runsAlone(d.rows)
	var from decode.Ends
	for i := range d.rows.Segments {
		seg := &d.rows.Segments[i]
		p := &decodedPart{Segment: *seg, unit: d.rows, runs: runs, numbers: numbers, from: from, to: seg.Ends}
		if s.goesInside(seg) {
			in := seg.Inside
			p = &decodedPart{
				Segment: in.Segments[0], unit: in, runs: runsAlone(in), numbers: make([]uint32, len(in.Blocks)), to: in.Segments[0].Ends,
			}
		}
		if err := s.number(p); err != nil {
			return err
		}
		s.half, s.reached = p.End.Half, p.End.Reached
		if err := s.take(p); err != nil {
			return err
		}
		from = seg.Ends
	}
	d.rows.Segments = nil // each part has its own copy
	return nil
}

// runsAlone returns a unit with the runs of u and what they refer to: runs that
// wait for their row group hold no other memory.
func runsAlone(u *decode.Result) *decode.Result {
	return &decode.Result{Blocks: u.Blocks, Runs: u.Runs, Costs: u.Costs, Timestamps: u.Timestamps}
}

// goesInside says whether a segment begins inside the instruction that the one
// before it ended in, or continues one that does.
func (s *stitcher) goesInside(seg *decode.Segment) bool {
	if !seg.Continued {
		s.within = seg.Inside != nil && s.half && s.reached == seg.Start.At
	}
	return s.within && seg.Inside != nil
}

// take takes the next part. It waits if it may still change.
func (s *stitcher) take(p *decodedPart) error {
	s.pending.apply(p)
	if p.End.Cancelable != decode.CancelableEarlier || s.pending.full() {
		if err := s.commit(); err != nil {
			return err
		}
	}
	if p.End.Cancelable == decode.NothingCancelable || p.End.Cancelable == decode.CancelableEarlier && len(s.pending.parts) == 0 {
		return s.segment(p)
	}
	s.pending.add(p)
	return nil
}

// commit takes the parts that waited.
func (s *stitcher) commit() error {
	for _, p := range s.pending.commit() {
		if err := s.segment(p); err != nil {
			return err
		}
	}
	return nil
}

// unsynced takes what is before the first cut.
func (s *stitcher) unsynced(u *workUnit) error {
	if err := s.tables.events.add(s.carry.base, u.events); err != nil {
		return err
	}
	s.carry.preserve(s.code, u.preserved)
	t := &s.outcome.totals
	for _, l := range u.losses {
		t.Bytes += l.Bytes
		t.BytesLost += l.Bytes
	}
	t.Losses += int64(len(u.losses))
	s.outcome.lost.add(u.losses)
	s.outcome.asyncs += int64(u.asyncs)
	return s.tables.losses.add(s.carry.base, u.losses)
}

// number gives the blocks of a part their numbers in the source, new ones in
// order.
func (s *stitcher) number(p *decodedPart) error {
	var first []codeBlock
	for i := p.from[decode.Blocks]; i < p.to[decode.Blocks]; i++ {
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
	return s.tables.codeBlocks.add(s.carry.base, first)
}

// segment takes a segment, or a part of one.
func (s *stitcher) segment(p *decodedPart) error {
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
	b.timestamp, b.timestamps, b.vmid = s.carry.base.timestamp, int32(p.from[decode.Timestamps]), s.carry.base.vmid
	b.ordinal = s.open.ordinal + s.exceptions
	timestamps := rowsOf(p, p.unit.Timestamps, decode.Timestamps)
	s.carry.resolve(s.code, timestamps)
	s.carry.takeWaits(p.unit, &p.Segment, p.from, p.to)
	s.pointBack(p)
	if c := p.Back.Count; c.OK && s.carry.late(&p.unit.Counts[c.V.Count], b.seq) {
		p.unit.RemoveEvent(c.V.Event, &p.to)
	}
	s.count(p)
	if err := s.addRows(b, p); err != nil {
		return err
	}
	s.carry.passPart(&p.End, s.open.seq-s.before(p.End.Restart.V.Seq), timestamps)
	if p.Open {
		return nil
	}
	s.carry.endSegment(s.code, &p.End, s.row.Instructions, s.exceptions)
	return s.tables.segments.add(s.open, []schema.Segment{s.row})
}

// before counts the cancelled instructions that an ordinal of the segment
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

// pointBack corrects the ordinals of late counts in a part. Those of restarts
// before an instruction that was cancelled do not count it, as all else does.
func (s *stitcher) pointBack(p *decodedPart) {
	if len(s.lowered) == 0 {
		return
	}
	for i := p.from[decode.Counts]; i < p.to[decode.Counts]; i++ {
		if x := &p.unit.Counts[i]; x.Late {
			x.Seq += int64(len(s.lowered)) - s.before(x.Seq)
		}
	}
}

// count adds what a part counts to the segment's row and the source's totals.
func (s *stitcher) count(p *decodedPart) {
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
	losses := rowsOf(p, p.unit.Losses, decode.Losses)
	t.Losses += int64(len(losses))
	s.outcome.lost.add(losses)
	for _, e := range rowsOf(p, p.unit.Events, decode.Events) {
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
	first := !s.carry.base.segment.OK
	if first {
		s.outcome.firstCut = schema.Of(seg.Row.Offset)
	}
	if lead := &seg.Start; !first && lead.Reason == schema.ISyncPeriodic && lead.At.OK {
		s.outcome.quality.ISync(lead.Offset, s.carry.reached, lead.At.V)
	}
	events, counts := s.carry.beginSegment(&seg.Start)
	if !first && slices.ContainsFunc(events, func(e schema.Event) bool { return e.Event.Restarts() }) {
		s.outcome.totals.Gaps++
	}
	s.open = s.carry.base
	s.row = schema.Segment{Key: seg.Row.Key, Address: seg.Row.Address, Reason: seg.Row.Reason}
	s.exceptions, s.lowered = 0, s.lowered[:0]
	s.outcome.totals.Segments++
	if err := s.tables.events.add(s.open, events); err != nil {
		return err
	}
	return s.tables.counts.add(s.open, counts)
}

// addRows hands the rows of a part to their tables.
func (s *stitcher) addRows(b base, p *decodedPart) error {
	u, from, to, t := p.unit, p.from, p.to, &s.tables
	unmatched, err := s.data.Follow(access.Base{Seq: b.seq, Segment: b.segment}, rowsOf(p, u.Data, decode.Data), p.End.Cancelable)
	if err != nil {
		return err
	}
	events := mergeEvents(rowsOf(p, u.Events, decode.Events), unmatched, from[decode.Events])
	timestamps, events := timestampEvents(rowsOf(p, u.Timestamps, decode.Timestamps), events)
	exceptions := exceptionRows(b, u, rowsOf(p, u.Exceptions, decode.Exceptions))
	s.exceptions += int64(len(exceptions))
	return errors.Join(
		t.runs.add(runs{
			base: b, unit: p.runs, numbers: p.numbers, from: from[decode.Runs], to: to[decode.Runs], cost: from[decode.Costs], costs: to[decode.Costs],
			spans: rowsOf(p, u.Spans, decode.Spans),
			seq:   s.open.seq + s.row.Instructions - p.Row.Instructions, rows: p.Row.Instructions,
		}),
		t.exceptions.add(b, exceptions),
		t.counts.add(b, rowsOf(p, u.Counts, decode.Counts)),
		t.timestamps.add(b, timestamps),
		t.contexts.add(b, s.carry.changes(rowsOf(p, u.Contexts, decode.Contexts))),
		t.events.add(b, events),
		t.losses.add(b, rowsOf(p, u.Losses, decode.Losses)),
		t.packets.add(b, rowsOf(p, u.Packets, decode.Packets)),
	)
}

// finish ends the source, after which its totals hold, and hands over what is left of every table.
func (s *stitcher) finish() error {
	if err := errors.Join(s.commit(), s.data.Finish()); err != nil {
		return err
	}
	s.outcome.totals.DataAccesses = s.data.Rows()
	t := &s.tables
	return errors.Join(
		t.runs.flush(), t.codeBlocks.flush(), t.exceptions.flush(), t.counts.flush(), t.timestamps.flush(),
		t.contexts.flush(), t.accesses.flush(), t.events.flush(), t.losses.flush(), t.segments.flush(), t.packets.flush(),
	)
}
