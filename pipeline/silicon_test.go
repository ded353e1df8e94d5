package pipeline

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/schema"
)

// The captures decode to what the reference decoder lists, but for the
// differences in docs/conformance.md.
func TestSilicon(t *testing.T) {
	for _, tt := range []struct {
		capture      string
		source       string
		instructions int
		rows         int // lines compared
		differences  int
	}{
		{"opencsd-trace_cov_a15", "02", 57, 62, 0},
		{"opencsd-tc2-ptm-rstk-t32", "02", 192073, 192078, 0},
		{"opencsd-TC2", "13", 9548, 11480, 44},
	} {
		t.Run(tt.capture, func(t *testing.T) {
			lines := readListing(t, sharedFile(t, "captures/"+tt.capture+"/expected/"+tt.source+".tsv.gz"))
			id, err := strconv.ParseUint(tt.source, 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			d := openTrace(t, sharedFile(t, "captures/"+tt.capture), uint8(id)).decode(t)
			if n := d.rows(&schema.Instructions); n != tt.instructions {
				t.Errorf("%d instructions, want %d", n, tt.instructions)
			}
			got, want := d.listing(), referenceListing(lines)
			rows := 0
			var differences []string
			for _, kind := range listingKinds {
				rows += len(want[kind])
				differences = append(differences, diffLines(want[kind], got[kind])...)
			}
			if rows != tt.rows {
				t.Errorf("%d lines compared, want %d", rows, tt.rows)
			}
			listed := differencesOf(t, tt.capture, tt.source)
			if len(listed) != tt.differences {
				t.Errorf("docs/conformance.md lists %d differences, want %d", len(listed), tt.differences)
			}
			o := &d.totals
			wantConformance(t, tt.capture, tt.source, o.Bytes, o.BytesDecoded, o.BytesLost, o.BytesUnplaced, o.Segments, rows, len(differences))
			for _, line := range diffLines(listed, differences) {
				t.Errorf("- is listed in docs/conformance.md but no difference, + is a difference but not listed: %s", line)
			}
		})
	}
}

// The kinds of line that are compared: instructions, exceptions, returns, cycle
// counts, timestamps, contexts, restarts, losses.
var listingKinds = []string{"I", "X", "R", "C", "T", "P", "G", "L"}

// A listing is lines by kind, in the form of captures/README.md §3, its fields
// joined by one blank.
type listing map[string][]string

func (l listing) add(kind string, offset int64, fields ...any) {
	line := kind + " " + strconv.FormatInt(offset, 10)
	for _, f := range fields {
		line += " " + fmt.Sprint(f)
	}
	l[kind] = append(l[kind], line)
}

// A reference line is split into its fields.
func readListing(t testing.TB, name string) [][]string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]string
	scan := bufio.NewScanner(z)
	for scan.Scan() {
		lines = append(lines, strings.Split(scan.Text(), "\t"))
	}
	if err := scan.Err(); err != nil || len(lines) == 0 {
		t.Fatalf("%s: %d lines, %v", name, len(lines), err)
	}
	return lines
}

// referenceListing sorts the lines of a reference by kind. What the reference
// tells by the order of its lines becomes a field: of an instruction the last
// timestamp before it, of a count what it belongs to, of all others the number
// of instructions before them.
func referenceListing(lines [][]string) listing {
	l := listing{}
	context, timestamp, instructions := "", "-", 0
	for i, f := range lines {
		field := fmt.Sprint("before ", instructions)
		switch f[0] {
		case "I":
			field = timestamp
			instructions++
		case "C":
			field = countOwner(lines[i-1])
		case "T":
			timestamp = f[2]
		case "P": // changes only
			said := strings.Join(f[2:], " ")
			if said == context {
				continue
			}
			context = said
		case "L": // how far the first loss reaches is not in the reference
			if f[2] == "no_sync" {
				continue
			}
		}
		l[f[0]] = append(l[f[0]], strings.Join(f, " ")+" "+field)
	}
	return l
}

// countOwner says what a count belongs to: an instruction, by its address, the
// gap before a restart, or a timestamp.
func countOwner(before []string) string {
	switch before[0] {
	case "I":
		return before[2]
	case "T":
		return "timestamp"
	default:
		return "gap"
	}
}

// listing tells the rows of a decode as the reference would.
func (d *dataset) listing() listing {
	l := listing{}
	d.listInstructions(l)
	d.listCounts(l)
	d.listExceptions(l)
	d.listContexts(l)
	d.listEvents(l)
	value, seqs := d.column(&schema.Timestamps, "timestamp"), d.before(&schema.Timestamps)
	for i, offset := range d.integers(&schema.Timestamps, "byte_offset") {
		l.add("T", offset, cellText(value, i), seqs[i])
	}
	reason, segment := d.column(&schema.Losses, "reason"), d.column(&schema.Losses, "segment")
	seqs = d.before(&schema.Losses)
	for i, offset := range d.integers(&schema.Losses, "byte_offset") {
		if null(segment, i) && reason.U8[i] == uint8(schema.LossUnsynced) {
			continue
		}
		l.add("L", offset, cellText(reason, i), seqs[i])
	}
	return l
}

// before tells of each row of a table how many instructions stand before it.
func (d *dataset) before(t *schema.Table) []string {
	var seqs []string
	for _, seq := range d.integers(t, "seq") {
		seqs = append(seqs, fmt.Sprint("before ", seq))
	}
	return seqs
}

// dash is a value as the reference writes it.
func dash(v *schema.Vector, i int) string {
	if null(v, i) {
		return "-"
	}
	return cellText(v, i)
}

func (d *dataset) listInstructions(l listing) {
	t := &schema.Instructions
	address, size, opcode := d.column(t, "address"), d.column(t, "size"), d.column(t, "opcode")
	state, executed := d.column(t, "isa"), d.column(t, "executed")
	timestamp := d.column(t, "timestamp")
	for i, offset := range d.integers(t, "byte_offset") {
		outcome := "?"
		if !null(executed, i) {
			outcome = "NE"[executed.U8[i] : executed.U8[i]+1]
		}
		digits := 2 * int(size.U8[i])
		l.add("I", offset, cellText(address, i), size.U8[i], cellText(state, i), fmt.Sprintf("%0*x", digits, opcode.U32[i]), outcome,
			dash(timestamp, i))
	}
}

// listCounts lists the ledger. A count of an instruction must also be that
// instruction's cycles, and every instruction that has cycles be in the ledger.
func (d *dataset) listCounts(l listing) {
	t := &schema.CycleCounts
	kind, cycles := d.column(t, "kind"), d.column(t, "cycles")
	seqs := d.integers(t, "seq")
	offsets := d.integers(&schema.Instructions, "byte_offset")
	address, own := d.column(&schema.Instructions, "address"), d.column(&schema.Instructions, "cycles")
	told := 0
	for i, offset := range d.integers(t, "byte_offset") {
		owner := "nothing"
		switch schema.CountKind(kind.U8[i]) {
		case schema.CountISync, schema.CountGap:
			owner = "gap"
		case schema.CountTimestamp:
			owner = "timestamp"
		default:
			seq := seqs[i]
			if seq < int64(len(offsets)) && offsets[seq] == offset && !null(own, int(seq)) && sameCell(own, int(seq), cycles, i) {
				owner = cellText(address, int(seq))
				told++
			}
		}
		l.add("C", offset, cellText(cycles, i), owner)
	}
	for i := range own.Len() {
		if !null(own, i) {
			told--
		}
	}
	if told != 0 {
		l.add("C", 0, fmt.Sprintf("%d more instructions in the ledger than with cycles", told))
	}
}

// referenceExceptions are the reference's names of exceptions by number.
var referenceExceptions = map[int64]string{1: "halting_debug"}

func (d *dataset) listExceptions(l listing) {
	t := &schema.Exceptions
	event, number, to := d.column(t, "event"), d.column(t, "number"), d.column(t, "return_address")
	seqs := d.before(t)
	for i, offset := range d.integers(t, "byte_offset") {
		if event.U8[i] == uint8(schema.ExceptionReturn) {
			l.add("R", offset, seqs[i])
			continue
		}
		n := integer(number, i)
		l.add("X", offset, n, referenceExceptions[n], dash(to, i), seqs[i])
	}
}

func (d *dataset) listContexts(l listing) {
	t := &schema.Contexts
	id, vmid, security := d.column(t, "context_id"), d.column(t, "vmid"), d.column(t, "security")
	seqs := d.before(t)
	words := map[schema.Security]string{schema.Secure: "S -", schema.NonSecure: "NS -", schema.Hyp: "NS hyp"}
	for i, offset := range d.integers(t, "byte_offset") {
		l.add("P", offset, dash(id, i), dash(vmid, i), words[schema.Security(security.U8[i])], seqs[i])
	}
}

// listEvents lists restarts as lines G, all other events as lines L.
func (d *dataset) listEvents(l listing) {
	t := &schema.Events
	event, address, seqs := d.column(t, "event"), d.column(t, "address"), d.before(t)
	for i, offset := range d.integers(t, "byte_offset") {
		switch e := schema.EventKind(event.U8[i]); e {
		case schema.EventTraceOn, schema.EventOverflow, schema.EventDebugExit:
			l.add("G", offset, e, seqs[i])
		default:
			l.add("L", offset, e, cellText(address, i), seqs[i])
		}
	}
}

// diffLines returns the lines that are in one list alone, with "-" before those
// of want and "+" before those of got. Lines both have must be in one order:
// with lists of any length it looks no further ahead than maxHunk.
func diffLines(want, got []string) []string {
	const maxHunk = 100
	var diff []string
	for len(want) > 0 || len(got) > 0 {
		if len(want) > 0 && len(got) > 0 && want[0] == got[0] {
			want, got = want[1:], got[1:]
			continue
		}
		skipWant, skipGot := nextCommon(want, got, maxHunk)
		for _, line := range want[:skipWant] {
			diff = append(diff, "- "+line)
		}
		for _, line := range got[:skipGot] {
			diff = append(diff, "+ "+line)
		}
		want, got = want[skipWant:], got[skipGot:]
	}
	return diff
}

// nextCommon returns how many lines of either list stand before the nearest one
// both have.
func nextCommon(want, got []string, limit int) (skipWant, skipGot int) {
	for n := 1; n <= limit; n++ {
		for i := range n + 1 {
			if i < len(want) && n-i < len(got) && want[i] == got[n-i] {
				return i, n - i
			}
		}
	}
	return min(len(want), limit), min(len(got), limit)
}

// conformance is what docs/conformance.md says, by line.
func conformance(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", "conformance.md"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

// wantConformance demands that docs/conformance.md has a row of these cells.
func wantConformance(t *testing.T, cells ...any) {
	t.Helper()
	row := "|"
	for _, c := range cells {
		row += " " + thousands(fmt.Sprint(c)) + " |"
	}
	if !slices.Contains(conformance(t), row) {
		t.Errorf("docs/conformance.md does not say: %s", row)
	}
}

// thousands puts commas into a whole number, and leaves other text alone.
func thousands(text string) string {
	if _, err := strconv.ParseUint(text, 10, 64); err != nil || text[0] == '0' {
		return text
	}
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// A difference is a row of the list in docs/conformance.md.
type difference struct{ capture, source, line string }

// listedDifferences returns the differences that docs/conformance.md lists, as
// diffLines writes them.
func listedDifferences(t testing.TB) []difference {
	t.Helper()
	var listed []difference
	for _, line := range conformance(t) {
		f := strings.Split(strings.Trim(line, "|"), "|")
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		if len(f) != 5 || !strings.HasPrefix(f[3], "`") {
			continue
		}
		offset, text := f[2], strings.Trim(f[3], "`")
		if words := strings.Fields(text); len(words) < 3 || words[2] != offset || !strings.HasPrefix(f[4], "§") {
			t.Errorf("docs/conformance.md: a difference at another offset, or without a section: %s", line)
		}
		listed = append(listed, difference{f[0], f[1], text})
	}
	return listed
}

// differencesOf returns the differences listed for a source.
func differencesOf(t testing.TB, capture, source string) []string {
	t.Helper()
	var lines []string
	for _, d := range listedDifferences(t) {
		if d.capture == capture && d.source == source {
			lines = append(lines, d.line)
		}
	}
	return lines
}

// Every difference in docs/conformance.md is one of a source that is compared.
func TestConformanceListsOnlyCaptures(t *testing.T) {
	for _, d := range listedDifferences(t) {
		known := false
		for _, c := range pftCaptures {
			known = known || c.name == d.capture && fmt.Sprintf("%02x", c.id) == d.source
		}
		for _, c := range etmv3Captures {
			known = known || c.name == d.capture && fmt.Sprintf("%02x", c.id) == d.source
		}
		if !known {
			t.Errorf("no test compares %s %s: %s", d.capture, d.source, d.line)
		}
	}
}

// A15 source 0x13 of TC2 beside what Arm's DS-5 lists: instructions with
// cycles, gaps, timestamps, exception returns, in one order.
func TestSiliconDS5(t *testing.T) {
	lines := readListing(t, sharedFile(t, "captures/opencsd-TC2/ds5/ptmv1_0x13.txt.gz"))
	d := openTrace(t, sharedFile(t, "captures/opencsd-TC2"), 0x13).decode(t)
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
		own := "0" // DS-5 has 0 where the trace does not tell
		if !null(cycles, i) {
			own = cellText(cycles, i)
		}
		got = append(got, fmt.Sprintf("%08x %0*x %s failed=%t", address.U32[i], 2*int(size.U8[i]), opcode.U32[i], own,
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
	lines := readListing(t, sharedFile(t, "captures/opencsd-tc2-ptm-rstk-t32/ds5/a15_rs.txt.gz"))
	d := openTrace(t, sharedFile(t, "captures/opencsd-tc2-ptm-rstk-t32"), 0x02).decode(t)
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
		got = append(got, fmt.Sprintf("%08x %0*x", address.U32[i], 2*int(size.U8[i]), opcode.U32[i]))
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

// What the cycles of TC2 come to, by three ways: DS-5 has each cycle in a line
// of its own, the ledger sums them up, and an epoch ends at the same sum.
func TestSiliconCycleSums(t *testing.T) {
	lines := readListing(t, sharedFile(t, "captures/opencsd-TC2/ds5/ptmv1_0x13.txt.gz"))
	d := openTrace(t, sharedFile(t, "captures/opencsd-TC2"), 0x13).decode(t)
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

// Sources of TC2 that send nothing are listed all the same.
func TestSiliconSources(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dataset")
	_, err := Export(context.Background(), sharedFile(t, "captures/opencsd-TC2"), dir, Options{Level: schema.LevelInstructions, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, schema.ManifestFile))
	if err != nil {
		t.Fatal(err)
	}
	var m schema.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	status := map[string]string{}
	for _, s := range m.Sources {
		status[s.Name] = fmt.Sprintf("0x%02x %s %d", s.Source, s.Status, s.Bytes)
	}
	for name, want := range map[string]string{"PTM_0": "0x13 decoded 4533", "PTM_1": "0x14 empty 0", "ITM_0": "0x20 empty 0"} {
		if status[name] != want {
			t.Errorf("source %s: %s, want %s", name, status[name], want)
		}
	}
}
