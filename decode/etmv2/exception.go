package etmv2

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// returnAddress returns the address that an exception between instructions returns to:
// the PC that the flow has reached.
func (d *Decoder) returnAddress(kind schema.ExceptionType) schema.Null[schema.Address] {
	if !d.Walk.Known() || kind == schema.ExcReset {
		return schema.Null[schema.Address]{}
	}
	return schema.Of(d.Here().Address)
}

// enter records the entry to an exception and goes to its vector.
func (d *Decoder) enter(x schema.Exception, to decode.PC) {
	d.DropHalf()
	x.Key, x.Target = d.Key(), schema.Of(to.Address)
	d.goTo(to)
	d.Rec.Enter(x)
}

// cancelling applies a branch address with the E bit: an exception took the place of
// the most recent instruction.
func (d *Decoder) cancelling(to decode.PC, v port.Vector) {
	at := d.cancel(v.Type == schema.ExcReset)
	if v.Type == schema.ExcReset {
		at = schema.Null[schema.Address]{}
	}
	d.enter(schema.Exception{Number: v.Number, Type: schema.Of(v.Type), ReturnAddress: at}, to)
}

// cancel takes back the most recent instruction and returns its address (docs/etmv2.md
// §5.5). If only the previous part knows that, the stitcher completes it, unless the
// exception does not return.
func (d *Decoder) cancel(noReturn bool) (address schema.Null[schema.Address]) {
	if d.Rec.Half.First {
		address = schema.Of(d.Walk.PC().Address)
		d.DropHalf()
		d.setCancelable(decode.NothingCancelable)
		return address
	}
	cancelable, row := d.cancelable, d.returnIndex
	d.setCancelable(decode.NothingCancelable)
	d.last = lastInstruction{}
	switch cancelable {
	case decode.CancelableInstruction:
		d.Attach() // before the instruction is removed
		at, _, _ := d.Walk.TakeBack(d.Rec.Base)
		d.DropReturn(row)
		d.Rec.Result.Lower(d.Rec.Base, d.Rec.Result.Ends(), d.Walk.Seq, 1)
		d.takeBackCost()
		address = schema.Of(at)
		d.Element(decode.DataElement{Key: d.Key(), Kind: decode.ElementTakenBack})
	case decode.CancelableEarlier:
		d.takeBackCost()
		d.back.Cancel = schema.Of(decode.BackCancel{
			Event: len(d.Rec.Result.Events), Exception: len(d.Rec.Result.Exceptions), Return: row, NoReturn: noReturn,
			DataElement: d.Element(decode.DataElement{Key: d.Key(), Kind: decode.ElementTakenBack}),
		})
	case decode.CancelableUnplaced:
	case decode.NothingCancelable, decode.CancelableReturn:
		d.Rec.Event(d.Key(), schema.EventInconsistent, schema.Null[schema.Address]{}, decode.NothingToCancel)
		return address
	}
	d.Rec.Event(d.Key(), schema.EventCancelled, address, "")
	return address
}
