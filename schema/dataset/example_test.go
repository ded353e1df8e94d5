package dataset_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// What ran most: the rows of a table as Arrow's record batches.
func ExampleDataset_Records() {
	dir := exampleDataset()
	defer os.RemoveAll(filepath.Dir(dir))
	d, err := dataset.Open(dir) // of any format, and of any version up to this one
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	for r, err := range d.Records(&schema.Counts) {
		if err != nil {
			log.Fatal(err)
		}
		addresses := r.Column(int(schema.CountsAddress)).(*array.Int64)
		executed := r.Column(int(schema.CountsExecuted)).(*array.Int64)
		for i := range int(r.NumRows()) {
			fmt.Printf("%#x ran %d times\n", addresses.Value(i), executed.Value(i))
		}
		r.Release()
	}
	// Output:
	// 0x8000 ran 20 times
	// 0x8004 ran 1 times
}

// The manifest says what a dataset is of, and how far it can be trusted.
func ExampleOpen() {
	dir := exampleDataset()
	defer os.RemoveAll(filepath.Dir(dir))
	d, err := dataset.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	for _, s := range d.Manifest.Sources {
		fmt.Printf("source %s, %s: %d of %d bytes decoded\n", schema.SourceText(s.Source), s.Protocol, s.BytesDecoded, s.Bytes)
	}
	fmt.Println(d.Rows(&schema.Counts), "rows of counts; stacks:", d.Has(&schema.Stacks))
	// Output:
	// source 0x10, pft: 200 of 200 bytes decoded
	// 2 rows of counts; stacks: true
}

// All that can be checked without the capture: each byte, and that rows add up.
func ExampleCheck() {
	dir := exampleDataset()
	defer os.RemoveAll(filepath.Dir(dir))
	r, err := dataset.Check(context.Background(), dir, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(r.Problems), "problems")
	// Output:
	// 0 problems
}

// exampleDataset writes a dataset of one source, two instructions of which were counted.
func exampleDataset() string {
	parent, err := os.MkdirTemp("", "tracelake")
	if err != nil {
		log.Fatal(err)
	}
	dir := filepath.Join(parent, "dataset")
	w, err := dataset.Create(dir, dataset.Options{Level: schema.LevelNone})
	if err != nil {
		log.Fatal(err)
	}
	counts := w.Table(&schema.Counts, 0x10)
	none := schema.Null[int64]{}
	schema.AppendCounts(counts.Row(), 0x10, 0x8000, schema.A32, 20, 0, 0, 0, 0, none, schema.Null[float64]{})
	schema.AppendCounts(counts.Row(), 0x10, 0x8004, schema.A32, 1, 19, 0, 1, 0, none, schema.Null[float64]{})
	source := schema.SourceTotals{
		Source: 0x10, Name: "PTM", Protocol: "pft", Core: "cpu", Status: "decoded", Unit: "bytes",
		Totals: schema.Totals{Counters: schema.Counters{Bytes: 200, BytesDecoded: 200, Instructions: 40}, Segments: 1},
	}
	key := schema.Keys{Source: 0x10, Segment: schema.Of[int32](0)}
	schema.AppendSegments(w.Table(&schema.Segments, 0x10).Row(), key, 200, 200, 0, 0, 40, 0, schema.Of[schema.Address](0x8000), schema.ISyncPeriodic,
		schema.Of[int64](0), schema.Null[int32]{}, schema.Null[int64]{}, schema.Of[int64](0),
		schema.Null[uint64]{}, schema.Null[uint32]{}, schema.Null[uint32]{}, schema.Null[schema.Security]{}, "", schema.Of[int32](0), schema.Null[int32]{})
	if err := w.Close(&schema.Manifest{Sources: []schema.SourceTotals{source}}); err != nil {
		log.Fatal(err)
	}
	return dir
}
