package pipeline

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/pipeline/rows"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// damageEach returns n, or 1 in a long run: of so many variants one is tried. A
// long run damages generated streams in every way there is, for minutes for each
// macrocell, and demands the figures of docs/conformance.md.
func damageEach(n int) int {
	if need.Long() {
		return 1
	}
	return n
}

// A short run is for races, of which one goroutine has none. Where one worker decodes, they
// are those that TestPiecesAndGrains has with several.
const (
	oneGoroutine = "damage is decoded in one goroutine"
	everyWay     = "files are read in every way in one goroutine"
	readOnly     = "source text is read, nothing of it runs"
	oneWorker    = "one worker decodes many variants"
)

// A variants decodes a generated stream damaged in many ways. It has the memory
// of the last decode, and no rows of packets.
type variants struct {
	*generated
	intact  *decodedTables
	isyncs  []int // places, of the segments
	end     []int // of those I-syncs
	starts  []int // of the A-syncs before them
	facts   []rangeFacts
	decoder decode.Decoder
	// transfers are those of the intact stream, nil if it has no data.
	transfers *tracedTransfers
	dataset   *decodedTables
	runs      int // in a unit, at most so far
}

// newVariants decodes the intact stream, which must come to its truth.
func newVariants(t *testing.T, g *generated) *variants {
	t.Helper()
	v := &variants{generated: g, intact: g.decode(t)}
	v.intact.checkAccounts(t, len(g.data))
	v.intact.checkTruth(t, &g.truth)
	asyncs := g.asyncs()
	code := g.protocol.TimestampCode()
	for k, offset := range v.intact.integers(&schema.Segments, "byte_offset") {
		at := g.position(offset)
		p, err := g.protocol.ParsePacket(g.data[at:])
		if err != nil {
			t.Fatal(err)
		}
		i, _ := slices.BinarySearch(asyncs, at+1)
		v.isyncs, v.end, v.starts = append(v.isyncs, at), append(v.end, at+p.Len), append(v.starts, asyncs[i-1]-g.async().Bytes())
		v.facts = append(v.facts, v.intact.from(k).facts(code))
	}
	if t.Failed() {
		t.FailNow()
	}
	v.transfers = newTracedTransfers(t, g, v.intact)
	v.decoder = g.protocol.NewDecoder(g.memory, decode.Wanted{})
	v.dataset = &decodedTables{tables: map[string]*schema.Batch{}}
	return v
}

// decode decodes other bytes, in which the input breaks at some places. What it
// returns holds until the next call.
func (v *variants) decode(t testing.TB, data []byte, breaks ...int) *decodedTables {
	t.Helper()
	d := v.dataset
	for _, b := range d.tables {
		b.Reset()
	}
	tables := rows.New(d.output(func(t *schema.Table) bool {
		return t != &schema.Blocks && t != &schema.BlockRuns && t != &schema.Packets && t != &schema.CodeBlocks
	}))
	st := stitch.New(v.id, v.protocol.TimestampCode(), tables.Sinks)
	stream := v.with(data).stream(wholePieces, breaks...)
	for u, err := range engine.SplitBy(stream, v.protocol, grainOf(engine.UnitBytes, engine.PartBytes, len(data)+1), engine.NoLead) {
		if err != nil {
			t.Fatal(err)
		}
		u.CutUp()
		u.Rows = &decode.Result{Runs: make([]schema.Run, 0, v.runs)}
		for i := range u.Parts {
			v.decoder.Decode(u.Rows, u.Parts[i])
		}
		v.runs = max(v.runs, len(u.Rows.Runs))
		if err := st.Stitch(&u.Unit); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(st.Finish(), tables.Flush()); err != nil {
		t.Fatal(err)
	}
	d.totals = st.Outcome.Totals
	return d
}

// check checks of a damaged stream that its bytes are accounted for and that trace
// restarts where it has to. Every segment that the damage does not touch must have
// its rows: before the damage to the last cell, after it except for values carried
// over it. Every other segment must be lost from its first bad packet on, and
// report nothing impossible.
func (v *variants) check(t testing.TB, got *decodedTables, data []byte, d damage, breaks ...int) {
	t.Helper()
	got.checkAccounts(t, len(data))
	got.checkRestarts(t)
	var untouched []segmentRange // of got
	for k := 0; k < len(v.isyncs); {
		n := k
		for n < len(v.isyncs) && !v.touched(n, d) {
			n++
		}
		if n == k {
			k++
			continue
		}
		if s := v.checkRange(t, got, d, k, n); s.end > 0 {
			untouched = append(untouched, s)
		}
		k = n
	}
	if v.transfers != nil {
		v.checkAccesses(t, got, data)
		if err := v.implausibleAccess(got); err != nil {
			t.Error(err)
		}
	}
	asyncs := v.with(data).asyncs()
	starts := append(got.integers(&schema.Segments, "byte_offset"), int64(len(data)))
	for k := 0; k+1 < len(starts); k++ {
		if i := slices.IndexFunc(untouched, func(s segmentRange) bool { return s.first <= k && k < s.end }); i >= 0 {
			k = untouched[i].end - 1
			continue
		}
		if err := v.implausible(got, k, starts[k], starts[k+1]); err != nil {
			t.Errorf("segment %d: %v", k, err)
		}
		from, to := int(starts[k]), int(starts[k+1])
		if slices.ContainsFunc(breaks, func(at int) bool { return from < at && at < to }) {
			continue // nor does an A-sync reach over a break
		}
		v.checkLoss(t, got, k, data[:to], from, asyncs)
	}
}

// checkLoss checks segment k, which begins at data[from]: its first impossible
// packet, or the first that reaches past the end of an A-sync, is lost with all
// bytes after it, and nothing else is. A splice may begin before.
func (v *variants) checkLoss(t testing.TB, got *decodedTables, k int, data []byte, from int, asyncs []int) {
	t.Helper()
	at, cutOff, ended := from, false, false
	for at < len(data) {
		bound := len(data)
		if i, _ := slices.BinarySearch(asyncs, at+1); i < len(asyncs) {
			bound = min(bound, asyncs[i])
		}
		p, err := v.protocol.ParsePacket(data[at:bound])
		if err != nil {
			cutOff = errors.Is(err, io.ErrUnexpectedEOF) && bound == len(data) && k+1 == got.rows(&schema.Segments)
			break
		}
		if ended && p.Type != "a_sync" { // of ETMv4
			break
		}
		ended = p.Type == "overflow" || p.Type == "discard"
		at += p.Len
	}
	offset, lost := got.column(&schema.Losses, "byte_offset"), got.column(&schema.Losses, "bytes")
	segment, reason := got.column(&schema.Losses, "segment"), got.column(&schema.Losses, "reason")
	found := 0
	for i := range segment.Len() {
		if null(segment, i) || integer(segment, i) != int64(k) {
			continue
		}
		found++
		why, begins := schema.LossReason(reason.U8[i]), integer(offset, i)
		switch {
		case why == schema.LossSplice && begins < int64(at):
			at = int(begins)
		case begins != int64(at) || (why == schema.LossTruncated) != cutOff:
			t.Errorf("segment %d: a loss at %d, %s; the first bad packet is at %d", k, begins, why, at)
		}
		if begins+integer(lost, i) != int64(len(data)) {
			t.Errorf("segment %d: a loss from %d of %d bytes; the segment ends at %d", k, begins, integer(lost, i), len(data))
		}
	}
	if wanted := at < len(data); wanted != (found == 1) || found > 1 {
		t.Errorf("segment %d: %d losses; the first bad packet is at %d, the end at %d", k, found, at, len(data))
	}
}

// touched says whether damage touches segment k: a byte from its A-sync to the
// end of the I-sync that ends it.
func (v *variants) touched(k int, d damage) bool {
	to := len(v.data) + 1
	if k+1 < len(v.end) {
		to = v.end[k+1]
	}
	return d.touches(v.starts[k], to)
}

// checkRange compares the segments from k to n, which the damage does not touch,
// and returns their range in got.
func (v *variants) checkRange(t testing.TB, got *decodedTables, d damage, k, n int) segmentRange {
	t.Helper()
	m := got.segmentAt(int64(d.moved(v.isyncs[k])))
	if m < 0 {
		t.Errorf("the segment at %d is gone", v.isyncs[k])
		return segmentRange{}
	}
	want, there := segmentRange{v.intact, k, n}, segmentRange{got, m, m + n - k}
	if there.end > got.rows(&schema.Segments) {
		t.Errorf("segments after %d are gone", v.isyncs[k])
		return segmentRange{}
	}
	same := segmentRange{got, m, there.end}
	if got.takesBack(there.end, v.intact.lastOf(n-1)) {
		want.end, same.end = want.end-1, same.end-1
		v.checkTakenBack(t, got, n-1, same.end)
		if v.transfers != nil {
			last := v.comparison(segmentRange{v.intact, n - 1, n}, segmentRange{got, same.end, there.end}, d, n)
			last.table(t, &schema.DataAccesses)
		}
	}
	if want.end > want.first {
		c := v.comparison(want, same, d, n)
		c.all(t)
		if c.accesses != nil {
			c.accesses.checkValues(t, c)
		}
	}
	return there
}

// comparison compares a range that the damage does not touch; it does not touch the
// segments up to n either.
func (v *variants) comparison(want, got segmentRange, d damage, n int) *rangeComparison {
	past := otherPast
	if want.first == 0 {
		past = samePast
	}
	c := newRangeComparison(want, got, v.facts[want.first], func(at int64) int64 { return int64(d.moved(int(at))) }, past)
	c.accesses = v.newAccessComparison(want.first, n, past)
	return c
}

// instructionsOf returns where the instructions of a segment begin and end.
func (d *decodedTables) instructionsOf(segment int) (from, to int) {
	segments := d.column(&schema.Instructions, "segment")
	search := func(k int) int {
		return sort.Search(segments.Len(), func(i int) bool { return integer(segments, i) >= int64(k) })
	}
	return search(segment), search(segment + 1)
}

// lastOf returns the address of the last instruction of a segment, if it has one.
func (d *decodedTables) lastOf(segment int) schema.Null[schema.Address] {
	if from, to := d.instructionsOf(segment); from < to {
		return schema.Of(schema.Address(d.column(&schema.Instructions, "address").U64[to-1]))
	}
	return schema.Null[schema.Address]{}
}

// takesBack says whether a segment begins with a cancel of the instruction before
// it, which was at an address. Damage can change rows before it in this way only.
func (d *decodedTables) takesBack(segment int, last schema.Null[schema.Address]) bool {
	of, event, address := d.column(&schema.Events, "segment"), d.column(&schema.Events, "event"), d.column(&schema.Events, "address")
	for i := range of.Len() {
		if null(of, i) || integer(of, i) != int64(segment) || schema.EventKind(event.U8[i]) != schema.EventCancelled {
			continue
		}
		first := d.integers(&schema.Segments, "seq")[segment]
		return last.OK && schema.Address(address.U64[i]) == last.V && d.integers(&schema.Events, "seq")[i] == first
	}
	return false
}

// checkTakenBack demands that a segment has the instructions it had, but for the
// last.
func (v *variants) checkTakenBack(t testing.TB, got *decodedTables, segment, there int) {
	t.Helper()
	from, to := v.intact.instructionsOf(segment)
	first, end := got.instructionsOf(there)
	if end-first != to-from-1 {
		t.Fatalf("segment %d: %d instructions, want %d less one that is cancelled", there, end-first, to-from)
	}
	for _, name := range []string{"address", "isa", "opcode", "executed"} {
		a, b := v.intact.column(&schema.Instructions, name), got.column(&schema.Instructions, name)
		for i := range end - first {
			if !sameCell(a, from+i, b, first+i) {
				t.Errorf("segment %d: instruction %d differs in %s", there, i, name)
				break
			}
		}
	}
}

// implausible says what is impossible about the instructions of segment k, which
// lies at the given offsets. Memory must have them at their addresses; their
// packets must lie in the segment, in order; and within a packet each instruction
// must lead to the next.
func (v *variants) implausible(d *decodedTables, k int, start, end int64) error {
	from, to := d.instructionsOf(k)
	column := func(name string) *schema.Vector { return d.column(&schema.Instructions, name) }
	offset, address, set, security := column("byte_offset"), column("address"), column("isa"), column("security")
	opcode, size, executed := column("opcode"), column("size"), column("executed")
	last := start
	var next schema.Null[step.Place]
	indirect := false
	for i := from; i < to; i++ {
		at := integer(offset, i)
		place := step.Place{Address: schema.Address(address.U64[i]), ISA: schema.ISA(set.U8[i]), Security: schema.Security(security.U8[i])}
		in, err := v.program.Instruction(place)
		switch {
		case err != nil:
			return fmt.Errorf("instruction %d: %w", i, err)
		case in.Opcode != opcode.U32[i] || in.Size != size.U8[i]:
			return fmt.Errorf("instruction %d at %s: opcode 0x%x of %d bytes; memory has 0x%x", i, place, opcode.U32[i], size.U8[i], in.Opcode)
		case at < last || at >= end:
			return fmt.Errorf("instruction %d: reported at %d, the one before at %d; the segment ends at %d", i, at, last, end)
		case at == last && indirect && !v.cell.returnStack:
			return fmt.Errorf("instruction %d of the packet at %d is at %s, but no packet reported where the one before leads", i, at, place)
		case at == last && next.OK && (next.V.Address != place.Address || next.V.ISA != place.ISA):
			return fmt.Errorf("instruction %d of the packet at %d is at %s, but the one before leads to %s", i, at, place, next.V)
		}
		last = at
		indirect = false
		passed := null(executed, i) || executed.U8[i] == 1
		next = schema.Of(place)
		next.V.Address += schema.Address(in.Size)
		switch {
		case passed && in.Flow == isa.Direct:
			next.V.Address, next.V.ISA = in.Target, in.TargetISA
		case passed && in.Flow == isa.Indirect:
			next.OK, indirect = false, true
		}
	}
	return nil
}
