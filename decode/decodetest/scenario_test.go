package decodetest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/pft"
)

const scenario = `The rule, and where it is from.

-- config --
protocol = pft1.1 ; a comment
ETMCR = 0x20000000

-- program --
00008000: e3a00001  ; mov r0, #1
00008004: bf00      ; nop
00008006: f3af 8000 ; nop.w

0000800a: bf00
N:0000800c: bf00

-- packets --
00 00 00 00 00 80 ; A-sync
break
84                ; atom E

-- want/events --
seq  event     detail
0    trace_on  a text of words
; a comment
1    overflow  NULL
`

func TestParse(t *testing.T) {
	s, err := Parse("x.txtar", []byte(scenario), pft.Family())
	if err != nil {
		t.Fatal(err)
	}
	if s.About != "The rule, and where it is from." || s.Protocol != "pft" || s.Version != "1.1" {
		t.Errorf("about %q, protocol %q, version %q", s.About, s.Protocol, s.Version)
	}
	if cr, _ := s.Registers.Lookup("ETMCR"); cr != 0x20000000 {
		t.Errorf("ETMCR %#x", cr)
	}
	if idr, ok := s.Registers.Lookup("ETMIDR"); idr != 0x411CF311 || !ok {
		t.Errorf("ETMIDR %#x", idr)
	}
	for i, want := range []image.Region{
		{Address: 0x8000, Bytes: []byte("\x01\x00\xa0\xe3\x00\xbf\xaf\xf3\x00\x80")},
		{Address: 0x800a, Bytes: []byte("\x00\xbf")},
		{Address: 0x800c, Bytes: []byte("\x00\xbf"), Space: image.NonSecureSpace},
	} {
		if got := s.Regions[i]; got.Address != want.Address || !bytes.Equal(got.Bytes, want.Bytes) ||
			got.Space != want.Space {
			t.Errorf("region %d: %+v, want %+v", i, got, want)
		}
	}
	if len(s.Regions) != 3 {
		t.Errorf("%d regions, want 3", len(s.Regions))
	}
	if got := s.Stream(); !bytes.Equal(got, []byte("\x00\x00\x00\x00\x00\x80\x84")) {
		t.Errorf("stream % x", got)
	}
	for offset, want := range map[int]string{
		0: "line 16: A-sync", 5: "line 16: A-sync", 6: "line 18: atom E",
		7: "offset 7, which is in no packet", -1: "offset -1, which is in no packet",
	} {
		if got := s.Where(offset); got != want {
			t.Errorf("Where(%d) = %q, want %q", offset, got, want)
		}
	}
	if s.Packets[0].Break || !s.Packets[1].Break {
		t.Error("the break does not stand before the second packet")
	}
	rows := s.Want[0].Rows
	if len(rows) != 2 || rows[0].Line != 22 || rows[0].Cells[2] != "a text of words" || rows[1].Line != 24 {
		t.Errorf("rows %+v", rows)
	}
}

func TestParseFails(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"no head", "The rule, and where it is from.\n", "", "x.txtar:1: no text before the first section"},
		{"unknown section", "-- program --", "-- code --", `x.txtar:7: no section "code" is known`},
		{"section twice", "-- program --", "-- config --", `a second section "config"`},
		{"no packets", scenario[strings.Index(scenario, "-- packets --"):], "",
			`x.txtar:15: no section "packets", or beside one "samples"`},
		{"unknown protocol", "pft1.1", "pft2", `x.txtar:4: protocol "pft2"`},
		{"unknown key", "ETMCR", "ETMCRX", `x.txtar:5: no key "ETMCRX"`},
		{"bad value", "0x20000000", "on", `x.txtar:5: ETMCR: `},
		{"no address", "00008004: bf00 ", "bf00", "x.txtar:9: an opcode without an address"},
		{"bad opcode", "bf00      ; nop", "bf0", "x.txtar:9: opcode"},
		{"two words", "e3a00001", "e3a00001 e3a00001", "x.txtar:8: opcode"},
		{"unknown space", "N:", "Q:", `x.txtar:13: no memory space "Q"`},
		{"bad byte", "84  ", "8x  ", "x.txtar:18: packet: "},
		{"packet without name", "; atom E", "", "x.txtar:18: a packet without a name"},
		{"unknown table", "want/events", "want/event", `x.txtar:20: no table "event"`},
		{"unknown column", "detail", "remark", `x.txtar:21: events has no column "remark"`},
		{"too few cells", "1    overflow  NULL", "1    overflow NULL", "x.txtar:24: a row of 2 cells for 3 columns"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(scenario, tt.old, tt.new, 1)
			if text == scenario {
				t.Fatalf("%q is not in the scenario", tt.old)
			}
			_, err := Parse("x.txtar", []byte(text), pft.Family())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}
