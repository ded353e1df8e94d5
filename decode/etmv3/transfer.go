package etmv3

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// This file follows data trace as far as a segment alone allows: it finds the
// instruction that a packet belongs to. The stitcher, which knows what came
// before, makes the rows.

// sinceElement is what was traced since the last data element, or since the part
// began.
type sinceElement struct {
	instructions bool // any
	// unplaced: some instruction without a row that may have transferred data;
	// the last of them is before the instruction at.
	unplaced bool
	at       int64
}

// noteUnplaced notes an instruction without a row.
func (d *Decoder) noteUnplaced(executed bool) {
	if d.since.instructions = true; executed {
		d.since.unplaced, d.since.at = true, d.walk.Seq
	}
}

// element adds a data element, if data is traced.
func (d *Decoder) element(x decode.DataElement) {
	if !d.cfg.TracesData() {
		return
	}
	x.Instructions, x.Unplaced, x.Events = d.since.instructions, d.since.unplaced, len(d.rec.Result.Events)
	d.since = sinceElement{}
	d.rec.Result.Data = append(d.rec.Result.Data, x)
}

// dataKinds are the data elements of the data packets.
var dataKinds = [...]decode.DataElementKind{
	NormalData:            decode.ElementTransfer,
	OutOfOrderPlaceholder: decode.ElementPlaceholder,
	OutOfOrderData:        decode.ElementValue,
	ValueNotTraced:        decode.ElementNotTraced,
	StoreFailed:           decode.ElementStoreFailed,
	DataSuppressed:        decode.ElementSuppressed,
}

// fate adds a data element after that of the last data instruction.
func (d *Decoder) fate(x decode.DataElement) {
	d.attach()
	d.element(x)
}

// data handles a data packet. The packet belongs to the last data instruction that
// was executed, though other instructions may have been traced since (§7.4.2,
// docs/etmv3.md §6.1).
func (d *Decoder) data(p *Packet) {
	d.fate(decode.DataElement{
		Key: d.key(), Kind: dataKinds[p.Kind],
		Tag: p.Tag, NewAddress: p.NewAddress, Address: p.Address, AddressBits: p.AddressBits,
		Value: p.Value, ValueTraced: d.cfg.DataValue,
	})
}

// attach adds the element of the last data instruction, if there was one since the
// previous call.
func (d *Decoder) attach() {
	if !d.cfg.TracesData() {
		return
	}
	t, after, ok := d.walk.DataInstruction(!d.cfg.CPRTNotData)
	if !ok {
		return
	}
	seq, since := d.walk.Seq-1-after, d.since
	d.element(decode.DataElement{
		Key: schema.Key{Seq: seq, Offset: d.offset}, Kind: decode.ElementInstruction,
		Count: t.Count, Size: t.Size, Access: t.At(0), Swap: t.Swaps(), Register: t.Register,
	})
	if since.unplaced && since.at > seq {
		d.since = sinceElement{unplaced: true, at: since.at}
	}
}

// endData adds the last data elements of a part.
func (d *Decoder) endData() {
	d.attach()
	if d.since != (sinceElement{}) {
		d.element(decode.DataElement{Key: d.key(), Kind: decode.ElementNothing})
	}
}

// dataFate adds what an exception means for the data of the last instruction
// (§7.4.9, docs/etmv3.md §6.3).
func (d *Decoder) dataFate(r *Branch, kind schema.ExceptionType) {
	if r.Cancel {
		d.attach() // before the cancel removes the instruction
	}
	switch {
	case r.HasResume && r.Resume != 0:
		d.fate(decode.DataElement{Key: d.key(), Kind: decode.ElementPaused})
	case kind == schema.ExcDataAbort && !r.Cancel && !d.afterBranch:
		d.fate(decode.DataElement{Key: schema.Key{Seq: d.walk.Seq - 1, Offset: d.offset}, Kind: decode.ElementAborted,
			Cancelable: d.cancelable})
	}
}

// cancelled adds an element for a cancel, and returns its index, or noRow if data
// is not traced.
func (d *Decoder) cancelled(kind decode.DataElementKind) int {
	n := len(d.rec.Result.Data)
	d.element(decode.DataElement{Key: d.key(), Kind: kind})
	if n == len(d.rec.Result.Data) {
		return noRow
	}
	return n
}

// restartData ends data transfers at a restart of trace.
func (d *Decoder) restartData(p *Packet) {
	kind := decode.ElementRestart
	if p.Reason == schema.ISyncOverflow {
		kind = decode.ElementOverflow
	}
	d.fate(decode.DataElement{Key: schema.Key{Seq: d.walk.Seq}, Kind: kind})
}

// dataISync handles an I-sync inside a segment in data-only mode.
func (d *Decoder) dataISync(p *Packet) {
	if p.Reason != schema.ISyncPeriodic {
		d.restartTrace(p)
	}
	d.setTo(p)
}
