package pft

import (
	"strings"
	"testing"
)

func TestNewConfig(t *testing.T) {
	for _, tt := range []struct {
		name                   string
		etmcr, etmccer, etmidr uint32
		want                   Config
		version                string
		bits                   uint8
		warning                string
	}{
		{"all zero, 1.0", 0, 0, 0x411cf301, Config{TimestampGray: true}, "1.0", 48, ""},
		{"Cortex-A15, return stack", 0x20000400, 0x34c01ac2, 0x411cf312,
			Config{Minor: 1, Timestamp64: true, ReturnStack: true}, "1.1", 64, ""},
		{"Cortex-A15, cycle-accurate", 0x10001000, 0x34c01ac2, 0x411cf312,
			Config{Minor: 1, CycleAccurate: true, Timestamp64: true}, "1.1", 64, ""},
		{"1.0 has Gray code of 48 bits whatever ETMCCER says", 0, 0x30000000, 0x411cf301, Config{TimestampGray: true}, "1.0",
			48, ""},
		{"1.1, Gray code, 48 bits", 0, 0, 0x411cf312, Config{Minor: 1, TimestampGray: true}, "1.1", 48, ""},
		{"1.1, binary, 48 bits", 0, 0x10000000, 0x411cf312, Config{Minor: 1}, "1.1", 48, ""},
		{"1.1, Gray code, 64 bits", 0, 0x20000000, 0x411cf312, Config{Minor: 1, TimestampGray: true, Timestamp64: true},
			"1.1", 64, ""},
		{"Context ID 1 byte", 0x4000, 0, 0x411cf301, Config{TimestampGray: true, ContextIDBytes: 1}, "1.0", 48, ""},
		{"Context ID 2 bytes", 0x8000, 0, 0x411cf301, Config{TimestampGray: true, ContextIDBytes: 2}, "1.0", 48, ""},
		{"Context ID 4 bytes", 0xc000, 0, 0x411cf301, Config{TimestampGray: true, ContextIDBytes: 4}, "1.0", 48, ""},
		{"DMB and DSB", 0, 0x01000000, 0x411cf301, Config{TimestampGray: true, DataBarriers: true}, "1.0", 48, ""},
		{"return stack there, but off", 0, 0x00800000, 0x411cf301, Config{TimestampGray: true}, "1.0", 48, ""},
		{"return stack on, but not there", 0x20000000, 0, 0x411cf301, Config{TimestampGray: true}, "1.0", 48, "ETMCCER"},
		{"1.2", 0, 0x30000000, 0x411cf322, Config{Minor: 1, Timestamp64: true}, "1.1", 64, "PFT 1.2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, warnings, err := NewConfig(tt.etmcr, tt.etmccer, tt.etmidr)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got %+v\nwant %+v", got, tt.want)
			}
			if got.Version() != tt.version || got.TimestampBits() != tt.bits {
				t.Errorf("version %s, %d bits, want %s, %d", got.Version(), got.TimestampBits(), tt.version, tt.bits)
			}
			if all := strings.Join(warnings, "\n"); (tt.warning == "") != (all == "") || !strings.Contains(all, tt.warning) {
				t.Errorf("warnings %q, want one with %q", warnings, tt.warning)
			}
		})
	}
}

func TestNewConfigOtherProtocol(t *testing.T) {
	_, _, err := NewConfig(0x10001860, 0x344008f2, 0x410cf250)
	const want = "ETMIDR=0x410CF250 is of ETM v3.5, not of a PTM (bits 11:8 are 2, PFT 1 has 3); correct the register, or name the protocol it is"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
