package etmv2

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// packet applies a packet of the group of a status.
func (d *Decoder) packet(p *Packet, x *frame) {
	switch p.Kind {
	case BranchAddress:
		d.branch(&p.Branch, x)
	case ContextID:
		d.Rec.ContextID, d.context = schema.Of(p.ContextID), schema.Of(d.Key())
	case NormalData, LoadMiss, LoadMissData, ValueNotTraced:
		d.data(p)
	}
}

// branch applies a branch address (§6.7.1, docs/etmv2.md §5.5).
func (d *Decoder) branch(r *Branch, x *frame) {
	to := r.Target(d.base)
	d.base = to
	vector, ok := d.cfg.Vector(to)
	switch {
	case r.Cancel:
		d.cancelling(to, vector)
	case ok && (!hasInstruction(x.status) || !d.repeats(to)):
		d.enter(schema.Exception{
			Number: vector.Number, Type: schema.Of(vector.Type),
			ReturnAddress: d.returnAddress(vector.Type),
		}, to)
	default:
		d.indirect(to)
	}
}

// repeats reports whether an address only repeats where a direct branch, which is the
// last instruction, has gone.
func (d *Decoder) repeats(to decode.PC) bool {
	last := d.lastInstruction()
	return !d.afterBranch && d.Walk.Known() && !d.Rec.Half.Second && last.direct && last.taken && d.Walk.PC() == to
}

// indirect goes to an address that is no exception.
func (d *Decoder) indirect(to decode.PC) {
	expected := d.fresh || d.afterBranch
	d.DropHalf()
	q, last := &d.Rec.Segment.Quality, d.lastInstruction()
	switch {
	case d.pending:
		q.IndirectBranch()
	case !d.Walk.Known():
		q.BranchesUnplaced++
	case expected || last.svc:
	default:
		from := d.Walk.PC()
		q.Branch(decode.Miss{
			Offset: d.Offset, After: schema.Null[schema.Address]{V: last.address, OK: last.known}, Expected: from,
			Found: to,
		})
		if from != to || !last.direct || !last.taken {
			d.Rec.Inconsistent(d.Key(), from.Address, fmt.Sprintf("branch packet to %s %s", to.Address.Hex(), to.ISA))
		}
	}
	d.goTo(to)
}

// goTo sets the position from a branch packet.
func (d *Decoder) goTo(to decode.PC) {
	d.jump(to)
	d.afterBranch = true
}
