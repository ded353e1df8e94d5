package etmv3

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/async"
	"github.com/tracelake/tracelake/schema"
)

// Configurations of the tests.
var (
	plain     = Config{Minor: 5}
	counted   = Config{Minor: 5, CycleAccurate: true}
	alternate = Config{Minor: 4, AltBranch: true, ProfileM: true}
	virtual   = Config{Minor: 5, Virtualization: true}
	contexts1 = Config{Minor: 5, ContextIDBytes: 1}
	contexts2 = Config{Minor: 5, ContextIDBytes: 2}
	contexts4 = Config{Minor: 5, ContextIDBytes: 4}
	wide      = Config{Minor: 5, Timestamp64: true}
	dataBoth  = Config{Minor: 5, DataAddress: true, DataValue: true}
	addresses = Config{Minor: 5, DataAddress: true}
	values    = Config{Minor: 5, DataValue: true}
	dataOnly  = Config{Minor: 5, DataAddress: true, DataValue: true, DataOnly: true, ContextIDBytes: 1}
)

// unhex turns "08 21 00100000" into bytes.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestPacket(t *testing.T) {
	on := schema.ISyncTraceOn
	for _, tt := range []struct {
		name  string
		cfg   Config
		bytes string
		want  Packet // without Len, which is that of bytes
	}{
		{"a-sync", plain, "00 00 00 00 00 80", Packet{Kind: ASync}},
		{"a-sync, more zeros", plain, "00 00 00 00 00 00 00 80", Packet{Kind: ASync}},
		{"trigger", plain, "0c", Packet{Kind: Trigger}},
		{"ignore", plain, "66", Packet{Kind: Ignore}},
		{"exception return", plain, "76", Packet{Kind: ExceptionReturn}},
		{"exception entry", plain, "7e", Packet{Kind: ExceptionEntry}},
		{"vmid", plain, "3c 07", Packet{Kind: VMID, VMID: 7}},
		{"context id 1", contexts1, "6e 2a", Packet{Kind: ContextID, ContextID: 0x2a}},
		{"context id 2", contexts2, "6e 3412", Packet{Kind: ContextID, ContextID: 0x1234}},
		{"context id 4", contexts4, "6e 78563412", Packet{Kind: ContextID, ContextID: 0x12345678}},

		{"p-header", plain, "c8", Packet{Kind: PHeader, Atoms: Atoms{N: 0b100, Count: 3, Format: 1}}},
		{"p-header without atoms", plain, "80", Packet{Kind: PHeader, Atoms: Atoms{Format: 1}}},
		{"p-header of 16 atoms", plain, "fc", Packet{Kind: PHeader, Atoms: Atoms{N: 1 << 15, Count: 16, Format: 1}}},
		{"p-header NE", plain, "8a", Packet{Kind: PHeader, Atoms: Atoms{N: 0b01, Count: 2, Format: 2}}},
		{"p-header EN", plain, "86", Packet{Kind: PHeader, Atoms: Atoms{N: 0b10, Count: 2, Format: 2}}},
		{"p-header W", Config{CycleAccurate: true}, "80", Packet{Kind: PHeader, Atoms: Atoms{Waits: 1}}},
		{"p-header WEWEWN", counted, "c8", Packet{Kind: PHeader, Atoms: Atoms{N: 0b100, Count: 3, Waits: 1, Between: 1,
			Format: 1}}},
		{"p-header WNE", counted, "8a", Packet{Kind: PHeader, Atoms: Atoms{N: 0b01, Count: 2, Waits: 1, Format: 2}}},
		{"p-header WWWE", counted, "e8", Packet{Kind: PHeader, Atoms: Atoms{Count: 1, Waits: 3, Format: 3}}},
		{"p-header 8 W", counted, "bc", Packet{Kind: PHeader, Atoms: Atoms{Waits: 8, Format: 3}}},
		{"p-header N", counted, "96", Packet{Kind: PHeader, Atoms: Atoms{N: 1, Count: 1, Format: 4}}},

		{"cycle count", counted, "04 8f3c", Packet{Kind: CycleCount, HasCycles: true, CycleBytes: 2, Cycles: 7695}},
		{"cycle count unknown", counted, "04 00", Packet{Kind: CycleCount, HasCycles: true, CycleBytes: 1}},
		{"cycle count, highest", counted, "04 ffffffff0f",
			Packet{Kind: CycleCount, HasCycles: true, CycleBytes: 5, Cycles: 0xffffffff}},
		{"cycle count longer than needed", counted, "04 818000",
			Packet{Kind: CycleCount, HasCycles: true, CycleBytes: 3, Cycles: 1}},

		{"i-sync", counted, "08 21 01800000", Packet{Kind: ISync, Reason: on, Address: 0x8000, ISA: schema.T32}},
		{"i-sync context id 1", contexts1, "08 2a 21 01800000",
			Packet{Kind: ISync, Reason: on, Address: 0x8000, ISA: schema.T32, ContextID: 0x2a}},
		{"i-sync context id 2", contexts2, "08 3412 21 01800000",
			Packet{Kind: ISync, Reason: on, Address: 0x8000, ISA: schema.T32, ContextID: 0x1234}},
		{"i-sync context id 4", contexts4, "08 78563412 2d 01800000", Packet{
			Kind: ISync, Reason: on, Address: 0x8000, ISA: schema.T32EE, AltISA: true, NS: true, ContextID: 0x12345678,
		}},
		{"i-sync of an R5", Config{Minor: 3}, "08 61 43ce0a70",
			Packet{Kind: ISync, Reason: schema.ISyncDebugExit, Address: 0x700ace42, ISA: schema.T32}},
		{"i-sync overflow", plain, "08 41 00800000", Packet{Kind: ISync, Reason: schema.ISyncOverflow, Address: 0x8000}},
		{"i-sync of an A7 with count", counted, "70 8f3c 21 99f604c0", Packet{
			Kind: ISync, Reason: on, Address: 0xc004f698, ISA: schema.T32, HasCycles: true, CycleBytes: 2, Cycles: 7695,
		}},
		{"i-sync of an A7, periodic", counted, "08 01 5d1102c0", Packet{Kind: ISync, Address: 0xc002115c, ISA: schema.T32}},
		{"i-sync LSiP", plain, "08 a1 00800000 0b", Packet{
			Kind: ISync, Reason: on, Address: 0x8000, LSiP: true, Branch: Branch{Address: 5, Bits: 6, Bytes: 1},
		}},
		{"i-sync LSiP, high address", plain, "08 a1 00800080 0b", Packet{
			Kind: ISync, Reason: on, Address: 0x80008000, LSiP: true, Branch: Branch{Address: 5, Bits: 6, Bytes: 1},
		}},
		{"i-sync LSiP, Thumb", plain, "08 a1 01800000 9502", Packet{
			Kind: ISync, Reason: on, Address: 0x8000, ISA: schema.T32, LSiP: true,
			Branch: Branch{Address: 0x114 >> 1, Bits: 13, Bytes: 2},
		}},
		{"i-sync LSiP with count", counted, "70 05 a1 00800000 81808480 4801", Packet{
			Kind: ISync, Reason: on, Address: 0x8000, HasCycles: true, CycleBytes: 1, Cycles: 5, LSiP: true,
			Branch: Branch{Address: 0x20000 >> 2, Bits: 30, Bytes: 5, Info: 1, NS: true},
		}},
		{"i-sync LSiP, everything", Config{Minor: 5, ContextIDBytes: 4, Virtualization: true},
			"70 ffffffff0f 78563412 eb 00800000 8180828050 80a045", Packet{
				Kind: ISync, Reason: schema.ISyncDebugExit, Address: 0x8000, NS: true, Hyp: true, HasCycles: true, CycleBytes: 5,
				Cycles:    0xffffffff,
				ContextID: 0x12345678, LSiP: true,
				Branch: Branch{Address: 0x8000 >> 1, Bits: 31, Bytes: 5, ISA: schema.T32, Info: 3, Hyp: true, HasResume: true,
					Resume: 5},
			}},
		{"i-sync LSiP, alternative encoding", alternate, "08 a1 01800000 814f 40", Packet{
			Kind: ISync, Reason: on, Address: 0x8000, ISA: schema.T32, LSiP: true,
			Branch: Branch{Address: 15 << 6, Bits: 12, Bytes: 2, Info: 1, AltISA: true},
		}},
		{"i-sync data-only", dataOnly, "08 2a 29", Packet{Kind: ISync, Reason: on, NS: true, ContextID: 0x2a}},
		{"i-sync Jazelle", plain, "08 31 05800000", Packet{Kind: ISync, Reason: on, Address: 0x8005, ISA: schema.Jazelle}},
		{"i-sync Hyp", virtual, "08 2b 00800000", Packet{Kind: ISync, Reason: on, Address: 0x8000, NS: true, Hyp: true}},
		{"i-sync AltISA before v3.3", Config{Minor: 2}, "08 21 01800000",
			Packet{Kind: ISync, Reason: on, Address: 0x8000, ISA: schema.T32}},
		{"bad i-sync, ARM with AltISA", Config{Minor: 3}, "08 25 00800000",
			Packet{Kind: ISync, Reason: on, Address: 0x8000, AltISA: true, Bad: true}},
		{"bad i-sync, Jazelle with AltISA", Config{Minor: 3}, "08 35 00800000", Packet{
			Kind: ISync, Reason: on, Address: 0x8000, ISA: schema.Jazelle, AltISA: true, Bad: true,
		}},
		{"bad i-sync, ARM at a halfword", plain, "08 21 02800000",
			Packet{Kind: ISync, Reason: on, Address: 0x8002, Bad: true}},
		{"bad i-sync, periodic with count", counted, "70 05 01 00800000", Packet{
			Kind: ISync, Address: 0x8000, HasCycles: true, CycleBytes: 1, Cycles: 5, Bad: true,
		}},
		{"bad i-sync, periodic LSiP", plain, "08 81 00800000 8b01", Packet{
			Kind: ISync, Address: 0x8000, LSiP: true, Branch: Branch{Address: 0x45, Bits: 13, Bytes: 2}, Bad: true,
		}},

		{"timestamp 48", plain, "42 818283848586 07", Packet{Kind: Timestamp, Timestamp: 0x1c305080c101, TimestampBytes: 7}},
		{"timestamp of an A7, whole", wide, "42 bd9ac3ceaf90808000",
			Packet{Kind: Timestamp, Timestamp: 0x82f9d0cd3d, TimestampBytes: 9}},
		{"timestamp of an A7, low bits", wide, "42 df1e", Packet{Kind: Timestamp, Timestamp: 0xf5f, TimestampBytes: 2}},
		{"timestamp 64, the ninth byte has 8 bits", wide, "42 ffffffffffffffffff",
			Packet{Kind: Timestamp, Timestamp: 1<<64 - 1, TimestampBytes: 9}},
		{"timestamp 48, highest bit", plain, "42 80808080808020",
			Packet{Kind: Timestamp, Timestamp: 1 << 47, TimestampBytes: 7}},
		{"timestamp, new clock", plain, "46 05", Packet{Kind: Timestamp, Timestamp: 5, TimestampBytes: 1, ClockChange: true}},

		{"data suppressed", dataBoth, "62", Packet{Kind: DataSuppressed}},
		{"store failed", dataBoth, "50", Packet{Kind: StoreFailed}},
		{"data", dataBoth, "2e 8401 ddccbbaa", Packet{
			Kind: NormalData, NewAddress: true, Address: 0x84, AddressBits: 14, AddressBytes: 2, ValueBytes: 4,
			Value: 0xaabbccdd,
		}},
		{"data of value 0", dataBoth, "22 04", Packet{Kind: NormalData, NewAddress: true, Address: 4, AddressBits: 7,
			AddressBytes: 1}},
		{"data, big-endian", dataBoth, "2e 8080808012 01000000", Packet{
			Kind: NormalData, NewAddress: true, Address: 0x20000000, AddressBits: 32, AddressBytes: 5, BigEndian: true,
			ValueBytes: 4, Value: 1,
		}},
		{"data at the highest address", dataBoth, "26 ffffffff0f 55", Packet{
			Kind: NormalData, NewAddress: true, Address: 0xffffffff, AddressBits: 32, AddressBytes: 5, ValueBytes: 1,
			Value: 0x55,
		}},
		{"data of 1 byte", dataBoth, "06 7f", Packet{Kind: NormalData, ValueBytes: 1, Value: 0x7f}},
		{"data of 2 bytes", dataBoth, "0a 3412", Packet{Kind: NormalData, ValueBytes: 2, Value: 0x1234}},
		{"value without address", values, "2e 01020304",
			Packet{Kind: NormalData, NewAddress: true, ValueBytes: 4, Value: 0x04030201}},
		{"address without value", addresses, "2e 8401", Packet{
			Kind: NormalData, NewAddress: true, Address: 0x84, AddressBits: 14, AddressBytes: 2, ValueBytes: 4,
		}},
		{"neither address nor value", addresses, "0e", Packet{Kind: NormalData, ValueBytes: 4}},
		{"placeholder", dataBoth, "74 8401", Packet{Kind: OutOfOrderPlaceholder, Tag: 1, NewAddress: true, Address: 0x84,
			AddressBits: 14, AddressBytes: 2}},
		{"placeholder without address", dataBoth, "58", Packet{Kind: OutOfOrderPlaceholder, Tag: 2}},
		{"out-of-order data", dataBoth, "2c 04030201", Packet{Kind: OutOfOrderData, Tag: 1, ValueBytes: 4,
			Value: 0x01020304}},
		{"out-of-order data of value 0", dataBoth, "40", Packet{Kind: OutOfOrderData, Tag: 2}},
		{"out-of-order data of 1 byte", dataBoth, "64 55", Packet{Kind: OutOfOrderData, Tag: 3, ValueBytes: 1, Value: 0x55}},
		{"value not traced", dataBoth, "6a", Packet{Kind: ValueNotTraced}},
		{"value not traced, with address", dataBoth, "7a 8401", Packet{
			Kind: ValueNotTraced, NewAddress: true, Address: 0x84, AddressBits: 14, AddressBytes: 2,
		}},
		{"data-only data", dataOnly, "26 04 55", Packet{
			Kind: NormalData, NewAddress: true, Address: 4, AddressBits: 7, AddressBytes: 1, ValueBytes: 1, Value: 0x55,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Len = len(unhex(t, tt.bytes))
			checkPacket(t, &tt.cfg, tt.bytes, tt.want)
		})
	}
}

// checkPacket checks that the bytes, and no part of them, parse to want, and that
// want is written as these bytes.
func checkPacket(t *testing.T, cfg *Config, hex string, want Packet) {
	t.Helper()
	b := unhex(t, hex)
	got := sentinel
	// What follows in the stream is no part of the packet.
	if err := cfg.Parse(&got, append(bytes.Clone(b), 0xff, 0xff)); err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("Parse(%s):\n got %+v\nwant %+v", hex, got, want)
	}
	if got := cfg.Append([]byte{1}, want); !bytes.Equal(got[1:], b) || got[0] != 1 {
		t.Errorf("Append = % x, want % x", got[1:], b)
	}
	checkPrefixes(t, cfg, b)
}

// sentinel has every field set, so that a field that Parse does not clear shows.
var sentinel = Packet{
	Kind: 99, Len: -1, Atoms: Atoms{N: 99, Count: 99, Waits: 99, Between: 99, Format: 99},
	Branch: Branch{
		Address: 99, Bits: 99, Bytes: 99, ISA: 99, Info: 99, AltISA: true, NS: true, Hyp: true, Cancel: true,
		Old: true, Exception: 99, HasResume: true, Resume: 99,
	},
	Address: 99, AddressBits: 99, AddressBytes: 99, ISA: 99, AltISA: true, NS: true, Hyp: true, Reason: 99,
	LSiP: true, Bad: true, HasCycles: true, CycleBytes: 99, Cycles: 99, ContextID: 99, VMID: 99,
	Timestamp: 99, TimestampBytes: 99, ClockChange: true,
	NewAddress: true, BigEndian: true, Tag: 99, ValueBytes: 99, Value: 99,
}

// checkPrefixes checks that every prefix of the packet b is reported as cut off.
func checkPrefixes(t *testing.T, cfg *Config, b []byte) {
	t.Helper()
	for n := range b {
		p := sentinel
		if err := cfg.Parse(&p, b[:n]); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("Parse of the first %d bytes of % x: error %v, want %v", n, b, err, io.ErrUnexpectedEOF)
		}
		if p != sentinel {
			t.Errorf("Parse of the first %d bytes of % x failed and left %+v", n, b, p)
		}
	}
}

func TestBadPackets(t *testing.T) {
	zeros := func(n int, tail ...byte) []byte { return append(make([]byte, n), tail...) }
	const fifth = "a fifth address byte that is reserved"
	for _, tt := range []struct {
		name     string
		cfg      Config
		bytes    []byte
		reserved bool
		reason   string
	}{
		{"a-sync of one zero", plain, zeros(1, 0x80), false, "an A-sync of fewer than five zeros"},
		{"a-sync of four zeros", plain, zeros(4, 0x80), false, "an A-sync of fewer than five zeros"},
		{"a-sync ends otherwise", plain, zeros(5, 0x08), false, "an A-sync that does not end in 80"},
		{"a-sync of too many zeros", plain, zeros(async.MaxZeros+1, 0x80), false,
			"an A-sync of more zeros than any hardware sends"},
		{"zeros without end", plain, zeros(async.MaxZeros + 1000), false, "an A-sync of more zeros than any hardware sends"},
		{"header 10", plain, unhex(t, "10"), true, "no packet has that header"},
		{"context id where there are none", plain, unhex(t, "6e00"), true,
			"a Context ID packet, but ETMCR[15:14] says there are none"},
		{"data where there is none", plain, unhex(t, "06"), true,
			"a data packet, but ETMCR[3:2] says there is no data trace"},
		{"data suppressed where there is none", plain, unhex(t, "62"), true,
			"a data packet, but ETMCR[3:2] says there is no data trace"},
		{"out-of-order data without values", addresses, unhex(t, "20"), true,
			"a packet about a data value, but ETMCR[2] says there are none"},
		{"store failed without values", addresses, unhex(t, "50"), true,
			"a packet about a data value, but ETMCR[2] says there are none"},
		{"atoms in data-only mode", dataOnly, unhex(t, "84"), true, "not in data-only mode, which ETMCR[20] says is on"},
		{"branch in data-only mode", dataOnly, unhex(t, "05"), true, "not in data-only mode, which ETMCR[20] says is on"},
		{"count in data-only mode", dataOnly, unhex(t, "0405"), true, "not in data-only mode, which ETMCR[20] says is on"},
		{"i-sync with count in data-only mode", dataOnly, unhex(t, "70052a29"), true,
			"not in data-only mode, which ETMCR[20] says is on"},
		{"format 4 in v3.2", Config{Minor: 2, CycleAccurate: true}, unhex(t, "92"), true,
			"a P-header that v3.2 reserves in this mode"},
		{"fifth address byte 00", plain, unhex(t, "8180808000"), false, fifth},
		{"fifth address byte 07", plain, unhex(t, "8180808007"), false, fifth},
		{"fifth address byte 40", plain, unhex(t, "8180808040"), false, fifth},
		{"old form in the alternative encoding", alternate, unhex(t, "81808080c8"), false, fifth},
		{"old form in an i-sync with LSiP", plain, unhex(t, "08a10080000081808080c8"), false, fifth},
		{"information byte 1 twice", plain, unhex(t, "8180808048808001"), false, "a second information byte 1"},
		{"information byte behind byte 2", plain, unhex(t, "818080804880c0"), false, "an information byte behind byte 2"},
		{"information byte behind bytes 1 and 2", plain, unhex(t, "81808080488080c0"), false,
			"an information byte behind byte 2"},
	} {
		p := sentinel
		err := tt.cfg.Parse(&p, tt.bytes)
		syntax, ok := errors.AsType[*decode.SyntaxError](err)
		switch {
		case !ok:
			t.Errorf("%s: error %v, want a *SyntaxError", tt.name, err)
		case *syntax != decode.SyntaxError{Protocol: "etmv3", Header: tt.bytes[0], Reserved: tt.reserved, Reason: tt.reason}:
			t.Errorf("%s: %+v", tt.name, syntax)
		case p != sentinel:
			t.Errorf("%s: left %+v", tt.name, p)
		}
	}
}

// The longest A-sync, and all but its last byte.
func TestASyncLimit(t *testing.T) {
	b := append(make([]byte, async.MaxZeros), 0x80)
	var p Packet
	if err := plain.Parse(&p, b); err != nil || p != (Packet{Kind: ASync, Len: async.MaxZeros + 1}) {
		t.Errorf("%d zeros and 80: %+v, %v", async.MaxZeros, p, err)
	}
	if got := plain.Append(nil, p); !bytes.Equal(got, b) {
		t.Errorf("Append gives %d bytes, want %d", len(got), len(b))
	}
	if err := plain.Parse(&p, b[:async.MaxZeros]); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d zeros: %v, want %v", async.MaxZeros, err, io.ErrUnexpectedEOF)
	}
}

// Bits that a reader ignores, each with the bytes hardware would have sent.
func TestIgnoredBits(t *testing.T) {
	for _, tt := range []struct {
		name      string
		cfg       Config
		sent, got string
	}{
		{"i-sync information bit 0", plain, "08 21 00100000", "08 20 00100000"},
		{"i-sync AltISA before v3.3", Config{Minor: 2}, "08 21 00100000", "08 25 00100000"},
		{"i-sync Hyp without virtualization", plain, "08 21 00100000", "08 23 00100000"},
		{"data-only i-sync", dataOnly, "08 2a 29", "08 2a be"},
		{"second address bit 0", plain, "08 a1 00800000 0b", "08 a1 00800000 0a"},
		{"fifth count byte", counted, "04 ffffffff05", "04 fffffffff5"},
		{"fifth count byte of an i-sync", counted, "70 ffffffff05 21 00100000", "70 fffffffff5 21 00100000"},
		{"branch information byte 1, Hyp without virtualization", plain, "8180808048 9c01", "8180808048 9c21"},
		{"branch information byte 2 bits 5:4", plain, "8180808048 9c45", "8180808048 9c75"},
		{"fifth data address byte", dataBoth, "22 8080808012", "22 80808080f2"},
		{"last byte of a 48-bit timestamp", plain, "42 80808080808021", "42 808080808080e1"},
	} {
		var sent, got Packet
		err := errors.Join(tt.cfg.Parse(&sent, unhex(t, tt.sent)), tt.cfg.Parse(&got, unhex(t, tt.got)))
		if err != nil || sent != got || got.Len != len(unhex(t, tt.got)) {
			t.Errorf("%s: %v\n got %+v\nwant %+v", tt.name, err, got, sent)
		}
		if b := tt.cfg.Append(nil, got); !bytes.Equal(b, unhex(t, tt.sent)) {
			t.Errorf("%s: Append = % x, want %s", tt.name, b, tt.sent)
		}
	}
}

func TestAppendUnknownKind(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Append of no kind does not panic")
		}
	}()
	plain.Append(nil, Packet{})
}

func TestParseAllocatesNothing(t *testing.T) {
	cfg := Config{Minor: 5, ContextIDBytes: 4, DataAddress: true, DataValue: true, CycleAccurate: true, Timestamp64: true}
	for _, s := range []string{
		"000000000080", "84", "8d80808048 9d20", "08 78563412 21 00100000", "70 05 78563412 a1 00800000 8180848048 01",
		"04 8f3c", "6e 78563412", "3c05", "42 8080808080808080ff", "2e 8401 ddccbbaa",
	} {
		b := unhex(t, s)
		var p Packet
		if n := testing.AllocsPerRun(10, func() {
			if err := cfg.Parse(&p, b); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", s, n)
		}
	}
}
