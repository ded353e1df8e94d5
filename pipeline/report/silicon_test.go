package report_test

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
	"github.com/tracelake/tracelake/pipeline/report/trust"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/verdict"
)

// The figures of the sample and of captures of silicon, which were counted on another
// way: from the listings of another decoder, with objdump's instructions and readelf's
// symbols and lines.
func TestFigures(t *testing.T) {
	for _, tt := range []struct {
		capture, elf string
		want         report.Coverage // without rows
		outside      []trust.Outside
		named        int // functions, copies as one, that have a line
		hottest      string
		lines        string
	}{
		{
			capture: "sample", elf: sample.ELF,
			want: report.Coverage{
				Instructions: tally(774, 790, 4), Padding: 4, Functions: report.Figure{Covered: 39, Of: 41}, Full: 31,
				Lines: report.Figure{Covered: 236, Of: 245}, Files: report.Figure{Covered: 8, Of: 8},
				Branches:   report.BranchFigures{All: 53, Reached: 53, Taken: 49, NotTaken: 53, Both: 49},
				Predicated: report.Predicated{All: 14, Reached: 14, Unknown: 14},
			},
			named: 41,
			hottest: "quicksort 46,749 (120), checksum_task 24,641 (1), by_digits 22,719 (1509), collatz 21,612 (60), multiply.constprop.0 21,468 (6), " +
				"fibonacci 15,318 (953), crc32.constprop.0 12,330 (6), interpret.constprop.0 11,316 (1), sort_task 6,264 (1), _start 6,110 (1)",
			lines: "sort.c:13 22,719, sort.c:39 12,796, sort.c:37 12,641",
		},
		{
			capture: "am243x-r5f-etmv3-freertos-002b37c", elf: "freertos.elf",
			want: report.Coverage{
				Instructions: tally(521, 34642, 31), Padding: 1978, Functions: report.Figure{Covered: 26, Of: 633}, Full: 10,
				Lines: report.Figure{Covered: 204, Of: 10123}, Files: report.Figure{Covered: 15, Of: 85},
				Branches:   report.BranchFigures{All: 2060, Reached: 47, Taken: 19, NotTaken: 29, Both: 1},
				Predicated: report.Predicated{All: 138, Reached: 10, Passed: 7, Failed: 3},
			},
			named: 616,
			hottest: "free 49,824 (519), xTaskResumeAll 47,748 (1038), vTaskExitCritical 27,040 (1040), aligned_alloc 25,478 (520), " +
				"vTaskEnterCritical 20,800 (1040), split 14,040 (520), free_list_remove 12,468 (1039), free_list_insert 10,390 (1039), " +
				"vPortFree 6,747 (519), vTaskSuspendAll 6,234 (1039)",
			lines: "memory.c:264 10,901, tasks.c:4129 6,240, tasks.c:4152 6,240",
		},
		{
			capture: "am243x-r5f-etmv3-zephyr-e9185a9", elf: "zephyr.elf",
			want: report.Coverage{
				Instructions: tally(746, 5422, 59), Padding: 69, Functions: report.Figure{Covered: 37, Of: 190}, Full: 9,
				Lines: report.Figure{Covered: 298, Of: 1694}, Files: report.Figure{Covered: 27, Of: 93},
				Branches:   report.BranchFigures{All: 484, Reached: 80, Taken: 38, NotTaken: 55, Both: 13},
				Predicated: report.Predicated{All: 162, Reached: 25, Passed: 8, Failed: 18},
			},
			outside: []trust.Outside{{Core: "cpu_0", Address: 0x18, Times: 4}},
			named:   187,
			hottest: "LowPrioTask 146,302 (0), tm_task_priority_get 146,300 (29260), z_impl_k_thread_priority_get 58,520 (29260), " +
				"sys_clock_announce 165 (2), ready_thread 158 (3), z_arm_int_exit 122 (6), _isr_wrapper 120 (4), z_thread_prio_set 116 (2), " +
				"z_vim_irq_get_active 92 (4), ti_dmtimer_isr 76 (4)",
			lines: "priority_inheritance_test.c:88 117,040, tm_porting_layer_zephyr.c:382 87,780, kernel.h:285 58,520",
		},
		{
			capture: "am243x-r5f-etmv3-threadx-ce42d22", elf: "threadx.elf",
			want: report.Coverage{
				Instructions: tally(3437, 38122, 124), Padding: 1932, Functions: report.Figure{Covered: 118, Of: 636}, Full: 46,
				Lines: report.Figure{Covered: 1156, Of: 11188}, Files: report.Figure{Covered: 59, Of: 141},
				Branches:   report.BranchFigures{All: 2308, Reached: 233, Taken: 123, NotTaken: 148, Both: 38},
				Predicated: report.Predicated{All: 266, Reached: 36, Passed: 22, Failed: 21},
			},
			named: 618,
			hottest: "TI_memset_small 182,024 (88), PMU_init 6,906 (1), UART_writePolling 6,349 (2), UART_readLineStatus 5,634 (194), " +
				"__TI_printfi_nofloat 5,632 (64), _setfield___TI_printfi_nofloat 5,276 (64), HW_RD_REG32_RAW 4,661 (582), strlen 3,824 (192), " +
				"_pproc_diouxp___TI_printfi_nofloat 3,264 (64), HW_WR_REG32_RAW 3,128 (391)",
			lines: "memset32.S:125 36,440, memset32.S:126 36,440, memset32.S:127 36,352",
		},
	} {
		t.Run(tt.capture, func(t *testing.T) {
			m := exported(t, tt.capture, tt.elf)
			c := m.Coverage(report.ByFile)
			c.Rows = nil
			tt.want.Named = true
			equal(t, &tt.want, c)
			equal(t, tt.outside, m.Trust().Outside)
			named := 0
			for _, f := range m.Sources().Files {
				named += len(f.Functions)
			}
			equal(t, tt.named, named)
			equal(t, tt.hottest, hottest(m.Hotspots(report.ByFunction), 10))
			equal(t, tt.lines, hottest(m.Hotspots(report.ByLine), 3))
		})
	}
}

// exported returns what the export of a capture with a program file holds.
func exported(t *testing.T, name, elf string) *report.Merged {
	t.Helper()
	dir := reporttest.Export(t, name, elf, pipeline.Options{Level: schema.LevelBlocks, Tables: []*schema.Table{}})
	m, err := report.Read([]string{dir}, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// hottest lists the rows with the most instructions, in words. Of functions it has
// their entries too.
func hottest(h *report.Hotspots, n int) string {
	var words []string
	rows := byInstructions(h.Rows)
	for _, r := range rows[:n] {
		if r.Function != "" {
			words = append(words, fmt.Sprintf("%s %s (%d)", r.Function, thousands(r.Instructions), r.Entries))
		} else {
			words = append(words, fmt.Sprintf("%s:%d %s", filepath.Base(r.File), r.Line, thousands(r.Instructions)))
		}
	}
	return strings.Join(words, ", ")
}

// byInstructions returns the rows with names by executed instructions.
func byInstructions(rows []report.HotspotRow) []report.HotspotRow {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r report.HotspotRow) bool { return r.Function == "" && r.File == "" })
	slices.SortStableFunc(rows, func(x, y report.HotspotRow) int { return cmp.Compare(y.Instructions, x.Instructions) })
	return rows
}

// thousands writes n with a comma.
func thousands(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// A snapshot whose memory is of another program than the one that ran matches its own
// ELF file; that the trace does not follow that program shows.
func TestWrongProgram(t *testing.T) {
	got := exported(t, "am243x-r5f-etmv3-threadx-002b37c", "threadx.elf").Trust()
	if got.Word != verdict.WrongProgram || len(got.Doubts) != 1 || got.Distinct == 0 || got.Matching != got.Distinct {
		t.Fatalf("%+v", got)
	}
	if d := got.Doubts[0]; d.What != "source 0x10" || d.OfProgramFile || d.Of < verdict.LeastChecks || float64(d.Agrees) > 0.05*float64(d.Of) {
		t.Errorf("%+v", d)
	}
}
