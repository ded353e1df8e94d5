package stacks_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/repeat"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// The tasks of the sample and of captures of silicon: instructions (cycles), switches.
func TestTasks(t *testing.T) {
	for _, tt := range []struct{ capture, elf, want string }{
		{"sample", sample.ELF, `_start 6232 (14890) 0
checksum_task 37552 (59757) 12
[irq 14] 4585 (17312) 0
sort_task 91461 (197886) 15
matrix_task 24898 (49399) 7
script_task 52894 (96699) 14
fault_task 727 (4868) 5`},
		{"am243x-r5f-etmv3-freertos-002b37c", "freertos.elf", `tm_memory_allocation_thread_0_entry 231588 0
[entry not seen] 308 0
[irq 14] 308 0`},
		{"am243x-r5f-etmv3-zephyr-e9185a9", "zephyr.elf", `LowPrioTask 351385 1
[irq 14] 514 0
HighPrioTask 455 2
[entry not seen] 312 0`},
		{"am243x-r5f-etmv3-threadx-ce42d22", "threadx.elf", `_tx_initialize_kernel_enter 28070 0
[irq 14] 711 0
threadx_main 227211 1
tm_thread_entry 403 1`},
		{"opencsd-tc2-ptm-rstk-t32", "", `0x80000554 192073 0`},
		{"stm32f105-m3-etmv34-itm-swo", "", `0x08000306 150 0
(callers not seen) 1050 0`},
		{"opencsd-TC2", "", `0xc002115c 10 (95) 0
(callers not seen) 7195 (24873) 0
0xc00509e8 41 (268) 0
(callers not seen) 7430 (22683) 0
0xc0026344 97 (531) 0
(callers not seen) 1850 (6168) 0
0xc0018d82 10 (560) 0
(callers not seen) 9538 (67042) 0`},
	} {
		t.Run(tt.capture, func(t *testing.T) {
			got := tasksOf(t, export(t, tt.capture, tt.elf, schema.LevelNone))
			if got != tt.want {
				t.Errorf("tasks are\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// Of the cycles that were traced, those of gaps, and those of what ran: of instructions, of exceptions,
// and of no known address.
func TestGaps(t *testing.T) {
	for capture, want := range map[string]string{
		"sample": "16: 0 of 440811, 438644 + 2167 + 0",
		"opencsd-TC2": `16: 735915 of 760883, 24968 + 0 + 0
17: 26216 of 49175, 22951 + 0 + 8
18: 4243 of 10958, 6699 + 0 + 16
19: 96305 of 172579, 67602 + 0 + 8672`,
	} {
		t.Run(capture, func(t *testing.T) {
			d := export(t, capture, map[string]string{"sample": sample.ELF}[capture], schema.LevelNone)
			all, gaps := sumsOf(t, d, &schema.Epochs, "cycles"), sumsOf(t, d, &schema.Epochs, "gap_cycles")
			instructions, exceptions := sumsOf(t, d, &schema.Counts, "cycles"), sumsOf(t, d, &schema.Exceptions, "cycles")
			var lines []string
			for _, id := range slices.Sorted(maps.Keys(all)) {
				lines = append(lines, fmt.Sprintf("%s: %d of %d, %d + %d + %d", id, gaps[id], all[id], instructions[id],
					exceptions[id], all[id]-gaps[id]-instructions[id]-exceptions[id]))
			}
			if got := strings.Join(lines, "\n"); got != want {
				t.Errorf("gaps are\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// What functions executed with all that they called, where they called themselves once.
func TestInclusive(t *testing.T) {
	for _, tt := range []struct {
		capture, elf string
		want         map[string]amount
	}{
		{"sample", sample.ELF, map[string]amount{"quicksort": {77544, 165426}, "interpret.constprop.0": {52674, 95921}}},
		{"am243x-r5f-etmv3-freertos-002b37c", "freertos.elf", map[string]amount{"vPortFree": {118851, 0}, "xTaskResumeAll": {95496, 0}}},
		{"am243x-r5f-etmv3-zephyr-e9185a9", "zephyr.elf", map[string]amount{"tm_task_priority_get": {204820, 0}}},
		{"am243x-r5f-etmv3-threadx-ce42d22", "threadx.elf", map[string]amount{"snprintf": {201158, 0}}},
	} {
		t.Run(tt.capture, func(t *testing.T) {
			got := inclusive(t, export(t, tt.capture, tt.elf, schema.LevelNone))
			for name, want := range tt.want {
				if got[name] != want {
					t.Errorf("%s has %+v, want %+v", name, got[name], want)
				}
			}
		})
	}
}

// inclusive returns what the outermost calls of functions executed, by name.
func inclusive(t *testing.T, d *dataset.Dataset) map[string]amount {
	t.Helper()
	functions, all := functionsOf(t, d), map[string]amount{}
	var paths []map[uint32]bool // functions of each node and below it
	each(t, d, &schema.Stacks, func(b *schema.Batch, i int) {
		path := map[uint32]bool{}
		if p := nullU32(b, schema.StacksParent, i); p.OK {
			path = paths[p.V]
		}
		if f := nullU32(b, schema.StacksFunction, i); f.OK && !path[f.V] {
			plus(all, functions[f.V].Name, int64(schema.StacksTotalInstructions.At(b, i)), int64(schema.StacksTotalCycles.At(b, i)))
			path = maps.Clone(path)
			path[f.V] = true
		}
		paths = append(paths, path)
	})
	return all
}

// However often TC2 goes on, with gaps each 61 instructions, it has two tasks a source, and not many more paths.
func TestTasksOfRepeated(t *testing.T) {
	input := filepath.Join(t.TempDir(), "capture")
	if err := repeat.Snapshot(shared.File(t, "captures/opencsd-TC2"), input, need.Size(1<<20, 100<<20)); err != nil {
		t.Fatal(err)
	}
	d := exportDir(t, input, "", schema.LevelNone)
	if n := d.Rows(&schema.Tasks); n != 8 {
		t.Errorf("%d tasks, want 8", n)
	}
	if n := d.Rows(&schema.Stacks); n > 1000 {
		t.Errorf("%d stacks", n)
	}
}

func tasksOf(t *testing.T, d *dataset.Dataset) string {
	t.Helper()
	var rows []string
	each(t, d, &schema.Tasks, func(b *schema.Batch, i int) {
		row := fmt.Sprintf("%s %d", b.Columns[schema.TasksName].Str[i], schema.TasksInstructions.At(b, i))
		if !b.Columns[schema.TasksCycles].Null(i) {
			row += fmt.Sprintf(" (%d)", schema.TasksCycles.At(b, i))
		}
		rows = append(rows, fmt.Sprintf("%s %d", row, schema.TasksSwitches.At(b, i)))
	})
	return strings.Join(slices.Clip(rows), "\n")
}

// sumsOf adds up a column, by source.
func sumsOf(t *testing.T, d *dataset.Dataset, of *schema.Table, column string) map[string]int64 {
	t.Helper()
	sums, c := map[string]int64{}, slices.IndexFunc(of.Columns, func(c schema.Column) bool { return c.Name == column })
	each(t, d, of, func(b *schema.Batch, i int) {
		if n := &b.Columns[c]; !n.Null(i) {
			id, sum := b.Columns[0].Text(i), int64(0)
			if _, err := fmt.Sscan(n.Text(i), &sum); err != nil {
				t.Fatal(err)
			}
			sums[id] += sum
		}
	})
	return sums
}
