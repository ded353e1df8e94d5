package etmv3

import (
	"cmp"
	"slices"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/truth"
	codec "github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/schema"
)

// sendDelayed sends the data that waits.
func (e *Encoder) sendDelayed() {
	if len(e.data.delayed) == 0 {
		return
	}
	e.flush()
	for i := range e.data.delayed {
		e.sendAccess(e.data.delayed[i])
	}
	e.data.delayed = e.data.delayed[:0]
}

// sendAccess sends an access, in order or as a placeholder whose value comes later.
func (e *Encoder) sendAccess(a access) {
	free := func(tag int) bool { return !e.data.open[tag].OK }
	tag := 1 + e.vary.UpTo(2)
	switch {
	case a.suppress:
		e.emit(codec.Packet{Kind: codec.DataSuppressed})
		e.data.sync = e.data.sync || e.opt.Minor <= 2
	case e.opt.DataValue && !a.notTraced && a.row.State == schema.DataInOrder && free(tag) &&
		e.vary.Happens(e.vary.OutOfOrder):
		p := codec.Packet{Kind: codec.OutOfOrderPlaceholder, Tag: uint8(tag)}
		e.setDataAddress(&p, &a)
		e.setKey(&a, e.emit(p))
		a.row.Tag = schema.Of(uint8(tag))
		e.data.open[tag] = schema.Of(a)
	default:
		e.sendInOrder(&a)
	}
}

// sendInOrder sends an access as it is.
func (e *Encoder) sendInOrder(a *access) {
	p := codec.Packet{Kind: codec.NormalData}
	if a.notTraced {
		p.Kind = codec.ValueNotTraced
		if a.row.State != schema.DataSuppressed {
			a.row.State = schema.DataNotTraced
		}
	} else {
		e.setDataValue(&p, a)
	}
	e.setDataAddress(&p, a)
	e.setKey(a, e.emit(p))
	e.storeFailed(a)
	e.accessRow(a)
}

// complete sends the value that is open under a tag.
func (e *Encoder) complete(tag int) {
	a := e.data.open[tag].V
	e.data.open[tag].OK = false
	p := codec.Packet{Kind: codec.OutOfOrderData, Tag: uint8(tag)}
	e.setDataValue(&p, &a)
	e.setKey(&a, e.emit(p))
	if a.row.State == schema.DataInOrder {
		a.row.State = schema.DataOutOfOrder
	}
	e.storeFailed(&a)
	e.accessRow(&a)
}

// completeData sends some of the values that are open under tags.
func (e *Encoder) completeData() {
	for tag := range e.data.open {
		if e.data.open[tag].OK && e.data.suppressed == 0 && e.vary.UpTo(7) == 0 {
			e.flush()
			e.complete(tag)
		}
	}
}

// closeData sends all data that waits.
func (e *Encoder) closeData() {
	e.sendDelayed()
	for tag := range e.data.open {
		if e.data.open[tag].OK {
			e.complete(tag)
		}
	}
}

// breakData ends data trace where tracing ends. An overflow may lose the values
// that are still open.
func (e *Encoder) breakData(overflow bool) {
	if !overflow || !e.vary.Happens(e.vary.OutOfOrder) {
		e.closeData()
	}
	e.data.delayed = e.data.delayed[:0]
	e.data.suppressed = 0
	var lost []access
	for tag := range e.data.open {
		if open := &e.data.open[tag]; open.OK {
			open.OK = false
			if open.V.row.State == schema.DataInOrder {
				open.V.row.State = schema.DataOutOfOrderLost
			}
			open.V.lost = true
			lost = append(lost, open.V)
		}
	}
	slices.SortFunc(lost, func(a, b access) int { return cmp.Compare(a.row.Offset, b.row.Offset) })
	for i := range lost {
		e.accessRow(&lost[i])
	}
}

// storeFailed sends, after the access of a store that failed, the packet that
// reports so.
func (e *Encoder) storeFailed(a *access) {
	if a.StoreFailed && e.opt.DataValue && !a.notTraced {
		e.emit(codec.Packet{Kind: codec.StoreFailed})
		if a.row.State == schema.DataInOrder || a.row.State == schema.DataOutOfOrder {
			a.row.State = schema.DataStoreFailed
		}
	}
}

// setDataValue puts the value of an access into a packet, without its leading
// zero bytes. A store that failed has the value 0.
func (e *Encoder) setDataValue(p *codec.Packet, a *access) {
	if !e.opt.DataValue {
		return
	}
	if a.StoreFailed {
		a.Value = 0
	}
	p.Value = a.Value
	switch {
	case p.Value == 0:
	case p.Value < 1<<8:
		p.ValueBytes = 1
	case p.Value < 1<<16:
		p.ValueBytes = 2
	default:
		p.ValueBytes = 4
	}
}

// setDataAddress puts the address of an access into a packet, in as many bytes as
// changed since the last one sent, or whole where a D-sync is due.
func (e *Encoder) setDataAddress(p *codec.Packet, a *access) {
	p.NewAddress = a.first
	if !a.first || !e.opt.DataAddress {
		return
	}
	n := e.vary.Bytes(e.vary.Longer, sevens(uint32(a.Address^e.data.base)), encode.MaxAddressBytes)
	if e.data.sync {
		n = encode.MaxAddressBytes
		e.data.sync = false
	}
	e.data.base = a.Address
	p.AddressBytes, p.AddressBits = n, min(7*n, 32)
	p.Address = schema.Address(uint64(a.Address) & (1<<p.AddressBits - 1))
	p.BigEndian = n == encode.MaxAddressBytes && e.opt.BigEndian
}

// setKey gives the row of an access the offset of the packet that completes it;
// its seq is that of its instruction.
func (e *Encoder) setKey(a *access, at int64) {
	key := e.truth.Key(at)
	a.row.Segment, a.row.Offset = key.Segment, at
}

// accessRow enters the row of an access.
func (e *Encoder) accessRow(a *access) {
	row := a.row
	if e.opt.DataAddress && !a.Register {
		row.Address = schema.Of(a.Address)
	}
	if e.opt.DataValue && !a.notTraced && !a.lost {
		row.Value = schema.Of(uint64(a.Value))
	}
	if !e.opt.DataOnly {
		row.Size, row.Access = schema.Of(a.Size), schema.Of(a.Access)
	}
	e.data.pending = append(e.data.pending, pendingAccess{row, a.late})
	if e.opt.DataOnly {
		e.commitData(true)
	}
}

// abortData marks the data of the last instruction as aborted.
func (e *Encoder) abortData() {
	e.sendDelayed()
	abort := func(row *truth.DataAccess) {
		if !row.NoInstruction && row.Seq == e.truth.Seq-1 {
			row.State = schema.DataAborted
		}
	}
	for i := range e.data.pending {
		abort(&e.data.pending[i].DataAccess)
	}
	for tag := range e.data.open {
		abort(&e.data.open[tag].V.row)
	}
}

// commitData enters the rows of the last data instruction. Where trace began in the
// middle of it, the traced transfers are its last ones, which gives their
// positions, unless its end may be missing (§6.3): then they are counted from the
// first one traced.
func (e *Encoder) commitData(whole bool) {
	for i := range e.data.pending {
		a := &e.data.pending[i]
		if !whole {
			a.Position -= a.late
		}
		e.truth.Rows.DataAccess(&a.DataAccess)
	}
	e.data.pending = e.data.pending[:0]
	for tag := range e.data.open { // no longer of the last one
		e.data.open[tag].V.late = 0
	}
}
