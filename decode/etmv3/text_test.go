package etmv3

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
		{plain, "0b", "1 branch_address address_low=0x5 address_bits=6"},
		{plain, "d9e395c00b", "5 branch_address address=0x700ae3b0 isa=a32"},
		{plain, "b59cab8057 22",
			"6 branch_address address=0x700ace34 isa=t32 exception=1 exception_type=debug cancel=true ns=false alt_isa=false"},
		{virtual, "8d80808048 8720",
			"7 branch_address address=0x00000018 isa=a32 exception=3 exception_type=hyp cancel=false ns=true hyp=true alt_isa=false"},
		{plain, "8180848048 01",
			"6 branch_address address=0x00020000 isa=a32 exception=0 cancel=false ns=true alt_isa=false"},
		{plain, "8d808080c8", "5 branch_address address=0x00000018 isa=a32 exception=1 exception_type=irq cancel=true"},
		{plain, "8580808080", "5 branch_address address=0x00000008 isa=a32 exception=0 exception_type=svc cancel=false"},
		{alternate, "8142 b08145",
			"5 branch_address address_low=0x80 address_bits=12 exception=24 exception_type=irq cancel=true ns=false hyp=false alt_isa=false resume=5"},
		{alternate, "8142 8045",
			"4 branch_address address_low=0x80 address_bits=12 exception=0 cancel=false ns=false alt_isa=false resume=5"},
		{plain, "c8", "1 p_header atoms=EEN"},
		{counted, "c8", "1 p_header atoms=WEWEWN"},
		{plain, "80", "1 p_header atoms="},
		{counted, "04 8f3c", "3 cycle_count cycles=7695"},
		{plain, "08 01 2b090080", "6 i_sync reason=periodic address=0x8000092a isa=t32 ns=false hyp=false alt_isa=false"},
		{contexts1, "70 05 2a 69 00800000",
			"8 i_sync reason=debug_exit address=0x00008000 isa=a32 ns=true hyp=false alt_isa=false cycles=5 context_id=42"},
		{plain, "08 25 00800000",
			"6 i_sync reason=trace_on address=0x00008000 isa=a32 ns=false hyp=false alt_isa=true bad=true"},
		{plain, "08 a1 00800000 0b",
			"7 i_sync reason=trace_on address=0x00008000 isa=a32 ns=false hyp=false alt_isa=false current_address=0x00008014 current_isa=a32"},
		{plain, "08 a1 00800000 8180828050 01",
			"12 i_sync reason=trace_on address=0x00008000 isa=a32 ns=false hyp=false alt_isa=false " +
				"current_address=0x00008000 current_isa=t32 current_exception=0 current_cancel=false current_ns=true current_alt_isa=false"},
		{dataOnly, "08 2a 29", "3 i_sync reason=trace_on ns=true hyp=false context_id=42"},
		{plain, "0c", "1 trigger"},
		{dataBoth, "64 55", "2 out_of_order_data tag=3 value=0x55"},
		{dataBoth, "50", "1 store_failed"},
		{dataBoth, "74 8401", "3 out_of_order_placeholder tag=1 new_address=true address_low=0x84 address_bits=14"},
		{plain, "3c 05", "2 vmid vmid=5"},
		{dataBoth, "2e 8080808012 01000000",
			"10 normal_data new_address=true address_low=0x20000000 address_bits=32 big_endian=true value=0x1"},
		{dataBoth, "0a 3412", "3 normal_data new_address=false value=0x1234"},
		{addresses, "2e 04", "2 normal_data new_address=true address_low=0x4 address_bits=7"},
		{plain, "46 05", "2 timestamp timestamp=0x5 timestamp_bits=7 clock_change=true"},
		{wide, "42 ffffffffffffffffff", "10 timestamp timestamp=0xffffffffffffffff timestamp_bits=64 clock_change=false"},
		{plain, "42 80808080808020", "8 timestamp timestamp=0x800000000000 timestamp_bits=48 clock_change=false"},
		{dataBoth, "62", "1 data_suppressed"},
		{plain, "66", "1 ignore"},
		{dataBoth, "6a", "1 value_not_traced new_address=false"},
		{contexts2, "6e 7856", "3 context_id context_id=22136"},
		{plain, "76", "1 exception_return"},
		{plain, "7e", "1 exception_entry"},
	} {
		p, err := tt.cfg.ParsePacket(unhex(t, tt.bytes))
		if err != nil {
			t.Fatal(err)
		}
		words := []string{fmt.Sprint(p.Len), p.Type}
		names := map[string]bool{}
		for _, f := range p.Fields {
			words = append(words, fmt.Sprintf("%s=%v", f.Name, f.Value))
			if names[f.Name] {
				t.Errorf("%s: %s twice", tt.bytes, f.Name)
			}
			names[f.Name] = true
		}
		if got := strings.Join(words, " "); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.bytes, got, tt.want)
		}
		p.JSON() // panics if a field is of a kind that it should not be
	}
}

func TestParsePacketFails(t *testing.T) {
	if _, err := plain.ParsePacket([]byte{0x08}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("half a packet: %v, want %v", err, io.ErrUnexpectedEOF)
	}
	_, err := plain.ParsePacket([]byte{0x10})
	if _, ok := errors.AsType[*decode.SyntaxError](err); !ok {
		t.Errorf("reserved header: %v, want a *SyntaxError", err)
	}
}
