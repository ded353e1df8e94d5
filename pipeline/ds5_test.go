package pipeline

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/schema"
)

// A15 source 0x13 of TC2 beside what Arm's DS-5 lists: instructions with
// cycles, gaps, timestamps, exception returns, in one order.
func TestSiliconDS5(t *testing.T) {
	lines := readListing(t, shared.File(t, "captures/opencsd-TC2/ds5/ptmv1_0x13.txt.gz"))
	d := openTrace(t, shared.File(t, "captures/opencsd-TC2"), 0x13).decode(t)
	var instructions, unplaced, gaps, timestamps []string
	returns, unplacedCycles := 0, 0
	for _, f := range lines {
		switch {
		case f[0] == "Instruction" && f[3] == "0x?":
			unplaced = append(unplaced, f[4])
			unplacedCycles += atoi(t, f[4])
		case f[0] == "Instruction":
			failed := len(f) > 7 && f[7] == "fail"
			instructions = append(instructions, fmt.Sprintf("%s %s %s failed=%t",
				strings.ToLower(strings.TrimPrefix(f[2], "S:0x")), strings.ToLower(strings.TrimPrefix(f[3], "0x")), f[4], failed))
		case f[0] == "Cycle Count":
			gaps = append(gaps, f[4])
		case f[0] == "Timestamp":
			timestamps = append(timestamps, strings.TrimPrefix(f[5], "Timestamp: "))
		case f[0] == "Info" && f[5] == "Return from exception":
			returns++
		}
	}

	t1 := &schema.Instructions
	address, size, opcode := d.column(t1, "address"), d.column(t1, "size"), d.column(t1, "opcode")
	executed, cycles := d.column(t1, "executed"), d.column(t1, "cycles")
	var got []string
	for i := range address.Len() {
		own := "0" // DS-5 has 0 where the trace has no count
		if !null(cycles, i) {
			own = cellText(cycles, i)
		}
		got = append(got, fmt.Sprintf("%08x %0*x %s failed=%t", address.U64[i], 2*int(size.U8[i]), opcode.U32[i], own,
			!null(executed, i) && executed.U8[i] == 0))
	}
	compareLists(t, "instructions", instructions, got, 9548)

	kind, cost := d.column(&schema.CycleCounts, "kind"), d.column(&schema.CycleCounts, "cycles")
	epoch := d.column(&schema.CycleCounts, "epoch")
	own := map[int64]bool{} // offsets of packets whose count is an instruction's
	offsets := d.integers(t1, "byte_offset")
	for i := range cycles.Len() {
		own[offsets[i]] = own[offsets[i]] || !null(cycles, i)
	}
	var gotGaps, gotUnplaced []string
	for i, offset := range d.integers(&schema.CycleCounts, "byte_offset") {
		switch schema.CountKind(kind.U8[i]) {
		case schema.CountISync:
			if !null(epoch, i) { // the first count lies before all trace; DS-5 leaves it out
				gotGaps = append(gotGaps, cellText(cost, i))
			}
		case schema.CountAtom, schema.CountBranch:
			if !own[offset] {
				gotUnplaced = append(gotUnplaced, cellText(cost, i))
			}
		default:
		}
	}
	compareLists(t, "gaps", gaps, gotGaps, 136)
	compareLists(t, "counts of instructions without address", unplaced, gotUnplaced, 44)
	if unplacedCycles != 8672 {
		t.Errorf("%d cycles of instructions without address, want 8672", unplacedCycles)
	}

	var gotTimestamps []string
	value := d.column(&schema.Timestamps, "timestamp")
	for i := range value.Len() {
		gotTimestamps = append(gotTimestamps, cellText(value, i))
	}
	compareLists(t, "timestamps", timestamps, gotTimestamps, 42)
	if n := len(d.listing()["R"]); n != returns || n != 4 {
		t.Errorf("%d exception returns, DS-5 has %d, want 4", n, returns)
	}
}

// The first 10,000 instructions of rstk beside what Arm's DS-5 lists.
func TestSiliconDS5ReturnStack(t *testing.T) {
	lines := readListing(t, shared.File(t, "captures/opencsd-tc2-ptm-rstk-t32/ds5/a15_rs.txt.gz"))
	d := openTrace(t, shared.File(t, "captures/opencsd-tc2-ptm-rstk-t32"), 0x02).decode(t)
	var want, got []string
	for _, f := range lines {
		if len(f) < 3 || f[1] == "" || f[1] == "<Unknown>" || !strings.HasPrefix(f[0], "S:0x") {
			continue
		}
		want = append(want, strings.ToLower(strings.TrimPrefix(f[0], "S:0x")+" "+f[1]))
	}
	table := &schema.Instructions
	address, size, opcode := d.column(table, "address"), d.column(table, "size"), d.column(table, "opcode")
	for i := range min(len(want), address.Len()) {
		got = append(got, fmt.Sprintf("%08x %0*x", address.U64[i], 2*int(size.U8[i]), opcode.U32[i]))
	}
	compareLists(t, "instructions", want, got, 10000)
}

// compareLists demands that two lists of n entries are equal.
func compareLists(t *testing.T, what string, want, got []string, n int) {
	t.Helper()
	if len(want) != n {
		t.Errorf("the listing has %d %s, want %d", len(want), what, n)
	}
	diff := diffLines(want, got)
	for _, line := range diff[:min(len(diff), 10)] {
		t.Errorf("%s: - is DS-5, + is ours: %s", what, line)
	}
}

func atoi(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The sum of the cycles of TC2, found in three ways: DS-5 has a line for each
// cycle, the ledger adds them up, and the epoch ends at the same sum.
func TestSiliconCycleSums(t *testing.T) {
	lines := readListing(t, shared.File(t, "captures/opencsd-TC2/ds5/ptmv1_0x13.txt.gz"))
	d := openTrace(t, shared.File(t, "captures/opencsd-TC2"), 0x13).decode(t)
	listed := int64(0)
	for _, f := range lines {
		if f[0] == "Instruction" || f[0] == "Cycle Count" {
			listed += int64(atoi(t, f[4]))
		}
	}
	table := &schema.CycleCounts
	epoch, cycles, cycle := d.column(table, "epoch"), d.column(table, "cycles"), d.column(table, "cycle")
	sum := int64(0)
	for i := range epoch.Len() {
		if null(epoch, i) {
			continue
		}
		if integer(epoch, i) != 0 {
			t.Fatalf("row %d is in epoch %d, there should be but one", i, integer(epoch, i))
		}
		sum += integer(cycles, i)
		if integer(cycle, i) != sum {
			t.Fatalf("row %d: cycle %d, the sum is %d", i, integer(cycle, i), sum)
		}
	}
	if sum != listed || listed == 0 {
		t.Errorf("the ledger comes to %d cycles, DS-5 to %d", sum, listed)
	}
}
