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
	Segments     map[uint8]schema.Segment
	Losses       map[uint8][]schema.Loss
	Packets      []schema.Packet
	Sources      []schema.SourceTotals
	Images       []schema.ImageRegion
	Program      Program // not written if Options.Without has its tables
}

// An Instruction is what differs in the rows of `instructions`.
type Instruction struct {
	Offset   int64
	Address  schema.Address
	Executed schema.Null[bool]
	Cycles   schema.Null[uint32]
	Cycle    schema.Null[int64]
}

// A Block is what differs in the rows of `blocks`. Each is a run of a code block
// of its own, from position 1 to its end.
type Block struct {
	Seq, Offset int64
	Address     schema.Address
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
			Totals:    schema.Totals{Counters: schema.Counters{Bytes: 200, BytesDecoded: 200, Instructions: 5}, Segments: 1},
			Registers: map[string]string{"ETMCR": "0x0"},
		}
	}
	lossy := source(0x10)
	lossy.BytesDecoded, lossy.BytesLost, lossy.Losses = 191, 9, 3
	return &Dataset{
		Options:      dataset.Options{Level: schema.LevelInstructions},
		Instructions: map[uint8][]Instruction{0x10: instructions(), 0x11: instructions()},
		Segments: map[uint8]schema.Segment{
			0x10: {Key: schema.Key{Offset: 6}, Counters: schema.Counters{
				Bytes: 194, BytesDecoded: 191, BytesLost: 3,
				Instructions: 5,
			}},
			0x11: {Counters: schema.Counters{Bytes: 200, BytesDecoded: 200, Instructions: 5}},
		},
		Losses: map[uint8][]schema.Loss{0x10: { // the first before the segment
			{Key: schema.Key{Seq: 0, Offset: 0}, Bytes: 6, Reason: schema.LossUnsynced},
			{Key: schema.Key{Seq: 3, Offset: 102}, Bytes: 1, Reason: schema.LossBadPacket, Detail: "0xff"},
			{Key: schema.Key{Seq: 5, Offset: 108}, Bytes: 2, Reason: schema.LossBadPacket},
		}},
		Sources: []schema.SourceTotals{lossy, source(0x11)},
		Images:  []schema.ImageRegion{{File: "a.elf", SHA256: "aa", BuildID: "bb", Address: 0x8000, Bytes: 8192}},
		Program: newProgram(),
	}
}

// AsBlocks makes runs of the instructions: three and two of each source.
func (d *Dataset) AsBlocks() {
	runs := func() []Block {
		return []Block{
			// yes, no, not known: two bits of failed, the last by outcome
			{0, 100, 0x8000, 3, schema.Of[uint64](0b010), schema.Unknown, schema.Of[uint32](9), schema.Of[int64](9), nil},
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
	sources := []uint8{0x10, 0x11, 0x12}
	for _, source := range sources {
		for i := range d.Instructions[source] {
			d.Instructions[source][i].write(out, source, int64(i))
		}
		for i := range d.Blocks[source] {
			d.Blocks[source][i].write(out, source, uint32(i))
		}
		if x, ok := d.Segments[source]; ok {
			appendSegment(out, source, &x)
		}
		for i := range d.Losses[source] {
			AppendLoss(out, source, &d.Losses[source][i])
		}
	}
	for _, x := range d.Packets {
		schema.AppendPackets(out.Table(&schema.Packets, 0x10).Row(), keys(0x10, x.Seq, x.Offset), x.Type, x.Bytes, x.Fields)
	}
	if out.Has(&schema.Counts) {
		d.Program.write(out, sources)
	}
	if err := out.Close(&schema.Manifest{Sources: d.Sources, Images: d.Images}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// keys are those of a row, at offset 0 in no segment.
func keys(source uint8, seq, offset int64) schema.Keys {
	return schema.Keys{Source: source, Seq: seq, Segment: schema.Null[int32]{OK: offset > 0}, ByteOffset: offset}
}

func appendSegment(out *dataset.Writer, source uint8, x *schema.Segment) {
	schema.AppendSegments(out.Table(&schema.Segments, source).Row(), keys(source, x.Seq, x.Offset),
		x.Bytes, x.BytesDecoded, x.BytesLost, x.BytesUnplaced, x.Instructions, x.Exceptions, x.Address, x.Reason,
		schema.Of(x.Start.StreamOffset), x.Start.Epoch, x.Start.Cycle, schema.Of(x.Start.Ordinal),
		x.Start.Timestamp, x.Start.ContextID, x.Start.VMID, x.Start.Security, x.Start.Carried,
		schema.Of(x.Start.DecodeFrom), x.Stack)
}

// AppendLoss appends a row of `losses`.
func AppendLoss(out *dataset.Writer, source uint8, x *schema.Loss) {
	schema.AppendLosses(out.Table(&schema.Losses, source).Row(), keys(source, x.Seq, x.Offset), x.Bytes, x.Reason,
		x.Detail)
}

// What all rows have alike.
const (
	opcode    = 0xe1a00000
	timestamp = 1 << 62
)

func (x *Instruction) write(out *dataset.Writer, source uint8, seq int64) {
	schema.AppendInstructions(out.Table(&schema.Instructions, source).Row(), keys(source, seq, x.Offset),
		x.Address, 4, schema.A32, opcode, schema.KindOther, x.Executed, x.Cycles, 0, x.Cycle,
		schema.Of[uint64](timestamp), schema.Null[uint32]{}, schema.Of[uint32](7), schema.Of(schema.NonSecure))
}

func (x *Block) write(out *dataset.Writer, source uint8, number uint32) {
	to := cmp.Or(x.Refers, &Reference{number, 1, uint16(x.Count)})
	schema.AppendBlocks(out.Table(&schema.Blocks, source).Row(), keys(source, x.Seq, x.Offset),
		int32(to.CodeBlock), to.Instructions, to.First, x.Failed, x.Outcome, x.Cycles, 0, x.Cycle,
		schema.Of[uint64](timestamp), schema.Null[uint32]{}, schema.Of[uint32](7), schema.Of(schema.NonSecure),
		schema.Null[int32]{})
	for i := range x.Count + 1 { // the run begins at position 1
		schema.AppendCodeBlocks(out.Table(&schema.CodeBlocks, source).Row(), source,
			int32(number), uint16(i), x.Address+4*schema.Address(i)-4, 4, schema.A32, opcode, schema.KindOther)
	}
}
