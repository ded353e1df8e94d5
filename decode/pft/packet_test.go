package pft

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
	plain     = Config{Minor: 1}
	counted   = Config{Minor: 1, CycleAccurate: true}
	contexts1 = Config{Minor: 1, ContextIDBytes: 1}
	contexts2 = Config{Minor: 1, ContextIDBytes: 2}
	contexts4 = Config{Minor: 1, ContextIDBytes: 4}
	wide      = Config{Minor: 1, Timestamp64: true}
	wideCA    = Config{Minor: 1, Timestamp64: true, CycleAccurate: true, ContextIDBytes: 4}
)

// unhex turns "08 00100000 21" into bytes.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestPacket(t *testing.T) {
	tests := []struct {
		name  string
		cfg   Config
		bytes string
		want  Packet // without Len, which is that of bytes
	}{
		{"a-sync", plain, "00 00 00 00 00 80", Packet{Kind: ASync}},
		{"a-sync, more zeros", plain, "00 00 00 00 00 00 00 80", Packet{Kind: ASync}},

		{"i-sync periodic", plain, "08 2b090080 01", Packet{Kind: ISync, Address: 0x8000092a, ISA: schema.T32}},
		{"i-sync debug exit", plain, "08 54050080 61", Packet{Kind: ISync, Address: 0x80000554,
			Reason: schema.ISyncDebugExit}},
		{"i-sync overflow", plain, "08 00100000 41", Packet{Kind: ISync, Address: 0x1000, Reason: schema.ISyncOverflow}},
		{"i-sync, all flags", plain, "08 01800000 2f", Packet{
			Kind: ISync, Address: 0x8000, ISA: schema.T32EE, Reason: schema.ISyncTraceOn, AltISA: true, NS: true, Hyp: true,
		}},
		{"i-sync, AltISA without T", plain, "08 00800000 25",
			Packet{Kind: ISync, Address: 0x8000, Reason: schema.ISyncTraceOn, AltISA: true}},
		{"i-sync periodic has no count", counted, "08 00800000 01", Packet{Kind: ISync, Address: 0x8000}},
		{"i-sync count of one byte", counted, "08 e304c021 21 80", Packet{
			Kind: ISync, Address: 0x21c004e2, ISA: schema.T32, Reason: schema.ISyncTraceOn, HasCycles: true, CycleBytes: 1,
		}},
		{"i-sync count of two bytes", counted, "08 e304c021 21 f035", Packet{ // 12 + 53·16
			Kind: ISync, Address: 0x21c004e2, ISA: schema.T32, Reason: schema.ISyncTraceOn, HasCycles: true, Cycles: 860,
			CycleBytes: 2,
		}},
		{"i-sync context id 1", contexts1, "08 00800000 21 a5",
			Packet{Kind: ISync, Address: 0x8000, Reason: schema.ISyncTraceOn, ContextID: 0xa5}},
		{"i-sync context id 2", contexts2, "08 00800000 21 a5b6",
			Packet{Kind: ISync, Address: 0x8000, Reason: schema.ISyncTraceOn, ContextID: 0xb6a5}},
		{"i-sync context id 4", contexts4, "08 00800000 29 44332211", Packet{
			Kind: ISync, Address: 0x8000, Reason: schema.ISyncTraceOn, NS: true, ContextID: 0x11223344,
		}},
		{"i-sync count and context id", wideCA, "08 00800000 61 c401 44332211", Packet{
			Kind: ISync, Address: 0x8000, Reason: schema.ISyncDebugExit,
			HasCycles: true, Cycles: 17, CycleBytes: 2, ContextID: 0x11223344,
		}},

		{"atom EEN", plain, "92", Packet{Kind: Atom, Atoms: 0b100, AtomCount: 3}},
		{"atom E with count 0", counted, "80", Packet{Kind: Atom, AtomCount: 1, HasCycles: true}},
		{"atom N with count 15", counted, "be", Packet{Kind: Atom, Atoms: 1, AtomCount: 1, HasCycles: true, Cycles: 15}},
		{"atom N with count 19", counted, "ce01", Packet{Kind: Atom, Atoms: 1, AtomCount: 1, HasCycles: true, Cycles: 19,
			CycleBytes: 1}},
		{"atom E with the highest count", counted, "fc ffffff7f",
			Packet{Kind: Atom, AtomCount: 1, HasCycles: true, Cycles: 0xffffffff, CycleBytes: 4}},
		{"atom with a count longer than needed", counted, "c0 808000",
			Packet{Kind: Atom, AtomCount: 1, HasCycles: true, CycleBytes: 3}},

		// Addresses are 0xfedcba98: 111 1111011 0111001 0111010 100110 (00) in A32,
		// 1111 1110110 1110010 1110101 001100 (0) in T32, and
		// 11111 1101101 1100101 1101010 011000 in Jazelle state.
		{"branch 1 byte", plain, "4d", Packet{Kind: BranchAddress, Address: 0x26, AddressBits: 6, AddressBytes: 1}},
		{"branch 2 bytes", plain, "cd 3a", Packet{Kind: BranchAddress, Address: 0xea6, AddressBits: 12, AddressBytes: 2}},
		{"branch 3 bytes", plain, "cd ba39", Packet{Kind: BranchAddress, Address: 0x72ea6, AddressBits: 19, AddressBytes: 3}},
		{"branch 4 bytes", plain, "cd bab93b", Packet{Kind: BranchAddress, Address: 0x3b72ea6, AddressBits: 26,
			AddressBytes: 4}},
		{"branch a32", plain, "cd bab9fb0f", Packet{Kind: BranchAddress, Address: 0xfedcba98 >> 2, AddressBits: 30,
			AddressBytes: 5, ISA: schema.A32}},
		{"branch t32", plain, "99 f5f2f61f", Packet{Kind: BranchAddress, Address: 0xfedcba98 >> 1, AddressBits: 31,
			AddressBytes: 5, ISA: schema.T32}},
		{"branch jazelle", plain, "b1 eae5ed3f", Packet{Kind: BranchAddress, Address: 0xfedcba98, AddressBits: 32,
			AddressBytes: 5, ISA: schema.Jazelle}},
		{"branch longer than needed", plain, "81 80808008", Packet{Kind: BranchAddress, AddressBits: 30, AddressBytes: 5}},
		{"branch with count", counted, "81 10 7c1f", Packet{
			Kind: BranchAddress, Address: 0x400, AddressBits: 12, AddressBytes: 2, HasCycles: true, Cycles: 511, CycleBytes: 2,
		}},
		{"branch of 1 byte with count of 5", counted, "03 7cffffff7f", Packet{
			Kind: BranchAddress, Address: 1, AddressBits: 6, AddressBytes: 1, HasCycles: true, Cycles: 0xffffffff, CycleBytes: 5,
		}},
		{"branch to non-secure", plain, "81 90818048 01", Packet{
			Kind: BranchAddress, Address: 0x9000 >> 2, AddressBits: 30, AddressBytes: 5, Info: 1, NS: true,
		}},
		{"branch to non-secure, 2 bytes", plain, "81 50 01", Packet{
			Kind: BranchAddress, Address: 0x1000 >> 2, AddressBits: 12, AddressBytes: 2, Info: 1, NS: true,
		}},
		{"branch with information, 3 bytes", plain, "81 c041 41", Packet{
			Kind: BranchAddress, Address: 0x40<<6 | 1<<13, AddressBits: 19, AddressBytes: 3, Info: 1, NS: true, AltISA: true,
		}},
		{"branch with information, 4 bytes", plain, "81 c0807f 80 20", Packet{
			Kind: BranchAddress, Address: 0x40<<6 | 0x3f<<20, AddressBits: 26, AddressBytes: 4, Info: 2, Hyp: true,
		}},
		{"exception IRQ", plain, "8d 80808048 1c", Packet{
			Kind: BranchAddress, Address: 0x18 >> 2, AddressBits: 30, AddressBytes: 5, Info: 1, Exception: 14,
		}},
		{"exception FIQ t32", plain, "9d 80808050 1e", Packet{
			Kind: BranchAddress, Address: 0x1c >> 1, AddressBits: 31, AddressBytes: 5, ISA: schema.T32, Info: 1, Exception: 15,
		}},
		{"exception Hyp", plain, "8b 80808048 87 20", Packet{
			Kind: BranchAddress, Address: 0x14 >> 2, AddressBits: 30, AddressBytes: 5, Info: 2, NS: true, Hyp: true,
			Exception: 3,
		}},
		{"exception 511", plain, "81 80808048 9e 1f", Packet{
			Kind: BranchAddress, AddressBits: 30, AddressBytes: 5, Info: 2, Exception: 511,
		}},
		{"exception 16", plain, "81 80808048 80 01", Packet{
			Kind: BranchAddress, AddressBits: 30, AddressBytes: 5, Info: 2, Exception: 16,
		}},
		{"exception with count", counted, "8d 80808048 9d 20 04", Packet{
			Kind: BranchAddress, Address: 0x18 >> 2, AddressBits: 30, AddressBytes: 5, Info: 2, NS: true, Hyp: true,
			Exception: 14,
			HasCycles: true, Cycles: 1, CycleBytes: 1,
		}},

		{"waypoint 1 byte", plain, "72 05", Packet{Kind: WaypointUpdate, Address: 2, AddressBits: 6, AddressBytes: 1}},
		{"waypoint 2 bytes", plain, "72 85 10", Packet{Kind: WaypointUpdate, Address: 0x402, AddressBits: 12,
			AddressBytes: 2}},
		{"waypoint 4 bytes", plain, "72 cd bab93b", Packet{Kind: WaypointUpdate, Address: 0x3b72ea6, AddressBits: 26,
			AddressBytes: 4}},
		{"waypoint a32", plain, "72 cd bab9fb0f", Packet{Kind: WaypointUpdate, Address: 0xfedcba98 >> 2, AddressBits: 30,
			AddressBytes: 5}},
		{"waypoint has no count", counted, "72 99 f5f2f61f", Packet{
			Kind: WaypointUpdate, Address: 0xfedcba98 >> 1, AddressBits: 31, AddressBytes: 5, ISA: schema.T32,
		}},
		{"waypoint with information", plain, "72 99 f5f2f65f 40", Packet{
			Kind: WaypointUpdate, Address: 0xfedcba98 >> 1, AddressBits: 31, AddressBytes: 5, ISA: schema.T32, Info: 1,
			AltISA: true,
		}},
		{"waypoint with empty information", plain, "72 99 f5f2f65f 00", Packet{
			Kind: WaypointUpdate, Address: 0xfedcba98 >> 1, AddressBits: 31, AddressBytes: 5, ISA: schema.T32, Info: 1,
		}},

		{"trigger", plain, "0c", Packet{Kind: Trigger}},
		{"context id 1", contexts1, "6e 78", Packet{Kind: ContextID, ContextID: 0x78}},
		{"context id 2", contexts2, "6e 7856", Packet{Kind: ContextID, ContextID: 0x5678}},
		{"context id 4", contexts4, "6e 78563412", Packet{Kind: ContextID, ContextID: 0x12345678}},
		{"vmid", plain, "3c 05", Packet{Kind: VMID, VMID: 5}},
		{"exception return", counted, "76", Packet{Kind: ExceptionReturn}},
		{"ignore", counted, "66", Packet{Kind: Ignore}},

		{"timestamp 1 byte", plain, "42 7f", Packet{Kind: Timestamp, Timestamp: 0x7f, TimestampBytes: 1}},
		{"timestamp 3 bytes", plain, "42 f3e824", Packet{Kind: Timestamp, Timestamp: 0x73 | 0x68<<7 | 0x24<<14,
			TimestampBytes: 3}},
		{"timestamp, new clock", plain, "46 01", Packet{Kind: Timestamp, Timestamp: 1, TimestampBytes: 1, ClockChange: true}},
		{"timestamp 48", plain, "42 ffffffffffff3f", Packet{Kind: Timestamp, Timestamp: 1<<48 - 1, TimestampBytes: 7}},
		{"timestamp 48, highest bit", plain, "42 80808080808020",
			Packet{Kind: Timestamp, Timestamp: 1 << 47, TimestampBytes: 7}},
		{"timestamp 64", wide, "42 ffffffffffffffffff", Packet{Kind: Timestamp, Timestamp: 1<<64 - 1, TimestampBytes: 9}},
		{"timestamp 64, highest bit", wide, "42 808080808080808080",
			Packet{Kind: Timestamp, Timestamp: 1 << 63, TimestampBytes: 9}},
		{"timestamp 64, 8 bytes", wide, "42 8080808080808040",
			Packet{Kind: Timestamp, Timestamp: 1 << 55, TimestampBytes: 8}},
		{"timestamp 48 with count", counted, "42 f3e824 7c02", Packet{
			Kind: Timestamp, Timestamp: 0x73 | 0x68<<7 | 0x24<<14, TimestampBytes: 3, HasCycles: true, Cycles: 47, CycleBytes: 2,
		}},
		{"timestamp 64 with count", wideCA, "42 8080808080808080ff 00", Packet{
			Kind: Timestamp, Timestamp: 0xff << 56, TimestampBytes: 9, HasCycles: true, CycleBytes: 1,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := unhex(t, tt.bytes)
			tt.want.Len = len(b)
			got := sentinel
			// What follows in the stream is no part of the packet.
			if err := tt.cfg.Parse(&got, append(bytes.Clone(b), 0xff, 0xff)); err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("Parse:\n got %+v\nwant %+v", got, tt.want)
			}
			if got := tt.cfg.Append([]byte{1}, tt.want); !bytes.Equal(got[1:], b) || got[0] != 1 {
				t.Errorf("Append = % x, want % x", got[1:], b)
			}
			checkPrefixes(t, &tt.cfg, b)
		})
	}
}

// sentinel has every field set, so that a field that Parse does not clear shows.
var sentinel = Packet{
	Kind: 99, Len: -1, Atoms: 99, AtomCount: 99, Address: 99, AddressBits: 99, AddressBytes: 99, ISA: 99,
	Info: 99, AltISA: true, NS: true, Hyp: true, Exception: 99, Reason: 99,
	HasCycles: true, Cycles: 99, CycleBytes: 99, ContextID: 99, VMID: 99,
	Timestamp: 99, TimestampBytes: 99, ClockChange: true,
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

// Every atom header of table 4.1 outside cycle-accurate mode, by the position of
// the marker; the letters are the F bits from high to low.
func TestAtoms(t *testing.T) {
	n := 0
	for h := 0x80; h < 0x100; h += 2 {
		var letters []byte
		for bit := 6; bit >= 1; bit-- {
			if h>>bit&1 == 1 { // the marker
				for bit--; bit >= 1; bit-- {
					letters = append(letters, map[int]byte{0: 'E', 1: 'N'}[h>>bit&1])
				}
			}
		}
		if letters == nil {
			continue
		}
		n++
		want := string(letters)
		var p Packet
		if err := plain.Parse(&p, []byte{byte(h)}); err != nil {
			t.Fatal(err)
		}
		if got := p.atomString(); got != want {
			t.Errorf("header %02x: atoms %s, want %s", h, got, want)
		}
		if got := plain.Append(nil, p); !bytes.Equal(got, []byte{byte(h)}) {
			t.Errorf("Append of %s = % x, want %02x", want, got, h)
		}
	}
	if n != 62 {
		t.Errorf("%d atom headers, want 62", n)
	}
	for h, want := range map[byte]string{0x84: "E", 0x86: "N", 0x8a: "EN", 0x8c: "NE", 0x92: "EEN", 0xa2: "EEEN",
		0xe0: "NEEEE", 0xc2: "EEEEN"} {
		var p Packet
		if err := plain.Parse(&p, []byte{h}); err != nil || p.atomString() != want {
			t.Errorf("header %02x: %s, %v, want %s", h, p.atomString(), err, want)
		}
	}
}

// Table 4.1 as patterns; x is either.
func TestHeaders(t *testing.T) {
	const always = 0
	const notCounted, onlyCounted = 1, 2
	table := []struct {
		pattern string
		kind    Kind
		mode    int
	}{
		{"00000000", ASync, always},
		{"00001000", ISync, always},
		{"100001x0", Atom, notCounted},
		{"10001xx0", Atom, notCounted},
		{"1001xxx0", Atom, notCounted},
		{"101xxxx0", Atom, notCounted},
		{"11xxxxx0", Atom, notCounted},
		{"1xxxxxx0", Atom, onlyCounted},
		{"xxxxxxx1", BranchAddress, always},
		{"01110010", WaypointUpdate, always},
		{"00001100", Trigger, always},
		{"01101110", ContextID, always},
		{"00111100", VMID, always},
		{"01000x10", Timestamp, always},
		{"01110110", ExceptionReturn, always},
		{"01100110", Ignore, always},
	}
	lookup := func(h byte, mode int) Kind {
		for _, row := range table {
			var mask, value byte
			for _, c := range row.pattern {
				mask, value = mask<<1, value<<1
				if c != 'x' {
					mask |= 1
					value |= byte(c - '0')
				}
			}
			if h&mask == value && (row.mode == always || row.mode == mode) {
				return row.kind
			}
		}
		return 0
	}
	// A payload that makes each kind whole.
	payload := []byte{0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	for _, tt := range []struct {
		name     string
		cfg      Config
		mode     int
		reserved int
	}{
		{"not cycle-accurate", Config{ContextIDBytes: 4}, notCounted, 56},
		{"cycle-accurate", Config{ContextIDBytes: 4, CycleAccurate: true}, onlyCounted, 54},
		{"1.1", Config{ContextIDBytes: 4, Minor: 1, Timestamp64: true}, notCounted, 56},
	} {
		reserved := 0
		for h := range 256 {
			want := lookup(byte(h), tt.mode)
			p := sentinel
			err := tt.cfg.Parse(&p, append([]byte{byte(h)}, payload...))
			if want != 0 {
				if err != nil || p.Kind != want {
					t.Errorf("%s: header %02x: kind %v, error %v, want kind %v", tt.name, h, p.Kind, err, want)
				}
				continue
			}
			reserved++
			syntax, ok := errors.AsType[*decode.SyntaxError](err)
			if !ok || !syntax.Reserved || syntax.Header != byte(h) || syntax.Reason == "" {
				t.Errorf("%s: reserved header %02x: error %v", tt.name, h, err)
			}
			if p != sentinel {
				t.Errorf("%s: reserved header %02x left %+v", tt.name, h, p)
			}
		}
		if reserved != tt.reserved {
			t.Errorf("%s: %d reserved headers, want %d", tt.name, reserved, tt.reserved)
		}
	}
}

func TestBadPackets(t *testing.T) {
	zeros := func(n int, tail ...byte) []byte { return append(make([]byte, n), tail...) }
	for _, tt := range []struct {
		name     string
		bytes    []byte
		reserved bool
		message  string
	}{
		{"a-sync of one zero", zeros(1, 0x80), false, "pft: bad packet 0x00: an A-sync of fewer than five zeros"},
		{"a-sync of four zeros", zeros(4, 0x80), false, "pft: bad packet 0x00: an A-sync of fewer than five zeros"},
		{"a-sync ends otherwise", zeros(5, 0x08), false, "pft: bad packet 0x00: an A-sync that does not end in 80"},
		{"a-sync of too many zeros", zeros(async.MaxZeros+1, 0x80), false,
			"pft: bad packet 0x00: an A-sync of more zeros than any hardware sends"},
		{"zeros without end", zeros(async.MaxZeros + 1000), false,
			"pft: bad packet 0x00: an A-sync of more zeros than any hardware sends"},
		{"i-sync a32 at a halfword", unhex(t, "08 02100000 21"), false,
			"pft: bad packet 0x08: an I-sync in ARM state at an address that is no multiple of 4"},
		{"context id where there are none", unhex(t, "6e 00"), true,
			"pft: reserved header 0x6e: a Context ID packet, but ETMCR[15:14] says there are none"},
		{"atom header without atoms", unhex(t, "80"), true, "pft: reserved header 0x80: an atom header without atoms"},
		{"header 02", unhex(t, "02"), true, "pft: reserved header 0x02: table 4.1 has no packet of that header"},
	} {
		p := sentinel
		err := plain.Parse(&p, tt.bytes)
		syntax, ok := errors.AsType[*decode.SyntaxError](err)
		switch {
		case !ok:
			t.Errorf("%s: error %v, want a *SyntaxError", tt.name, err)
		case syntax.Reserved != tt.reserved, syntax.Header != tt.bytes[0], syntax.Error() != tt.message:
			t.Errorf("%s: %+v: %v", tt.name, syntax, syntax)
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
		{"i-sync information bit 0", plain, "08 00100000 21", "08 00100000 20"},
		{"i-sync information bit 4", plain, "08 00100000 21", "08 00100000 31"},
		{"i-sync information bit 7", plain, "08 00100000 21", "08 00100000 a1"},
		{"i-sync count bit 7", counted, "08 00100000 21 84", "08 00100000 21 04"},
		{"branch count bit 7", counted, "03 04", "03 84"},
		{"timestamp count bit 7", counted, "42 01 04", "42 01 84"},
		{"count bits 1:0", counted, "03 04", "03 07"},
		{"fifth count byte bit 7", counted, "fc ffffff7f", "fc ffffffff"},
		{"fifth address byte bit 3 in ARM state", plain, "81 80808009", "81 80808001"},
		{"fifth address byte bit 7", plain, "81 80808019", "81 80808099"},
		{"branch information byte 0 bit 5", plain, "81 80808048 1c", "81 80808048 3c"},
		{"branch information byte 1 bits 7:6", plain, "81 80808048 9c 20", "81 80808048 9c e0"},
		{"waypoint first byte bit 0", plain, "72 05", "72 04"},
		{"waypoint last byte bit 6", plain, "72 85 10", "72 85 50"},
		{"waypoint information", plain, "72 81 80808058 40", "72 81 80808058 ff"},
		{"last byte of a 48-bit timestamp bits 7:6", plain, "42 80808080808021", "42 808080808080e1"},
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
	for _, s := range []string{
		"00 00 00 00 00 80", "08 00800000 61 c401 44332211", "fc ffffff7f", "8d 80808048 9d 20 04",
		"72 99 f5f2f65f 40", "6e 78563412", "3c 05", "42 8080808080808080ff 00",
	} {
		b := unhex(t, s)
		var p Packet
		if n := testing.AllocsPerRun(10, func() {
			if err := wideCA.Parse(&p, b); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", s, n)
		}
	}
}
