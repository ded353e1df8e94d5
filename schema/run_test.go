package schema_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/tracelake/tracelake/schema"
)

func TestHex(t *testing.T) {
	for want, a := range map[string]schema.Address{
		"0x00000000": 0, "0x00008000": 0x8000, "0xffffffff": 0xffff_ffff, "0x0000000100000000": schema.End32,
		"0xffffff8000081234": 0xffff_ff80_0008_1234, "0xffffffffffffffff": schema.MaxAddress,
	} {
		if got := a.Hex(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// An address column has the bits of an address: from 2⁶³ on it is negative.
func TestAddressCells(t *testing.T) {
	for want, a := range map[string]schema.Address{
		"0": 0, "4294967296": schema.End32, "9223372036854775807": 1<<63 - 1, "-9223372036854775808": 1 << 63,
		"-549755284940": 0xffff_ff80_0008_1234, "-1": schema.MaxAddress,
	} {
		b := schema.NewBatch(&schema.Functions)
		schema.AppendFunctions(b, "", 0, a, 4, "f", "", "", "", schema.Null[uint32]{}, schema.OriginSymbol)
		if got, text := schema.FunctionsAddress.At(b, 0), b.Columns[schema.FunctionsAddress].Text(0); got != a || text != want {
			t.Errorf("%#x is %s, read back as %#x; want %s", a, text, got, want)
		}
	}
}

// An address in JSON is a number, which no reader may round: from 2⁵³ on it is text.
func TestAddressJSON(t *testing.T) {
	for want, a := range map[string]schema.Address{
		"0": 0, "4294967296": schema.End32, "9007199254740991": 1<<53 - 1,
		`"0x0020000000000000"`: 1 << 53, `"0xffffffc000081000"`: 0xffff_ffc0_0008_1000, `"0xffffffffffffffff"`: schema.MaxAddress,
	} {
		b, err := json.Marshal(struct{ A schema.Address }{a})
		if err != nil || string(b) != `{"A":`+want+"}" {
			t.Errorf("%s, %v, want %s", b, err, want)
		}
		for _, text := range []string{want, fmt.Sprint(uint64(a))} { // earlier versions wrote numbers only
			var got schema.Address
			if err := json.Unmarshal([]byte(text), &got); err != nil || got != a {
				t.Errorf("%s is %#x, %v, want %#x", text, got, err, a)
			}
		}
	}
	for _, bad := range []string{`""`, `"x"`, `"0x10000000000000000"`, "-1", "1.5", "18446744073709551616", "[]", "true", `"\u00"`} {
		if err := json.Unmarshal([]byte(bad), new(schema.Address)); err == nil {
			t.Errorf("%s is an address", bad)
		}
	}
}
