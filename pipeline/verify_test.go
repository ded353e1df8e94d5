package pipeline

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/schema"
)

// A written is a small dataset to be written: rows of some tables by source.
type written struct {
	opt          DatasetOptions
	instructions map[uint8][]insRow
	blocks       map[uint8][]blkRow
	losses       map[uint8][]schema.Loss
	packets      []schema.Packet
	sources      []schema.SourceTotals
	images       []schema.ImageRegion
}

// An insRow is what differs in the rows of instructions of these tests.
type insRow struct {
	offset   int64
	address  uint32
	executed schema.Null[bool]
	cycles   schema.Null[uint32]
	cycle    schema.Null[int64]
}

// A blkRow is what differs in the rows of blocks; each is a block of its own.
type blkRow struct {
	seq, offset int64
	address     uint32
	count       int
	failed      schema.Null[uint64]
	outcome     schema.Outcome
	cycles      schema.Null[uint32]
	cycle       schema.Null[int64]
}

var (
	yes, no, untold = schema.Of(true), schema.Of(false), schema.Null[bool]{}
	noCycles        = schema.Null[uint32]{}
	noCycle         = schema.Null[int64]{}
)

// smallDataset is a dataset of two sources.
func smallDataset() *written {
	instructions := func() []insRow {
		return []insRow{
			{100, 0x8000, yes, schema.Of[uint32](2), schema.Of[int64](2)},
			{100, 0x8004, no, schema.Of[uint32](3), schema.Of[int64](5)},
			{100, 0x8008, untold, schema.Of[uint32](4), schema.Of[int64](9)},
			{104, 0x9000, yes, noCycles, noCycle},
			{104, 0x9004, yes, noCycles, noCycle},
		}
	}
	source := func(id uint8) schema.SourceTotals {
		return schema.SourceTotals{
			Source: id, Name: "PTM", Protocol: "pft", Core: "cpu", Status: "decoded", Unit: "bytes",
			Totals: schema.Totals{Bytes: 200, Instructions: 5}, Registers: map[string]string{"ETMCR": "0x0"},
		}
	}
	return &written{
		opt:          DatasetOptions{Level: schema.LevelInstructions},
		instructions: map[uint8][]insRow{0x10: instructions(), 0x11: instructions()},
		losses: map[uint8][]schema.Loss{0x10: {
			{Key: schema.Key{Seq: 0, Offset: 0}, Bytes: 6, Reason: schema.LossUnsynced},
			{Key: schema.Key{Seq: 3, Offset: 102}, Bytes: 1, Reason: schema.LossBadPacket, Detail: "0xff"},
			{Key: schema.Key{Seq: 5, Offset: 108}, Bytes: 2, Reason: schema.LossBadPacket},
		}},
		sources: []schema.SourceTotals{source(0x10), source(0x11)},
		images:  []schema.ImageRegion{{File: "a.elf", SHA256: "aa", BuildID: "bb", Address: 0x8000, Bytes: 8192}},
	}
}

// write writes the dataset and returns its directory.
func (w *written) write(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dataset")
	out, err := CreateDataset(dir, w.opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range []uint8{0x10, 0x11, 0x12} {
		b := &base{source: source}
		for i, x := range w.instructions[source] {
			r := out.Table(&schema.Instructions, source).Row()
			b.key(r, schema.Key{Seq: int64(i), Offset: x.offset})
			r.Uint32(x.address)
			r.Uint8(4)
			r.Enum(uint8(schema.A32))
			r.Uint32(0xe1a00000)
			r.Enum(uint8(schema.KindOther))
			r.NullBool(x.executed)
			r.NullUint32(x.cycles)
			r.Int32(0)
			r.NullInt64(x.cycle)
			writeState(r)
		}
		for i := range w.blocks[source] {
			w.blocks[source][i].write(out, b, uint32(i))
		}
		for i := range w.losses[source] {
			fillLoss(out.Table(&schema.Losses, source).Row(), b, &w.losses[source][i])
		}
	}
	for i := range w.packets {
		fillPacket(out.Table(&schema.Packets, 0x10).Row(), &base{source: 0x10}, &w.packets[i])
	}
	if err := out.Close(&schema.Manifest{Sources: w.sources, Images: w.images}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// writeState appends timestamp, context_id, vmid and security.
func writeState(r *schema.Row) {
	r.NullUint64(schema.Of(uint64(1) << 63))
	r.NullUint32(schema.Null[uint32]{})
	r.NullUint8(schema.Of[uint8](7))
	r.NullEnum(schema.Of(uint8(schema.NonSecure)))
}

func (x *blkRow) write(out *DatasetWriter, b *base, number uint32) {
	r := out.Table(&schema.Blocks, b.source).Row()
	b.key(r, schema.Key{Seq: x.seq, Offset: x.offset})
	r.Uint32(number)
	r.Uint16(uint16(x.count))
	r.Uint16(1)
	r.NullUint64(x.failed)
	r.Enum(uint8(x.outcome))
	r.NullUint32(x.cycles)
	r.Int32(0)
	r.NullInt64(x.cycle)
	writeState(r)
	for i := range x.count + 1 { // the run begins at position 1
		r := out.Table(&schema.CodeBlocks, b.source).Row()
		r.Uint8(b.source)
		r.Uint32(number)
		r.Uint16(uint16(i))
		r.Uint32(x.address + 4*uint32(i) - 4)
		r.Uint8(4)
		r.Enum(uint8(schema.A32))
		r.Uint32(0xe1a00000)
		r.Enum(uint8(schema.KindOther))
	}
}

func verifyDirs(t testing.TB, dataset, truth string) *Verification {
	t.Helper()
	v, err := Verify(context.Background(), dataset, truth)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// lines are the differences, one a line, in short.
func (v *Verification) lines() []string {
	var lines []string
	for _, d := range v.Differences {
		line := fmt.Sprintf("%s %02x %d %d", d.Table, d.Source.V, d.Seq.V, d.ByteOffset.V)
		switch d.Kind {
		case CellDiffers:
			line += fmt.Sprintf(" %s %s %s", d.Column, d.Truth, d.Dataset)
		case RowMissing:
			line += " missing"
		case RowExtra:
			line += " extra"
		case TableLacking:
			line = d.Table + " lacking " + d.Truth
		}
		lines = append(lines, line)
	}
	return lines
}

// counts are what each table that differs came to: compared, differing, missing,
// extra.
func (v *Verification) counts() []string {
	var lines []string
	for _, t := range v.Tables {
		if t.Differences() > 0 && !t.Lacking {
			lines = append(lines, fmt.Sprintf("%s %d %d %d %d", t.Table, t.Compared, t.Differing, t.Missing, t.Extra))
		}
	}
	return lines
}

// Each way in which a dataset may differ is told as what it is, and no other.
// The change is to the dataset; the truth is the small one.
func TestVerifyDifferences(t *testing.T) {
	truth := smallDataset()
	truthDir := truth.write(t)
	for _, tt := range []struct {
		name   string
		change func(*written)
		lines  []string
		counts []string
	}{
		{"none", func(*written) {}, nil, nil},
		{"cell", func(w *written) { w.instructions[0x11][1].executed = yes }, []string{"instructions 11 1 100 executed false true"}, []string{"instructions 10 1 0 0"}},
		{"two cells", func(w *written) { w.instructions[0x10][3].address, w.instructions[0x10][3].executed = 0xa000, no }, []string{
			"instructions 10 3 104 address 0x00009000 0x0000a000", "instructions 10 3 104 executed true false",
		}, []string{"instructions 10 1 0 0"}},
		{"NULL for a value", func(w *written) { w.instructions[0x10][0].cycles = noCycles }, []string{"instructions 10 0 100 cycles 2 NULL"}, []string{"instructions 10 1 0 0"}},
		{"value for NULL", func(w *written) { w.instructions[0x10][2].executed = no }, []string{"instructions 10 2 100 executed NULL false"}, []string{"instructions 10 1 0 0"}},
		{"text for NULL", func(w *written) { w.losses[0x10][2].Detail = "x" }, []string{"losses 10 5 108 detail NULL x"}, []string{"losses 3 1 0 0"}},
		{"row missing", func(w *written) { w.losses[0x10] = slices.Delete(w.losses[0x10], 1, 2) }, []string{"losses 10 3 102 missing"}, []string{"losses 2 0 1 0"}},
		{"last row missing", func(w *written) { w.losses[0x10] = w.losses[0x10][:2] }, []string{"losses 10 5 108 missing"}, []string{"losses 2 0 1 0"}},
		{"extra row", func(w *written) {
			w.losses[0x10] = slices.Insert(w.losses[0x10], 1, schema.Loss{Key: schema.Key{Seq: 1, Offset: 50}, Bytes: 9, Reason: schema.LossBadPacket})
		}, []string{"losses 10 1 50 extra"}, []string{"losses 3 0 0 1"}},
		{"extra row at the end", func(w *written) {
			w.losses[0x10] = append(w.losses[0x10], schema.Loss{Key: schema.Key{Seq: 9, Offset: 199}, Bytes: 9, Reason: schema.LossBadPacket})
		}, []string{"losses 10 9 199 extra"}, []string{"losses 3 0 0 1"}},
		{"extra rows of a source", func(w *written) {
			w.losses[0x12] = []schema.Loss{{Key: schema.Key{Seq: 9, Offset: 199}, Bytes: 9, Reason: schema.LossBadPacket}}
		}, []string{"losses 12 9 199 extra"}, []string{"losses 3 0 0 1"}},
		{"only the place", func(w *written) { w.losses[0x10][1].Offset = 103 }, []string{"losses 10 3 102 byte_offset 102 103"}, []string{"losses 3 1 0 0"}},
		// what comes behind is found again: seq alone differs there
		{"instruction inserted", func(w *written) {
			w.instructions[0x10] = slices.Insert(w.instructions[0x10], 3, insRow{100, 0x800c, yes, noCycles, noCycle})
		}, []string{"instructions 10 3 100 extra", "instructions 10 3 104 seq 3 4", "instructions 10 4 104 seq 4 5"}, []string{"instructions 10 2 0 1"}},
		{"source missing", func(w *written) {
			delete(w.instructions, 0x11)
			w.sources = w.sources[:1]
		}, []string{
			"instructions 11 0 100 missing", "instructions 11 1 100 missing", "instructions 11 2 100 missing",
			"instructions 11 3 104 missing", "instructions 11 4 104 missing", "sources 11 0 0 missing",
		}, []string{"instructions 5 0 5 0", "sources 1 0 1 0"}},
		{"extra source", func(w *written) {
			s := w.sources[0]
			s.Source = 0x12
			w.sources = append(w.sources, s)
		}, []string{"sources 12 0 0 extra"}, []string{"sources 2 0 0 1"}},
		{"total", func(w *written) { w.sources[1].Bytes = 201 }, []string{"sources 11 0 0 bytes 200 201"}, []string{"sources 2 1 0 0"}},
		{"register", func(w *written) { w.sources[1].Registers = nil }, []string{`sources 11 0 0 registers {"ETMCR":"0x0"} null`}, []string{"sources 2 1 0 0"}},
		{"names and hashes", func(w *written) {
			w.sources[0].Name, w.sources[0].Core, w.sources[0].Buffer = "x", "y", "z"
			w.images[0] = schema.ImageRegion{File: "b.bin", SHA256: "cc", Core: "y", Address: 0x8000, Bytes: 8192}
		}, nil, nil},
		{"image", func(w *written) { w.images[0].Bytes = 1 }, []string{"images 00 0 0 bytes 8192 1"}, []string{"images 1 1 0 0"}},
		{"table missing", func(w *written) { w.opt.Tables, w.instructions = []*schema.Table{&schema.Events}, nil }, []string{"instructions lacking 10"}, nil},
		// without a row of the truth nothing is missing
		{"empty table missing", func(w *written) { w.opt.Tables = []*schema.Table{&schema.Instructions} }, nil, nil},
		{"table the truth does not have", func(w *written) {
			w.opt.Tables = append(slices.Clone(schema.Tables()[:1]), &schema.Packets)
			w.packets = []schema.Packet{{Type: "A-sync", Bytes: []byte{0, 0x80}, Fields: "{}"}}
		}, nil, nil},
	} {
		for _, format := range []schema.Format{schema.Parquet, schema.Arrow} {
			t.Run(tt.name+"/"+format.String(), func(t *testing.T) {
				w := smallDataset()
				w.opt.Format = format
				tt.change(w)
				v := verifyDirs(t, w.write(t), truthDir)
				if diff := cmp.Diff(tt.lines, v.lines()); diff != "" {
					t.Errorf("want (-), got (+):\n%s", diff)
				}
				if diff := cmp.Diff(tt.counts, v.counts()); diff != "" {
					t.Errorf("want (-), got (+):\n%s", diff)
				}
				if v.Equal() != (tt.lines == nil) {
					t.Errorf("equal: %v", v.Equal())
				}
			})
		}
	}
}

// Every difference is counted, the first ten are told, and none hides those of
// another table.
func TestVerifyManyDifferences(t *testing.T) {
	truth, other := smallDataset(), smallDataset()
	truth.instructions[0x10], other.instructions[0x10] = nil, nil
	for i := range 100_000 {
		truth.instructions[0x10] = append(truth.instructions[0x10], insRow{int64(i), uint32(4 * i), yes, noCycles, noCycle})
		other.instructions[0x10] = append(other.instructions[0x10], insRow{int64(i), uint32(4*i + 4), no, noCycles, noCycle})
	}
	other.losses[0x10][1].Detail = "another"
	v := verifyDirs(t, other.write(t), truth.write(t))
	if len(v.Differences) != DifferencesShown || v.Differences[9].Table != "losses" || v.Differences[8].Table != "instructions" {
		t.Errorf("differences %q", v.lines())
	}
	if diff := cmp.Diff([]string{"instructions 100005 100000 0 0", "losses 3 1 0 0"}, v.counts()); diff != "" {
		t.Error(diff)
	}
	if got := v.Tables[0].Columns; got["address"] != 100_000 || got["executed"] != 100_000 || len(got) != 2 {
		t.Errorf("columns %v", got)
	}
	if row := v.Differences[0].Row; !strings.HasPrefix(row, "segment=NULL address=0x00000000 size=4 isa=a32 ") {
		t.Errorf("the row is %q", row)
	}
}

// A dataset of blocks is compared as its view gives: of a run, the last has the
// cycles of all. The flat level has them one by one.
func TestVerifyBlocksAsView(t *testing.T) {
	truth := smallDataset()
	truthDir := truth.write(t)
	small := func() *written {
		w := smallDataset()
		w.opt.Level = schema.LevelBlocks
		w.instructions = nil
		runs := func() []blkRow {
			return []blkRow{
				// yes, no, untold: two bits of failed, the last by outcome
				{0, 100, 0x8000, 3, schema.Of[uint64](0b010), schema.Untold, schema.Of[uint32](9), schema.Of[int64](9)},
				{3, 104, 0x9000, 2, schema.Of[uint64](0), schema.Taken, noCycles, noCycle},
			}
		}
		w.blocks = map[uint8][]blkRow{0x10: runs(), 0x11: runs()}
		return w
	}
	for _, tt := range []struct {
		name   string
		change func([]blkRow)
		lines  []string
	}{
		{"none", func([]blkRow) {}, nil},
		{"sum of cycles", func(r []blkRow) { r[0].cycles = schema.Of[uint32](8) }, []string{"instructions 10 2 100 cycles 9 8"}},
		{"cycle", func(r []blkRow) { r[0].cycle = schema.Of[int64](8) }, []string{"instructions 10 2 100 cycle 9 8"}},
		{"cycles of no instruction", func(r []blkRow) { r[1].cycles = schema.Of[uint32](1) }, []string{"instructions 10 4 104 cycles NULL 1"}},
		{"failed", func(r []blkRow) { r[0].failed = schema.Of[uint64](0b011) }, []string{"instructions 10 0 100 executed true false"}},
		{"failed is not told", func(r []blkRow) { r[1].failed = schema.Null[uint64]{} }, []string{"instructions 10 3 104 executed true NULL"}},
		{"outcome", func(r []blkRow) { r[1].outcome = schema.NotTaken }, []string{"instructions 10 4 104 executed true false"}},
		{"address", func(r []blkRow) { r[1].address = 0x9002 }, []string{
			"instructions 10 3 104 address 0x00009000 0x00009002", "instructions 10 4 104 address 0x00009004 0x00009006",
		}},
		{"count", func(r []blkRow) { r[1].count = 1 }, []string{"instructions 10 4 104 missing"}},
		{"place", func(r []blkRow) { r[0].offset = 101 }, []string{
			"instructions 10 0 100 byte_offset 100 101", "instructions 10 1 100 byte_offset 100 101", "instructions 10 2 100 byte_offset 100 101",
		}},
		{"seq", func(r []blkRow) { r[1].seq = 4 }, []string{"instructions 10 3 104 seq 3 4", "instructions 10 4 104 seq 4 5"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := small()
			tt.change(w.blocks[0x10])
			v := verifyDirs(t, w.write(t), truthDir)
			if diff := cmp.Diff(tt.lines, v.lines()); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
			if r := v.Tables[0]; !r.AsView || r.Compared < 9 {
				t.Errorf("%+v", r)
			}
		})
	}
}

// The sample in both levels and formats is the same, as it is decoded with any
// number of cores; each row is looked at.
func TestVerifySample(t *testing.T) {
	dir := t.TempDir()
	capture := filepath.Join(dir, "capture")
	if err := sample.Extract(capture); err != nil {
		t.Fatal(err)
	}
	truth := exportSample(t, capture, Options{Level: schema.LevelInstructions})
	for name, opt := range map[string]Options{
		"parquet":      {Level: schema.LevelInstructions, Workers: 2},
		"arrow":        {Level: schema.LevelInstructions, Format: schema.Arrow},
		"arrow, lz4":   {Level: schema.LevelInstructions, Format: schema.Arrow, Codec: "lz4"},
		"blocks":       {Level: schema.LevelBlocks},
		"arrow blocks": {Level: schema.LevelBlocks, Format: schema.Arrow},
	} {
		t.Run(name, func(t *testing.T) {
			v := verifyDirs(t, exportSample(t, capture, opt), truth)
			if !v.Equal() || len(v.Tables) != 10 {
				t.Errorf("%d tables, %q", len(v.Tables), v.lines())
			}
			for _, r := range v.Tables {
				if r.Compared != r.TruthRows || r.Table == "instructions" && r.Compared != 218_349 {
					t.Errorf("%s: %d rows of %d compared", r.Table, r.Compared, r.TruthRows)
				}
			}
		})
	}
}

func exportSample(t *testing.T, capture string, opt Options) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dataset")
	opt.Workers = max(1, opt.Workers)
	if _, err := Export(context.Background(), capture, dir, opt); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestVerifyStops(t *testing.T) {
	dir := smallDataset().write(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Verify(ctx, dir, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
