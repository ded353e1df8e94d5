package pipeline

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"slices"
	"strconv"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/plan"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/bench/truth/digest"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/schema"
)

// sampleRows decodes the sample, and returns its rows and its truth, which was
// made from the recorded execution.
func sampleRows(t *testing.T, blocks bool, workers int) (*rowSet, *digest.Truth) {
	t.Helper()
	dir := t.TempDir()
	if err := sample.Extract(dir); err != nil {
		t.Fatal(err)
	}
	truth, err := sample.Truth()
	if err != nil {
		t.Fatal(err)
	}
	c, err := capture.Open(dir, Protocols(), capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	p, err := plan.New(context.Background(), c, plan.Options{Families: Protocols(), Index: engine.NewWorkers(1).Index})
	if err != nil {
		t.Fatal(err)
	}
	s := p.Sources[0]
	if s.Status != schema.StatusDecoded || s.ID != truth.Source {
		t.Fatalf("source 0x%02x is %v: %s", s.ID, s.Status, s.Problem)
	}
	return decodeRows(t, s.Stream(nil), s.Bound, s.Memory, blocks, workers), truth
}

// The sample decodes to what was executed: the truth was made from the
// recording of another program, without this decoder.
func TestSampleTruth(t *testing.T) {
	need.FullRun(t, "TestPiecesAndGrains decodes the sample with several workers; here its rows become text")
	set, truth := sampleRows(t, false, 2)
	got := digest.Truth{
		Source: truth.Source, Bytes: set.totals.Bytes, Segments: set.totals.Segments, Instructions: set.totals.Instructions,
		Counts: map[string]digest.Counts{},
	}
	program, timing := fnv.New64a(), fnv.New64a()
	for _, row := range set.rows["instructions"] {
		program.Write(binary.LittleEndian.AppendUint32(nil, uint32(cellHex(t, row["address"]))))
		executed := uint8(slices.Index([]string{"false", "true", "NULL"}, row["executed"]))
		program.Write([]byte{uint8(cellNumber(t, row["size"])), uint8(slices.Index(schema.ISANames, row["isa"])), executed})
		*[]*int64{&got.Failed, &got.Executed, &got.Unknown}[executed]++
		for _, column := range []string{"cycles", "cycle", "timestamp", "context_id"} {
			timing.Write(hashedCell(t, row[column]))
		}
	}
	got.Program, got.Timing = digest.Hash(program.Sum64()), digest.Hash(timing.Sum64())
	last := int64(0)
	for _, row := range set.rows["cycle_counts"] {
		if row["epoch"] != "0" && row["epoch"] != "NULL" {
			t.Fatalf("more than one epoch: %v", row)
		}
		count := got.Counts[row["kind"]]
		count.Rows++
		count.Cycles += int64(cellNumber(t, row["cycles"]))
		got.Counts[row["kind"]] = count
		if row["cycle"] != "NULL" {
			last = int64(cellNumber(t, row["cycle"]))
		}
	}
	got.Cycles = &last
	for _, row := range set.rows["exceptions"] {
		got.Exceptions = append(got.Exceptions, digest.Exception{
			Seq: int64(cellNumber(t, row["seq"])), Event: row["event"], Type: cellNotNull(row["type"]), Number: cellOptional[uint16](t, row["number"]),
			ReturnAddress: cellAddress(t, row["return_address"]), Target: cellAddress(t, row["target"]),
			Cycle: cellOptional[int64](t, row["cycle"]), Timestamp: cellOptional[uint64](t, row["timestamp"]), ContextID: cellOptional[uint32](t, row["context_id"]),
		})
	}
	for _, row := range set.rows["contexts"] {
		got.Contexts = append(got.Contexts, digest.Context{
			Seq: int64(cellNumber(t, row["seq"])), ContextID: cellOptional[uint32](t, row["context_id"]), VMID: cellOptional[uint32](t, row["vmid"]), Security: row["security"],
		})
	}
	for _, row := range set.rows["timestamps"] {
		got.Timestamps = append(got.Timestamps, digest.Timestamp{
			Seq: int64(cellNumber(t, row["seq"])), Timestamp: cellNumber(t, row["timestamp"]), Cycle: cellOptional[int64](t, row["cycle"]),
		})
	}
	if diff := cmp.Diff(asJSON(t, truth), asJSON(t, &got)); diff != "" {
		t.Errorf("truth (-) and decoded (+):\n%s", diff)
	}
	t.Logf("%d instructions, %d exceptions, %d timestamps are as recorded", got.Instructions, len(got.Exceptions), len(got.Timestamps))
}

// asJSON makes a truth comparable: without what it keeps to itself.
func asJSON(t *testing.T, truth *digest.Truth) any {
	t.Helper()
	b, err := json.Marshal(truth)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func cellNumber(t *testing.T, cell string) uint64 {
	t.Helper()
	v, err := strconv.ParseUint(cell, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func cellHex(t *testing.T, cell string) schema.Address {
	t.Helper()
	v, err := strconv.ParseUint(cell, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	return schema.Address(v)
}

// hashedCell is a cell as the truth hashes it: 1 and the value, or 0 and 0.
func hashedCell(t *testing.T, cell string) []byte {
	t.Helper()
	if cell == "NULL" {
		return make([]byte, 9)
	}
	return binary.LittleEndian.AppendUint64([]byte{1}, cellNumber(t, cell))
}

func cellOptional[T int64 | uint64 | uint32 | uint16 | uint8](t *testing.T, cell string) *T {
	t.Helper()
	if cell == "NULL" {
		return nil
	}
	v := T(cellNumber(t, cell))
	return &v
}

func cellAddress(t *testing.T, cell string) *digest.Address {
	t.Helper()
	if cell == "NULL" {
		return nil
	}
	a := digest.Address(cellHex(t, cell))
	return &a
}

func cellNotNull(cell string) string {
	if cell == "NULL" {
		return ""
	}
	return cell
}
