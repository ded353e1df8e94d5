package outside

import (
	"testing"

	"github.com/tracelake/tracelake/schema"
)

// Lines that trc_pkt_lister 1.3.3 wrote.
func TestParseElement(t *testing.T) {
	for line, want := range map[string]Element{
		"Idx:33; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x40008024:[0x40008030] num_i(3) last_sz(4) (ISA=A32) E ISB  [CC=45]; )": {
			Source: 0x10, Offset: 33, Kind: "INSTR_RANGE", From: 0x40008024, To: 0x40008030, Count: 3, Executed: true, Class: "ISB", Cycles: schema.Of[int64](45),
		},
		"Idx:17; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x815c:[0x8160] num_i(1) last_sz(4) (ISA=T32) N ---  <cond>)": {
			Source: 0x10, Offset: 17, Kind: "INSTR_RANGE", From: 0x815c, To: 0x8160, Count: 1, ISA: schema.T32, Class: "---",
		},
		"Idx:253; ID:10; OCSD_GEN_TRC_ELEM_EXCEPTION(pref ret addr:0x400080d4; excep num (0x0b)  [CC=17]; )": {
			Source: 0x10, Offset: 253, Kind: "EXCEPTION", ReturnAddress: schema.Of[schema.Address](0x400080d4), Exception: 11, Cycles: schema.Of[int64](17),
		},
		"Idx:21; ID:7b; OCSD_GEN_TRC_ELEM_TIMESTAMP( [ TS=0x00010c388d00];  [CC=0]; )": {
			Source: 0x7b, Offset: 21, Kind: "TIMESTAMP", Timestamp: 4500000000, Cycles: schema.Of[int64](0),
		},
		"Idx:19; ID:10; OCSD_GEN_TRC_ELEM_PE_CONTEXT((ISA=A32) N; 32-bit; VMID=0x1; CTXTID=0x2; )": {
			Source: 0x10, Offset: 19, Kind: "PE_CONTEXT", VMID: schema.Of[uint32](1), ContextID: schema.Of[uint32](2), Security: schema.NonSecure,
		},
		// A warning and an element may be on one line.
		"CS ID=10; Warning: unsupported instruction set processing BranchAddr packet.Idx:15; ID:10; OCSD_GEN_TRC_ELEM_ADDR_NACC( 0xa000 )": {
			Source: 0x10, Offset: 15, Kind: "ADDR_NACC", From: 0xa000,
		},
	} {
		got, err := parseElement(line)
		if err != nil || got != want {
			t.Errorf("%s\ngot  %+v %v\nwant %+v", line, got, err, want)
		}
	}
	for _, line := range []string{
		"Idx:33; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x40008024:[0x40008030])",
		"Idx:33; ID:100; OCSD_GEN_TRC_ELEM_EXCEPTION_RET()",
		"Idx:33; ID:10; OCSD_GEN_TRC_ELEM_EXCEPTION()",
		"OCSD_GEN_TRC_ELEM_",
	} {
		if e, err := parseElement(line); err == nil {
			t.Errorf("%s: read as %+v", line, e)
		}
	}
}
