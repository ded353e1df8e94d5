package pipeline

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/schema"
)

const m3Capture = "captures/lpc1769-m3-etmv34-smoothieware"

// A listedPacket is a packet as OpenCSD lists it, in its own words.
type listedPacket struct {
	// index is where it begins in the buffer. It is too small by the ID bytes that
	// the frame has before it: frame bytes 05 b0 01 53 05 b0 from 1752 on are of
	// source 2 at 1753, 1755 and 1757; these packets are listed at 1752 to 1754.
	index int64
	words string
}

func readPacketListing(t *testing.T, name string) []listedPacket {
	t.Helper()
	var list []listedPacket
	for line := range strings.Lines(string(shared.Read(t, name))) {
		head, words, _ := strings.Cut(strings.TrimSpace(line), "\t")
		var p listedPacket
		if _, err := fmt.Sscanf(head, "Idx:%d; ID:2;", &p.index); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		kind, words, _ := strings.Cut(words, " : ")
		_, fields, _ := strings.Cut(words, ".")
		p.words = kind + strings.TrimSuffix(strings.Join(strings.Fields(fields), " "), ";")
		list = append(list, p)
	}
	return list
}

// m3Exceptions are the exceptions of the listing: their number in packets (IHI
// 0014Q, table 7-14) and their type.
var m3Exceptions = map[string]struct {
	number int
	kind   schema.ExceptionType
}{
	"IRQ1": {1, schema.ExcIRQ}, "IRQ2": {2, schema.ExcIRQ}, "IRQ3": {3, schema.ExcIRQ},
	"IRQ22": {38, schema.ExcIRQ}, "IRQ29": {45, schema.ExcIRQ}, "PendSV": {14, schema.ExcPendSV},
}

// The packets of a Cortex-M3 with the alternative branch encoding are those that
// OpenCSD lists, in kind, place and fields. The rows are the exceptions, returns
// and cancels among those after the first I-sync. The program of this capture is
// not at hand, so there are no instructions.
func TestSiliconM3(t *testing.T) {
	list := readPacketListing(t, shared.File(t, m3Capture+"/expected/02.packets.ocsd133.txt.gz"))
	tr := openTrace(t, shared.File(t, m3Capture), 0x02)
	const async = 6 // bytes of the A-sync that the listing begins with
	packets := tr.packetsFrom(tr.asyncs()[0] - async)
	if len(packets) != len(list) || len(list) != 32_623 {
		t.Fatalf("%d packets, %d are listed, want 32623", len(packets), len(list))
	}
	last := packets[len(packets)-1]
	if end := last.at + last.Len; end != len(tr.data) {
		t.Errorf("the packets end at byte %d of %d", end, len(tr.data))
	}
	var rows m3Rows
	says := openCSD{shift: 2}
	for i := range list {
		p := &packets[i]
		offset := int64(tr.offsets[p.at])
		if index := list[i].index; index > offset || index/frameBytes != offset/frameBytes {
			t.Fatalf("packet %d at %d, listed at %d", i, offset, index)
		}
		want := list[i].words
		if got := says.text(&p.PacketText); got != want {
			t.Fatalf("packet %d at %d: %s, want %s", i, offset, got, want)
		}
		rows.add(want, offset)
	}
	if len(rows.entries) != 1049 || len(rows.returns) != 1050 || len(rows.cancels) != 83 {
		t.Errorf("listed are %d entries, %d returns, %d cancels; want 1049, 1050, 83", len(rows.entries), len(rows.returns),
			len(rows.cancels))
	}
	d := tr.decode(t)
	d.checkAccounts(t, 43_664) // the bytes of the source, as the capture's README counts them
	got := m3RowsOf(d)
	for _, diff := range [][]string{
		diffLines(rows.entries, got.entries), diffLines(rows.returns, got.returns), diffLines(rows.cancels, got.cancels),
	} {
		for _, line := range diff {
			t.Errorf("want (-) and got (+): %s", line)
		}
	}
}

// m3Rows are the rows of the listing or of a decode: offsets and words.
type m3Rows struct {
	started                   bool // there was an I-sync
	entries, returns, cancels []string
}

// add adds the rows that a listed packet becomes.
func (r *m3Rows) add(words string, offset int64) {
	kind, _, _ := strings.Cut(words, ";")
	r.started = r.started || kind == "I_SYNC"
	if !r.started {
		return
	}
	if kind == "EXCEPTION_EXIT" {
		r.returns = append(r.returns, fmt.Sprint(offset))
	}
	if _, name, ok := strings.Cut(words, "; Exception="); ok {
		name, _, cancels := strings.Cut(name, "; Cancel")
		x := m3Exceptions[name]
		r.entries = append(r.entries, fmt.Sprint(offset, " ", x.kind, " ", x.number))
		if cancels {
			r.cancels = append(r.cancels, fmt.Sprint(offset))
		}
	}
}

// m3RowsOf returns the rows of a decode.
func m3RowsOf(d *decodedTables) m3Rows {
	var r m3Rows
	offsets, numbers := d.integers(&schema.Exceptions, "byte_offset"), d.integers(&schema.Exceptions, "number")
	kinds := d.column(&schema.Exceptions, "type").U8
	for i, event := range d.column(&schema.Exceptions, "event").U8 {
		if schema.ExceptionEvent(event) == schema.ExceptionReturn {
			r.returns = append(r.returns, fmt.Sprint(offsets[i]))
		} else {
			r.entries = append(r.entries, fmt.Sprint(offsets[i], " ", schema.ExceptionType(kinds[i]), " ", numbers[i]))
		}
	}
	offsets = d.integers(&schema.Events, "byte_offset")
	for i, event := range d.column(&schema.Events, "event").U8 {
		if schema.EventKind(event) == schema.EventCancelled {
			r.cancels = append(r.cancels, fmt.Sprint(offsets[i]))
		}
	}
	return r
}

// An openCSD puts packets into the words that OpenCSD has for them.
type openCSD struct {
	address uint32 // the last one, of which a branch packet sends the low bits
	known   int    // bits of it
	// shift is by how much addresses are sent shifted: up to the first I-sync
	// OpenCSD takes the core for one in ARM state.
	shift int
}

func (o *openCSD) text(p *decode.PacketText) string {
	field := map[string]any{}
	for _, f := range p.Fields {
		field[f.Name] = f.Value
	}
	switch p.Type {
	case "a_sync":
		return "A_SYNC"
	case "p_header":
		return fmt.Sprint("P_HDR; ", field["atoms"])
	case "exception_return":
		return "EXCEPTION_EXIT"
	case "branch_address":
		return o.branch(field)
	case "i_sync":
		o.address, o.known, o.shift = hexField(field["address"]), 32, 1
		if field["reason"] == "periodic" && field["isa"] == "t32" && field["ns"] == false {
			return fmt.Sprintf("I_SYNC; (Periodic); Addr=0x%08x; S; ISA=Thumb2", o.address)
		}
	}
	return fmt.Sprint(p.Type, field)
}

// branch is for a branch packet, none of which has all address bytes.
func (o *openCSD) branch(field map[string]any) string {
	bits := int(field["address_bits"].(uint8)) + o.shift
	low := hexField(field["address_low"]) << o.shift
	o.address = o.address&^(1<<bits-1) | low
	o.known = max(o.known, bits)
	text := fmt.Sprintf("%08X", o.address)
	if o.known < 32 {
		hidden := (32 - o.known) / 4 // digits
		text = strings.Repeat("?", hidden) + text[hidden:] + fmt.Sprintf(" (%d:0)", o.known-1)
	}
	text = fmt.Sprintf("BRANCH_ADDRESS; Addr=0x%s ~[0x%X]", text, low)
	if field["exception"] == nil {
		return text
	}
	if field["ns"] == false {
		text += "; S"
	}
	for name, x := range m3Exceptions {
		if fmt.Sprint(field["exception"]) == strconv.Itoa(x.number) && field["exception_type"] == x.kind.String() {
			text += "; Exception=" + name
		}
	}
	if field["cancel"] == true {
		text += "; Cancel prev instr"
	}
	return text
}

func hexField(value any) uint32 {
	text, _ := value.(string)
	n, _ := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 32)
	return uint32(n)
}
