package pipeline

import (
	"math"

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

	group dataGroup
	tags  [maxTag + 1]placeholder // by tag, from 1

	address uint32 // the last one, as sent
	bits    uint8  // its low bits that were sent

	held    []heldAccess
	settled []schema.DataAccess // not given to the table yet

	stored    bool // the datum before was a transfer or its value: the last row
	unmatched []schema.Event
}

// maxTag is the highest tag of out-of-order data.
const maxTag = 3

// settledRows is how many rows are given to the table at once.
const settledRows = 4096

// A heldAccess is a row with the group it belongs to.
type heldAccess struct {
	schema.DataAccess
	group int64
}

// A placeholder is a transfer whose value has not come yet.
type placeholder struct {
	heldAccess
	open bool
}

// A dataGroup is what packets of transfers belong to: a data instruction, the
// stack frame of an exception, or what nothing is known about.
type dataGroup struct {
	id   int64
	kind dataGroupKind
	decode.Datum
	seq      int64  // of the instruction, in the source
	position uint16 // of the next transfer
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

// follow takes what a part says, whose rows stand on b. It returns events for
// the part.
func (f *dataFollower) follow(b *base, data []decode.Datum) ([]schema.Event, error) {
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
	if x.Instructions && (f.group.kind == pushGroup || f.group.kind == popGroup) {
		f.end()
	}
	f.group.unplaced = f.group.unplaced || x.Unplaced
	stored := false
	switch x.Kind {
	case decode.DatumInstruction:
		f.endWhole()
		f.open(instructionGroup, x, b.seq+x.Seq)
	case decode.DatumPush:
		f.endWhole()
		f.open(pushGroup, x, b.seq+x.Seq)
	case decode.DatumPop:
		f.endWhole()
		f.open(popGroup, x, b.seq+x.Seq)
	case decode.DatumTransfer:
		row := f.transfer(b, x)
		row.Value, row.State = value(x), schema.DataInOrder
		f.add(row)
		stored = true
	case decode.DatumNotTraced:
		row := f.transfer(b, x)
		row.State = schema.DataNotTraced
		f.add(row)
	case decode.DatumPlaceholder:
		f.hold(b, x)
	case decode.DatumValue:
		stored = f.complete(b, x)
	case decode.DatumStoreFailed:
		f.storeFailed(x)
	case decode.DatumSuppressed:
		if f.group.incomplete() {
			f.mark(schema.DataSuppressed)
		}
	case decode.DatumPaused:
		f.group.paused = true
	case decode.DatumAborted:
		if f.isOf(b.seq + x.Seq) {
			f.mark(schema.DataAborted)
		}
	case decode.DatumCancelled:
		if f.isOf(b.seq + x.Seq) {
			f.cancel()
		}
	case decode.DatumReturnCancelled:
		if f.group.kind == popGroup {
			f.cancel()
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

func value(x *decode.Datum) schema.Null[uint64] {
	return schema.Null[uint64]{V: uint64(x.Value), OK: x.ValueTold}
}

// open begins a group.
func (f *dataFollower) open(kind dataGroupKind, x *decode.Datum, seq int64) {
	f.group = dataGroup{id: f.group.id + 1, kind: kind, Datum: *x, seq: seq}
}

// isOf says whether the group is that of the instruction seq.
func (f *dataFollower) isOf(seq int64) bool {
	return f.group.kind == instructionGroup && f.group.seq == seq
}

// incomplete says whether more transfers of the group may come.
func (g *dataGroup) incomplete() bool {
	return g.kind != noGroup && (g.kind != instructionGroup || g.position < uint16(g.Count))
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

// transfer returns the row of the next transfer, without value and state. A
// new address where the instruction is not known is taken for that of another.
func (f *dataFollower) transfer(b *base, x *decode.Datum) heldAccess {
	g := &f.group
	known := g.kind > unknownGroup && !g.unplaced
	if g.kind == noGroup || !known && x.NewAddress || g.unplaced && !g.incomplete() {
		f.end()
		f.open(unknownGroup, &decode.Datum{}, 0)
	}
	row := heldAccess{group: g.id, DataAccess: schema.DataAccess{
		Key: schema.Key{Seq: g.seq, Offset: x.Offset}, Segment: b.segment, NoInstruction: g.kind == unknownGroup,
		Position: g.position, Address: f.nextAddress(x), Size: g.size(), Access: g.access(g.position),
	}}
	if g.position < math.MaxUint16 {
		g.position++
	}
	return row
}

// nextAddress returns the address of a transfer: the one sent, or where none is,
// the one behind the transfer before it in its group. Unknown high bits make it
// NULL. The base of the bits not sent is the last address that was.
func (f *dataFollower) nextAddress(x *decode.Datum) schema.Null[uint32] {
	at := f.group.next
	if x.AddressBits > 0 {
		f.address = uint32(decode.Merge(uint64(f.address), uint64(x.Address), x.AddressBits))
		f.bits = max(f.bits, x.AddressBits)
	}
	if x.NewAddress {
		at = schema.Null[uint32]{V: f.address, OK: x.AddressBits > 0 && f.bits == 32}
	}
	if f.group.Register {
		at.OK = false
	}
	f.group.next = schema.Null[uint32]{V: at.V + 4, OK: at.OK}
	return at
}

// hold takes a placeholder. Without values, its own will not come: it is
// complete.
func (f *dataFollower) hold(b *base, x *decode.Datum) {
	f.loseTag(x.Tag)
	row := f.transfer(b, x)
	row.Tag, row.State = schema.Of(x.Tag), schema.DataOutOfOrder
	if x.ValueTold {
		row.State = schema.DataOutOfOrderLost
		f.tags[x.Tag] = placeholder{row, true}
		return
	}
	f.add(row)
}

// complete takes the value of a placeholder. It fails if there is none.
func (f *dataFollower) complete(b *base, x *decode.Datum) bool {
	t := &f.tags[x.Tag]
	if !t.open {
		f.unmatch(x, "no placeholder is open under the tag of the value")
		return false
	}
	t.open = false
	row := t.heldAccess
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
	f.unmatched = append(f.unmatched, schema.Event{Key: x.Key, Event: schema.EventDataUnmatched, Detail: detail})
}

// add adds a row, complete but for what its group may come to.
func (f *dataFollower) add(row heldAccess) {
	if row.group == f.group.id && f.group.state.OK {
		row.State, row.NoInstruction = f.group.state.V, row.NoInstruction || f.group.state.V == schema.DataCancelled
	}
	f.rows++
	f.held = append(f.held, row)
}

// mark gives all rows of the group a state.
func (f *dataFollower) mark(state schema.DataState) {
	f.group.state = schema.Of(state)
	f.ofGroup(func(row *schema.DataAccess) { row.State = state })
}

// cancel makes all rows of the group those of an instruction that did not happen.
func (f *dataFollower) cancel() {
	f.mark(schema.DataCancelled)
	f.ofGroup(func(row *schema.DataAccess) { row.NoInstruction = true })
}

// ofGroup calls do for the rows of the group that can still change.
func (f *dataFollower) ofGroup(do func(row *schema.DataAccess)) {
	for i := range f.held {
		if f.held[i].group == f.group.id {
			do(&f.held[i].DataAccess)
		}
	}
	for i := range f.tags {
		if t := &f.tags[i]; t.open && t.group == f.group.id {
			do(&t.DataAccess)
		}
	}
}

// endWhole ends the group where all of its transfers up to the last were told:
// if those are fewer than the instruction has, the first ones are missing.
func (f *dataFollower) endWhole() {
	g := &f.group
	if g.kind == instructionGroup && !g.state.OK && !g.paused && g.position > 0 && g.position < uint16(g.Count) {
		missing := uint16(g.Count) - g.position
		f.ofGroup(func(row *schema.DataAccess) {
			row.Position += missing
			row.Access = g.access(row.Position)
		})
	}
	f.end()
}

// end ends the group. Nothing changes its rows any more, but open tags are left.
func (f *dataFollower) end() {
	f.settle()
	f.group = dataGroup{id: f.group.id + 1}
}

// settle lets go of the rows that were held back.
func (f *dataFollower) settle() {
	for i := range f.held {
		f.settled = append(f.settled, f.held[i].DataAccess)
	}
	f.held = f.held[:0]
}

// loseTags ends all placeholders: their values will not come.
func (f *dataFollower) loseTags() {
	for tag := range f.tags {
		f.loseTag(uint8(tag))
	}
}

func (f *dataFollower) loseTag(tag uint8) {
	if t := &f.tags[tag]; t.open {
		t.open = false
		f.add(t.heldAccess)
	}
}
