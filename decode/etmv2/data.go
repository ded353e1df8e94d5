package etmv2

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// This file follows data trace as far as a segment alone allows: it finds the
// instruction that a packet belongs to. The stitcher, which knows what came before,
// makes the rows (docs/etmv2.md §5.4).

// sinceElement is what was traced since the last data element, or since the part
// began.
type sinceElement struct {
	instructions bool // any
	// unplaced: some instruction without a row that may have transferred data;
	// the last of them is before the instruction at.
	unplaced bool
	at       int64
}

// element adds a data element, if data is traced, and returns its index, or noRow.
func (d *Decoder) element(x decode.DataElement) int {
	if !d.cfg.TracesData() {
		return noRow
	}
	x.Instructions, x.Unplaced, x.Events = d.since.instructions, d.since.unplaced, len(d.rec.Result.Events)
	d.since = sinceElement{}
	d.rec.Result.Data = append(d.rec.Result.Data, x)
	return len(d.rec.Result.Data) - 1
}

// fate adds a data element after that of the last data instruction.
func (d *Decoder) fate(x decode.DataElement) {
	d.attach()
	d.element(x)
}

// dataKinds are the data elements of the data packets.
var dataKinds = [...]decode.DataElementKind{
	NormalData:     decode.ElementTransfer,
	LoadMiss:       decode.ElementPlaceholder,
	LoadMissData:   decode.ElementValue,
	ValueNotTraced: decode.ElementNotTraced,
}

// data applies a data packet. It belongs to the most recent data instruction, though
// others may have been traced since (§6.4.2).
func (d *Decoder) data(p *Packet) {
	if p.Kind == LoadMissData && !d.cfg.DataValue {
		return // the transfer has no value
	}
	d.fate(decode.DataElement{
		Key: d.key(), Kind: dataKinds[p.Kind], Alone: p.Kind == LoadMissData,
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
	t, after, ok := d.walk.DataInstruction(d.cfg.MonitorCPRT)
	if !ok {
		return
	}
	seq, since := d.walk.Seq-1-after, d.since
	d.element(decode.DataElement{
		Key: schema.Key{Seq: seq, Offset: d.offset}, Kind: decode.ElementInstruction,
		Count: t.Count, Size: t.Size, Access: t.At(0), Swap: t.Swaps(), InPlace: t.Swaps(), Register: t.Register,
	})
	if since.unplaced && since.at > seq {
		d.since = sinceElement{unplaced: true, at: since.at}
	}
}

// takenBack adds an element for an instruction that was cancelled, and returns its
// index, or noRow if data is not traced.
func (d *Decoder) takenBack() int {
	return d.element(decode.DataElement{Key: d.key(), Kind: decode.ElementTakenBack})
}

// restartData ends data transfers where trace starts again (§6.5.4). After an overflow
// and after debug state no values come for pending load misses; after trace was off
// they may.
func (d *Decoder) restartData(reason schema.ISyncReason) {
	key := d.key()
	if reason != schema.ISyncTraceOn {
		d.fate(decode.DataElement{Key: key, Kind: decode.ElementForgot})
	}
	if reason == schema.ISyncOverflow {
		d.fate(decode.DataElement{Key: key, Kind: decode.ElementOverflow})
		return
	}
	d.fate(decode.DataElement{Key: key, Kind: decode.ElementEnded})
}

// endData adds the last data elements of a part. At the end of the stream all that a
// data instruction transfers has been traced.
func (d *Decoder) endData() {
	d.attach()
	if d.rec.Part.End && !d.rec.Lost() {
		d.element(decode.DataElement{Key: d.key(), Kind: decode.ElementEnded})
	}
	if d.since != (sinceElement{}) {
		d.element(decode.DataElement{Key: d.key(), Kind: decode.ElementNothing})
	}
}
