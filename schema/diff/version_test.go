package diff_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// writeBlocks2 writes what the datasets in testdata/version1 have, as schema
// version 2 has it: runs of 63 instructions at most.
//
// A packet at offset 10 executes 70 instructions, of which 0 and 63 fail. The
// first costs 4 cycles, the others 2. Version 1 cuts the run at 64. A packet at 20
// executes one more, after a timestamp of 2⁶³, which is out of range.
func writeBlocks2(t *testing.T, cycles uint32) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dataset")
	w, err := dataset.Create(dir, dataset.Options{Level: schema.LevelBlocks, Tables: []*schema.Table{&schema.Blocks, &schema.CodeBlocks, &schema.Events}})
	if err != nil {
		t.Fatal(err)
	}
	keys := func(seq, offset int64) schema.Keys {
		return schema.Keys{Source: 0x10, Seq: seq, Segment: schema.Of[int32](0), ByteOffset: offset}
	}
	for i := range 70 {
		schema.AppendCodeBlocks(w.Table(&schema.CodeBlocks, 0x10).Row(), 0x10, 0, uint16(i), 0x80000000+4*schema.Address(i), 4, schema.A32, 0xe1a00000, schema.KindOther)
	}
	blocks := func() *schema.Batch { return w.Table(&schema.Blocks, 0x10).Row() }
	five, none := schema.Of[uint64](5), schema.Null[uint64]{}
	id, vmid, security := schema.Of[uint32](0xfffffffe), schema.Of[uint8](255), schema.Of(schema.NonSecure)
	schema.AppendBlocks(blocks(), keys(0, 10), 0, 63, 0, schema.Of[uint64](1), schema.Passed,
		schema.Of(cycles), 0, schema.Of[int64](128), five, id, vmid, security, schema.Null[int32]{})
	schema.AppendBlocks(blocks(), keys(63, 10), 0, 7, 63, schema.Of[uint64](1), schema.Passed,
		schema.Of[uint32](14), 0, schema.Of[int64](142), five, id, vmid, security, schema.Null[int32]{})
	schema.AppendBlocks(blocks(), keys(70, 20), 0, 1, 0, none, schema.Passed,
		schema.Null[uint32]{}, 0, schema.Null[int64]{}, none, id, vmid, security, schema.Null[int32]{})
	events := w.Table(&schema.Events, 0x10)
	schema.AppendEvents(events.Row(), keys(0, 4), schema.EventTraceOn, schema.Of[schema.Address](0x80000000), "")
	schema.AppendEvents(events.Row(), keys(70, 20), schema.EventTimestampOutOfRange, schema.Null[schema.Address]{}, "9223372036854775808")
	schema.AppendLosses(w.Table(&schema.Losses, 0x10).Row(), keys(0, 0), 4, schema.LossUnsynced, "")
	err = w.Close(&schema.Manifest{
		Sources: []schema.SourceTotals{{Source: 0x10, Status: "decoded", Unit: "bytes", Totals: schema.Totals{Counters: schema.Counters{Bytes: 24, Instructions: 71}}}},
		Images:  []schema.ImageRegion{{File: "a.elf", SHA256: "aa", Address: 0x80000000, Bytes: 280}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Datasets of version 1, with unsigned numbers and runs of 64 instructions, are
// compared with those of version 2; a timestamp that version 2 cannot have is
// named as that.
func TestCompareVersions(t *testing.T) {
	outOfRange := []string{
		"instructions 10 70 20 timestamp 9223372036854775808 (out of range since schema version 2) NULL",
		"events 10 70 20 extra",
	}
	for _, tt := range []struct {
		name   string
		cycles uint32 // of the first 63 instructions: 128
		truth  string
		want   []string
	}{
		{"blocks", 128, "blocks", outOfRange},
		{"flat", 128, "flat", outOfRange},
		{"blocks, other cycles", 129, "blocks", append([]string{"instructions 10 69 10 cycles 142 143"}, outOfRange...)},
		{"flat, other cycles", 129, "flat", append([]string{"instructions 10 62 10 cycles 128 129"}, outOfRange...)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := compare(t, writeBlocks2(t, tt.cycles), filepath.Join("testdata", "version1", tt.truth))
			if d := cmp.Diff(tt.want, lines(v)); d != "" {
				t.Errorf("want (-), got (+):\n%s", d)
			}
			if r := v.Tables[0]; r.Table != "instructions" || !r.AsView || r.Compared != 71 {
				t.Errorf("%+v", r)
			}
		})
	}
	for _, name := range []string{"blocks", "flat"} { // of version 1 both: equal, to the last bit
		dir := filepath.Join("testdata", "version1", name)
		if v := compare(t, dir, dir); !v.Equal() || v.Tables[0].Compared == 0 {
			t.Errorf("%s: %v", name, lines(v))
		}
	}
}
