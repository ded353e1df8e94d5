package etmv1

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// isException reports whether a branch with that address enters an exception: it goes
// to a vector, and is no direct branch to there.
func (d *Decoder) isException(a *received) bool {
	to := pcOf(a)
	if _, ok := d.cfg.Vector(to); !ok {
		return false
	}
	if !d.Walk.Known() || d.Rec.Half.Orphan {
		return true
	}
	in, mapped := d.Walk.Peek()
	return !mapped || !isDirect(&in) || decode.PC{Address: in.Target, ISA: in.TargetISA} != to
}

// isDirect reports whether an instruction is a direct branch.
func isDirect(in *isa.Instruction) bool { return in.Flow == isa.Direct }

// changesFlow reports whether an instruction is a branch of any kind, or loads the PC.
func changesFlow(k schema.Kind) bool {
	switch k {
	case schema.KindBranch, schema.KindCall, schema.KindIndirect, schema.KindIndirectCall, schema.KindReturn,
		schema.KindExceptionReturn:
		return true
	default:
		return false
	}
}

// exception handles a branch to a vector (§4.5.3, docs/etmv2.md §6.3).
func (d *Decoder) exception(b *branch) {
	a := &b.address
	to := pcOf(a)
	v, _ := d.cfg.Vector(to)
	x := schema.Exception{
		Number: v.Number, Type: schema.Of(v.Type), Target: schema.Of(to.Address), ReturnAddress: d.returnAddress(b, v.Type),
	}
	x.Key = d.Key()
	d.Rec.Enter(x)
	d.lost()
	d.setContext(a)
	if !b.cuts() {
		d.jump(a)
	}
}

// returnAddress takes the status of the branch to an exception: of an SVC, or of an
// instruction that is cancelled. It returns where the exception returns to.
func (d *Decoder) returnAddress(b *branch, kind schema.ExceptionType) schema.Null[schema.Address] {
	if !d.Walk.Known() {
		return d.cancelUnplaced(kind)
	}
	at := d.Here().Address
	if kind == schema.ExcSVC && !d.Rec.Half.Second && !d.Rec.Half.Orphan {
		in, mapped := d.Walk.Peek()
		if !mapped {
			d.stopped(flow.Missing)
			d.unplaced()
			return schema.Null[schema.Address]{}
		}
		if in.Kind == schema.KindSVC {
			d.atom(true)
			return schema.Of((at + schema.Address(in.Size)).In32())
		}
	}
	d.dropData(b.data)
	d.DropHalf()
	d.Rec.Event(d.Key(), schema.EventCancelled, schema.Of(at), "")
	return schema.Null[schema.Address]{V: at, OK: kind != schema.ExcReset}
}

// cancelUnplaced does so at an unknown position.
func (d *Decoder) cancelUnplaced(kind schema.ExceptionType) schema.Null[schema.Address] {
	d.skip = true
	if kind == schema.ExcSVC {
		d.unplaced()
	} else {
		d.CloseUnplaced()
		d.Rec.Event(d.Key(), schema.EventCancelled, schema.Null[schema.Address]{}, "")
	}
	return schema.Null[schema.Address]{}
}
