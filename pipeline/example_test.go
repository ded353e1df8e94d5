package pipeline_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
)

// A capture becomes a dataset, with the functions and lines of its program.
func ExampleExport() {
	dir := exampleCapture()
	defer os.RemoveAll(dir)
	elf := filepath.Join(dir, sample.ELF)
	summary, err := pipeline.Export(context.Background(), dir, filepath.Join(dir, "run1"), pipeline.Options{
		Capture: capture.Options{ELFs: []string{elf}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range summary.Sources {
		fmt.Printf("%s: %d instructions, %d of %d bytes lost\n", s.Name, s.Instructions, s.BytesLost, s.Bytes)
	}
	fmt.Println(summary.Tables["functions"].Rows, "functions")
	// Output:
	// PTM_0: 218349 instructions, 6 of 58693 bytes lost
	// 41 functions
}

// A loop over what ran needs no dataset.
func ExampleInstructions() {
	dir := exampleCapture()
	defer os.RemoveAll(dir)
	ran := map[schema.Kind]int{}
	for x, err := range pipeline.Instructions(context.Background(), dir, pipeline.Options{}) {
		if err != nil {
			log.Fatal(err)
		}
		if ran[x.Kind]++; x.Seq < 3 {
			fmt.Printf("%d: %s at %#x, %0*x\n", x.Seq, x.ISA, x.Address, 2*x.Size, x.Opcode)
		}
	}
	fmt.Println(ran[schema.KindCall], "calls,", ran[schema.KindReturn], "returns")
	// Output:
	// 0: a32 at 0x40008024, e59f00b8
	// 1: a32 at 0x40008028, ee0c0f10
	// 2: a32 at 0x4000802c, f57ff06f
	// 1676 calls, 6299 returns
}

// exampleCapture writes the capture that the program carries to a directory, and returns that.
func exampleCapture() string {
	dir, err := os.MkdirTemp("", "tracelake")
	if err != nil {
		log.Fatal(err)
	}
	if err := sample.Extract(dir); err != nil {
		log.Fatal(err)
	}
	return dir
}
