package pft

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
)

func TestParsePacket(t *testing.T) {
	for _, tt := range []struct {
		cfg   Config
		bytes string
		want  string
	}{
		{plain, "000000000080", "6 a_sync"},
		{plain, "08 2b090080 01", "6 i_sync reason=periodic address=0x8000092a isa=t32 ns=false hyp=false alt_isa=false"},
		{wideCA, "08 00800000 6a c401 44332211",
			"12 i_sync reason=debug_exit address=0x00008000 isa=a32 ns=true hyp=true alt_isa=false cycles=17 context_id=287454020"},
		{plain, "92", "1 atom atoms=EEN"},
		{counted, "ce01", "2 atom atoms=N cycles=19"},
		{plain, "4d", "1 branch_address address_low=0x26 address_bits=6"},
		{counted, "81 10 7c1f", "4 branch_address address_low=0x400 address_bits=12 cycles=511"},
		{plain, "99 f5f2f61f", "5 branch_address address=0xfedcba98 isa=t32"},
		{plain, "8d 80808048 1c",
			"6 branch_address address=0x00000018 isa=a32 exception=14 exception_type=irq ns=false alt_isa=false"},
		{plain, "8b 80808048 87 20",
			"7 branch_address address=0x00000014 isa=a32 exception=3 exception_type=hyp ns=true hyp=true alt_isa=false"},
		{plain, "81 80808048 80 01",
			"7 branch_address address=0x00000000 isa=a32 exception=16 exception_type=reserved ns=false hyp=false alt_isa=false"},
		{plain, "81 50 01", "3 branch_address address_low=0x400 address_bits=12 exception=0 ns=true alt_isa=false"},
		{plain, "72 85 10", "3 waypoint_update address_low=0x402 address_bits=12"},
		{plain, "72 b1 eae5ed7f 40", "7 waypoint_update address=0xfedcba98 isa=jazelle alt_isa=true"},
		{plain, "0c", "1 trigger"},
		{contexts2, "6e 7856", "3 context_id context_id=22136"},
		{plain, "3c 05", "2 vmid vmid=5"},
		{counted, "42 f3e824 7c02", "6 timestamp timestamp=0x93473 timestamp_bits=21 clock_change=false cycles=47"},
		{plain, "46 80808080808020", "8 timestamp timestamp=0x800000000000 timestamp_bits=48 clock_change=true"},
		{wide, "42 808080808080808001", "10 timestamp timestamp=0x100000000000000 timestamp_bits=64 clock_change=false"},
		{plain, "76", "1 exception_return"},
		{plain, "66", "1 ignore"},
	} {
		p, err := tt.cfg.ParsePacket(unhex(t, tt.bytes))
		if err != nil {
			t.Fatal(err)
		}
		words := []string{fmt.Sprint(p.Len), p.Type}
		for _, f := range p.Fields {
			words = append(words, fmt.Sprintf("%s=%v", f.Name, f.Value))
		}
		if got := strings.Join(words, " "); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.bytes, got, tt.want)
		}
	}
}

func TestParsePacketFails(t *testing.T) {
	if _, err := plain.ParsePacket([]byte{0x08}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("half a packet: %v, want %v", err, io.ErrUnexpectedEOF)
	}
	_, err := plain.ParsePacket([]byte{0x02})
	if _, ok := errors.AsType[*decode.SyntaxError](err); !ok {
		t.Errorf("reserved header: %v, want a *SyntaxError", err)
	}
}
