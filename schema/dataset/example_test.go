package dataset_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/pipeline"
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
	var most, at int64
	for r, err := range d.Records(&schema.Counts) {
		if err != nil {
			log.Fatal(err)
		}
		addresses := r.Column(int(schema.CountsAddress)).(*array.Int64)
		executed := r.Column(int(schema.CountsExecuted)).(*array.Int64)
		for i := range int(r.NumRows()) {
			if n := executed.Value(i); n > most {
				most, at = n, addresses.Value(i)
			}
		}
		r.Release()
	}
	fmt.Printf("%#x ran %d times\n", at, most)
	// Output:
	// 0x40008a84 ran 2976 times
}

// The rows of `instructions` as values; its files may be of either format.
func ExampleDataset_Batches() {
	dir := exampleDataset()
	defer os.RemoveAll(filepath.Dir(dir))
	d, err := dataset.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	failed := 0
	for b, err := range d.Batches(&schema.Instructions) {
		if err != nil {
			log.Fatal(err)
		}
		for i := range b.Rows() {
			if x := schema.InstructionOf(b, i); x.Executed == schema.Of(false) {
				failed++
			}
		}
	}
	fmt.Println(failed, "instructions failed their condition")
	// Output:
	// 7790 instructions failed their condition
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
	// source 0x10, pft: 58687 of 58693 bytes decoded
	// 778 rows of counts; stacks: true
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

// exampleDataset exports the capture that the program carries, and returns the directory of the dataset.
func exampleDataset() string {
	dir, err := os.MkdirTemp("", "tracelake")
	if err != nil {
		log.Fatal(err)
	}
	if err := sample.Extract(dir); err != nil {
		log.Fatal(err)
	}
	run := filepath.Join(dir, "run1")
	if _, err := pipeline.Export(context.Background(), dir, run, pipeline.Options{}); err != nil {
		log.Fatal(err)
	}
	return run
}
