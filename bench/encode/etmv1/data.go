package etmv1

import (
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file traces data (§4.7).

// owedData is what an instruction owes of data.
type owedData struct {
	owes      bool   // ID or BD
	bytes     []byte // address, then values: those that are not out yet
	transfers []step.Transfer
	bits      uint8 // of the address that were sent
	// cut says that an overflow took what comes after whole transfers, and whether
	// it took some of the address.
	cut, cutAddress bool
	whole           int
}

// owedData is the data of an instruction.
func (e *Encoder) owedData(s *step.Step) owedData {
	if !e.opt.TracesData() || s.Failed || len(s.Transfers) == 0 || e.Vary.Happens(e.Vary.NotTraced) {
		return owedData{}
	}
	first := &s.Transfers[0]
	d := owedData{transfers: s.Transfers}
	switch {
	case first.Register && (!e.opt.MonitorCPRT || !e.opt.DataValue):
		return owedData{}
	case !first.Register && e.opt.DataAddress:
		n, bits := e.DataAddressBytes(first.Address)
		d.bytes, d.bits = decode.AppendSevens(nil, uint64(first.Address), int(n)), bits
	}
	if e.opt.DataValue {
		for i := range s.Transfers {
			d.bytes = e.opt.AppendValue(d.bytes, s.Transfers[i].Value, int(s.Transfers[i].Size))
		}
	}
	d.owes = len(d.bytes) > 0
	if !d.owes {
		d.transfers = nil
	}
	return d
}

// dataRows enters the rows of the data of an instruction, whose status is in a
// sample.
func (e *Encoder) dataRows(at, seq int64, d *owedData) {
	e.Data.Known = max(e.Data.Known, d.bits)
	for i := range d.transfers {
		if d.cut && i > d.whole {
			break
		}
		row := e.AccessRow(&d.transfers[i], i)
		row.Key, row.Seq = e.Rows.Key(at), seq
		if d.cut && i == d.whole {
			row.State, row.Value = schema.DataSuppressed, schema.Null[uint64]{}
			row.Address.OK = row.Address.OK && !d.cutAddress
		}
		e.Rows.Rows.DataAccess(&row)
	}
}

// loseData lets an overflow take some of the data of an instruction, but not its
// first byte. On 16 pins it would not show.
func (e *Encoder) loseData(d *owedData) {
	if e.opt.Width == 16 || len(d.bytes) < 2 || !e.Vary.Happens(e.Vary.Overflow) {
		return
	}
	lost := 1 + e.Vary.UpTo(len(d.bytes)-2)
	d.bytes = d.bytes[:len(d.bytes)-lost]
	d.cut, e.ownerless = true, true
	d.whole = len(d.transfers)
	for e.opt.DataValue && lost > 0 && d.whole > 0 {
		d.whole--
		lost -= int(d.transfers[d.whole].Size)
	}
	if lost > 0 {
		d.whole, d.cutAddress = 0, true
	}
}

// abortedData is made-up data of an instruction that aborts, which no row has.
func (e *Encoder) abortedData(in *step.Step) owedData {
	d := isa.DataOf(in.Instruction.Opcode, in.Instruction.Size, in.At.ISA)
	if d.Count == 0 || d.Register || !e.Vary.Happens(e.Vary.Cancel) {
		return owedData{}
	}
	made := *in
	for i := range schema.Address(d.Count) {
		made.Transfers = append(made.Transfers, step.Transfer{Address: 0x2000 + 4*i, Value: e.Vary.Number(), Size: d.Size})
	}
	return e.owedData(&made)
}

// sendEarly sends some bytes of data in cycles before the status of the
// instruction (§4.2).
func (e *Encoder) sendEarly(d *owedData) {
	if e.opt.Width == 16 || len(d.bytes) == 0 || !e.Vary.Happens(e.Vary.Early) {
		return
	}
	early := 1 + e.Vary.UpTo(len(d.bytes)-1)
	for _, b := range d.bytes[:early] {
		e.Room(1)
		e.clock(idle, owed{data: []byte{b}})
	}
	d.bytes = d.bytes[early:]
}
