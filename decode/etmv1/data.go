package etmv1

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// fifo is how far the bytes on the pins have been read (docs/etmv2.md §4.2). It serves
// data only: addresses are found by their TRACESYNC.
type fifo struct {
	next int64 // the sample that the next byte is in at the earliest,
	half bool  // in its upper half (16 pins)
	seen int64 // the last sample with a status other than WT and TD, with its offset
	skip bool  // data is not read, up to the next address

	unowed   int64 // WTs since seen in which no byte is owed
	unowedAt int64 // capture offset of the first
}

// afterAddress moves on past the address of a branch, if it came.
func (d *Decoder) afterAddress(b *branch) {
	if b.address.Bytes == 0 {
		return
	}
	next, half := b.address.last+1, b.address.half
	if half {
		next--
	}
	if next > d.next || next == d.next && half {
		d.next, d.half = next, half
	}
}

// waiting takes a WT: bytes are on the pins (§5.1, docs/etmv2.md §4.1).
func (d *Decoder) waiting() {
	d.Rec.Segment.Quality.Waits++
	if d.skip || d.at < d.next || d.half && d.at == d.next {
		return
	}
	if d.unowed == 0 {
		d.unowedAt = d.Offset
	}
	d.unowed++
}

// settleWaits takes the WTs before the status of the current sample. If it owes data,
// they may have its first bytes.
func (d *Decoder) settleWaits(owes bool) {
	n := d.unowed
	d.unowed = 0
	if n == 0 || owes {
		return
	}
	d.Rec.Segment.Quality.WaitsUnowed += n
	d.Rec.Event(schema.Key{Seq: d.Walk.Seq, Offset: d.unowedAt}, schema.EventInconsistent, schema.Null[schema.Address]{},
		"WT with nothing owed")
}

// transfer reads the data of the instruction of the last row, if its status owes some.
func (d *Decoder) transfer(owes bool, in *isa.Instruction, state schema.ISA) {
	if !owes || d.skip {
		return
	}
	t, ok := d.transfers(in, state)
	if !ok {
		return
	}
	key := schema.Key{Seq: d.Walk.Seq - 1, Offset: d.Offset}
	d.Element(decode.DataElement{
		Key: key, Kind: decode.ElementInstruction,
		Count: t.Count, Size: t.Size, Access: t.At(0), Swap: t.Swaps(), Register: t.Register,
	})
	d.read(&t, key)
}

// dropData reads the data of the instruction at the position, which makes no row, if
// its status owes some.
func (d *Decoder) dropData(owes bool) {
	if !owes || d.skip || !d.Walk.Known() {
		return
	}
	in, mapped := d.Walk.Peek()
	if !mapped {
		d.skip = true
		return
	}
	t, ok := d.transfers(&in, d.Walk.ISA())
	if !ok {
		return
	}
	r := d.reader()
	var a transfer
	if r.address(&d.cfg, &t, &a); a.bits > 0 {
		d.Element(decode.DataElement{
			Key: d.Key(), Kind: decode.ElementUnclaimed, NewAddress: true, Address: a.address,
			AddressBits: a.bits,
		})
	}
	for i := uint8(0); i < t.Count && r.ok(); i++ {
		r.value(&d.cfg, &t, &a)
	}
	d.readUpTo(&r)
}

// transfers returns what an instruction whose data is traced transfers (docs/etmv2.md
// §4.7). Without an answer, data goes on at the next address.
func (d *Decoder) transfers(in *isa.Instruction, state schema.ISA) (isa.Transfers, bool) {
	t := isa.DataOf(in.Opcode, in.Size, state)
	if state == schema.A32 && isRegisterTransfer(in.Opcode) {
		t = isa.Transfers{Count: 1, Size: 4, Register: true, Access: isa.Access(1 - in.Opcode>>20&1)}
	}
	switch {
	case t.Register && (!d.cfg.MonitorCPRT || !d.cfg.DataValue):
		t = isa.Transfers{}
	case t.Swaps() && d.cfg.SwapOnce:
		t.Count = 1
	case state == schema.A32 && isCoprocessorTransfer(in.Opcode):
		t.Count = d.cfg.CoprocessorWords
		if t.Count == 0 {
			d.skip = true
			return t, false
		}
	}
	if t.Count == 0 {
		d.skip = true
		d.Rec.Event(d.Key(), schema.EventInconsistent, schema.Null[schema.Address]{},
			"data of an instruction without transfers")
		return t, false
	}
	return t, true
}

// isRegisterTransfer reports whether an instruction is an MCR or MRC, of a cache too.
func isRegisterTransfer(opcode uint32) bool { return opcode&0x0F000010 == 0x0E000010 }

// isCoprocessorTransfer reports whether an instruction is an LDC or STC, but not of
// VFP, whose length is in the opcode.
func isCoprocessorTransfer(opcode uint32) bool {
	const ldc, mask, registers = 0x0C000000, 0x0E000000, 0x0FE00000
	vfp := opcode>>8&0xE == 0xA
	return opcode&mask == ldc && opcode&registers != 0x0C400000 && !vfp
}

// read reads transfers and adds their elements.
func (d *Decoder) read(t *isa.Transfers, key schema.Key) {
	r := d.reader()
	for i := range t.Count {
		var x transfer
		if i == 0 {
			r.address(&d.cfg, t, &x)
		}
		r.value(&d.cfg, t, &x)
		d.addData(&r, &x)
		r.bytes = r.bytes[:0]
		e := decode.DataElement{
			Key: key, Kind: decode.ElementTransfer, NewAddress: i == 0 || t.Swaps(), Address: x.address, AddressBits: x.bits,
			Value: x.value, ValueTraced: d.cfg.DataValue,
		}
		e.NewAddress = e.NewAddress && d.cfg.DataAddress && (i > 0 || x.bits > 0)
		if r.short {
			e.Kind, e.ValueTraced = decode.ElementCutShort, false
		}
		if r.ended {
			e = decode.DataElement{Key: key, Kind: decode.ElementLost}
			d.Rec.Event(d.Key(), schema.EventInconsistent, schema.Null[schema.Address]{}, "data bytes are missing")
		}
		d.Element(e)
		if !r.ok() {
			break
		}
	}
	d.readUpTo(&r)
}

// A transfer is the bytes of one transfer.
type transfer struct {
	address schema.Address
	bits    uint8 // of the address, that were sent
	value   uint32
}

// A reader reads the bytes that a status owes.
type reader struct {
	port.Pins
	view  []byte
	bytes []byte // of the transfer at hand
	short bool   // a TRACESYNC came first: an overflow dropped the rest
	ended bool   // there are no more samples
}

// reader returns a reader at the first byte that the current status owes.
func (d *Decoder) reader() reader {
	limit := min(int64(len(d.view)), (d.at+reach-d.from)*port.SampleBytes)
	r := reader{Pins: d.pins, view: d.view[:limit]}
	r.Reset(r.view, port.Position{Sample: int(d.next - d.from), Second: d.half})
	from := d.seen + 1
	if d.cfg.Width == 16 {
		from = d.at
	}
	r.From(int(max(from, d.at-reach, d.from) - d.from))
	return r
}

// readUpTo notes how far the reader came.
func (d *Decoder) readUpTo(r *reader) {
	at := r.At()
	d.next, d.half = int64(at.Sample)+d.from, at.Second
	d.skip = d.skip || r.ended
}

func (r *reader) ok() bool { return !r.short && !r.ended }

// next reads a byte.
func (r *reader) next() byte {
	if !r.ok() {
		return 0
	}
	before := r.At()
	b, ok := r.Next()
	r.ended = !ok
	if ok && r.passesSync(before) {
		r.short = true
		r.Seek(before)
	}
	if r.ok() {
		r.bytes = append(r.bytes, b)
	}
	return b
}

// passesSync reports whether the byte read last, before which the reader was at a
// position, is that of an address.
func (r *reader) passesSync(before port.Position) bool {
	first, last := r.Start(), r.At().Sample-1
	if r.At().Second {
		last++
	}
	if before.Second && first == before.Sample {
		return false // the address is in the lower half
	}
	return r.syncAt(first) || r.syncAt(last)
}

func (r *reader) syncAt(i int) bool { return port.At(r.view[i*port.SampleBytes:]).Sync() }

// address reads the address of the first transfer, if there is one.
func (r *reader) address(c *Config, t *isa.Transfers, x *transfer) {
	if !c.DataAddress || t.Register {
		return
	}
	var b []byte
	for len(b) == 0 || b[len(b)-1]&addressMore != 0 && len(b) < port.DataAddressMost {
		b = append(b, r.next())
		if !r.ok() {
			return
		}
	}
	b[len(b)-1] &= lastByte[len(b)-1]
	x.address, x.bits, _ = port.ParseDataAddress(b)
}

// lastByte has the bits of the last byte of a data address, by its position.
var lastByte = [port.DataAddressMost]byte{0x7F, 0x7F, 0x7F, 0x7F, fifthHigh}

// value reads the value of a transfer, if values are traced.
func (r *reader) value(c *Config, t *isa.Transfers, x *transfer) {
	if !c.DataValue {
		return
	}
	var b [4]byte
	for i := range t.Size {
		b[i] = r.next()
		if !r.ok() {
			return
		}
	}
	x.value = c.Value(b[:t.Size])
}
