package etmv4_test

import (
	"testing"

	"github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// twoProcesses are 7 and 9, by their Context ID.
type twoProcesses map[uint32]*image.Memory

func (p twoProcesses) At(_ int64, contextID, _ schema.Null[uint32]) uint32 { return contextID.V }

func (p twoProcesses) Memory(n uint32) *image.Memory {
	if m := p[n]; m != nil {
		return m
	}
	return image.New()
}

// TestProcesses: what is at an address depends on the process that the context says.
func TestProcesses(t *testing.T) {
	const (
		cbz = 0xb4000040 // cbz x0, +8
		nop = 0xd503201f
		ret = 0xd65f03c0
		bl  = 0x94000004 // bl +16
	)
	mem := image.OfProcesses(twoProcesses{
		7: image.New(words(0x1000, nop, cbz, bl, nop, nop, nop, ret)),
		9: image.New(words(0x1000, cbz, nop, nop, cbz)),
	})
	registers := etmv4.Registers{CONFIGR: 0x41, IDR0: 0x28000ea1, IDR1: 0x4100f403, IDR2: 0x488, Profile: "A"}
	stacked := registers
	stacked.CONFIGR |= 1 << 12
	runScenarios(t, []scenario{
		{
			"an address with another Context ID", configOf(registers), mem,
			"A T 82 00 08 00 00 b1 07 00 00 00 f7 f7 82 00 08 00 00 b1 09 00 00 00 f7 f6",
			"| 1000 1004E 100c 1010 1014 1018E [non_secure a64 9 -] 1000E 1008 100cN at 1010",
		},
		{
			"a Context ID alone", configOf(registers), mem,
			"A T 82 00 08 00 00 b1 07 00 00 00 f6 81 b1 09 00 00 00 f6",
			"| 1000 1004N [non_secure a64 9 -] 1008 100cN at 1010",
		},
		{
			"a process of which nothing is mapped", configOf(registers), mem,
			"A T 82 00 08 00 00 b1 07 00 00 00 f6 81 b1 08 00 00 00 f6 82 00 08 00 00 b1 07 00 00 00 f6",
			"| 1000 1004N [non_secure a64 8 -] [non_secure a64 7 -] [unmapped 1008] 1000 1004N at 1008",
		},
		{
			"a return into another process", configOf(stacked), mem,
			"A T 82 00 08 00 00 b1 07 00 00 00 f6 f7 f7 81 b1 09 00 00 00 f7",
			"| 1000 1004N 1008E 1018E [non_secure a64 9 -] 100cE at 1014",
		},
	})
}
