package etmv1

import (
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/decode"
	codec "github.com/tracelake/tracelake/decode/etmv1"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// This file traces data (§4.7).

// dataTrace is the state of data trace.
type dataTrace struct {
	full  bool           // the next address is to be whole
	base  schema.Address // the last address sent
	known uint8          // how many of its low bits the stream has stated
}

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
	if !e.opt.TracesData() || s.Failed || len(s.Transfers) == 0 || e.vary.Happens(e.vary.NotTraced) {
		return owedData{}
	}
	first := &s.Transfers[0]
	d := owedData{transfers: s.Transfers}
	switch {
	case first.Register && (!e.opt.MonitorCPRT || !e.opt.DataValue):
		return owedData{}
	case !first.Register && e.opt.DataAddress:
		d.bytes, d.bits = e.dataAddress(first.Address)
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

// dataAddress is the bytes of the address of a transfer: as many as changed since
// the last one sent, or all where that is due. Bits is how many they have.
func (e *Encoder) dataAddress(address schema.Address) (b []byte, bits uint8) {
	n := e.vary.Bytes(e.vary.Longer, uint8(port.DataAddressBytes(address, e.data.base)), codec.MaxAddressBytes)
	if period := e.opt.SyncPeriod; e.data.full || period > 0 && e.sinceAddress >= period {
		n = codec.MaxAddressBytes
		e.data.full, e.sinceAddress = false, 0
	}
	e.data.base = address
	return decode.AppendSevens(nil, uint64(address), int(n)), min(7*n, 32)
}

// dataRows enters the rows of the data of an instruction, whose status is in a
// sample.
func (e *Encoder) dataRows(at, seq int64, d *owedData) {
	e.data.known = max(e.data.known, d.bits)
	for i := range d.transfers {
		if d.cut && i > d.whole {
			break
		}
		row := e.accessRow(&d.transfers[i], i)
		row.Key, row.Seq = e.rows.Key(at), seq
		if d.cut && i == d.whole {
			row.State, row.Value = schema.DataSuppressed, schema.Null[uint64]{}
			row.Address.OK = row.Address.OK && !d.cutAddress
		}
		e.rows.Rows.DataAccess(&row)
	}
}

// accessRow is the row of a transfer, without its key.
func (e *Encoder) accessRow(t *step.Transfer, position int) truth.DataAccess {
	row := truth.DataAccess{Position: uint16(position), Size: schema.Of(t.Size), Access: schema.Of(t.Access)}
	if e.opt.DataAddress && !t.Register && e.data.known == 32 {
		row.Address = schema.Of(t.Address)
	}
	if e.opt.DataValue {
		row.Value = schema.Of(uint64(t.Value))
	}
	return row
}

// loseData lets an overflow take some of the data of an instruction, but not its
// first byte. On 16 pins it would not show.
func (e *Encoder) loseData(d *owedData) {
	if e.opt.Width == 16 || len(d.bytes) < 2 || !e.vary.Happens(e.vary.Overflow) {
		return
	}
	lost := 1 + e.vary.UpTo(len(d.bytes)-2)
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
	if d.Count == 0 || d.Register || !e.vary.Happens(e.vary.Cancel) {
		return owedData{}
	}
	made := *in
	for i := range schema.Address(d.Count) {
		made.Transfers = append(made.Transfers, step.Transfer{Address: 0x2000 + 4*i, Value: e.vary.Value(), Size: d.Size})
	}
	return e.owedData(&made)
}

// sendEarly sends some bytes of data in cycles before the status of the
// instruction (§4.2).
func (e *Encoder) sendEarly(d *owedData) {
	if e.opt.Width == 16 || len(d.bytes) == 0 || !e.vary.Happens(e.vary.Early) {
		return
	}
	early := 1 + e.vary.UpTo(len(d.bytes)-1)
	for _, b := range d.bytes[:early] {
		e.room(1)
		e.clock(idle, owed{data: []byte{b}})
	}
	d.bytes = d.bytes[early:]
}
