// Package small is a dataset of a few rows, for tests of what reads datasets.
package small

import (
	"cmp"
	"path/filepath"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Dataset is what is to be written: rows of some tables by source.
type Dataset struct {
	Options      dataset.Options
	Instructions map[uint8][]Instruction
	Blocks       map[uint8][]Block
	Losses       map[uint8][]schema.Loss
	Packets      []schema.Packet
	Sources      []schema.SourceTotals
	Images       []schema.ImageRegion
}

// An Instruction is what differs in the rows of `instructions`.
type Instruction struct {
	Offset   int64
	Address  uint32
	Executed schema.Null[bool]
	Cycles   schema.Null[uint32]
	Cycle    schema.Null[int64]
}

// A Block is what differs in the rows of `blocks`. Each is a run of a code block
// of its own, from position 1 to its end.
type Block struct {
	Seq, Offset int64
	Address     uint32
	Count       int
	Failed      schema.Null[uint64]
	Outcome     schema.Outcome
	Cycles      schema.Null[uint32]
	Cycle       schema.Null[int64]
	Refers      *Reference // nil: to that code block
}

// A Reference is where a row of `blocks` says that its instructions are.
type Reference struct {
	CodeBlock           uint32
	First, Instructions uint16
}

// Values of `executed`, and no value of `cycles` and `cycle`.
var (
	Yes      = schema.Of(true)
	No       = schema.Of(false)
	Unknown  = schema.Null[bool]{}
	NoCycles = schema.Null[uint32]{}
	NoCycle  = schema.Null[int64]{}
)

// New returns a dataset of two sources.
func New() *Dataset {
	instructions := func() []Instruction {
		return []Instruction{
			{100, 0x8000, Yes, schema.Of[uint32](2), schema.Of[int64](2)},
			{100, 0x8004, No, schema.Of[uint32](3), schema.Of[int64](5)},
			{100, 0x8008, Unknown, schema.Of[uint32](4), schema.Of[int64](9)},
			{104, 0x9000, Yes, NoCycles, NoCycle},
			{104, 0x9004, Yes, NoCycles, NoCycle},
		}
	}
	source := func(id uint8) schema.SourceTotals {
		return schema.SourceTotals{
			Source: id, Name: "PTM", Protocol: "pft", Core: "cpu", Status: "decoded", Unit: "bytes",
			Totals: schema.Totals{Bytes: 200, Instructions: 5}, Registers: map[string]string{"ETMCR": "0x0"},
		}
	}
	return &Dataset{
		Options:      dataset.Options{Level: schema.LevelInstructions},
		Instructions: map[uint8][]Instruction{0x10: instructions(), 0x11: instructions()},
		Losses: map[uint8][]schema.Loss{0x10: {
			{Key: schema.Key{Seq: 0, Offset: 0}, Bytes: 6, Reason: schema.LossUnsynced},
			{Key: schema.Key{Seq: 3, Offset: 102}, Bytes: 1, Reason: schema.LossBadPacket, Detail: "0xff"},
			{Key: schema.Key{Seq: 5, Offset: 108}, Bytes: 2, Reason: schema.LossBadPacket},
		}},
		Sources: []schema.SourceTotals{source(0x10), source(0x11)},
		Images:  []schema.ImageRegion{{File: "a.elf", SHA256: "aa", BuildID: "bb", Address: 0x8000, Bytes: 8192}},
	}
}

// AsBlocks makes runs of the instructions: three and two of each source.
func (d *Dataset) AsBlocks() {
	runs := func() []Block {
		return []Block{
			// yes, no, not known: two bits of failed, the last by outcome
			{0, 100, 0x8000, 3, schema.Of[uint64](0b010), schema.Untold, schema.Of[uint32](9), schema.Of[int64](9), nil},
			{3, 104, 0x9000, 2, schema.Of[uint64](0), schema.Taken, NoCycles, NoCycle, nil},
		}
	}
	d.Options.Level, d.Instructions = schema.LevelBlocks, nil
	d.Blocks = map[uint8][]Block{0x10: runs(), 0x11: runs()}
}

// Write writes the dataset and returns its directory.
func (d *Dataset) Write(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dataset")
	out, err := dataset.Create(dir, d.Options)
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range []uint8{0x10, 0x11, 0x12} {
		for i := range d.Instructions[source] {
			d.Instructions[source][i].write(out, source, int64(i))
		}
		for i := range d.Blocks[source] {
			d.Blocks[source][i].write(out, source, uint32(i))
		}
		for i := range d.Losses[source] {
			AppendLoss(out, source, &d.Losses[source][i])
		}
	}
	for _, x := range d.Packets {
		r := begin(out, &schema.Packets, 0x10, x.Seq, x.Offset)
		r.String(x.Type)
		r.Bytes(x.Bytes)
		r.String(x.Fields)
	}
	if err := out.Close(&schema.Manifest{Sources: d.Sources, Images: d.Images}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// begin begins a row with the keys of most tables, in no segment.
func begin(out *dataset.Writer, t *schema.Table, source uint8, seq, offset int64) *schema.Row {
	r := out.Table(t, source).Row()
	r.Uint8(source)
	r.Int64(seq)
	r.NullInt32(schema.Null[int32]{})
	r.Int64(offset)
	return r
}

// AppendLoss appends a row of `losses`.
func AppendLoss(out *dataset.Writer, source uint8, x *schema.Loss) {
	r := begin(out, &schema.Losses, source, x.Seq, x.Offset)
	r.Int64(x.Bytes)
	r.Enum(uint8(x.Reason))
	r.NullString(x.Detail)
}

func (x *Instruction) write(out *dataset.Writer, source uint8, seq int64) {
	r := begin(out, &schema.Instructions, source, seq, x.Offset)
	r.Uint32(x.Address)
	appendOpcode(r)
	r.NullBool(x.Executed)
	r.NullUint32(x.Cycles)
	r.Int32(0)
	r.NullInt64(x.Cycle)
	appendState(r)
}

func (x *Block) write(out *dataset.Writer, source uint8, number uint32) {
	r := begin(out, &schema.Blocks, source, x.Seq, x.Offset)
	to := cmp.Or(x.Refers, &Reference{number, 1, uint16(x.Count)})
	r.Int32(int32(to.CodeBlock))
	r.Uint16(to.Instructions)
	r.Uint16(to.First)
	r.NullUint63(x.Failed)
	r.Enum(uint8(x.Outcome))
	r.NullUint32(x.Cycles)
	r.Int32(0)
	r.NullInt64(x.Cycle)
	appendState(r)
	for i := range x.Count + 1 { // the run begins at position 1
		r := out.Table(&schema.CodeBlocks, source).Row()
		r.Uint8(source)
		r.Int32(int32(number))
		r.Uint16(uint16(i))
		r.Uint32(x.Address + 4*uint32(i) - 4)
		appendOpcode(r)
	}
}

// appendOpcode appends size, isa, opcode and kind.
func appendOpcode(r *schema.Row) {
	r.Uint8(4)
	r.Enum(uint8(schema.A32))
	r.Uint32(0xe1a00000)
	r.Enum(uint8(schema.KindOther))
}

// appendState appends timestamp, context_id, vmid and security.
func appendState(r *schema.Row) {
	r.NullUint63(schema.Of(uint64(1) << 62))
	r.NullUint32(schema.Null[uint32]{})
	r.NullUint8(schema.Of[uint8](7))
	r.NullEnum(schema.Of(uint8(schema.NonSecure)))
}
