package pipeline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/schema"
)

// The captures of ETMv3, and the sources of them that are decoded.
var etmv3Captures = []struct {
	name         string
	id           uint8
	instructions int
	rows         int // lines compared
	differences  int
	slow         bool // in few variants, and not at all with -short
}{
	{"opencsd-TC2", 0x10, 7205, 15833, 1, false},
	{"opencsd-TC2", 0x11, 7471, 15897, 1, false},
	{"opencsd-TC2", 0x12, 1947, 4180, 0, false},
	{"stm32f105-m3-etmv34-itm-swo", 0x02, 1200, 1217, 0, false},
	{"am243x-r5f-etmv3-freertos-002b37c", 0x10, 232204, 232210, 5, true},
	{"am243x-r5f-etmv3-zephyr-e9185a9", 0x10, 352666, 352679, 19, true},
	{"am243x-r5f-etmv3-threadx-ce42d22", 0x10, 256395, 256400, 5, true},
}

// etmv3Traces returns the ETMv3 traces at hand, without the slow ones if tests
// are to be short.
func etmv3Traces(t testing.TB) []*trace {
	t.Helper()
	var traces []*trace
	for _, c := range etmv3Captures {
		if c.slow && testing.Short() {
			continue
		}
		dir, ok := shared.Find(t, "captures/"+c.name)
		if !ok {
			continue
		}
		tr := openTrace(t, dir, c.id)
		tr.slow = c.slow
		tr.name += fmt.Sprintf("/%02x", c.id)
		traces = append(traces, tr)
	}
	return traces
}

// The captures of ETMv3 decode to what the reference decoder lists, but for the
// differences in docs/conformance.md.
func TestSiliconETMv3(t *testing.T) {
	need.FullRun(t, oneWorker)
	for _, tt := range etmv3Captures {
		source := fmt.Sprintf("%02x", tt.id)
		t.Run(tt.name+"/"+source, func(t *testing.T) {
			lines := readListing(t, shared.File(t, "captures/"+tt.name+"/expected/"+source+".tsv.gz"))
			tr := openTrace(t, shared.File(t, "captures/"+tt.name), tt.id)
			d := tr.decode(t)
			d.checkAccounts(t, len(tr.data))
			if n := d.rows(&schema.Instructions); n != tt.instructions {
				t.Errorf("%d instructions, want %d", n, tt.instructions)
			}
			got, want := d.listingETMv3(), referenceListingETMv3(lines)
			rows := 0
			differences := cutSplices(want, got)
			for _, kind := range etmv3Kinds {
				rows += len(want[kind])
				differences = append(differences, diffLines(want[kind], got[kind])...)
			}
			if rows != tt.rows {
				t.Errorf("%d lines compared, want %d", rows, tt.rows)
			}
			listed := differencesOf(t, tt.name, source)
			if len(listed) != tt.differences {
				t.Errorf("docs/conformance.md lists %d differences, want %d", len(listed), tt.differences)
			}
			o := &d.totals
			wantConformance(t, tt.name, source, o.Bytes, o.BytesDecoded, o.BytesLost, o.BytesUnplaced, o.Segments, rows, len(differences))
			for _, line := range diffLines(listed, differences) {
				t.Errorf("- is listed in docs/conformance.md but no difference, + is a difference but not listed: %s", line)
			}
		})
	}
}

// cutSplices removes from a reference the instructions between a splice of the
// decode and the next restart. It returns a line for each splice.
func cutSplices(want, got listing) []string {
	offset := func(line string) int { return mustAtoi(strings.Fields(line)[1]) }
	var cut []string
	for _, line := range got["L"] {
		if !strings.Contains(line, " splice ") {
			continue
		}
		i := slices.IndexFunc(got["G"], func(g string) bool { return offset(g) > offset(line) })
		inside := func(x string) bool { return offset(x) >= offset(line) && offset(x) < offset(got["G"][i]) }
		first := slices.IndexFunc(want["I"], inside)
		if first < 0 {
			continue
		}
		n := 0
		for inside(want["I"][first+n]) {
			n++
		}
		cut = append(cut, fmt.Sprintf("- I %d … %d instructions, the last at %d", offset(want["I"][first]), n, offset(want["I"][first+n-1])))
		want["I"] = slices.Delete(want["I"], first, first+n)
	}
	return cut
}

// The kinds of line that are compared: instructions, exceptions, returns,
// cycles by packet, timestamps, contexts, restarts, losses.
var etmv3Kinds = []string{"I", "X", "R", "C", "T", "P", "G", "L"}

// referenceListingETMv3 sorts the lines of a reference by kind. An instruction
// has the last timestamp before it and the cycles since the one before
// (docs/conformance.md, The listing); cycles are summed up by packet.
func referenceListingETMv3(lines [][]string) listing {
	l := listing{}
	costed := slices.ContainsFunc(lines, func(f []string) bool { return f[0] == "C" })
	context, timestamp, last, restarted := "", "-", "-", false
	waits := 0
	add := func(f ...string) { l[f[0]] = append(l[f[0]], strings.Join(f, " ")+" after "+last) }
	for i, f := range lines {
		switch f[0] {
		case "I":
			last = f[1]
			cycles := "-"
			if costed {
				own := 0
				if i+1 < len(lines) && lines[i+1][0] == "C" && lines[i+1][1] == f[1] {
					own, _ = strconv.Atoi(lines[i+1][2])
				}
				cycles, waits = strconv.Itoa(waits+own), 0
			}
			l["I"] = append(l["I"], strings.Join(f, " ")+" "+timestamp+" "+cycles)
		case "C":
			n, _ := strconv.Atoi(f[2])
			owner := lines[i-1]
			switch {
			case owner[0] == "I" && owner[1] == f[1]:
			case restarted:
				waits += n
			default: // before the first restart
				continue
			}
			kind := "atoms"
			if lines[i-1][0] == "G" || lines[i-1][0] == "P" && i > 1 && lines[i-2][0] == "G" {
				kind, waits = "isync", 0
			}
			l.addCycles(f[1], n, kind)
		case "G":
			waits, restarted = 0, true
			add(f...)
		case "T":
			timestamp = f[2]
			add(f...)
		case "P": // changes only
			if said := strings.Join(f[2:], " "); said != context {
				context = said
				add(f...)
			}
		case "L": // how far the first loss reaches is not in the reference
			if f[2] != "no_sync" {
				add(f...)
			}
		case "X":
			add(f[:3]...) // the reference has no return address
		case "V":
			add("L", f[1], "trigger", "NULL")
		default:
			add(f...)
		}
	}
	return l
}

// after returns for each row of a table the offset of the last instruction before
// it.
func (d *decodedTables) after(t *schema.Table) []string {
	offsets := d.integers(&schema.Instructions, "byte_offset")
	var words []string
	for _, seq := range d.integers(t, "seq") {
		if seq == 0 {
			words = append(words, "after -")
		} else {
			words = append(words, fmt.Sprint("after ", offsets[seq-1]))
		}
	}
	return words
}

func mustAtoi(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

// addCycles adds cycles to the line of their packet.
func (l listing) addCycles(offset string, n int, kind string) {
	c := l["C"]
	if len(c) > 0 {
		if f := strings.Fields(c[len(c)-1]); f[1] == offset {
			n += mustAtoi(f[2])
			c = c[:len(c)-1]
		}
	}
	l["C"] = append(c, fmt.Sprintf("C %s %d %s", offset, n, kind))
}

// listingETMv3 lists the rows of a decode as referenceListingETMv3 does.
func (d *decodedTables) listingETMv3() listing {
	l := listing{}
	t := &schema.Instructions
	address, size, opcode := d.column(t, "address"), d.column(t, "size"), d.column(t, "opcode")
	state, executed := d.column(t, "isa"), d.column(t, "executed")
	timestamp, cycles := d.column(t, "timestamp"), d.column(t, "cycles")
	for i, offset := range d.integers(t, "byte_offset") {
		outcome := "?"
		if !null(executed, i) {
			outcome = "NE"[executed.U8[i] : executed.U8[i]+1]
		}
		l.add("I", offset, cellText(address, i), size.U8[i], cellText(state, i), fmt.Sprintf("%0*x", 2*int(size.U8[i]), opcode.U32[i]), outcome,
			dash(timestamp, i), dash(cycles, i))
	}
	counts := d.column(&schema.CycleCounts, "cycles")
	kind := d.column(&schema.CycleCounts, "kind")
	for i, offset := range d.integers(&schema.CycleCounts, "byte_offset") {
		word := "atoms"
		if schema.CountKind(kind.U8[i]) == schema.CountISync {
			word = "isync"
		}
		l.add("C", offset, cellText(counts, i), word)
	}
	event, number := d.column(&schema.Exceptions, "event"), d.column(&schema.Exceptions, "number")
	after := d.after(&schema.Exceptions)
	for i, offset := range d.integers(&schema.Exceptions, "byte_offset") {
		if event.U8[i] == uint8(schema.ExceptionReturn) {
			l.add("R", offset, after[i])
		} else {
			l.add("X", offset, cellText(number, i), after[i])
		}
	}
	value := d.column(&schema.Timestamps, "timestamp")
	after = d.after(&schema.Timestamps)
	for i, offset := range d.integers(&schema.Timestamps, "byte_offset") {
		l.add("T", offset, cellText(value, i), after[i])
	}
	id, vmid, security := d.column(&schema.Contexts, "context_id"), d.column(&schema.Contexts, "vmid"), d.column(&schema.Contexts, "security")
	words := map[schema.Security]string{schema.Secure: "S -", schema.NonSecure: "NS -", schema.Hyp: "NS hyp"}
	after = d.after(&schema.Contexts)
	for i, offset := range d.integers(&schema.Contexts, "byte_offset") {
		l.add("P", offset, dash(id, i), dash(vmid, i), words[schema.Security(security.U8[i])], after[i])
	}
	kinds, at := d.column(&schema.Events, "event"), d.column(&schema.Events, "address")
	after = d.after(&schema.Events)
	for i, offset := range d.integers(&schema.Events, "byte_offset") {
		switch e := schema.EventKind(kinds.U8[i]); e {
		case schema.EventTraceOn, schema.EventOverflow, schema.EventDebugExit:
			l.add("G", offset, e, after[i])
		default:
			l.add("L", offset, e, cellText(at, i), after[i])
		}
	}
	reason, segment := d.column(&schema.Losses, "reason"), d.column(&schema.Losses, "segment")
	bytes := d.column(&schema.Losses, "bytes")
	after = d.after(&schema.Losses)
	for i, offset := range d.integers(&schema.Losses, "byte_offset") {
		if !null(segment, i) || reason.U8[i] != uint8(schema.LossUnsynced) {
			l.add("L", offset, cellText(reason, i), cellText(bytes, i), after[i])
		}
	}
	return l
}

// The A7 sources of TC2 beside what Arm's DS-5 lists: instructions with cycles,
// gaps, timestamps, exception returns.
func TestSiliconETMv3DS5(t *testing.T) {
	for _, tt := range []struct {
		id                                      uint8
		instructions, gaps, timestamps, returns int
	}{
		{0x10, 7205, 135, 35, 5},
		{0x11, 7471, 116, 19, 3},
		{0x12, 1947, 21, 8, 1},
	} {
		t.Run(fmt.Sprintf("%02x", tt.id), func(t *testing.T) {
			var instructions, gaps, timestamps []string
			returns := 0
			for _, f := range readListing(t, shared.File(t, fmt.Sprintf("captures/opencsd-TC2/ds5/etmv3_0x%02x.txt.gz", tt.id))) {
				switch {
				case f[0] == "Instruction":
					instructions = append(instructions, fmt.Sprintf("%s %s %s failed=%t",
						strings.ToLower(strings.TrimPrefix(f[2], "S:0x")), strings.ToLower(strings.TrimPrefix(f[3], "0x")), f[4], len(f) > 7 && f[7] == "fail"))
				case f[0] == "Cycle Count":
					gaps = append(gaps, f[4])
				case f[0] == "Timestamp":
					timestamps = append(timestamps, strings.TrimPrefix(f[5], "Timestamp: "))
				case f[0] == "Info" && f[5] == "Return from exception":
					returns++
				}
			}
			d := openTrace(t, shared.File(t, "captures/opencsd-TC2"), tt.id).decode(t)
			table := &schema.Instructions
			address, size, opcode := d.column(table, "address"), d.column(table, "size"), d.column(table, "opcode")
			executed, cycles := d.column(table, "executed"), d.column(table, "cycles")
			var got []string
			for i := range address.Len() {
				got = append(got, fmt.Sprintf("%08x %0*x %d failed=%t", address.U64[i], 2*int(size.U8[i]), opcode.U32[i], cycles.U32[i], executed.U8[i] == 0))
			}
			compareLists(t, "instructions", instructions, got, tt.instructions)
			compareLists(t, "gaps", gaps, d.gaps(), tt.gaps)
			got = nil
			value := d.column(&schema.Timestamps, "timestamp")
			for i := range value.Len() {
				got = append(got, cellText(value, i))
			}
			compareLists(t, "timestamps", timestamps, got, tt.timestamps)
			if n := len(d.listingETMv3()["R"]); n != returns || n != tt.returns {
				t.Errorf("%d exception returns, DS-5 has %d, want %d", n, returns, tt.returns)
			}
		})
	}
}

// gaps returns the cycles between the last instruction before each restart, except
// the first, and the restart, for epochs that continue.
func (d *decodedTables) gaps() []string {
	counts := &schema.CycleCounts
	kind, cycle, seq := d.column(counts, "kind"), d.column(counts, "cycle"), d.integers(counts, "seq")
	reached := d.column(&schema.Instructions, "cycle")
	var gaps []string
	for i := range kind.Len() {
		if schema.CountKind(kind.U8[i]) == schema.CountISync && !null(cycle, i) {
			gaps = append(gaps, fmt.Sprint(integer(cycle, i)-integer(reached, int(seq[i])-1)))
		}
	}
	return gaps
}

// Sums of the cycles of the A7 sources: the ledger of the one epoch, the costs of
// instructions, the gaps, and the cycles after the last instruction.
func TestSiliconETMv3CycleSums(t *testing.T) {
	for _, tt := range []struct {
		id                               uint8
		instructions, gaps, rest, ledger int64
	}{
		{0x10, 24968, 735915, 0, 760883},
		{0x11, 22951, 26216, 8, 49175},
		{0x12, 6699, 4243, 16, 10958},
	} {
		d := openTrace(t, shared.File(t, "captures/opencsd-TC2"), tt.id).decode(t)
		d.checkCycles(t)
		epoch, cycles := d.column(&schema.CycleCounts, "epoch"), d.column(&schema.CycleCounts, "cycles")
		ledger, gaps := int64(0), int64(0)
		for i := range epoch.Len() {
			if null(epoch, i) {
				continue
			}
			if ledger += integer(cycles, i); integer(epoch, i) != 0 {
				t.Errorf("source %02x: epoch %d, there should be but one", tt.id, integer(epoch, i))
			}
		}
		for _, gap := range d.gaps() {
			gaps += int64(mustAtoi(gap))
		}
		instructions := d.sum(&schema.Instructions, "cycles")
		if ledger != tt.ledger || instructions != tt.instructions || gaps != tt.gaps || ledger-gaps-instructions != tt.rest {
			t.Errorf("source %02x: ledger %d, instructions %d, gaps %d", tt.id, ledger, instructions, gaps)
		}
		wantConformance(t, fmt.Sprintf("%02x", tt.id), tt.instructions, tt.gaps, tt.rest, tt.ledger)
	}
}
