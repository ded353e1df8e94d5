package pipeline

import (
	"math"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A dataFollower makes the rows of `data_accesses` of one source of what its
// parts say about data. It goes in order, since what a packet belongs to may
// stand anywhere before it, and keeps the rows of the last data instruction back
// until nothing changes them any more (ARM IHI 0014Q, 4.9 and 7.7).
type dataFollower struct {
	table *table[schema.DataAccess]
	base  base
	rows  int64

	group  dataGroup // of the last data instruction, or of what nothing is known about
	frame  dataGroup // of a stack frame, up to the next instruction
	groups int64     // how many there were
	act    decode.Act

	tags []heldAccess // placeholders whose values have not come yet, in order

	address uint32 // the last one, as sent
	bits    uint8  // its low bits that were sent

	held    []heldAccess
	settled []schema.DataAccess // not given to the table yet

	stored    bool // the datum before was a transfer or its value: the last row
	unmatched []toldEvent
}

// A toldEvent is an event that was told behind so many others of its unit.
type toldEvent struct {
	schema.Event
	behind int
}

// settledRows is how many rows are given to the table at once.
const settledRows = 4096

// A heldAccess is a row with the group it belongs to.
type heldAccess struct {
	schema.DataAccess
	group int64
}

// A dataGroup is what packets of transfers belong to: a data instruction, the
// stack frame of an exception, or what nothing is known about.
type dataGroup struct {
	id   int64
	kind dataGroupKind
	decode.Datum
	seq      int64  // of the instruction, in the source
	nobody   bool   // there is no instruction to name
	position uint16 // of the next transfer
	resumed  uint16 // position at which packets were dropped last
	next     schema.Null[uint32]
	state    schema.Null[schema.DataState] // of all its rows
	paused   bool                          // what is told are its first transfers
	unplaced bool                          // there may be a data instruction behind it that has no row
}

type dataGroupKind uint8

const (
	noGroup dataGroupKind = iota
	unknownGroup
	instructionGroup
	pushGroup
	popGroup
)

func newDataFollower(source uint8, t *table[schema.DataAccess]) dataFollower {
	return dataFollower{table: t, base: base{source: source}}
}

// follow takes what a part says, whose rows stand on b and whose last act is
// act. It returns events for the part.
func (f *dataFollower) follow(b *base, data []decode.Datum, act decode.Act) ([]toldEvent, error) {
	f.unmatched = nil
	for i := range data {
		if len(f.held) >= heldRows && data[i].Kind != decode.DatumStoreFailed {
			f.settle()
		}
		f.take(b, &data[i])
		if len(f.settled) >= settledRows {
			if err := f.flush(); err != nil {
				return nil, err
			}
		}
	}
	if act != decode.EarlierAct {
		f.act = act
	}
	return f.unmatched, nil
}

// finish ends the source.
func (f *dataFollower) finish() error {
	f.loseTags()
	f.end()
	return f.flush()
}

func (f *dataFollower) flush() error {
	rows := f.settled
	f.settled = nil
	return f.table.add(f.base, rows)
}

// take takes the next datum.
func (f *dataFollower) take(b *base, x *decode.Datum) {
	if x.Instructions {
		f.frame, f.stored = dataGroup{}, false
	}
	f.group.unplaced = f.group.unplaced || x.Unplaced
	stored := false
	switch x.Kind {
	case decode.DatumNothing:
	case decode.DatumInstruction:
		f.endWhole()
		f.group = f.begin(instructionGroup, x, b)
	case decode.DatumPush:
		f.frame = f.begin(pushGroup, x, b)
	case decode.DatumPop:
		f.frame = f.begin(popGroup, x, b)
		f.frame.nobody = !f.namesLast(x)
	case decode.DatumTransfer:
		row := f.transfer(b, x, schema.DataInOrder)
		row.Value = value(x)
		f.add(row)
		stored = true
	case decode.DatumNotTraced:
		f.add(f.transfer(b, x, schema.DataNotTraced))
	case decode.DatumPlaceholder:
		f.hold(b, x)
	case decode.DatumValue:
		stored = f.complete(b, x)
	case decode.DatumStoreFailed:
		f.storeFailed(x)
	case decode.DatumSuppressed:
		if g := f.top(); g.incomplete() {
			if !g.state.OK { // else its data are worth less than uncertain
				f.mark(g, schema.DataSuppressed)
			}
			g.resumed = g.position
		}
	case decode.DatumPaused:
		f.group.paused = true
	case decode.DatumAborted:
		if f.isOf(b.seq+x.Seq) && f.namesLast(x) {
			f.mark(&f.group, schema.DataAborted)
		}
	case decode.DatumCancelled:
		if f.isOf(b.seq + x.Seq) {
			f.cancel(&f.group)
		}
	case decode.DatumReturnCancelled:
		if f.frame.kind == popGroup {
			f.cancel(&f.frame)
		}
	case decode.DatumRestart:
		f.loseTags()
		f.endWhole()
	case decode.DatumOverflow:
		f.loseTags()
		f.end()
	case decode.DatumLost:
		f.loseTags()
		f.end()
		f.bits = 0
	}
	f.stored = stored
}

// namesLast says whether the instruction that a datum names was the last one
// told before it, and not one without a row behind that.
func (f *dataFollower) namesLast(x *decode.Datum) bool {
	act := x.Act
	if act == decode.EarlierAct {
		act = f.act
	}
	return act == decode.InstructionAct
}

func value(x *decode.Datum) schema.Null[uint64] {
	return schema.Null[uint64]{V: uint64(x.Value), OK: x.ValueTold}
}

// begin returns a new group.
func (f *dataFollower) begin(kind dataGroupKind, x *decode.Datum, b *base) dataGroup {
	f.groups++
	return dataGroup{id: f.groups, kind: kind, Datum: *x, seq: b.seq + x.Seq, nobody: kind == unknownGroup}
}

// top is the group that transfers belong to now.
func (f *dataFollower) top() *dataGroup {
	if f.frame.kind != noGroup {
		return &f.frame
	}
	return &f.group
}

// isOf says whether the last data instruction is that of an ordinal, which one
// that was cancelled has no more: the next one took it.
func (f *dataFollower) isOf(seq int64) bool {
	return f.group.kind == instructionGroup && !f.group.nobody && f.group.seq == seq
}

// incomplete says whether more transfers of the group may come.
func (g *dataGroup) incomplete() bool {
	return g.kind != noGroup && (g.kind != instructionGroup || g.position < uint16(g.Count))
}

// takes says whether the next transfer is one of the group. One with a new
// address where the instruction is not known is taken for that of another.
func (g *dataGroup) takes(newAddress bool) bool {
	switch {
	case g.kind == noGroup:
		return false
	case g.kind == unknownGroup:
		return !newAddress
	case g.unplaced:
		return !newAddress && g.incomplete()
	}
	return true
}

// access is how the transfer at a position accesses memory.
func (g *dataGroup) access(position uint16) schema.Null[schema.Access] {
	switch g.kind {
	case instructionGroup:
		if g.Swap && position > 0 {
			return schema.Of(schema.AccessWrite)
		}
		return schema.Of(g.Access)
	case pushGroup:
		return schema.Of(schema.AccessPush)
	case popGroup:
		return schema.Of(schema.AccessPop)
	case noGroup, unknownGroup:
	}
	return schema.Null[schema.Access]{}
}

// size is that of each transfer.
func (g *dataGroup) size() schema.Null[uint8] {
	switch g.kind {
	case instructionGroup:
		return schema.Of(g.Size)
	case pushGroup, popGroup:
		return schema.Of[uint8](4)
	case noGroup, unknownGroup:
	}
	return schema.Null[uint8]{}
}

// transfer returns the row of the next transfer, without value. Its state is
// that of its group, if that has one.
func (f *dataFollower) transfer(b *base, x *decode.Datum, state schema.DataState) heldAccess {
	g := f.top()
	if !g.takes(x.NewAddress) {
		f.end()
		f.group = f.begin(unknownGroup, &decode.Datum{}, b)
		g = &f.group
	}
	if g.state.OK {
		state = g.state.V
	}
	row := heldAccess{group: g.id, DataAccess: schema.DataAccess{
		Key: schema.Key{Seq: g.seq, Offset: x.Offset}, Segment: b.segment, NoInstruction: g.nobody,
		Position: g.position, Address: f.nextAddress(g, x), Size: g.size(), Access: g.access(g.position), State: state,
	}}
	if g.position < math.MaxUint16 {
		g.position++
	}
	return row
}

// nextAddress returns the address of a transfer: the one sent, or where none is,
// the one behind the transfer before it in its group. Unknown high bits make it
// NULL. The base of the bits not sent is the last address that was.
func (f *dataFollower) nextAddress(g *dataGroup, x *decode.Datum) schema.Null[uint32] {
	at := g.next
	if x.AddressBits > 0 {
		f.address = uint32(decode.Merge(uint64(f.address), uint64(x.Address), x.AddressBits))
		f.bits = max(f.bits, x.AddressBits)
	}
	if x.NewAddress {
		at = schema.Null[uint32]{V: f.address, OK: f.bits == 32}
	}
	if g.Register {
		at.OK = false
	}
	g.next = schema.Null[uint32]{V: at.V + 4, OK: at.OK}
	return at
}

// hold takes a placeholder. Without values, its own will not come: it is
// complete.
func (f *dataFollower) hold(b *base, x *decode.Datum) {
	f.loseTag(x.Tag)
	row := f.transfer(b, x, schema.DataOutOfOrder)
	row.Tag = schema.Of(x.Tag)
	if !x.ValueTold {
		f.add(row)
		return
	}
	if row.State == schema.DataOutOfOrder {
		row.State = schema.DataOutOfOrderLost // so far
	}
	f.tags = append(f.tags, row)
}

// complete takes the value of a placeholder. It fails if there is none.
func (f *dataFollower) complete(b *base, x *decode.Datum) bool {
	i := f.waiting(x.Tag)
	if i < 0 {
		f.unmatch(x, "no placeholder is open under the tag of the value")
		return false
	}
	row := f.tags[i]
	f.tags = slices.Delete(f.tags, i, i+1)
	row.Offset, row.Segment, row.Value = x.Offset, b.segment, value(x)
	if row.State == schema.DataOutOfOrderLost {
		row.State = schema.DataOutOfOrder
	}
	f.add(row)
	return true
}

// storeFailed takes what is told of the transfer right before.
func (f *dataFollower) storeFailed(x *decode.Datum) {
	if !f.stored {
		f.unmatch(x, "a store failed, but none was told before")
		return
	}
	// Other states say that its value is not certain at all.
	last := &f.held[len(f.held)-1]
	if last.State == schema.DataInOrder || last.State == schema.DataOutOfOrder {
		last.State = schema.DataStoreFailed
	}
}

func (f *dataFollower) unmatch(x *decode.Datum, detail string) {
	f.unmatched = append(f.unmatched, toldEvent{
		Event: schema.Event{Key: x.Key, Event: schema.EventDataUnmatched, Detail: detail}, behind: x.Events,
	})
}

// add adds a row, complete but for what its group may come to.
func (f *dataFollower) add(row heldAccess) {
	f.rows++
	f.held = append(f.held, row)
}

// mark gives all rows of a group a state.
func (f *dataFollower) mark(g *dataGroup, state schema.DataState) {
	g.state = schema.Of(state)
	f.ofGroup(g, func(row *schema.DataAccess) { row.State, row.NoInstruction = state, g.nobody })
}

// cancel makes all rows of a group those of what did not happen.
func (f *dataFollower) cancel(g *dataGroup) {
	g.nobody = true
	f.mark(g, schema.DataCancelled)
}

// ofGroup calls do for the rows of a group that can still change.
func (f *dataFollower) ofGroup(g *dataGroup, do func(row *schema.DataAccess)) {
	for _, rows := range [][]heldAccess{f.held, f.tags} {
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
func (f *dataFollower) endWhole() {
	g := &f.group
	last := !g.paused && (!g.state.OK || g.state.V == schema.DataSuppressed)
	if g.kind == instructionGroup && last && g.position > g.resumed && g.position < uint16(g.Count) {
		missing := uint16(g.Count) - g.position
		f.ofGroup(g, func(row *schema.DataAccess) {
			if row.Position >= g.resumed {
				row.Position += missing
				row.Access = g.access(row.Position)
			}
		})
	}
	f.end()
}

// end ends all groups. Nothing changes their rows any more, but open tags are
// left.
func (f *dataFollower) end() {
	f.settle()
	f.group, f.frame = dataGroup{}, dataGroup{}
}

// settle lets go of the rows that were held back.
func (f *dataFollower) settle() {
	for i := range f.held {
		f.settled = append(f.settled, f.held[i].DataAccess)
	}
	f.held = f.held[:0]
}

// waiting returns the index of the placeholder open under a tag, or -1.
func (f *dataFollower) waiting(tag uint8) int {
	return slices.IndexFunc(f.tags, func(row heldAccess) bool { return row.Tag.V == tag })
}

// loseTags ends all placeholders: their values will not come.
func (f *dataFollower) loseTags() {
	for len(f.tags) > 0 {
		f.loseTag(f.tags[0].Tag.V)
	}
}

func (f *dataFollower) loseTag(tag uint8) {
	if i := f.waiting(tag); i >= 0 {
		row := f.tags[i]
		f.tags = slices.Delete(f.tags, i, i+1)
		f.add(row)
	}
}
