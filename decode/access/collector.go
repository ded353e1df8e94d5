// Package access ties the data transfers that a trace reports to the
// instructions and exceptions that made them: the rows of `data_accesses`.
//
// Its API is not stable (docs/guide/library.md).
package access

import (
	"math"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A Collector makes the rows of `data_accesses` of one source from the data
// elements of its parts. It takes the parts in order, since the instruction that a
// packet belongs to may precede it by any distance, and keeps the rows of the last
// data instruction pending until nothing can change them (IHI 0014Q §7.4, §7.4.9).
type Collector struct {
	emit func(rows []schema.DataAccess) error
	rows int64

	group      group // of the last data instruction, or of an unknown one
	frame      group // of a stack frame, up to the next instruction
	groups     int64 // how many have begun
	cancelable decode.Cancelable

	tags []pendingRow // placeholders whose values have not come yet, in order

	address schema.Address // the last one sent
	bits    uint8          // how many low bits of address were sent

	pending   []pendingRow
	committed []schema.DataAccess // not emitted yet

	stored    bool // the previous element was a transfer or its value: the last row
	unmatched []Unmatched

	// since is the segment of the part that cancelable is of.
	since schema.Null[int32]
}

// A Base is what the elements of a part are relative to.
type Base struct {
	Seq     int64 // ordinal in the source of the part's instruction 0
	Segment schema.Null[int32]
}

// An Unmatched is an event that a part has beside those of its decoder. It comes
// after After events of the part's result.
type Unmatched struct {
	schema.Event
	After int
}

// emittedRows is how many rows are emitted at once.
const emittedRows = 4096

// maxPending bounds the rows that may be pending.
const maxPending = 65536

// A pendingRow is a row with the group it belongs to.
type pendingRow struct {
	schema.DataAccess
	group int64
	since schema.Null[int32] // segment that the group began in
}

// NewCollector returns a Collector that passes its rows to emit, in order.
func NewCollector(emit func(rows []schema.DataAccess) error) *Collector {
	return &Collector{emit: emit}
}

// Rows returns how many rows there are so far.
func (c *Collector) Rows() int64 { return c.rows }

// Follow takes the data elements of a part, which are relative to b. cancelable is
// what a cancel after the part would take back. Follow returns the events that the
// part has beside those of its decoder.
func (c *Collector) Follow(b Base, data []decode.DataElement, cancelable decode.Cancelable) ([]Unmatched, error) {
	c.unmatched = nil
	for i := range data {
		if len(c.pending) >= maxPending && data[i].Kind != decode.ElementStoreFailed {
			c.commit()
		}
		c.take(b, &data[i])
		if len(c.committed) >= emittedRows {
			if err := c.flush(); err != nil {
				return nil, err
			}
		}
	}
	if cancelable != decode.CancelableEarlier {
		c.cancelable, c.since = cancelable, b.Segment
	}
	return c.unmatched, nil
}

// Address returns the low bits of the last address sent, which later ones leave out, and
// how many. It reports false if there was no data yet.
func (c *Collector) Address() (address schema.Address, bits uint8, ok bool) {
	return c.address, c.bits, c.bits > 0 || c.groups > 0
}

// Resume begins in the middle of a source, after data: with what Address returned there.
func (c *Collector) Resume(address schema.Address, bits uint8) {
	c.address, c.bits, c.groups = address, bits, 1
}

// Since returns the first segment whose elements may still matter to those that come;
// NULL if there is none.
func (c *Collector) Since() schema.Null[int32] {
	if c.groups == 0 && len(c.pending) == 0 && len(c.tags) == 0 {
		return schema.Null[int32]{}
	}
	since := c.since
	earlier := func(segment schema.Null[int32]) {
		if segment.OK && (!since.OK || segment.V < since.V) {
			since = segment
		}
	}
	for _, g := range []*group{&c.group, &c.frame} {
		if g.kind != noGroup {
			earlier(g.segment)
		}
	}
	for _, rows := range [][]pendingRow{c.pending, c.tags} {
		for i := range rows {
			earlier(rows[i].since)
		}
	}
	return since
}

// Finish ends the source.
func (c *Collector) Finish() error {
	c.loseTags()
	c.end()
	return c.flush()
}

func (c *Collector) flush() error {
	rows := c.committed
	c.committed = nil
	if len(rows) == 0 {
		return nil
	}
	return c.emit(rows)
}

// take takes the next data element.
func (c *Collector) take(b Base, x *decode.DataElement) {
	if x.Instructions {
		c.frame, c.stored = group{}, false
	}
	c.group.unplaced = c.group.unplaced || x.Unplaced
	stored := false
	switch x.Kind {
	case decode.ElementNothing:
	case decode.ElementInstruction:
		c.endWhole()
		c.group = c.begin(instructionGroup, x, b)
	case decode.ElementPush:
		c.frame = c.begin(pushGroup, x, b)
	case decode.ElementPop:
		c.frame = c.begin(popGroup, x, b)
		c.frame.noInstruction = !c.namesLast(x)
	case decode.ElementTransfer:
		row := c.transfer(b, x, schema.DataInOrder)
		row.Value = value(x)
		c.add(row)
		stored = true
	case decode.ElementNotTraced:
		c.add(c.transfer(b, x, schema.DataNotTraced))
	case decode.ElementPlaceholder:
		c.placeholder(b, x)
	case decode.ElementCutShort:
		c.add(c.transfer(b, x, schema.DataSuppressed))
		c.end()
		c.bits = 0
	case decode.ElementUnclaimed:
		c.merge(x)
	case decode.ElementValue:
		stored = c.complete(b, x)
	case decode.ElementStoreFailed:
		c.storeFailed(x)
	default:
		c.fate(b, x)
	}
	c.stored = stored
}

// fate takes an element that says what became of transfers before it.
func (c *Collector) fate(b Base, x *decode.DataElement) {
	switch x.Kind {
	case decode.ElementSuppressed:
		if g := c.top(); g.incomplete() {
			if !g.state.OK { // any other state is worse than suppressed
				c.mark(g, schema.DataSuppressed)
			}
			g.resumed = g.position
		}
	case decode.ElementPaused:
		c.group.paused = true
	case decode.ElementAborted:
		if c.isOf(b.Seq+x.Seq) && c.namesLast(x) {
			c.mark(&c.group, schema.DataAborted)
		}
	case decode.ElementCancelled:
		if c.isOf(b.Seq + x.Seq) {
			c.cancel(&c.group)
		}
	case decode.ElementReturnCancelled:
		if c.frame.kind == popGroup {
			c.cancel(&c.frame)
		}
	case decode.ElementTakenBack:
		if c.isOf(b.Seq + x.Seq) {
			c.takeBack(&c.group)
		}
	case decode.ElementEnded:
		c.endWhole()
	case decode.ElementForgot:
		c.tags = c.tags[:0]
	case decode.ElementRestart:
		c.loseTags()
		c.endWhole()
	case decode.ElementOverflow:
		c.loseTags()
		c.end()
	case decode.ElementLost:
		c.loseTags()
		c.end()
		c.bits = 0
	default: // the elements that take makes rows of
	}
}

// namesLast reports whether the instruction that a data element names was the last
// one traced before it: no unplaced instruction came between.
func (c *Collector) namesLast(x *decode.DataElement) bool {
	cancelable := x.Cancelable
	if cancelable == decode.CancelableEarlier {
		cancelable = c.cancelable
	}
	return cancelable == decode.CancelableInstruction
}

func value(x *decode.DataElement) schema.Null[uint64] {
	return schema.Null[uint64]{V: uint64(x.Value), OK: x.ValueTraced}
}

// begin returns a new group.
func (c *Collector) begin(kind groupKind, x *decode.DataElement, b Base) group {
	c.groups++
	return group{
		id: c.groups, kind: kind, DataElement: *x, segment: b.Segment, seq: b.Seq + x.Seq,
		noInstruction: kind == unknownGroup,
	}
}

// top is the group that transfers belong to now.
func (c *Collector) top() *group {
	if c.frame.kind != noGroup {
		return &c.frame
	}
	return &c.group
}

// isOf reports whether the last data instruction has the ordinal seq. A cancelled
// one has no ordinal any more: the next instruction took it.
func (c *Collector) isOf(seq int64) bool {
	return c.group.kind == instructionGroup && !c.group.noInstruction && c.group.seq == seq
}

// transfer returns the row of the next transfer, without value. The state of its
// group, if any, replaces the state given.
func (c *Collector) transfer(b Base, x *decode.DataElement, state schema.DataState) pendingRow {
	g := c.top()
	if !g.takes(x.NewAddress) {
		c.end()
		c.group = c.begin(unknownGroup, &decode.DataElement{}, b)
		g = &c.group
	}
	if g.state.OK {
		state = g.state.V
	}
	row := pendingRow{group: g.id, since: g.segment, DataAccess: schema.DataAccess{
		Key: schema.Key{Seq: g.seq, Offset: x.Offset}, Segment: b.Segment, NoInstruction: g.noInstruction,
		Position: g.position, Address: c.nextAddress(g, x), Size: g.size(), Access: g.access(g.position), State: state,
	}}
	if g.position < math.MaxUint16 {
		g.position++
	}
	return row
}

// nextAddress returns the address of a transfer: the one sent or, if none was, the
// one after the previous transfer of the group. The bits not sent are those of the
// last address sent; if they are unknown, the address is NULL.
func (c *Collector) nextAddress(g *group, x *decode.DataElement) schema.Null[schema.Address] {
	at := g.next
	c.merge(x)
	if x.NewAddress {
		at = schema.Null[schema.Address]{V: c.address, OK: c.bits == 32}
	}
	if g.Register {
		at.OK = false
	}
	g.next = at
	if !g.InPlace {
		g.next.V = (g.next.V + 4).In32()
	}
	return at
}

// merge takes the address of an element, if it has one, as the base of those to come.
func (c *Collector) merge(x *decode.DataElement) {
	if x.AddressBits > 0 {
		c.address = schema.Address(decode.Merge(uint64(c.address), uint64(x.Address), x.AddressBits))
		c.bits = max(c.bits, x.AddressBits)
	}
}

// placeholder takes a placeholder. Where values are not traced, none will come for
// it: the row is complete.
func (c *Collector) placeholder(b Base, x *decode.DataElement) {
	c.loseTag(x.Tag)
	row := c.transfer(b, x, schema.DataOutOfOrder)
	row.Tag = schema.Of(x.Tag)
	if !x.ValueTraced {
		c.add(row)
		return
	}
	if row.State == schema.DataOutOfOrder {
		row.State = schema.DataOutOfOrderLost // so far
	}
	c.tags = append(c.tags, row)
}

// complete takes the value of a placeholder. It fails if there is none.
func (c *Collector) complete(b Base, x *decode.DataElement) bool {
	i := c.waiting(x.Tag)
	if i < 0 && x.Alone {
		c.add(pendingRow{since: b.Segment, DataAccess: schema.DataAccess{
			Key: schema.Key{Offset: x.Offset}, Segment: b.Segment, NoInstruction: true,
			Value: value(x), Tag: schema.Of(x.Tag), State: schema.DataOutOfOrder,
		}})
		return false
	}
	if i < 0 {
		c.unmatch(x, "no placeholder is open under the tag of the value")
		return false
	}
	row := c.tags[i]
	c.tags = slices.Delete(c.tags, i, i+1)
	row.Offset, row.Segment, row.Value = x.Offset, b.Segment, value(x)
	if row.State == schema.DataOutOfOrderLost {
		row.State = schema.DataOutOfOrder
	}
	c.add(row)
	return true
}

// storeFailed marks the transfer right before as of a store that failed.
func (c *Collector) storeFailed(x *decode.DataElement) {
	if !c.stored {
		c.unmatch(x, "a store failed, but none was told before")
		return
	}
	// Any other state means that the value itself is not certain.
	last := &c.pending[len(c.pending)-1]
	if last.State == schema.DataInOrder || last.State == schema.DataOutOfOrder {
		last.State = schema.DataStoreFailed
	}
}

func (c *Collector) unmatch(x *decode.DataElement, detail string) {
	c.unmatched = append(c.unmatched, Unmatched{
		Event: schema.Event{Key: x.Key, Event: schema.EventDataUnmatched, Detail: detail}, After: x.Events,
	})
}

// add adds a row, complete except for what may still happen to its group.
func (c *Collector) add(row pendingRow) {
	c.rows++
	c.pending = append(c.pending, row)
}

// mark gives all rows of a group a state.
func (c *Collector) mark(g *group, state schema.DataState) {
	g.state = schema.Of(state)
	c.ofGroup(g, func(row *schema.DataAccess) { row.State, row.NoInstruction = state, g.noInstruction })
}

// cancel marks all rows of a group as cancelled and of no instruction.
func (c *Collector) cancel(g *group) {
	g.noInstruction = true
	c.mark(g, schema.DataCancelled)
}

// takeBack drops all rows of a group.
func (c *Collector) takeBack(g *group) {
	of := func(row pendingRow) bool { return row.group == g.id }
	before := len(c.pending)
	c.pending, c.tags = slices.DeleteFunc(c.pending, of), slices.DeleteFunc(c.tags, of)
	c.rows -= int64(before - len(c.pending))
	*g = group{}
}

// ofGroup calls do for the pending rows of a group.
func (c *Collector) ofGroup(g *group, do func(row *schema.DataAccess)) {
	for _, rows := range [][]pendingRow{c.pending, c.tags} {
		for i := range rows {
			if rows[i].group == g.id {
				do(&rows[i].DataAccess)
			}
		}
	}
}

// endWhole ends the group when the instruction's last transfers were traced. If
// fewer transfers came than the instruction has, the missing ones are the first:
// of all, or of those since packets were dropped.
func (c *Collector) endWhole() {
	g := &c.group
	last := !g.paused && (!g.state.OK || g.state.V == schema.DataSuppressed)
	if g.kind == instructionGroup && last && g.position > g.resumed && g.position < uint16(g.Count) {
		missing := uint16(g.Count) - g.position
		c.ofGroup(g, func(row *schema.DataAccess) {
			if row.Position >= g.resumed {
				row.Position += missing
				row.Access = g.access(row.Position)
			}
		})
	}
	c.end()
}

// end ends all groups and commits their rows. Open tags stay open.
func (c *Collector) end() {
	c.commit()
	c.group, c.frame = group{}, group{}
}

// commit makes the pending rows final.
func (c *Collector) commit() {
	for i := range c.pending {
		c.committed = append(c.committed, c.pending[i].DataAccess)
	}
	c.pending = c.pending[:0]
}

// waiting returns the index of the placeholder open under a tag, or -1.
func (c *Collector) waiting(tag uint8) int {
	return slices.IndexFunc(c.tags, func(row pendingRow) bool { return row.Tag.V == tag })
}

// loseTags ends all placeholders: their values will not come.
func (c *Collector) loseTags() {
	for len(c.tags) > 0 {
		c.loseTag(c.tags[0].Tag.V)
	}
}

func (c *Collector) loseTag(tag uint8) {
	if i := c.waiting(tag); i >= 0 {
		row := c.tags[i]
		c.tags = slices.Delete(c.tags, i, i+1)
		c.add(row)
	}
}
