package stacks_test

import (
	"fmt"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// The sums of tables agree, of the sample and of captures of silicon.
func TestIdentities(t *testing.T) {
	for capture, elf := range map[string]string{
		"sample":                            sample.ELF,
		"am243x-r5f-etmv3-freertos-002b37c": "freertos.elf",
		"am243x-r5f-etmv3-zephyr-e9185a9":   "zephyr.elf",
		"am243x-r5f-etmv3-threadx-ce42d22":  "threadx.elf",
		"opencsd-TC2":                       "",
		"opencsd-tc2-ptm-rstk-t32":          "",
		"stm32f105-m3-etmv34-itm-swo":       "",
	} {
		t.Run(capture, func(t *testing.T) {
			if capture != "sample" && capture != "opencsd-TC2" {
				need.FullRun(t, sameWorkers)
			}
			for _, level := range []schema.Level{schema.LevelBlocks, schema.LevelNone} {
				checkIdentities(t, fmt.Sprintf("level %s", level), export(t, capture, elf, level))
			}
		})
	}
}

// A sum is of what was executed in a source, by a function of its core.
type sum struct {
	source   uint8
	function int32
}

// A call is of a function at an address, in a source.
type call struct {
	source  uint8
	address schema.Address
}

// An amount is of instructions and cycles.
type amount struct{ instructions, cycles int64 }

// checkIdentities checks that the sums of the tables of a dataset agree.
func checkIdentities(t *testing.T, what string, d *dataset.Dataset) {
	t.Helper()
	functions := functionsOf(t, d)
	counts, own, exceptions, entries := map[sum]amount{}, map[sum]amount{}, map[uint8]int64{}, map[uint8]int64{}
	ended := map[call]int64{}
	executed, tasks := map[uint8]amount{}, map[uint8]amount{}
	each(t, d, &schema.Counts, func(b *schema.Batch, i int) {
		source := schema.CountsSource.At(b, i)
		n := int64(schema.CountsExecuted.At(b, i)) + int64(schema.CountsFailed.At(b, i)) + int64(schema.CountsUnknown.At(b, i))
		cycles := int64(schema.CountsCycles.At(b, i))
		plus(counts, sum{source, functions.At(schema.CountsAddress.At(b, i))}, n, cycles)
		plus(executed, source, n, cycles)
	})
	each(t, d, &schema.Stacks, func(b *schema.Batch, i int) {
		source := schema.StacksSource.At(b, i)
		n, cycles := int64(schema.StacksInstructions.At(b, i)), int64(schema.StacksCycles.At(b, i))
		if schema.StackEntry(schema.StacksEntry.At(b, i)) == schema.StackException {
			if n != 0 {
				t.Errorf("%s: source %d: an exception has %d instructions", what, source, n)
			}
			exceptions[source] += cycles
			entries[source] += cycles
			return
		}
		function := int32(-1)
		if f := nullU32(b, schema.StacksFunction, i); f.OK {
			function = int32(f.V)
		}
		plus(own, sum{source, function}, n, cycles)
		if schema.StackEntry(schema.StacksEntry.At(b, i)) != schema.StackRoot {
			ended[call{source, schema.StacksAddress.At(b, i)}] += int64(schema.StacksCalls.At(b, i)) - int64(schema.StacksNotEnded.At(b, i))
		}
	})
	each(t, d, &schema.Tasks, func(b *schema.Batch, i int) {
		plus(tasks, schema.TasksSource.At(b, i), int64(schema.TasksInstructions.At(b, i)), int64(schema.TasksCycles.At(b, i)))
	})
	each(t, d, &schema.CallTimes, func(b *schema.Batch, i int) {
		ended[call{schema.CallTimesSource.At(b, i), schema.CallTimesAddress.At(b, i)}] -= int64(schema.CallTimesCalls.At(b, i))
	})
	each(t, d, &schema.Exceptions, func(b *schema.Batch, i int) {
		exceptions[schema.ExceptionsSource.At(b, i)] -= int64(schema.ExceptionsCycles.At(b, i))
	})
	for source, n := range exceptions {
		if n != 0 {
			t.Errorf("%s: source %d: stacks have %d cycles of exceptions more than exceptions", what, source, n)
		}
	}
	for k, n := range ended {
		if n != 0 {
			t.Errorf("%s: source %d: stacks have %d calls of 0x%x that returned more than call_times", what, k.source, n, k.address)
		}
	}
	for k, want := range counts {
		if own[k] != want {
			t.Errorf("%s: source %d, function %d: stacks have %+v, counts %+v", what, k.source, k.function, own[k], want)
		}
	}
	for k, got := range own {
		if _, ok := counts[k]; !ok && got != (amount{}) {
			t.Errorf("%s: source %d, function %d: stacks have %+v, counts none", what, k.source, k.function, got)
		}
	}
	for source, want := range executed {
		want.cycles += entries[source]
		if got := tasks[source]; got != want {
			t.Errorf("%s: source %d: tasks have %+v, want %+v", what, source, got, want)
		}
	}
}

// plus adds to an amount.
func plus[K comparable](to map[K]amount, key K, instructions, cycles int64) {
	x := to[key]
	to[key] = amount{x.instructions + instructions, x.cycles + cycles}
}
