// Package stitch settles what crosses a cut. A [Stitcher] takes the decoded units
// of one source in order, whose rows are relative to their segments; numbers
// segments, instructions, exceptions, epochs and code blocks; lets a cancel take
// back what is in an earlier part; and emits runs and rows to [Sinks], each with
// the [Base] to add. It knows no row group and no file.
//
// Its API is not stable (docs/guide/library.md).
package stitch

import (
	"errors"
	"math"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/access"
	"github.com/tracelake/tracelake/schema"
)

// New returns a Stitcher of a source whose timestamps have this code, with sinks to.
func New(source uint8, code decode.TimestampCode, to Sinks) *Stitcher {
	s := &Stitcher{
		carry: carry{base: Base{Source: source}, lost: true}, code: code, sinks: to, numbers: map[schema.BlockKey]uint32{},
	}
	s.data = access.NewCollector(s.addAccesses)
	return s
}

// A Unit is a work unit that was decoded.
type Unit struct {
	// What is before the first cut.
	Losses     []schema.Loss
	Events     []schema.Event
	Timestamps []schema.Timestamp
	Preserved  decode.Preserved

	Asyncs int // in Rows
	Rows   *decode.Result
}

// Stitch takes the next unit, whose rows it then owns.
func (s *Stitcher) Stitch(d *Unit) error {
	err := s.unsynced(d)
	if err != nil {
		return err
	}
	numbers, runs := make([]uint32, len(d.Rows.Blocks)), d.Rows.RunsAlone()
	defer runs.Release()
	defer d.Rows.Counts.Release()
	var from decode.Ends
	parts := make([]decodedPart, len(d.Rows.Segments))
	for i := range d.Rows.Segments {
		seg, p := &d.Rows.Segments[i], &parts[i]
		if s.goesInside(seg) {
			in := seg.Inside
			p.unit, p.runs, p.numbers, p.to, p.Segment = in, in.RunsAlone(), make([]uint32, len(in.Blocks)), in.Segments[0].Ends, in.Segments[0]
		} else {
			p.unit, p.runs, p.numbers, p.from, p.to, p.Segment = d.Rows, runs, numbers, from, seg.Ends, *seg
		}
		s.half, s.reached = p.End.Half, p.End.Reached
		if !p.Continued {
			s.taken++
		}
		p.segment, p.decodeFrom = s.taken-1, s.taken-1
		blocks := from[decode.Blocks]
		from = seg.Ends
		if s.window.has(schema.Of(p.segment)) {
			err = s.number(p)
		} else {
			from[decode.Blocks] = blocks // later parts of the unit may use them
		}
		if err == nil {
			err = s.take(p)
		}
		if err != nil {
			return err
		}
	}
	d.Rows.Segments = nil // each part has its own copy
	return nil
}

// goesInside says whether a segment begins inside the instruction that the one
// before it ended in, or continues one that does.
func (s *Stitcher) goesInside(seg *decode.Segment) bool {
	if !seg.Continued {
		s.within = seg.Inside != nil && s.half && s.reached == seg.Start.At
	}
	return s.within && seg.Inside != nil
}

// take takes the next part. It waits if it may still change.
func (s *Stitcher) take(p *decodedPart) error {
	p.runs.Retain()
	p.unit.Counts.Retain()
	if s.pending.apply(p) {
		p.decodeFrom = s.pending.parts[0].segment
	}
	if err := s.segments(s.pending.settle(p)); err != nil {
		return err
	}
	if len(s.pending.parts) == 0 && p.isFinal() {
		return s.segment(p)
	}
	s.pending.add(p)
	return nil
}

// segments takes parts for the last time.
func (s *Stitcher) segments(parts []*decodedPart) error {
	for _, p := range parts {
		if err := s.segment(p); err != nil {
			return err
		}
	}
	return nil
}

// Commit takes the parts that waited: no part comes that could cancel anything.
func (s *Stitcher) Commit() error { return s.segments(s.pending.commit()) }

// unsynced takes what is before the first cut.
func (s *Stitcher) unsynced(u *Unit) error {
	timestamps, events := timestampEvents(u.Timestamps, u.Events)
	if err := errors.Join(s.sinks.Events.Add(s.carry.base, events), s.sinks.Timestamps.Add(s.carry.base, timestamps)); err != nil {
		return err
	}
	s.carry.preserve(s.code, u.Preserved)
	for _, l := range u.Losses {
		s.at += l.Bytes
	}
	if s.window.has(s.carry.base.Segment) {
		s.Outcome.lose(u.Losses)
	}
	s.Outcome.Asyncs += int64(u.Asyncs)
	return s.sinks.Losses.Add(s.carry.base, u.Losses)
}

// Lose takes a loss after all units so far: it is in their last segment, if there is one.
func (s *Stitcher) Lose(l schema.Loss) error {
	if err := s.Commit(); err != nil {
		return err
	}
	s.row.Bytes += l.Bytes
	s.row.BytesLost += l.Bytes
	return s.unsynced(&Unit{Losses: []schema.Loss{l}})
}

// segment takes a segment, or a part of one, for the last time.
func (s *Stitcher) segment(p *decodedPart) error {
	defer p.runs.Release()
	defer p.unit.Counts.Release()
	if !p.Continued {
		if err := s.openSegment(&p.Segment); err != nil {
			return err
		}
	}
	s.row.Start.DecodeFrom = min(s.row.Start.DecodeFrom, p.decodeFrom)
	if p.lowered.by > 0 {
		s.lowered = append(s.lowered, p.lowered)
	}
	if p.CountsEach {
		s.openEpoch(p)
		s.countWaits(p)
	}
	b := s.baseOf(p)
	timestamps := rowsOf(p, p.unit.Timestamps, decode.Timestamps)
	s.carry.resolve(s.code, timestamps)
	if p.Back.Waits == decode.WaitsLost {
		s.gap(&p.Segment)
	}
	s.carry.takeWaits(p.unit, &p.Segment, p.from, p.to)
	s.pointBack(p)
	if c := p.Back.Count; c.OK && s.carry.late(&p.unit.Counts, c.V.Count, b.seq) {
		p.unit.RemoveEvent(c.V.Event, &p.to)
	}
	s.count(&b, p)
	if err := s.addRows(b, p); err != nil {
		return err
	}
	s.carry.passPart(&p.End, s.open.seq-s.before(p.End.Restart.V.Seq), timestamps)
	if p.Open {
		return nil
	}
	s.carry.endSegment(s.code, &p.End, s.row.Instructions, s.exceptions)
	s.ended = true
	return nil
}

// baseOf returns what the rows of a part are relative to: the start of the segment, but for what
// the part before said last.
func (s *Stitcher) baseOf(p *decodedPart) Base {
	b := s.open
	b.seq -= s.before(math.MaxInt64)
	b.timestamp, b.timestamps, b.vmid = s.carry.base.timestamp, int32(p.from[decode.Timestamps]), s.carry.base.vmid
	b.contextID = s.carry.base.contextID
	b.ordinal = s.open.ordinal + s.exceptions
	return b
}

// closeSegment hands the row of the segment that has ended, if any, to its sink.
func (s *Stitcher) closeSegment() error {
	if !s.ended {
		return nil
	}
	s.ended = false
	return s.sinks.Segments.Add(s.open, s.rowAlone())
}

// rowAlone returns the row of the segment in memory that its sink may keep: many
// segments share it.
func (s *Stitcher) rowAlone() []schema.Segment {
	const shared = 64
	if len(s.rows) == cap(s.rows) {
		s.rows = make([]schema.Segment, 0, shared)
	}
	n := len(s.rows)
	s.rows = append(s.rows, s.row)
	return s.rows[n : n+1 : n+1]
}

// before counts the cancelled instructions that an ordinal of the segment
// counts.
func (s *Stitcher) before(seq int64) int64 {
	n := int64(0)
	for _, l := range s.lowered {
		if l.from <= seq {
			n += l.by
		}
	}
	return n
}

// pointBack corrects the ordinals of late counts in a part. Those of restarts
// before an instruction that was cancelled do not count it, as all else does.
func (s *Stitcher) pointBack(p *decodedPart) {
	if len(s.lowered) == 0 {
		return
	}
	for i := p.from[decode.Counts]; i < p.to[decode.Counts]; i++ {
		if x := p.unit.Counts.At(i); x.Late {
			x.Seq += s.before(math.MaxInt64) - s.before(x.Seq)
			p.unit.Counts.Set(i, x)
		}
	}
}

// count adds what a part counts to the segment's row and the source's totals.
func (s *Stitcher) count(b *Base, p *decodedPart) {
	t := &s.Outcome.Totals
	s.row.Add(p.Row.Counters)
	s.at += p.Row.Bytes
	if !s.window.has(s.open.Segment) {
		return
	}
	t.Counters.Add(p.Row.Counters)
	losses := rowsOf(p, p.unit.Losses, decode.Losses)
	t.Losses += int64(len(losses))
	s.Outcome.Lost.add(losses)
	first := s.open.seq + s.row.Instructions - t.Instructions // of the window
	for _, e := range rowsOf(p, p.unit.Events, decode.Events) {
		switch {
		case e.Event.Restarts():
			t.Gaps++
			s.Outcome.restarts.add(b.seq + e.Seq - first)
		case e.Event == schema.EventUnmapped:
			s.Outcome.Missing.Add(e.Address.V, 1)
		}
	}
	s.Outcome.Quality.Add(&p.Quality)
}

// openSegment begins a segment.
func (s *Stitcher) openSegment(seg *decode.Segment) error {
	if err := s.closeSegment(); err != nil {
		return err
	}
	s.resume()
	first := !s.carry.base.Segment.OK
	if first {
		s.Outcome.FirstCut = schema.Of(seg.Row.Offset)
	}
	wanted := s.window.has(schema.Of(s.openOrdinal()))
	if lead := &seg.Start; !first && wanted && lead.Reason == schema.ISyncPeriodic && lead.At.OK {
		s.Outcome.Quality.ISync(lead.Offset, s.carry.reached, lead.At.V)
	}
	start := s.start(seg)
	if lead := &seg.Start; s.carry.lost || lead.Reason != schema.ISyncPeriodic && !lead.Unread {
		s.gap(seg)
	}
	events, counts := s.carry.beginSegment(&seg.Start)
	if !first && wanted && slices.ContainsFunc(events, func(e schema.Event) bool { return e.Event.Restarts() }) {
		s.Outcome.Totals.Gaps++
		s.Outcome.restarts.add(s.Outcome.Totals.Instructions)
	}
	s.open = s.carry.base
	s.row = schema.Segment{Key: seg.Row.Key, Address: seg.Row.Address, Reason: seg.Row.Reason, Start: start}
	s.exceptions, s.lowered = 0, s.lowered[:0]
	if wanted {
		s.Outcome.Totals.Segments++
	}
	if err := s.sinks.Events.Add(s.open, events); err != nil {
		return err
	}
	return addCounts(s.sinks.Counts, s.open, counts, nil)
}

// gap has the cycles since the last instruction belong to a gap: trace restarts in a
// segment. Where instructions have a count each, no row has counted them.
func (s *Stitcher) gap(in *decode.Segment) {
	if n := s.carry.waits - s.carry.kept; n > 0 && s.sinks.Counts != nil && !in.CountsEach {
		s.sinks.Counts.Gap(s.open, n)
	}
	s.carry.waits, s.carry.kept = 0, 0
}

// addRows hands the rows of a part to their sinks.
func (s *Stitcher) addRows(b Base, p *decodedPart) error {
	u, to := p.unit, &s.sinks
	unmatched, err := s.data.Follow(access.Base{Seq: b.seq, Segment: b.Segment}, rowsOf(p, u.Data, decode.Data), p.End.Cancelable)
	if err != nil {
		return err
	}
	events := mergeEvents(rowsOf(p, u.Events, decode.Events), unmatched, p.from[decode.Events])
	timestamps, events := timestampEvents(rowsOf(p, u.Timestamps, decode.Timestamps), events)
	exceptions := exceptionRows(&b, u, rowsOf(p, u.Exceptions, decode.Exceptions))
	s.exceptions += int64(len(exceptions))
	return errors.Join(
		s.addRuns(b, p),
		to.Exceptions.Add(b, exceptions),
		addCounts(to.Counts, b, u.Counts.Slice(p.from[decode.Counts], p.to[decode.Counts]), rowsOf(p, u.Sums, decode.Sums)),
		to.Timestamps.Add(b, timestamps),
		to.Contexts.Add(b, s.carry.changes(rowsOf(p, u.Contexts, decode.Contexts))),
		to.Events.Add(b, events),
		to.Losses.Add(b, rowsOf(p, u.Losses, decode.Losses)),
		to.Packets.Add(b, rowsOf(p, u.Packets, decode.Packets)),
	)
}

// addRuns hands the runs of a part to their sink.
func (s *Stitcher) addRuns(b Base, p *decodedPart) error {
	begins := p.runs != s.unit
	s.unit = p.runs
	return s.sinks.Runs.Add(Runs{
		Base: b, Begins: begins, Unit: p.runs, Numbers: p.numbers, Spans: rowsOf(p, p.unit.Spans, decode.Spans),
		Stretches: rowsOf(p, p.unit.Stretches, decode.Stretches), Firsts: rowsOf(p, p.unit.Firsts, decode.Firsts),
		Turns: rowsOf(p, p.unit.Turns, decode.Turns), Failures: rowsOf(p, p.unit.Failures, decode.Failures),
		Steps: rowsOf(p, p.unit.Steps, decode.Steps), StepCycles: rowsOf(p, p.unit.StepCycles, decode.StepCycles),
		From: p.from[decode.Runs], To: p.to[decode.Runs], Cost: p.from[decode.Costs], Costs: p.to[decode.Costs],
		Place: p.from[decode.Offsets], Places: p.to[decode.Offsets],
		Block: p.from[decode.Blocks], Blocks: p.to[decode.Blocks],
		Seq: s.open.seq + s.row.Instructions - p.Row.Instructions, Instructions: p.Row.Instructions,
	})
}

// addAccesses takes rows of `data_accesses`, which have their segment themselves.
func (s *Stitcher) addAccesses(rows []schema.DataAccess) error {
	if s.window.on {
		rows = slices.DeleteFunc(rows, func(x schema.DataAccess) bool { return !s.window.has(x.Segment) })
	}
	s.Outcome.Totals.DataAccesses += int64(len(rows))
	return s.sinks.Accesses.Add(Base{Source: s.carry.base.Source}, rows)
}

// Finish ends the source. After it, every row is in its sink.
func (s *Stitcher) Finish() error {
	return errors.Join(s.Commit(), s.closeSegment(), s.data.Finish())
}
