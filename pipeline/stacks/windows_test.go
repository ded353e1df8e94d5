package stacks_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/window"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A window begins in the stack that its index names, so that what is executed in it has the paths that it has in
// the whole. What that switches to, without knowing how that was called, may not.
func TestWindows(t *testing.T) {
	for capture, tt := range map[string]struct {
		elf   string
		least float64 // share of instructions
	}{
		"sample":                            {sample.ELF, 0.7},
		"am243x-r5f-etmv3-freertos-002b37c": {"freertos.elf", 1},
		"am243x-r5f-etmv3-zephyr-e9185a9":   {"zephyr.elf", 0.99},
		"opencsd-tc2-ptm-rstk-t32":          {"", 1},
	} {
		t.Run(capture, func(t *testing.T) {
			input := filepath.Join(t.TempDir(), "capture")
			if capture != "sample" {
				input = shared.File(t, "captures/"+capture)
			} else if err := sample.Extract(input); err != nil {
				t.Fatal(err)
			}
			whole := exportDir(t, input, tt.elf, schema.LevelNone)
			known, executed, found := pathsOf(t, whole), int64(0), int64(0)
			n := whole.Rows(&schema.Segments)
			for i := range int64(8) {
				first := i * n / 8
				d := exportWindow(t, input, tt.elf, whole.Dir, first, first+2)
				checkIdentities(t, fmt.Sprintf("segments from %d", first), d)
				for path, instructions := range pathsOf(t, d) {
					executed += instructions
					if _, ok := known[path]; ok {
						found += instructions
					} else if tt.least == 1 {
						t.Errorf("segments from %d: %d instructions are in %s", first, instructions, path)
					}
				}
			}
			if share := float64(found) / float64(executed); executed == 0 || share < tt.least {
				t.Errorf("%d of %d instructions have the paths of the whole: %.4f, want %.4f", found, executed, share, tt.least)
			}
		})
	}
}

// exportWindow exports segments of a capture, with an index.
func exportWindow(t *testing.T, input, elf, index string, from, to int64) *dataset.Dataset {
	t.Helper()
	at := func(n int64) schema.Null[window.Point] { return schema.Of(window.Point{Kind: window.BySegment, N: n}) }
	return exportWith(t, input, elf, pipeline.Options{Level: schema.LevelNone, Workers: 2, Window: &pipeline.Window{
		Span: window.Span{From: at(from), To: at(to)}, Index: index,
	}})
}

// pathsOf returns the instructions of each node of call trees, by its path.
func pathsOf(t *testing.T, d *dataset.Dataset) map[string]int64 {
	t.Helper()
	of, paths := map[string]int64{}, map[[2]int64]string{}
	each(t, d, &schema.Stacks, func(b *schema.Batch, i int) {
		source, c := int64(schema.StacksSource.At(b, i)), b.Columns
		path := fmt.Sprintf("%s %s %s", c[schema.StacksAddress].Text(i), c[schema.StacksException].Text(i), c[schema.StacksNumber].Text(i))
		if parent := nullU32(b, schema.StacksParent, i); parent.OK {
			path = paths[[2]int64{source, int64(parent.V)}] + " > " + path
		}
		paths[[2]int64{source, int64(schema.StacksStack.At(b, i))}] = path
		if n := int64(schema.StacksInstructions.At(b, i)); n > 0 {
			of[path] += n
		}
	})
	return of
}
