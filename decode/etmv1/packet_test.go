package etmv1

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// codes are those of docs/etmv2.md §8.3 and more: in an address bit 0 is Thumb.
var codes = []struct {
	name    string
	address Address
	bytes   string
}{
	{"reason 1", Address{Address: 0x8000, Bytes: 5, Reason: TraceOn}, "80 80 82 80 10"},
	{"reason 2", Address{Address: 0x8041, Bytes: 5, Reason: Overflow}, "c1 80 82 80 20"},
	{"reason 3", Address{Address: 0x8018, Bytes: 5, Reason: DebugExit}, "98 80 82 80 30"},
	{"reason 4", Address{Address: 0x8000, Bytes: 5, Reason: Periodic}, "80 80 82 80 40"},
	{"reason 7", Address{Address: 0x8000, Bytes: 5, Reason: 7}, "80 80 82 80 70"},
	{"reason 0", Address{Address: 0x12345678, Bytes: 5}, "f8 ac d1 91 01"},
	{"all ones", Address{Address: 0xffffffff, Bytes: 5}, "ff ff ff ff 0f"},
	{"Thumb", Address{Address: 0x41, Bytes: 1}, "41"},
	{"A[19] changed", Address{Address: 0x195678, Bytes: 3}, "f8 ac 65"},
	{"four bytes", Address{Address: 0x8008000, Bytes: 4}, "80 80 82 40"},
	{"a vector", Address{Address: 0x18, Bytes: 3}, "98 80 00"},
	{"one byte", Address{Address: 4, Bytes: 1}, "04"},
	{"Jazelle", Address{Address: 0x9000, Bytes: 5, Jazelle: true}, "80 a0 82 80 80"},
	{"Jazelle, reason 4", Address{Address: 0x9000, Bytes: 5, Reason: Periodic, Jazelle: true}, "80 a0 82 80 c0"},
}

func TestAddress(t *testing.T) {
	for _, tt := range codes {
		want, err := hex.DecodeString(strings.ReplaceAll(tt.bytes, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		if got := AppendAddress(nil, tt.address); !bytes.Equal(got, want) {
			t.Errorf("%s: written as % x, want %s", tt.name, got, tt.bytes)
		}
		got, err := ParseAddress(append(want, 0xff))
		if err != nil || got != tt.address {
			t.Errorf("%s: %s reads %+v, %v, want %+v", tt.name, tt.bytes, got, err, tt.address)
		}
		for n := range want {
			if _, err := ParseAddress(want[:n]); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s: the first %d bytes read as a whole, %v", tt.name, n, err)
			}
		}
	}
}

// Bits that are not sent do not matter to the bytes.
func TestAddressHighBits(t *testing.T) {
	if got := AppendAddress(nil, Address{Address: 0x12395678, Bytes: 3}); !bytes.Equal(got, []byte{0xf8, 0xac, 0x65}) {
		t.Errorf("% x", got)
	}
}

func TestAddressBytes(t *testing.T) {
	for _, tt := range []struct {
		address, last schema.Address
		want          uint8
	}{
		{0x8000, 0x8000, 1},
		{0x8004, 0x8000, 1},
		{0x8041, 0x8000, 1},
		{0x8080, 0x8000, 2},
		{0x18, 0x8000, 3},
		{0x12395678, 0x12315678, 3},
		{0x08008000, 0x8000, 4},
		{0x10008000, 0x8000, 5},
		{0xffff0018, 0x8000, 5},
	} {
		if got := uint8(port.DataAddressBytes(tt.address, tt.last)); got != tt.want {
			t.Errorf("%#x after %#x: %d bytes, want %d", tt.address, tt.last, got, tt.want)
		}
	}
}

func TestReason(t *testing.T) {
	for r := range Reason(8) {
		if r.Restarts() != (r >= 1 && r <= 3) || r.Reserved() != (r >= 5) {
			t.Errorf("reason %d: restarts %v, reserved %v", r, r.Restarts(), r.Reserved())
		}
	}
	if (&Address{Bytes: 5}).HasContextID() || !(&Address{Bytes: 5, Reason: Periodic}).HasContextID() || (&Address{Bytes: 4, Reason: Periodic}).HasContextID() {
		t.Error("a Context ID follows full addresses with a reason alone")
	}
}
