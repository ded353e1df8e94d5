package pft_test

import (
	"testing"

	"github.com/tracelake/tracelake/bench/encode/pft"
	"github.com/tracelake/tracelake/decode"
	codec "github.com/tracelake/tracelake/decode/pft"
)

// registers are those of a source, by name.
type registers map[string]uint32

func (r registers) Lookup(name string) (uint64, bool) {
	v, ok := r[name]
	return uint64(v), ok
}

// The registers say what the options say, as the protocol reads them. PFT 1.0 has
// one kind of timestamp only.
func TestPFTRegisters(t *testing.T) {
	for i := range 1 << 9 {
		on := func(bit int) bool { return i>>bit&1 == 1 }
		o := pft.Options{Source: uint8(i), Timestamps: on(2), TraceVMID: on(3), BranchBroadcast: on(4)}
		o.Config = codec.Config{
			Minor: uint8(i & 1), CycleAccurate: on(1), ContextIDBytes: []int{0, 1, 2, 4}[i>>2&3], Timestamp64: on(4),
			TimestampGray: on(5), ReturnStack: on(6), DataBarriers: on(7),
		}
		want := o.Config
		if want.Minor == 0 {
			want.Timestamp64, want.TimestampGray = false, true
		}
		r := registers{}
		for _, register := range o.Registers() {
			r[register.Name] = register.Value
		}
		got, warnings, err := codec.Bind(decode.Source{Registers: r})
		if err != nil || len(warnings) > 0 || *got.(*codec.Config) != want {
			t.Errorf("%+v: read as %+v, %v, %v", o, got, warnings, err)
		}
		if r["ETMTRACEIDR"] != uint32(o.Source) {
			t.Errorf("ETMTRACEIDR is 0x%x", r["ETMTRACEIDR"])
		}
	}
}
