package etmv2

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// Configurations of the tests.
var (
	plainTrace = Config{Config: port.Config{Number: 0x20, Width: 8}}
	dataBoth   = Config{Config: port.Config{Width: 8, DataAddress: true, DataValue: true}}
	addresses  = Config{Config: port.Config{Width: 8, DataAddress: true}}
	values     = Config{Config: port.Config{Width: 8, DataValue: true}}
	bigValues  = Config{Config: port.Config{Width: 8, DataValue: true, BigEndian: true}}
	contexts1  = Config{Config: port.Config{Width: 8, ContextIDBytes: 1}}
	contexts2  = Config{Config: port.Config{Width: 8, ContextIDBytes: 2}}
	contexts4  = Config{Config: port.Config{Width: 8, ContextIDBytes: 4}}
	anyLow     = Config{Config: port.Config{Width: 8}, TFOLow: 1}
)

// unhex turns "81 80" into bytes.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A codecBranch is a branch address of the golden vectors.
type codecBranch struct {
	Address, ISA string
	Last         []string
	E            bool
	Bytes        string
}

func pcIn(t testing.TB, address, isa string) decode.PC {
	t.Helper()
	v, err := strconv.ParseUint(address, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	state := schema.A32
	if isa == "t32" {
		state = schema.T32
	}
	return decode.PC{Address: schema.Address(v), ISA: state}
}

// The branch addresses of the golden vectors, both ways: A[19:0] takes three bytes in
// both states, a change of state five (§6.7.1).
func TestBranchVectors(t *testing.T) {
	text, err := os.ReadFile("../port/testdata/etmv2-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Codec struct {
			Branches []codecBranch `json:"etmv2_branch"`
		}
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Codec.Branches) < 26 {
		t.Fatalf("%d branch addresses", len(all.Codec.Branches))
	}
	for _, x := range all.Codec.Branches {
		to, want := pcIn(t, x.Address, x.ISA), unhex(t, x.Bytes)
		n, last := uint8(maxAddressBytes), decode.PC{Address: 0x55555554}
		if x.Last != nil {
			last = pcIn(t, x.Last[0], x.Last[1])
			n = BranchBytes(to, last, x.E)
		}
		if got := plainTrace.Append(nil, Packet{Kind: BranchAddress, Branch: NewBranch(to, x.E, n)}); !bytes.Equal(got, want) {
			t.Errorf("%+v: % x", x, got)
		}
		var p Packet
		if err := plainTrace.Parse(&p, want); err != nil || p.Len != len(want) || p.Branch.Target(last) != to || p.Branch.Cancel != x.E {
			t.Errorf("%+v: parsed %+v, %v", x, p, err)
		}
	}
}

// Table 6.9: of the fifth bytes 96 with bit 7 clear are reserved, and all 128 with bit
// 7 set.
func TestFifthByte(t *testing.T) {
	for x := range 256 {
		b := []byte{0x81, 0x80, 0x81, 0x80, byte(x)}
		isa, cancel, ok := schema.A32, false, true
		switch {
		case x >= 0x08 && x <= 0x0f:
		case x >= 0x48 && x <= 0x4f:
			cancel = true
		case x >= 0x10 && x <= 0x1f:
			isa = schema.T32
		default:
			ok = false
		}
		p := sentinel
		err := plainTrace.Parse(&p, b)
		syntax := (*decode.SyntaxError)(nil)
		switch {
		case !ok && (!errors.As(err, &syntax) || syntax.Reserved || p != sentinel):
			t.Errorf("fifth byte %02x: %v", x, err)
		case ok && (err != nil || p.Branch.ISA != isa || p.Branch.Cancel != cancel):
			t.Errorf("fifth byte %02x: %+v, %v", x, p, err)
		}
	}
}

var sentinel = Packet{Kind: 99, Len: 77}

func TestPacket(t *testing.T) {
	for _, tt := range []struct {
		name  string
		cfg   Config
		bytes string
		want  Packet // without Len, which is that of bytes
	}{
		{"normal data, nothing", plainTrace, "02", Packet{Kind: NormalData}},
		{"normal data, more", plainTrace, "a2", Packet{Kind: NormalData, More: true, NewAddress: true}},
		{"address and value", dataBoth, "2a 90 80 80 80 04 34 12", Packet{
			Kind: NormalData, NewAddress: true, Address: 0x40000010, AddressBits: 32, AddressBytes: 5, ValueBytes: 2, Value: 0x1234,
		}},
		{"short address", dataBoth, "22 05", Packet{Kind: NormalData, NewAddress: true, Address: 5, AddressBits: 7, AddressBytes: 1}},
		{"address of two bytes", dataBoth, "26 85 01 7f", Packet{
			Kind: NormalData, NewAddress: true, Address: 0x85, AddressBits: 14, AddressBytes: 2, ValueBytes: 1, Value: 0x7f,
		}},
		{"value of four bytes", dataBoth, "0e 78 56 34 12", Packet{Kind: NormalData, ValueBytes: 4, Value: 0x12345678}},
		{"big-endian value", bigValues, "0a 12 34", Packet{Kind: NormalData, ValueBytes: 2, Value: 0x1234}},
		{"address alone", addresses, "22 81 80 80 10", Packet{Kind: NormalData, NewAddress: true, Address: 0x02000001, AddressBits: 28, AddressBytes: 4}},
		{"value alone", values, "26 ff", Packet{Kind: NormalData, NewAddress: true, ValueBytes: 1, Value: 0xff}},
		{"load miss", dataBoth, "74 10", Packet{Kind: LoadMiss, Tag: 1, NewAddress: true, Address: 0x10, AddressBits: 7, AddressBytes: 1}},
		{"load miss, no address", dataBoth, "5c", Packet{Kind: LoadMiss, Tag: 3}},
		{"load miss data", dataBoth, "2c ef be ad de", Packet{Kind: LoadMissData, Tag: 1, ValueBytes: 4, Value: 0xdeadbeef}},
		{"load miss data of tag 0, more", dataBoth, "80", Packet{Kind: LoadMissData, More: true}},
		{"value not traced", dataBoth, "6a", Packet{Kind: ValueNotTraced}},
		{"value not traced, more", dataBoth, "ea", Packet{Kind: ValueNotTraced, More: true}},
		{"context id 1", contexts1, "6e 2a", Packet{Kind: ContextID, ContextID: 0x2a}},
		{"context id 2", contexts2, "ee 34 12", Packet{Kind: ContextID, ContextID: 0x1234, More: true}},
		{"context id 4", contexts4, "6e 78 56 34 12", Packet{Kind: ContextID, ContextID: 0x12345678}},
		{"branch", plainTrace, "03", Packet{Kind: BranchAddress, Branch: Branch{Address: 1, Bits: 6, Bytes: 1}}},
		{"branch of two bytes", plainTrace, "81 01", Packet{Kind: BranchAddress, Branch: Branch{Address: 0x40, Bits: 13, Bytes: 2}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := unhex(t, tt.bytes)
			tt.want.Len = len(b)
			var p Packet
			if err := tt.cfg.Parse(&p, b); err != nil || p != tt.want {
				t.Fatalf("Parse: %+v, %v\nwant %+v", p, err, tt.want)
			}
			if got := tt.cfg.Append(nil, p); !bytes.Equal(got, b) {
				t.Errorf("Append: % x", got)
			}
			for n := range b {
				q := sentinel
				if err := tt.cfg.Parse(&q, b[:n]); !errors.Is(err, io.ErrUnexpectedEOF) || q != sentinel {
					t.Errorf("%d bytes: %v, %+v", n, err, q)
				}
			}
		})
	}
}

func TestPacketErrors(t *testing.T) {
	for _, tt := range []struct {
		cfg      Config
		bytes    string
		reserved bool
	}{
		{plainTrace, "06", false},              // a value, but none is traced
		{addresses, "2e 01", false},            // likewise, after an address
		{addresses, "04", false},               // likewise, load miss data
		{dataBoth, "22 80 80 80 80 10", false}, // A[31:28] above 0xf
		{dataBoth, "22 80 80 80 80 80", false}, // likewise, more
		{plainTrace, "12", true},
	} {
		p := sentinel
		err := tt.cfg.Parse(&p, unhex(t, tt.bytes))
		syntax := (*decode.SyntaxError)(nil)
		if !errors.As(err, &syntax) || syntax.Reserved != tt.reserved || p != sentinel {
			t.Errorf("%s: %v", tt.bytes, err)
		}
	}
}

// All headers (docs/etmv2.md §5.4): 128 branch addresses, 68 packets, and the reserved
// ones, which the document lists with C = 0.
func TestHeaders(t *testing.T) {
	reserved := map[int]bool{}
	for _, x := range unhex(t, "10 12 14 16 18 1a 1c 1e 30 32 34 36 38 3a 3c 3e 42 46 4a 4e 52 56 5a 5e 62 66 72 76 7a 7e") {
		reserved[int(x)], reserved[int(x)|0x80] = true, true
	}
	n := map[Kind]int{}
	for h := range 256 {
		k := kindOf(byte(h))
		n[k]++
		if reserved[h] != (k == 0) {
			t.Errorf("header %02x is %d", h, k)
		}
	}
	want := map[Kind]int{0: 60, BranchAddress: 128, NormalData: 16, LoadMiss: 16, LoadMissData: 32, ValueNotTraced: 2, ContextID: 2}
	for k, count := range want {
		if n[k] != count {
			t.Errorf("%d headers of kind %d, want %d", n[k], k, count)
		}
	}
}

func TestAppendPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a packet without a kind was written")
		}
	}()
	plainTrace.Append(nil, Packet{})
}

func TestValueSize(t *testing.T) {
	for v, want := range map[uint32]uint8{0: 0, 1: 1, 0xff: 1, 0x100: 2, 0xffff: 2, 0x10000: 4, 1 << 31: 4} {
		if got := ValueSize(v); got != want {
			t.Errorf("%#x: %d", v, got)
		}
	}
}

func TestTFO(t *testing.T) {
	at := decode.PC{Address: 0x8000}
	for _, tt := range []struct {
		name  string
		cfg   Config
		bytes string
		want  TFO // without Len
	}{
		{"trace on", plainTrace, "20 00 80 00 00", TFO{Reason: schema.ISyncTraceOn, At: at}},
		{"periodic", plainTrace, "00 00 80 00 00", TFO{At: at}},
		{"Thumb, after overflow", plainTrace, "40 41 80 00 00", TFO{Reason: schema.ISyncOverflow, At: decode.PC{Address: 0x8040, ISA: schema.T32}}},
		{"debug exit, Context ID", contexts2, "60 34 12 00 80 00 00", TFO{Reason: schema.ISyncDebugExit, At: at, ContextID: 0x1234}},
		{"LSM in progress", plainTrace, "a0 14 80 00 00 0d", TFO{
			Reason: schema.ISyncTraceOn, LSM: true, At: decode.PC{Address: 0x8014}, Current: Branch{Address: 6, Bits: 6, Bytes: 1},
		}},
		{"LSM in progress, five bytes", plainTrace, "c0 14 80 00 00 c1 80 82 80 10", TFO{
			Reason: schema.ISyncOverflow, LSM: true, At: decode.PC{Address: 0x8014}, Current: NewBranch(decode.PC{Address: 0x8040, ISA: schema.T32}, false, 5),
		}},
		{"any low bits", anyLow, "25 00 80 00 00", TFO{Reason: schema.ISyncTraceOn, At: at, Low: 5}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := unhex(t, tt.bytes)
			tt.want.Len = len(b)
			var p TFO
			if err := tt.cfg.ParseTFO(&p, b); err != nil || p != tt.want {
				t.Fatalf("ParseTFO: %+v, %v\nwant %+v", p, err, tt.want)
			}
			if got := tt.cfg.AppendTFO(nil, p); !bytes.Equal(got, b) {
				t.Errorf("AppendTFO: % x", got)
			}
			for n := range b {
				if err := tt.cfg.ParseTFO(&p, b[:n]); !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("%d bytes: %v", n, err)
				}
			}
		})
	}
	for bad, reserved := range map[string]bool{"38 00 80 00 00": true, "80 00 80 00 00 01": false, "a0 14 80 00 00 81 80 81 80 07": false, "a0 14 80 00 00 30": false} {
		var p TFO
		syntax := (*decode.SyntaxError)(nil)
		if err := plainTrace.ParseTFO(&p, unhex(t, bad)); !errors.As(err, &syntax) || syntax.Reserved != reserved || p != (TFO{}) {
			t.Errorf("%s: %v, %+v", bad, err, p)
		}
	}
}

// The table of TFO values (docs/etmv2.md §5.2, §8.1).
func TestTFOValue(t *testing.T) {
	for _, tt := range []struct {
		code  TFOCode
		bytes string
	}{
		{TFOFlag, "09 59 f9 0b fb 0d fd 0f ff 01 71 f1"},
		{TFOPlain, "01 51 f1 03 f3 05 f5 07 f7 09 79 f9"},
	} {
		c := Config{TFO: tt.code}
		for i, x := range unhex(t, tt.bytes) {
			v := []int{0, 5, 15, 16, 31, 32, 47, 48, 63, 64, 71, 79}[i]
			if got, ok := c.TFOValue(x); got != v || !ok {
				t.Errorf("code %d: %02x is %d, want %d", tt.code, x, got, v)
			}
			if got := c.TFOByte(v); got != x {
				t.Errorf("code %d: %d is %02x, want %02x", tt.code, v, got, x)
			}
		}
		n := 0
		for x := range 256 {
			if v, ok := c.TFOValue(byte(x)); ok {
				n++
				if v > c.MaxTFOValue() || c.TFOByte(v) != byte(x) {
					t.Errorf("code %d: %02x is %d, which is %02x", tt.code, x, v, c.TFOByte(v))
				}
			}
		}
		if n != c.MaxTFOValue()+1 {
			t.Errorf("code %d: %d values, want %d", tt.code, n, c.MaxTFOValue()+1)
		}
	}
	// flag: 3 and 5 are reserved, 7 is an idle cycle of cycle-accurate trace.
	flagCode := Config{}
	for _, x := range unhex(t, "03 05 07 00 f2") {
		if v, ok := flagCode.TFOValue(x); ok {
			t.Errorf("%02x is %d", x, v)
		}
	}
}
