package stacks_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// The stacks of the sample and of captures of silicon, which another program rebuilt.
func TestFigures(t *testing.T) {
	for _, tt := range []struct {
		capture, elf string
		want         string
	}{
		{
			"am243x-r5f-etmv3-freertos-002b37c", "freertos.elf",
			"calls 8338, tail calls 1039, exceptions 2, depth 6; ends: open 4, return 9373; exceptions: gap 1, return 1; tasks: exception 2, start 1; switches 0, ambiguous 0, drift 0; own 232204",
		},
		{
			"am243x-r5f-etmv3-zephyr-e9185a9", "zephyr.elf",
			"calls 29306, tail calls 29278, exceptions 7, depth 8; ends: exception 3, gap 4, open 5, return 58567, switch 1; exceptions: gap 2, open 1, return 3, switch 2; tasks: exception 2, new 1, start 1; switches 3, ambiguous 0, drift 0; own 352666",
		},
		{
			"am243x-r5f-etmv3-threadx-ce42d22", "threadx.elf",
			"calls 3441, tail calls 168, exceptions 2, depth 15; ends: exception 2, open 8, return 3588; exceptions: open 1, return 2; tasks: exception 1, new 2, start 1; switches 2, ambiguous 0, drift 0; own 256395",
		},
		{
			"sample", sample.ELF,
			"calls 6300, tail calls 220, exceptions 88, depth 12; ends: exception 19, open 7, return 6446, switch 48; exceptions: open 1, return 35, switch 52; tasks: exception 1, new 5, start 1; switches 53, ambiguous 0, drift 0; own 218349 in 440811 cycles",
		},
	} {
		t.Run(tt.capture, func(t *testing.T) {
			for _, level := range []schema.Level{schema.LevelBlocks, schema.LevelNone} {
				if got := figures(t, export(t, tt.capture, tt.elf, level)); got != tt.want {
					t.Errorf("level %s:\n%s\nwant\n%s", level, got, tt.want)
				}
			}
		})
	}
}

// How long exceptions of zephyr took, whose vectors were overwritten: the program file has others. The first ends
// where control goes to a task that no stack is known of, and an SVC does.
func TestSpansOfOverwrittenVectors(t *testing.T) {
	d := export(t, "am243x-r5f-etmv3-zephyr-e9185a9", "zephyr.elf", schema.LevelNone)
	var got []string
	each(t, d, &schema.ExceptionSpans, func(b *schema.Batch, row int) {
		if n := schema.ExceptionSpansInstructions.At(b, row); n > 0 {
			got = append(got, fmt.Sprintf("%d %d %s", schema.ExceptionSpansSeq.At(b, row), n, schema.CallEndNames[schema.ExceptionSpansEnd.At(b, row)]))
		}
	})
	want := []string{"126331 85 return", "126031 429 switch", "351881 85 return", "352237 66 switch", "352507 66 return"}
	if !slices.Equal(got, want) {
		t.Errorf("spans are %q, want %q", got, want)
	}
}

// export exports a capture with a program file, and opens the dataset.
func export(t *testing.T, name, elf string, level schema.Level) *dataset.Dataset {
	t.Helper()
	if name == "sample" {
		return exportSample(t, level)
	}
	return exportDir(t, shared.File(t, "captures/"+name), elf, level)
}

// exportSample exports the sample, with flips of bytes of its trace.
func exportSample(t *testing.T, level schema.Level, flips ...flip) *dataset.Dataset {
	t.Helper()
	input := filepath.Join(t.TempDir(), "capture")
	if err := sample.Extract(input); err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(input, "trace.bin")
	data, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range flips {
		data[f.at] ^= f.by
	}
	if err := os.WriteFile(trace, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return exportDir(t, input, sample.ELF, level)
}

// A flip is of bits of a byte.
type flip struct {
	at int
	by byte
}

// exportDir exports a capture with a program file beside it, if that has a name, and opens the dataset.
func exportDir(t *testing.T, input, elf string, level schema.Level) *dataset.Dataset {
	t.Helper()
	return exportWith(t, input, elf, pipeline.Options{Level: level, Workers: 2})
}

// exportWith is exportDir with options.
func exportWith(t *testing.T, input, elf string, opt pipeline.Options) *dataset.Dataset {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dataset")
	if elf != "" {
		opt.Capture.Symbols = []string{filepath.Join(input, elf)}
	}
	if _, err := pipeline.Export(context.Background(), input, dir, opt); err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// figures sums up the tables of stacks in words.
func figures(t *testing.T, d *dataset.Dataset) string {
	t.Helper()
	entries, ends, spans, origins := map[string]int64{}, map[string]int64{}, map[string]int64{}, map[string]int64{}
	var depth int32
	var own, cycles, switches, ambiguous, drift int64
	timed := false
	each(t, d, &schema.Stacks, func(b *schema.Batch, row int) {
		entries[schema.StackEntryNames[schema.StacksEntry.At(b, row)]] += int64(schema.StacksCalls.At(b, row))
		depth = max(depth, int32(schema.StacksDepth.At(b, row)))
		own += int64(schema.StacksInstructions.At(b, row))
		cycles += int64(schema.StacksCycles.At(b, row))
		timed = timed || !b.Columns[schema.StacksCycles].Null(row)
	})
	each(t, d, &schema.Calls, func(b *schema.Batch, row int) { ends[schema.CallEndNames[schema.CallsEnd.At(b, row)]]++ })
	each(t, d, &schema.ExceptionSpans, func(b *schema.Batch, row int) {
		spans[schema.CallEndNames[schema.ExceptionSpansEnd.At(b, row)]]++
	})
	each(t, d, &schema.Tasks, func(b *schema.Batch, row int) {
		origins[schema.TaskOriginNames[schema.TasksOrigin.At(b, row)]]++
		switches += int64(schema.TasksSwitches.At(b, row))
		ambiguous += int64(schema.TasksAmbiguous.At(b, row))
		drift += int64(schema.TasksStackDrift.At(b, row))
	})
	text := fmt.Sprintf("calls %d, tail calls %d, exceptions %d, depth %d; ends: %s; exceptions: %s; tasks: %s; switches %d, ambiguous %d, drift %d; own %d",
		entries["call"], entries["tail"], entries["exception"], depth, words(ends), words(spans), words(origins), switches, ambiguous, drift, own)
	if timed {
		text += fmt.Sprintf(" in %d cycles", cycles)
	}
	return text
}

func words(counts map[string]int64) string {
	var all []string
	for name, n := range counts {
		all = append(all, fmt.Sprintf("%s %d", name, n))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// each calls a function with each row of a table.
func each(t testing.TB, d *dataset.Dataset, of *schema.Table, do func(b *schema.Batch, row int)) {
	t.Helper()
	for b, err := range d.Batches(of) {
		if err != nil {
			t.Fatal(err)
		}
		for row := range b.Rows() {
			do(b, row)
		}
	}
}
