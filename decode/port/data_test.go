package port

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

func TestDataAddress(t *testing.T) {
	for _, test := range []struct {
		bytes   string
		address schema.Address
		bits    uint8
	}{
		{"00", 0, 7},
		{"7f", 0x7F, 7},
		{"8001", 0x80, 14},
		{"908000", 0x10, 21}, // longer than needed
		{"ffffff7f", 0x0FFFFFFF, 28},
		{"9080808004", 0x40000010, 32}, // of the stream H of docs/etmv2.md §8.2
		{"ffffffff0f", 0xFFFFFFFF, 32},
	} {
		b, err := hex.DecodeString(test.bytes)
		if err != nil {
			t.Fatal(err)
		}
		address, bits, err := ParseDataAddress(b)
		if err != nil || address != test.address || bits != test.bits {
			t.Errorf("%s: %#x of %d bits, %v; want %#x of %d", test.bytes, address, bits, err, test.address, test.bits)
		}
		if got := decode.AppendSevens(nil, uint64(test.address), len(b)); !bytes.Equal(got, b) {
			t.Errorf("%#x in %d bytes: %x, want %s", test.address, len(b), got, test.bytes)
		}
	}
	for _, reserved := range []string{"8080808010", "80808080ff", "", "808080808000"} {
		b, err := hex.DecodeString(reserved)
		if err != nil {
			t.Fatal(err)
		}
		if address, _, err := ParseDataAddress(b); err == nil {
			t.Errorf("%s: %#x, want an error", reserved, address)
		}
	}
}

func TestDataAddressBytes(t *testing.T) {
	for _, test := range []struct {
		address, last schema.Address
		want          int
	}{
		{0x40000010, 0x40000010, 1},
		{0x4000007F, 0x40000000, 1},
		{0x40000080, 0x40000000, 2},
		{0x40004000, 0x40000000, 3},
		{0x40200000, 0x40000000, 4},
		{0x50000000, 0x40000000, 5},
		{0, 0xFFFFFFFF, 5},
	} {
		if got := DataAddressBytes(test.address, test.last); got != test.want {
			t.Errorf("%#x after %#x: %d bytes, want %d", test.address, test.last, got, test.want)
		}
	}
}

func TestValue(t *testing.T) {
	little, big := &Config{}, &Config{BigEndian: true}
	for _, test := range []struct {
		c     *Config
		bytes string
		want  uint32
	}{
		{little, "", 0},
		{little, "12", 0x12},
		{little, "3412", 0x1234},
		{little, "efbeadde", 0xDEADBEEF},
		{big, "", 0},
		{big, "12", 0x12},
		{big, "1234", 0x1234},
		{big, "deadbeef", 0xDEADBEEF},
	} {
		b, err := hex.DecodeString(test.bytes)
		if err != nil {
			t.Fatal(err)
		}
		if got := test.c.Value(b); got != test.want {
			t.Errorf("big %v: %s is %#x, want %#x", test.c.BigEndian, test.bytes, got, test.want)
		}
		if got := test.c.AppendValue(nil, test.want, len(b)); !bytes.Equal(got, b) {
			t.Errorf("big %v: %#x is %x, want %s", test.c.BigEndian, test.want, got, test.bytes)
		}
	}
}

// TestDataAddressChanged compares addresses of the fewest bytes with the last address.
func TestDataAddressChanged(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	last := schema.Address(0)
	for range 10_000 {
		address := last ^ schema.Address(random.Uint32()>>random.IntN(32))
		n := DataAddressBytes(address, last)
		sent, bits, err := ParseDataAddress(decode.AppendSevens(nil, uint64(address), n))
		if err != nil {
			t.Fatal(err)
		}
		if got := last&^schema.Address(1<<bits-1) | sent; got != address {
			t.Fatalf("%#x after %#x in %d bytes reads as %#x", address, last, n, got)
		}
		last = address
	}
}
