// Package access ties the data transfers that a trace reports to the
// instructions and exceptions that made them: the rows of `data_accesses`.
package access

import (
	"math"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A Collector makes the rows of `data_accesses` of one source from what its parts
// report about data. It takes the parts in order, since what a packet belongs to
// may precede it by any distance, and keeps the rows of the last data instruction
// back until nothing changes them any more (IHI 0014Q §7.4, §7.4.9).
type Collector struct {
	emit func(rows []schema.DataAccess) error
	rows int64

	group  group // of the last data instruction, or of an unknown one
	frame  group // of a stack frame, up to the next instruction
	groups int64 // how many there were
	act    decode.Cancelable

	tags []heldRow // placeholders whose values have not come yet, in order

	address uint32 // the last one, as sent
	bits    uint8  // its low bits that were sent

	held    []heldRow
	settled []schema.DataAccess // not emitted yet

	stored    bool // the element before was a transfer or its value: the last row
	unmatched []Unmatched
}

// A Base is what the elements of a part are relative to.
type Base struct {
	Seq     int64 // ordinal, in its source, that 0 stands for
	Segment schema.Null[int32]
}

// An Unmatched is an event that a part has beside those of its decoder: after so
// many events of its result.
type Unmatched struct {
	schema.Event
	After int
}

// settledRows is how many rows are emitted at once.
const settledRows = 4096

// heldRows is how many rows may wait for what changes them.
const heldRows = 65536

// A heldRow is a row with the group it belongs to.
type heldRow struct {
	schema.DataAccess
	group int64
}

// NewCollector returns a Collector that passes its rows to emit, in order.
func NewCollector(emit func(rows []schema.DataAccess) error) *Collector {
	return &Collector{emit: emit}
}

// Rows returns how many rows there are so far.
func (c *Collector) Rows() int64 { return c.rows }

// Follow takes what a part reports, whose rows are relative to b and whose last
// act is act. It returns the events that the part has beside its own.
func (c *Collector) Follow(b Base, data []decode.DataElement, act decode.Cancelable) ([]Unmatched, error) {
	c.unmatched = nil
	for i := range data {
		if len(c.held) >= heldRows && data[i].Kind != decode.ElementStoreFailed {
			c.settle()
		}
		c.take(b, &data[i])
		if len(c.settled) >= settledRows {
			if err := c.flush(); err != nil {
				return nil, err
			}
		}
	}
	if act != decode.CancelableEarlier {
		c.act = act
	}
	return c.unmatched, nil
}

// Finish ends the source.
func (c *Collector) Finish() error {
	c.loseTags()
	c.end()
	return c.flush()
}

func (c *Collector) flush() error {
	rows := c.settled
	c.settled = nil
	if len(rows) == 0 {
		return nil
	}
	return c.emit(rows)
}

// take takes the next datum.
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
		c.frame.nobody = !c.namesLast(x)
	case decode.ElementTransfer:
		row := c.transfer(b, x, schema.DataInOrder)
		row.Value = value(x)
		c.add(row)
		stored = true
	case decode.ElementNotTraced:
		c.add(c.transfer(b, x, schema.DataNotTraced))
	case decode.ElementPlaceholder:
		c.hold(b, x)
	case decode.ElementValue:
		stored = c.complete(b, x)
	case decode.ElementStoreFailed:
		c.storeFailed(x)
	case decode.ElementSuppressed:
		if g := c.top(); g.incomplete() {
			if !g.state.OK { // else its data are worth less than uncertain
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
	}
	c.stored = stored
}

// namesLast says whether the instruction that a datum names was the last one
// told before it, and not one without a row behind that.
func (c *Collector) namesLast(x *decode.DataElement) bool {
	act := x.Cancelable
	if act == decode.CancelableEarlier {
		act = c.act
	}
	return act == decode.CancelableInstruction
}

func value(x *decode.DataElement) schema.Null[uint64] {
	return schema.Null[uint64]{V: uint64(x.Value), OK: x.ValueTraced}
}

// begin returns a new group.
func (c *Collector) begin(kind groupKind, x *decode.DataElement, b Base) group {
	c.groups++
	return group{id: c.groups, kind: kind, DataElement: *x, seq: b.Seq + x.Seq, nobody: kind == unknownGroup}
}

// top is the group that transfers belong to now.
func (c *Collector) top() *group {
	if c.frame.kind != noGroup {
		return &c.frame
	}
	return &c.group
}

// isOf says whether the last data instruction is that of an ordinal, which one
// that was cancelled has no more: the next one took it.
func (c *Collector) isOf(seq int64) bool {
	return c.group.kind == instructionGroup && !c.group.nobody && c.group.seq == seq
}

// transfer returns the row of the next transfer, without value. Its state is
// that of its group, if that has one.
func (c *Collector) transfer(b Base, x *decode.DataElement, state schema.DataState) heldRow {
	g := c.top()
	if !g.takes(x.NewAddress) {
		c.end()
		c.group = c.begin(unknownGroup, &decode.DataElement{}, b)
		g = &c.group
	}
	if g.state.OK {
		state = g.state.V
	}
	row := heldRow{group: g.id, DataAccess: schema.DataAccess{
		Key: schema.Key{Seq: g.seq, Offset: x.Offset}, Segment: b.Segment, NoInstruction: g.nobody,
		Position: g.position, Address: c.nextAddress(g, x), Size: g.size(), Access: g.access(g.position), State: state,
	}}
	if g.position < math.MaxUint16 {
		g.position++
	}
	return row
}

// nextAddress returns the address of a transfer: the one sent, or where none is,
// the one behind the transfer before it in its group. Unknown high bits make it
// NULL. The base of the bits not sent is the last address that was.
func (c *Collector) nextAddress(g *group, x *decode.DataElement) schema.Null[uint32] {
	at := g.next
	if x.AddressBits > 0 {
		c.address = uint32(decode.Merge(uint64(c.address), uint64(x.Address), x.AddressBits))
		c.bits = max(c.bits, x.AddressBits)
	}
	if x.NewAddress {
		at = schema.Null[uint32]{V: c.address, OK: c.bits == 32}
	}
	if g.Register {
		at.OK = false
	}
	g.next = schema.Null[uint32]{V: at.V + 4, OK: at.OK}
	return at
}

// hold takes a placeholder. Without values, its own will not come: it is
// complete.
func (c *Collector) hold(b Base, x *decode.DataElement) {
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

// storeFailed takes what is told of the transfer right before.
func (c *Collector) storeFailed(x *decode.DataElement) {
	if !c.stored {
		c.unmatch(x, "a store failed, but none was told before")
		return
	}
	// Other states say that its value is not certain at all.
	last := &c.held[len(c.held)-1]
	if last.State == schema.DataInOrder || last.State == schema.DataOutOfOrder {
		last.State = schema.DataStoreFailed
	}
}

func (c *Collector) unmatch(x *decode.DataElement, detail string) {
	c.unmatched = append(c.unmatched, Unmatched{
		Event: schema.Event{Key: x.Key, Event: schema.EventDataUnmatched, Detail: detail}, After: x.Events,
	})
}

// add adds a row, complete but for what its group may come to.
func (c *Collector) add(row heldRow) {
	c.rows++
	c.held = append(c.held, row)
}

// mark gives all rows of a group a state.
func (c *Collector) mark(g *group, state schema.DataState) {
	g.state = schema.Of(state)
	c.ofGroup(g, func(row *schema.DataAccess) { row.State, row.NoInstruction = state, g.nobody })
}

// cancel makes all rows of a group those of what did not happen.
func (c *Collector) cancel(g *group) {
	g.nobody = true
	c.mark(g, schema.DataCancelled)
}

// ofGroup calls do for the rows of a group that can still change.
func (c *Collector) ofGroup(g *group, do func(row *schema.DataAccess)) {
	for _, rows := range [][]heldRow{c.held, c.tags} {
		for i := range rows {
			if rows[i].group == g.id {
				do(&rows[i].DataAccess)
			}
		}
	}
}

// endWhole ends the group where its last transfers were told, since it began or
// since packets were dropped: if all are fewer than the instruction has, those
// before are missing.
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

// end ends all groups. Nothing changes their rows any more, but open tags are
// left.
func (c *Collector) end() {
	c.settle()
	c.group, c.frame = group{}, group{}
}

// settle lets go of the rows that were held back.
func (c *Collector) settle() {
	for i := range c.held {
		c.settled = append(c.settled, c.held[i].DataAccess)
	}
	c.held = c.held[:0]
}

// waiting returns the index of the placeholder open under a tag, or -1.
func (c *Collector) waiting(tag uint8) int {
	return slices.IndexFunc(c.tags, func(row heldRow) bool { return row.Tag.V == tag })
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
