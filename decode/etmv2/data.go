package etmv2

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// This file follows data trace as far as a segment alone allows: it finds the
// instruction that a packet belongs to. The stitcher, which knows what came before,
// makes the rows (docs/etmv2.md §5.4).

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
	d.Fate(decode.DataElement{
		Key: d.Key(), Kind: dataKinds[p.Kind], Alone: p.Kind == LoadMissData,
		Tag: p.Tag, NewAddress: p.NewAddress, Address: p.Address, AddressBits: p.AddressBits,
		Value: p.Value, ValueTraced: d.cfg.DataValue,
	})
}

// restartData ends data transfers where trace starts again (§6.5.4). After an overflow
// and after debug state no values come for pending load misses; after trace was off
// they may.
func (d *Decoder) restartData(reason schema.ISyncReason) {
	key := d.Key()
	if reason != schema.ISyncTraceOn {
		d.Fate(decode.DataElement{Key: key, Kind: decode.ElementForgot})
	}
	if reason == schema.ISyncOverflow {
		d.Fate(decode.DataElement{Key: key, Kind: decode.ElementOverflow})
		return
	}
	d.Fate(decode.DataElement{Key: key, Kind: decode.ElementEnded})
}

// endData adds the last data elements of a part. At the end of the stream all that a
// data instruction transfers has been traced.
func (d *Decoder) endData() {
	if d.Rec.Part.End && !d.Rec.Lost() {
		d.Fate(decode.DataElement{Key: d.Key(), Kind: decode.ElementEnded})
	}
	d.EndData()
}
