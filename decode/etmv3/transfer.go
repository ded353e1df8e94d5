package etmv3

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// dataKinds are the data elements of the data packets.
var dataKinds = [...]decode.DataElementKind{
	NormalData:            decode.ElementTransfer,
	OutOfOrderPlaceholder: decode.ElementPlaceholder,
	OutOfOrderData:        decode.ElementValue,
	ValueNotTraced:        decode.ElementNotTraced,
	StoreFailed:           decode.ElementStoreFailed,
	DataSuppressed:        decode.ElementSuppressed,
}

// data handles a data packet. The packet belongs to the last data instruction that
// was executed, though other instructions may have been traced since (§7.4.2,
// docs/etmv3.md §6.1).
func (d *Decoder) data(p *Packet) {
	d.Fate(decode.DataElement{
		Key: d.Key(), Kind: dataKinds[p.Kind],
		Tag: p.Tag, NewAddress: p.NewAddress, Address: p.Address, AddressBits: p.AddressBits,
		Value: p.Value, ValueTraced: d.cfg.DataValue,
	})
}

// dataFate adds what an exception means for the data of the last instruction
// (§7.4.9, docs/etmv3.md §6.3).
func (d *Decoder) dataFate(r *Branch, kind schema.ExceptionType) {
	if r.Cancel {
		d.Attach() // before the cancel removes the instruction
	}
	switch {
	case r.HasResume && r.Resume != 0:
		d.Fate(decode.DataElement{Key: d.Key(), Kind: decode.ElementPaused})
	case kind == schema.ExcDataAbort && !r.Cancel && !d.afterBranch:
		d.Fate(decode.DataElement{
			Key: schema.Key{Seq: d.Walk.Seq - 1, Offset: d.Offset}, Kind: decode.ElementAborted,
			Cancelable: d.cancelable,
		})
	}
}

// restartData ends data transfers at a restart of trace.
func (d *Decoder) restartData(p *Packet) {
	kind := decode.ElementRestart
	if p.Reason == schema.ISyncOverflow {
		kind = decode.ElementOverflow
	}
	d.Fate(decode.DataElement{Key: schema.Key{Seq: d.Walk.Seq}, Kind: kind})
}
