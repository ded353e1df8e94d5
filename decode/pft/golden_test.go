package pft

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
)

// Whole traces of many small programs, cut into packets and named by hand: A
// a-sync, I i-sync, a atom, b branch address, w waypoint update, c Context ID,
// v VMID, t timestamp, x reserved header.
func TestTraces(t *testing.T) {
	const async = "000000000080"
	// Register values; 0 means ETMCR 0, ETMCCER 0, and a PFT 1.0 ETMIDR.
	type regs struct{ cr, ccer, idr uint32 }
	old := regs{0, 0, 0x411cf301}
	stack := regs{0x20000000, 0x34c00000, 0x411cf311}
	for _, tt := range []struct {
		name    string
		regs    regs
		packets string // A means an A-sync
		kinds   string
	}{
		{"back-to-back", old, "A|080010000021|7201|8d808080481c|8f808080481e|8120|84|8d00|8130|84|8310|84", "AIwbbbabbaba"},
		{"after a branch at the vector", old, "A|080010000021|7201|8d808080481c|8130|8f808080481e|8120|84|8130|84|8310|84",
			"AIwbbbbababa"},
		{"after a nop at the vector", old,
			"A|080010000021|7201|99808080501c|7219|9d808080501e|81a0808008|84|9b80808010|84|8390808008|84", "AIwbwbbababa"},
		{"trace on between", old, "A|081800000021|8f808080481e|8120|84|8d00|8130|84", "AIbbabba"},
		{"atoms direct", old, "A|080080000021|94|88", "AIaa"},
		{"indirect by packet", stack, "A|080080000021|8110|84|84", "AIbaa"},
		{"return stack nested", stack, "A|080080000021|c0", "AIa"},
		{"return stack not matched", stack, "A|080080000021|84|8120|88", "AIaba"},
		{"i-sync empties the stack", stack, "A|080080000021|84|A|080090000001|84", "AIaAIa"},
		{"blx imm to t32", stack, "A|080080000021|90", "AIa"},
		{"t32 blx imm to a32", stack, "A|080180000021|90", "AIa"},
		{"waypoint update inside an instruction", old, "A|080180000021|7205|8d808080481c|84", "AIwba"},
		{"waypoint update, execution goes on", old, "A|080180000021|7203|84", "AIwa"},
		{"isb", old, "A|080080000021|88|8c", "AIaa"},
		{"dmb a waypoint", regs{0, 0x01000000, 0x411cf311}, "A|080080000021|90", "AIa"},
		{"dmb not a waypoint", old, "A|080080000021|84", "AIa"},
		{"security change", old, "A|080080000021|819081804801|84", "AIba"},
		{"security change, short address", old, "A|080080000021|815001|84", "AIba"},
		{"entry to hyp", old, "A|080080000029|7201|8b808080488720|84", "AIwba"},
		{"svc", old, "A|080180000021|7201|858080804814|84", "AIwba"},
		{"debug entry and exit", old, "A|080080000021|84|818080804802|080490000061|84", "AIabIa"},
		{"context id and vmid", regs{0x4000c000, 0x34c00000, 0x411cf311}, "A|08008000002944332211|3c05|84|6e78563412|84",
			"AIvaca"},
		{"cycle-accurate", regs{0x10001000, 0x34c00000, 0x411cf311},
			"A|080080000021fc04|ce01|81107c1f|428dce88d6c7a080800000|84", "AIabta"},
		{"timestamps 48-bit gray", regs{0x10001000, 0x00400000, 0x411cf301},
			"A|08008000002180|42e7f0aec88e8b000c|42f3e8247c02|84", "AItta"},
		{"enterx, hbl, return", stack, "A|080180000021|84|81c082805040|84|84", "AIabaa"},
		{"reserved header", old, "A|080080000021|84|02|84|A|84|080080000001|84", "AIaxaAaIa"},
		{"irq after non-waypoints", old, "A|08000f000021|84|728510|8d808080481c|8130|84", "AIawbba"},
		{"irq after a waypoint", old, "A|08000f000021|84|8d808080481c|8130|84", "AIabba"},
		{"data abort", old, "A|08000f000021|8310|898080804818|8134|84", "AIbbba"},
		{"udf", old, "A|080080000021|7201|838080804812|84", "AIwba"},
		{"a32 eret", old, "A|08008000002b|8110|84", "AIba"},
		{"reset", old, "A|080080000021|818080804810|84", "AIba"},
		{"e atom, stack empty", stack, "A|080080000021|84|84|8110|84", "AIaaba"},
		{"return stack, security of the entry", regs{0x20000000, 0x34c00000, 0x411cf312},
			"A|080080000029|84|728110|858080804804|84|84", "AIawbaa"},
		{"last two bytes of memory", old, "A|080180000021|84", "AIa"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg, _, err := NewConfig(tt.regs.cr, tt.regs.ccer, tt.regs.idr)
			if err != nil {
				t.Fatal(err)
			}
			packets := strings.Split(strings.ReplaceAll(tt.packets, "A", async), "|")
			stream := unhex(t, strings.Join(packets, ""))
			var kinds []byte
			for _, packet := range packets {
				want := unhex(t, packet)
				var p Packet
				err := cfg.Parse(&p, stream)
				if syntax, ok := errors.AsType[*decode.SyntaxError](err); ok && syntax.Reserved {
					p.Len = 1
				} else if err != nil {
					t.Fatalf("packet %s: %v", packet, err)
				} else if got := cfg.Append(nil, p); !bytes.Equal(got, want) {
					t.Errorf("packet %s: Append = %x", packet, got)
				}
				if p.Len != len(want) {
					t.Fatalf("packet %s: %d bytes, want %d", packet, p.Len, len(want))
				}
				kinds = append(kinds, "xAIabwrcvte-"[p.Kind])
				stream = stream[p.Len:]
			}
			if string(kinds) != tt.kinds || len(stream) != 0 {
				t.Errorf("kinds %s, want %s; %d bytes left", kinds, tt.kinds, len(stream))
			}
		})
	}
}
