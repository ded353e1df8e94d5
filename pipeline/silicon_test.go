package pipeline

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/schema"
)

// The captures decode to what the reference decoder lists, but for the
// differences in docs/conformance.md.
func TestSilicon(t *testing.T) {
	need.FullRun(t, oneWorker)
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
			lines := readListing(t, shared.File(t, "captures/"+tt.capture+"/expected/"+tt.source+".tsv.gz"))
			id, err := strconv.ParseUint(tt.source, 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			d := openTrace(t, shared.File(t, "captures/"+tt.capture), uint8(id)).decode(t)
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

// A listing is lines by kind, in the form of docs/conformance.md, The listing,
// its fields joined by one blank.
type listing map[string][]string

func (l listing) add(kind string, offset int64, fields ...any) {
	var line strings.Builder
	line.WriteString(kind + " " + strconv.FormatInt(offset, 10))
	for _, f := range fields {
		line.WriteString(" " + fmt.Sprint(f))
	}
	l[kind] = append(l[kind], line.String())
}

// A reference line is split into its fields.
func readListing(t testing.TB, name string) [][]string {
	t.Helper()
	var lines [][]string
	scan := bufio.NewScanner(bytes.NewReader(shared.Read(t, name)))
	for scan.Scan() {
		lines = append(lines, strings.Split(scan.Text(), "\t"))
	}
	if err := scan.Err(); err != nil || len(lines) == 0 {
		t.Fatalf("%s: %d lines, %v", name, len(lines), err)
	}
	return lines
}

// referenceListing sorts the lines of a reference by kind. What the order of the
// lines says becomes a field: for an instruction the last timestamp before it, for
// a count what it belongs to, for all others the number of instructions before
// them.
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

// listing lists the rows of a decode as the reference would.
func (d *decodedTables) listing() listing {
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

// before returns for each row of a table how many instructions are before it.
func (d *decodedTables) before(t *schema.Table) []string {
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

func (d *decodedTables) listInstructions(l listing) {
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
func (d *decodedTables) listCounts(l listing) {
	t := &schema.CycleCounts
	kind, cycles := d.column(t, "kind"), d.column(t, "cycles")
	seqs := d.integers(t, "seq")
	offsets := d.integers(&schema.Instructions, "byte_offset")
	address, own := d.column(&schema.Instructions, "address"), d.column(&schema.Instructions, "cycles")
	withCycles := 0
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
				withCycles++
			}
		}
		l.add("C", offset, cellText(cycles, i), owner)
	}
	for i := range own.Len() {
		if !null(own, i) {
			withCycles--
		}
	}
	if withCycles != 0 {
		l.add("C", 0, fmt.Sprintf("%d more instructions in the ledger than with cycles", withCycles))
	}
}

// referenceExceptions are the reference's names of exceptions by number.
var referenceExceptions = map[int64]string{1: "halting_debug"}

func (d *decodedTables) listExceptions(l listing) {
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

func (d *decodedTables) listContexts(l listing) {
	t := &schema.Contexts
	id, vmid, security := d.column(t, "context_id"), d.column(t, "vmid"), d.column(t, "security")
	seqs := d.before(t)
	words := map[schema.Security]string{schema.Secure: "S -", schema.NonSecure: "NS -", schema.Hyp: "NS hyp"}
	for i, offset := range d.integers(t, "byte_offset") {
		l.add("P", offset, dash(id, i), dash(vmid, i), words[schema.Security(security.U8[i])], seqs[i])
	}
}

// listEvents lists restarts as lines G, all other events as lines L.
func (d *decodedTables) listEvents(l listing) {
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

// nextCommon returns how many lines of either list are before the nearest common
// line.
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

// Sources of TC2 that send nothing are listed all the same.
func TestSiliconSources(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dataset")
	_, err := Export(context.Background(), shared.File(t, "captures/opencsd-TC2"), dir, Options{Level: schema.LevelInstructions, Workers: 2})
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
