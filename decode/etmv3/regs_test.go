package etmv3

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
		{"Cortex-A7", 0x10001860, 0x344008f2, 0x410cf250, Config{
			Minor: 5, CycleAccurate: true, Security: true, OneT32: true, Timestamp64: true, Virtualization: true,
		}, "3.5", 64, ""},
		{"Cortex-R5", 0xc40, 0x9ba, 0x4104f230, Config{Minor: 3, OneT32: true, TimestampGray: true}, "3.3", 48, ""},
		{"Cortex-M3", 0x980, 0, 0x4114f240, Config{Minor: 4, Broadcast: true, AltBranch: true, OneT32: true,
			TimestampGray: true}, "3.4", 48, ""},
		{"ARM1136", 0, 0, 0x41013211, Config{Minor: 1, LSMPCFirst: true, TimestampGray: true}, "3.1", 48, ""},
		{"data", 0x4000c, 0, 0x4102f240, Config{
			Minor: 4, DataAddress: true, DataValue: true, DataSuppress: true, CPRTNotData: true, TimestampGray: true,
		}, "3.4", 48, ""},
		{"data-only", 0x100004, 0, 0x4104f210, Config{Minor: 1, DataValue: true, DataOnly: true, OneT32: true,
			TimestampGray: true}, "3.1", 48, ""},
		{"data-only before v3.1", 0x100008, 0, 0x4104f200, Config{
			Minor: 0, DataAddress: true, OneT32: true, TimestampGray: true,
		}, "3.0", 48, "ETMCR=0x00100008 has bit 20"},
		{"alternative encoding before v3.4", 0, 0, 0x4114f230, Config{Minor: 3, OneT32: true, TimestampGray: true}, "3.3", 48,
			"ETMIDR=0x4114F230 has bit 20"},
		{"virtualization before v3.5", 0, 0x04000000, 0x4104f240, Config{Minor: 4, OneT32: true, TimestampGray: true}, "3.4",
			48, ""},
		{"v3.6", 0, 0x10000000, 0x4104f260, Config{Minor: 5, OneT32: true}, "3.5", 48, "ETM v3.6"},
		{"Context ID 1 byte", 0x4000, 0x10000000, 0x4100f250, Config{Minor: 5, ContextIDBytes: 1}, "3.5", 48, ""},
		{"Context ID 2 bytes", 0x8000, 0x10000000, 0x4100f250, Config{Minor: 5, ContextIDBytes: 2}, "3.5", 48, ""},
		{"Context ID 4 bytes", 0xc000, 0x10000000, 0x4100f250, Config{Minor: 5, ContextIDBytes: 4}, "3.5", 48, ""},
		{"Gray code of 64 bits", 0, 0x20000000, 0x4100f250, Config{Minor: 5, Timestamp64: true, TimestampGray: true}, "3.5",
			64, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, m := range []bool{false, true} {
				got, warnings, err := NewConfig(tt.etmcr, tt.etmccer, tt.etmidr, m)
				if err != nil {
					t.Fatal(err)
				}
				want := tt.want
				want.ProfileM = m
				if got != want {
					t.Errorf("got %+v\nwant %+v", got, want)
				}
				if got.Version() != tt.version || got.TimestampBits() != tt.bits {
					t.Errorf("version %s, %d bits, want %s, %d", got.Version(), got.TimestampBits(), tt.version, tt.bits)
				}
				if all := strings.Join(warnings, "\n"); (tt.warning == "") != (all == "") || !strings.Contains(all, tt.warning) {
					t.Errorf("warnings %q, want one with %q", warnings, tt.warning)
				}
			}
		})
	}
}

func TestNewConfigOtherProtocol(t *testing.T) {
	_, _, err := NewConfig(0, 0, 0x411cf312, false)
	const want = "ETMIDR=0x411CF312 is not of an ETMv3 (bits 11:8 are 3, ETMv3 has 2); correct the register, or name the protocol it is"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestDefines(t *testing.T) {
	for _, tt := range []struct {
		kind  Kind
		ar, m string // a digit for each minor version that has packets of that kind
	}{
		{PHeader, "012345", "012345"},
		{ISync, "012345", "012345"},
		{Timestamp, "5", "5"},
		{VMID, "5", "5"},
		{ExceptionReturn, "5", "45"},
		{ExceptionEntry, "", "45"},
	} {
		var ar, m string
		for minor := range uint8(6) {
			if (&Config{Minor: minor}).Defines(tt.kind) {
				ar += string('0' + rune(minor))
			}
			if (&Config{Minor: minor, ProfileM: true}).Defines(tt.kind) {
				m += string('0' + rune(minor))
			}
		}
		if ar != tt.ar || m != tt.m {
			t.Errorf("%s: %q, %q on M, want %q, %q", tt.kind, ar, m, tt.ar, tt.m)
		}
	}
}
