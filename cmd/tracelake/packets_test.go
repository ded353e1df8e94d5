package main

import (
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline"
)

// The lines of packets and of samples.
func TestWritePacket(t *testing.T) {
	branch := decode.PacketText{Type: "be", Pins: "80*",
		Fields: []decode.Field{{Name: "address", Value: "0x00008000"}, {Name: "at", Value: "0x00000014"}}}
	for _, tt := range []struct {
		line       pipeline.PacketLine
		text, json string
	}{
		{
			pipeline.PacketLine{Source: 0x13, Offset: 0x400, Len: 1, Bytes: []byte{0x84},
				PacketText: decode.PacketText{Type: "p_header"}},
			"0x00000400  0x13  84                       p_header",
			`{"source":"0x13","offset":1024,"length":1,"bytes":"84","type":"p_header","fields":{}}`,
		},
		{
			pipeline.PacketLine{Offset: 20, Len: 1, Bytes: []byte{0x80, 0x80, 0x82, 0x80, 0x10}, PacketText: branch},
			"0x00000014  0x00  be     80*    80 80 82 80 10   address=0x00008000 at=0x00000014",
			`{"source":"0x00","offset":20,"length":1,"pins":"80*","bytes":"8080828010","type":"be","fields":{"address":"0x00008000","at":"0x00000014"}}`,
		},
		{
			pipeline.PacketLine{Offset: 24, Len: 1, PacketText: decode.PacketText{Type: "ie", Pins: "80"}},
			"0x00000018  0x00  ie     80",
			`{"source":"0x00","offset":24,"length":1,"pins":"80","bytes":"","type":"ie","fields":{}}`,
		},
		{
			pipeline.PacketLine{Offset: 28, Len: 17, PacketText: decode.PacketText{Type: "td", Pins: "00"}},
			"0x0000001c  0x00  td     00    samples=17",
			`{"source":"0x00","offset":28,"length":17,"pins":"00","bytes":"","type":"td","fields":{}}`,
		},
	} {
		var text, json strings.Builder
		if err := writePacket(&text, &tt.line); err != nil || text.String() != tt.text+"\n" {
			t.Errorf("%q, want %q (%v)", text.String(), tt.text, err)
		}
		if err := writePacketJSON(&json, &tt.line); err != nil || json.String() != tt.json+"\n" {
			t.Errorf("%s, want %s (%v)", json.String(), tt.json, err)
		}
	}
}
