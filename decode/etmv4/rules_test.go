package etmv4_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/schema"
)

// A program of two instruction sets: A32 at 2000, T32 at 3000, A64 at 1000.
var programs = image.New(
	words(0x1000, nop, 0xd65f03c0 /* ret */, 0xd69f03e0 /* eret */, 0xd63f0000 /* blr x0 */, nop, 0x17fffffb /* b 1000 */),
	words(0x2000, 0xe1a00000 /* mov r0, r0 */, 0x0a000000 /* beq 200c */, 0xfa0003fc, /* blx 3000 */
		0xe12fff1e /* bx lr */, 0xe7f000f0 /* udf */, 0xef000000 /* svc */, 0xe1400070 /* hvc */, 0xe1600070 /* smc */),
	halfwords(0x3000, 0xbf00 /* nop */, 0x4770 /* bx lr */, 0xdf00 /* svc */, 0xbf30 /* wfi */, 0xde00 /* udf */),
)

// Addresses, contexts and instruction sets.
func TestFollowPositions(t *testing.T) {
	wfi := image.New(words(0x1000, 0xd503207f, 0x17ffffff /* b 1000 */))
	runScenarios(t, []scenario{
		{
			"the context after its address counts", plainConfig, programs, "S f7 9a 00 10 00 00 81 20 f7 f7",
			"| 1000 1004E [non_secure a32 - -] 2000 2004E 200cE at ?",
		},
		{
			"IS1 without a context", plainConfig, programs,
			"A T 83 00 30 00 00 20 f7 96 01 f7",
			"| 3000 3002E 3002E at ?",
		},
		{
			"BLX changes the instruction set", plainConfig, programs,
			"A T 82 00 10 00 00 20 f6 f7 f7 9a 03 10 00 00 f7",
			"| 2000 2004N 2008E 3000 3002E 200cE at ?",
		},
		{
			"a context with its address: of that instruction set", plainConfig, programs,
			"A T 82 03 10 00 00 20 f7 83 01 30 00 00 21 f7",
			"| 200cE [non_secure t32 - -] 3002E at ?",
		},
		{
			"a context in straight code", plainConfig, nil,
			"S f6 81 11 f7",
			"| 1000 1004N [secure a64 - -] 1008E at 1020",
		},
		{
			"several addresses: the last counts", plainConfig, nil,
			"S f6 95 04 95 03 9a 00 08 00 00 f6",
			"| 1000 1004N [inconsistent 1008 the next address is 0x00001010] 1000 1004N at 1008",
		},
		{
			"an address that differs", plainConfig, nil,
			"S f6 95 03 f7",
			"| 1000 1004N [inconsistent 1008 the next address is 0x0000100c] 100cE at ?",
		},
		{"an exact match", plainConfig, nil, "S f6 f7 f7 90 f7", "| 1000 1004N 1008E 1020 1024E 1000 1004E at 1010"},
		{
			"the third entry of the history", plainConfig, nil,
			"S f6 f7 f7 95 03 f7 95 08 92 f6",
			"| 1000 1004N 1008E 1020 1024E 100cE 1000 1004N at 1008",
		},
		{
			"each security state has its memory", plainConfig, image.New(
				image.Region{Address: 0x1000, Space: image.SecureSpace, Bytes: words(0, nop, 0xb4000060).Bytes},
				image.Region{Address: 0x1000, Space: image.NonSecureSpace, Bytes: words(0, 0xb4000060).Bytes}),
			"S f6 82 00 08 00 00 11 f6",
			"| 1000N [secure a64 - -] [inconsistent 1004 the next address is 0x00001000] 1000 1004N at 1008",
		},
		{"root and realm", eteConfig, nil, "S 81 1b f6 81 39 f7", "| 1000 1004N [realm a64 - -] 1008E at 1020"},
		{"a context that is the same", plainConfig, nil, "S f6 80 f7", "| 1000 1004N 1008E at 1020"},
		{
			"no memory", plainConfig, nil,
			"S f6 f7 f7 9a 00 20 00 00 f7 f7 95 03 f7",
			"| 1000 1004N 1008E 1020 1024E [unmapped 4000] [unmapped 400c] at ?",
		},
		{
			"undefined A32", plainConfig, programs,
			"A T 82 04 10 00 00 20 f7 f7",
			"| [inconsistent 2010 no P0 instruction, or an undefined one before it: wrong program " +
				"image?] at ?",
		},
		{
			"undefined T32", plainConfig, programs,
			"A T 83 04 30 00 00 20 f7",
			"| [inconsistent 3008 no P0 instruction, or an undefined one before it: wrong program " +
				"image?] at ?",
		},
		{"WFI is none by its register", plainConfig, wfi, "S f7 f7", "| 1000 1004E 1000 1004E at 1000"},
		{"WFI is one by its register", eteConfig, wfi, "S f7 f7", "| 1000E 1004E at 1000"},
		{
			"an unconditional branch that is not executed", plainConfig, nil,
			"A T 82 05 08 00 00 31 f6",
			"| 1014N [inconsistent 1014 an instruction without a condition was not executed] at 1018",
		},
		{
			"the flow goes on over a sync point that is no cut", plainConfig, nil,
			"S f6 A T f7 81 31 f7 9a 03 08 00 00 f7",
			"| 1000 1004N 1008E 1020 1024E 100cE at ?",
		},
	})
}

// Trace On, with where the flow goes on.
func TestFollowRestarts(t *testing.T) {
	runScenarios(t, []scenario{
		{"the last address counts", plainConfig, nil, "S f6 04 95 04 95 02 f7", "| 1000 1004N [trace_on 1008] 1008E at 1020"},
		{
			"in the instruction set of the context", plainConfig, programs,
			"S 04 9d 00 10 00 00 00 c0 ff ff 81 20 f6",
			"| [trace_on 2000] 2000 2004N at 2008",
		},
		{"no address", plainConfig, nil, "S f6 04 f7 04", "| 1000 1004N [trace_on] [no_address 1] [trace_on] at ?"},
		{
			"at the next cut", plainConfig, nil, "S f6 A T 95 04 04 82 00 08 00 00 31",
			"| 1000 1004N [inconsistent 1008 the next address is 0x00000010] [trace_on 1000] at ? | at 1000",
		},
		{"before a loss", plainConfig, nil, "S f6 04 08 A T 82 00 08 00 00 31", "| 1000 1004N [trace_on] [lost 16 reserved_header] at ? | at 1000"},
	})
}

// The return stack.
func TestFollowReturnStack(t *testing.T) {
	calls := image.New(words(0x1000,
		0x94000004 /* bl 1010 */, nop, 0xd65f03c0, nop, // 1000
		0xd63f0000 /* blr x0 */, 0xd65f03c0, // 1010
		0xd65f03c0)) // 1018
	runScenarios(t, []scenario{
		{
			"two returns", stackConfig, calls,
			"S f7 f7 9a 06 08 00 00 f7 f7 f7 f7",
			"| 1000E 1010E 1018E 1014E 1004 1008E [inconsistent 1008 return_stack: it is empty, and no address was " +
				"told] at ?",
		},
		{
			"an address in place of a pop leaves the stack", stackConfig, calls,
			"S f7 f7 9a 06 08 00 00 f7 95 05 f7 f7 f7",
			"| 1000E 1010E 1018E 1014E 1014E 1004 1008E at ?",
		},
		{
			"a call by register without an address: it pops, then pushes", stackConfig, calls,
			"S f7 f7 f7 f7 f7",
			"| 1000E 1010E 1004 1008E 1014E [inconsistent 1014 return_stack: it is empty, and no address was told] " +
				"at ?",
		},
		{
			"a Trace Info empties it", stackConfig, calls, "S f7 A T f7 9a 06 08 00 00 f7 f7 f7",
			"| 1000E 1010E 1018E 1014E [inconsistent 1014 return_stack: it is empty, and no address was told] at ?",
		},
		{
			"a Trace On empties it", stackConfig, calls,
			"S f7 04 9a 06 08 00 00 f7 f7",
			"| 1000E [trace_on 1018] 1018E [inconsistent 1018 return_stack: it is empty, and no address was told] at ?",
		},
		{
			"an Exception pops", stackConfig, calls,
			"S f7 f7 9a 06 08 00 00 f7 06 1d 95 05 9a 00 20 00 00",
			"| 1000E 1010E 1018E [irq 14 back 1014 to 4000] at 4000",
		},
		{
			"an Exception at the target does not", stackConfig, calls,
			"S f7 f7 9a 06 08 00 00 f7 06 5c 95 05 9a 05 08 00 00 f7 f7",
			"| 1000E 1010E 1018E [irq 14 back 1014 to 1014] 1014E 1014E at ?",
		},
		{"off", plainConfig, calls, "S f7 f7 9a 06 08 00 00 f7 f7", "| 1000E 1010E 1018E [no_address 1] at ?"},
	})
}

// Exceptions, resets, returns, transactions.
func TestFollowExceptions(t *testing.T) {
	runScenarios(t, []scenario{
		{
			"a return address that no straight code leads to", plainConfig, nil,
			"S 06 1d 95 03 9a 00 20 00 00",
			"| [irq 14 back 100c to 4000] [inconsistent 1000 no straight code leads to the return address " +
				"0x0000100c] at 4000",
		},
		{
			"one before the position", plainConfig, nil,
			"S f6 06 1d 95 00 9a 00 20 00 00",
			"| 1000 1004N [irq 14 back 1000 to 4000] [inconsistent 1008 no straight code leads to the return " +
				"address 0x00001000] at 4000",
		},
		{
			"one at the position", plainConfig, nil,
			"S f6 06 1d 95 02 9a 00 20 00 00",
			"| 1000 1004N [irq 14 back 1008 to 4000] at 4000",
		},
		{
			"at an unknown position", plainConfig, nil,
			"S f6 f7 f7 06 1d 95 03 9a 00 08 00 00 f7",
			"| 1000 1004N 1008E 1020 1024E [irq 14 back 100c to 1000] 1000 1004E at 1010",
		},
		{
			"no atom before the handler's address", plainConfig, nil,
			"S f6 f7 f7 06 1d 95 03 f7 9a 00 08 00 00",
			"| 1000 1004N 1008E 1020 1024E [irq 14 back 100c to -] [no_address 1] at 1000",
		},
		{
			"a cut at the return address, which no trace unit sends", plainConfig, nil,
			"S f7 06 05 A T 82 05 08 00 00 31 9a 00 08 00 00 f7",
			"| 1000 1004E [inconsistent the address of the next cut is the return address of an exception before it] 1010 " +
				"[svc 2 back 1014 to -] at ? | 1000 1004E at 1010",
		},
		{
			"the return address is between sync point and cut", plainConfig, nil,
			"S f7 06 05 A T 9a 05 08 00 00 82 00 08 00 00 31 f7",
			"| 1000 1004E 1010 [svc 2 back 1014 to 1000] at ? | 1000 1004E at 1010",
		},
		{
			"a second exception before the handler's address", plainConfig, nil,
			"S 06 1d 95 01 06 56 9a 00 20 00 00 9a 00 08 00 00",
			"| 1000 [irq 14 back 1004 to -] [prefetch_abort 11 back 4000 to 1000] at 1000",
		},
		{
			"a Trace On before it", plainConfig, nil,
			"S 06 03 95 01 04 9a 00 08 00 00 f7",
			"| 1000 [debug 1 back 1004 to -] [trace_on 1000] 1000 1004E at 1010",
		},
		{
			"the handler's context", plainConfig, nil,
			"S 06 1d 95 01 81 10 9a 00 08 00 00 f7",
			"| 1000 [secure a64 - -] [irq 14 back 1004 to 1000] 1000 1004E at 1010",
		},
		{
			"the cut has the handler's address", plainConfig, nil,
			"S 06 1d 95 01 A T 82 00 08 00 00 31 f7",
			"| 1000 [irq 14 back 1004 to 1000] at ? | 1000 1004E at 1010",
		},
		{
			"the cut has it with its context", plainConfig, programs,
			"A T 82 00 10 00 00 20 06 1d 95 01 A T 85 00 08 00 00 00 c0 ff ff 31",
			"| 2000 [irq 14 back 2004 to ffffc00000001000] at ? | at ffffc00000001000",
		},
		{
			"without an address", plainConfig, nil,
			"S 06 1c 9a 00 08 00 00 f7",
			"| [irq 14 back - to 1000] 1000 1004E at 1010",
		},
		{
			"reserved E1:E0", plainConfig, nil,
			"S 06 7d 95 01 9a 00 08 00 00 f7",
			"| 1000 [reserved 30 back 1004 to 1000] [inconsistent 1004 an exception with a reserved E1:E0] 1000 " +
				"1004E at 1010",
		},
		{
			"the address does not come", plainConfig, nil,
			"S 06 1d f7",
			"| [irq 14 back - to -] [inconsistent exception without an address after it] [no_address 1] at ?",
		},
		{
			"the end comes", plainConfig, nil,
			"S 06 1d",
			"| [irq 14 back - to -] [inconsistent exception without an address after it] at ?",
		},
		{"missing memory before the return address", plainConfig, image.New(words(0x1000, nop)), "S 06 1d 95 " +
			"04", "| 1000 [irq 14 back 1010 to -] [unmapped 1004] at ?"},
		{
			"a return by its packet", plainConfig, programs,
			"A T 82 02 08 00 00 31 f7 9a 00 08 00 00 07 f7",
			"| 1008E [return] 1000 1004E at ?",
		},
		{
			"a return of an ETE by its instruction", eteConfig, programs,
			"A T 82 02 08 00 00 31 f7 9a 00 08 00 00 f7",
			"| 1008E [return] 1000 1004E at ?",
		},
		{
			"a reset of an ETE", eteConfig, nil,
			"S f6 06 01 70 9a 00 08 00 00 f6",
			"| 1000 1004N [reset 0 back - to 1000] 1000 1004N at 1008",
		},
		{
			"a transaction that fails", eteConfig, nil,
			"S 0a f6 06 31 70 9a 00 08 00 00 f6",
			"| [transaction_start] 1000 1004N [transaction_fail] 1000 1004N at 1008",
		},
		{
			"calls of A32", plainConfig, programs,
			"A T 82 06 10 00 00 20 06 05 95 06 95 06 06 05 95 07 95 07 06 05 95 08 95 00",
			"| [svc 2 back 2018 to 2018] 2018 [hvc 2 back 201c to 201c] 201c [smc 2 back 2020 to 2000] at 2000",
		},
		{
			"a call of T32", plainConfig, programs,
			"A T 83 02 30 00 00 20 06 05 96 03",
			"| 3004 [svc 2 back 3006 to -] at ?",
		},
		{
			"profile M: an interrupt, and its return", microConfig, programs,
			"A T 83 00 30 00 00 20 f7 9b 00 30 00 00 06 21 96 01 9b 00 30 00 00 f7 05 9b 01 30 00 00",
			"| 3000 3002E 3000 [irq 16 back 3002 to 3000] 3000 3002E at 3002",
		},
		{
			"profile M: a tail chain", microConfig, programs,
			"A T 83 00 30 00 00 20 f7 06 1f 9b 7f ff ff ff 9b 00 30 00 00 f7",
			"| 3000 3002E [return] [systick 15 back - to 3000] 3000 3002E at ?",
		},
		{
			"profile M: the security state, EL and SF mean nothing", microConfig, programs,
			"A T 83 00 30 00 00 20 f7 9b 00 30 00 00 81 13 f7",
			"| 3000 3002E [secure t32 - -] 3000 3002E at ?",
		},
		{
			"profile M: v7-M returns by their packet", micro7Config, programs,
			"A T 83 00 30 00 00 20 f7 07 9b 00 30 00 00",
			"| 3000 3002E [return] at 3000",
		},
	})
}

// The exceptions by number.
func TestExceptionTypes(t *testing.T) {
	for _, tt := range []struct {
		cfg  *etmv4.Config
		want string
	}{
		{plainConfig, "0 reset, 1 debug, 2 call, 3 trap, 4 system_error, 5 reserved, 6 debug_instruction, 7 " +
			"debug_data, 8 reserved, " +
			"9 reserved, 10 alignment, 11 prefetch_abort, 12 data_abort, 13 reserved, 14 irq, 15 fiq, 16 impdef, " +
			"23 impdef, " +
			"24 reserved, 25 reserved, 26 reserved, 27 reserved, 519 reserved, 520 reserved, 1007 reserved, 1008 " +
			"reserved"},
		{microConfig, "0 reserved, 1 reset, 2 nmi, 3 hard_fault, 4 mem_manage, 5 bus_fault, 6 usage_fault, 7 " +
			"secure_fault, " +
			"8 reserved, 9 reserved, 10 reserved, 11 svc, 12 debug_monitor, 13 reserved, 14 pendsv, 15 systick, 16 " +
			"irq, 23 irq, " +
			"24 debug, 25 lazy_fp, 26 lockup, 27 reserved, 519 reserved, 520 irq, 1007 irq, 1008 reserved"},
	} {
		var got []string
		for n := range 0x3f1 {
			if n > 27 && n < 0x207 || n > 0x208 && n < 0x3ef || n > 16 && n < 23 {
				continue
			}
			s := scenario{cfg: tt.cfg, packets: fmt.Sprintf("S 06 %02x %02x 95 00", 0x81|n&0x1f<<1, n>>5)}
			x := follow(t, s.stream(), s.cfg, programP, engine.Usual(s.cfg)).Exceptions[0]
			got = append(got, fmt.Sprintf("%d %s", x.Number.V, x.Type.V))
		}
		if got := strings.Join(got, ", "); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

// Source addresses and Q elements.
func TestFollowSourcesAndQs(t *testing.T) {
	code := image.New(words(0x1000,
		nop, 0xd5033fdf /* isb */, 0xb4000080 /* 1008: cbz x0, 1018 */, 0x14000002 /* 100c: b 1014 */, nop, // 1010
		0xb4000040 /* 1014: cbz x0, 101c */, nop /* 1018 */, 0xd65f03c0 /* 101c */, nop, nop))
	runScenarios(t, []scenario{
		{
			"P0 instructions on the way failed, ISB was executed", eteConfig, code,
			"S b4 03 f6",
			"| 1000 1004E 1008N 100cE 1014N at 1018",
		},
		{
			"one behind an unconditional branch", eteConfig, code,
			"S b4 05 f6",
			"| [inconsistent 1014 a source address to which no code leads] 1014E 101cN [inconsistent 101c an " +
				"instruction without a condition was not executed] at 1020",
		},
		{"one before the position", eteConfig, code, "S db b4 02", "| 1000 1004E 1008E [no_address 1008] 1008E at " +
			"1018"},
		{
			"an unknown position", eteConfig, code,
			"S d9 ff b4 02",
			"| 1000 1004E 1008N 100cE 1014E 101cE [no_address 1008] 1008E at 1018",
		},
		{
			"no P0 instruction", eteConfig, code,
			"S b4 04 f6",
			"| [inconsistent 1010 a source address to which no code leads] 1010 [inconsistent 1010 a source " +
				"address at an instruction that is no P0 instruction] 1014N at 1018",
		},
		{
			"no memory", eteConfig, code, "S b6 00 20 00 00 f6 95 02 f6",
			"| [inconsistent 4000 a source address to which no code leads] [unmapped 4000] [unmapped 4008] at ?",
		},
		{
			"IS1 in A32 code", eteConfig, programs, "A T 82 00 10 00 00 20 b5 02", "| 2000 2004E at 200c",
		},
		{"IS1 in A64", eteConfig, code, "S b5 04", "| 1000 1004E 1008E at 1018"},
		{"Q up to a condition that fails", eteConfig, code, "S a5 03 03", "| 1000 1004E 1008N at 100c"},
		{"Q up to one that does not", eteConfig, code, "S a5 06 03", "| 1000 1004E 1008E at 1018"},
		{"Q up to one that explains nothing", eteConfig, code, "S a5 08 03", "| [q_unresolved 1020 3] at 1020"},
		{"Q up to an unconditional branch", eteConfig, code, "A T 82 03 08 00 00 31 a5 05 01", "| 100cE at 1014"},
		{
			"Q over an unconditional branch and a conditional one", eteConfig, code,
			"A T 82 03 08 00 00 31 a5 07 02",
			"| 100cE 1014E at 101c",
		},
		{
			"Q over a conditional branch to the next instruction: nothing tells its outcome", eteConfig,
			image.New(words(0x1000, 0xb4000020 /* cbz x0, 1004 */, 0xb4000020 /* cbz x0, 1008 */, nop)),
			"S a5 01 01 f6",
			"| 1000 1004N at 1008",
		},
		{
			"Q over an indirect branch at its end", eteConfig, code,
			"A T 82 06 08 00 00 31 a5 08 02",
			"| 1018 101cE at 1020",
		},
		{
			"Q that nothing explains", eteConfig, code,
			"A T 82 00 08 00 00 31 a5 08 02",
			"| [q_unresolved 1020 2] at 1020",
		},
		{
			"Q with a condition on the way", eteConfig, code,
			"A T 82 00 08 00 00 31 a5 08 06",
			"| 1000 1004E [q_unresolved 1020 4] at 1020",
		},
		{"Q whose address follows", eteConfig, code, "A T 82 03 08 00 00 31 ac 01 95 05 f7", "| 100cE 1014E at 101c"},
		{
			"Q in a loop without an end", eteConfig, image.New(words(0x1000, 0x14000000 /* b 1000 */)), "S a6 00 ff ff 03",
			"| " + strings.Repeat("1000E ", 257) + "[q_unresolved 1000 65278] at 1000",
		},
		{"Q without a count", eteConfig, code, "S af 95 05 f7", "| [q_unresolved 1014] 1014E at 101c"},
		{
			"Q at an unknown position", eteConfig, code,
			"S d9 ff ac 01 95 05 f7",
			"| 1000 1004E 1008N 100cE 1014E 101cE [q_unresolved 1014 1] 1014E at 101c",
		},
	})
}

// Cycle counts, timestamps, events.
func TestFollowCounts(t *testing.T) {
	const s = "A 01 01 01 04 82 00 08 00 00 31 "
	r := registersOf(false, 0x701, 0)
	r.IDR0 |= 1 << 6
	conditional := configOf(r)
	runScenarios(t, []scenario{
		{
			"a count after the address", countConfig, nil,
			s + "f6 f7 f7 95 03 13 f7",
			"| 1000 1004N 1008E 1020 [3 cycles packet] 1024E/3 100cE at ?",
		},
		{
			"two counts", countConfig, nil,
			s + "f6 13 11 f7",
			"| 1000 [3 cycles packet] 1004N/3 [1 cycles packet] 1008E at 1020",
		},
		{
			"a count with the threshold", countConfig, nil,
			"A 01 09 01 16 04 82 00 08 00 00 31 f6 0c 01",
			"| 1000 [23 cycles packet] 1004N/23 at 1008",
		},
		{
			"a counter at its end", countConfig, nil,
			s + "f6 0e ff 1f f7 12",
			"| 1000 [unknown cycles] 1004N [2 cycles packet] 1008E/2 at 1020",
		},
		{
			"a count of an exception", countConfig, nil,
			s + "06 1d 95 01 12 9a 00 08 00 00 f6 11",
			"| 1000 [2 cycles packet] [irq 14 back 1004 to 1000] 1000 [1 cycles packet] 1004N/1 at 1008",
		},
		{
			"a count after a Trace On", countConfig, nil,
			s + "f6 12 04 95 02 f7 13",
			"| 1000 [2 cycles packet] 1004N/2 [3 cycles packet] [trace_on 1008] 1008E/3 at 1020",
		},
		{"a count before any P0 element", countConfig, nil, s + "12 f6", "| [2 cycles packet] 1000 1004N at 1008"},
		{
			"a count at an unknown address", countConfig, nil,
			s + "f6 ff 12",
			"| 1000 1004N 1008E 1020 1024E [2 cycles packet] [no_address 1] at ?",
		},
		{
			"counts that commit", commitsConfig(8), nil,
			s + "fb 95 02 1b fe 15 10",
			"| 1000 1004E 1010 1014E 1000 [3 cycles packet] 1004N/3 1008N [1 cycles packet] [inconsistent 1008 an " +
				"instruction without a condition was not executed] 100cE/1 [0 cycles packet] [no_address 1] at ?",
		},
		{
			"one that commits nothing", commitsConfig(8), nil,
			s + "fb 1b 0e 00 05",
			"| 1000 1004E 1010 1014E 1000 [3 cycles packet] 1004N/3 [5 cycles packet] at 1008",
		},
		{
			"a count of what another packet committed", commitsConfig(8), nil, s + "f6 f7 2d 01 0e 00 05 2d 01",
			"| 1000 [5 cycles packet] 1004N/5 1008E at 1020",
		},
		{
			"cancelled, with its count", configOf(registersOf(true, 1|1<<4, 8)), nil,
			s + "f6 f7 12 2e 01 2d 01",
			"| 1000 1004N [2 cycles packet] [cancelled 1] at 1008",
		},
		{
			"a count of the youngest that is not cancelled", configOf(registersOf(true, 1|1<<4, 8)), nil,
			s + "f6 f7 2e 01 12 2d 01",
			"| 1000 [2 cycles packet] 1004N/2 [cancelled 1] at 1008",
		},
		{
			"timestamps", configOf(registersOf(true, 1|1<<11, 0)), nil,
			"S 02 c0 a1 c5 97 80 80 00 f6 88 02 c1 21 f7 03 05 07 02 00 02 80 80 80 80 80 80 00",
			"| [timestamp 2f150c0] 1000 1004N [timestamp 2f150c1] 1008E [7 cycles timestamp] [timestamp 2f15085] " +
				"[timestamp 2f15080] [timestamp_unknown] at 1020",
		},
		{
			"a timestamp is of its marker", configOf(registersOf(true, 1|1<<11, 0)), nil,
			"S f6 88 f7 71 02 05 02 06 f7",
			"| 1000 1004N [timestamp 5] 1008E [timestamp 6] [trigger 0] 1020 1024E at ?",
		},
		{
			"a marker without a timestamp", configOf(registersOf(true, 1|1<<11, 0)), nil,
			"S 88 f6 88 02 05 f7 88 02 00 88",
			"| 1000 1004N [timestamp 5] [timestamp_unknown a marker without a timestamp] 1008E [timestamp_unknown] " +
				"[timestamp_unknown a marker without a timestamp] at 1020",
		},
		{
			"a marker stays where atoms are cancelled", configOf(registersOf(true, 1|1<<11, 4)), nil,
			"S f6 88 f7 2e 01 02 05 2d 01 f6 2d 01",
			"| 1000 1004N [timestamp 5] [cancelled 1] 1008N [inconsistent 1008 an instruction without a condition was not " +
				"executed] at 100c",
		},
		{
			"a timestamp out of range", configOf(registersOf(true, 1|1<<11, 0)), nil,
			"S 02 92 cb 81 80 ff ff ff ff ff f6",
			"| [timestamp fffffffff0006592] 1000 1004N at 1008",
		},
		{
			"events and instrumentation", eteConfig, nil,
			"S 71 f6 7c 09 01 ff ff 0f 00 00 00 00 00 f7",
			"| [trigger 0] 1000 1004N [trigger 2] [trigger 3] [instrumentation el1 0xfffff] 1008E at 1020",
		},
		{
			"INFO that the registers contradict", plainConfig, nil,
			"A 01 01 01 04 82 00 08 00 00 31 f6 11",
			"| [inconsistent trace_info: INFO is 0x1, by TRCCONFIGR it is 0x0] 1000 1004N [1 cycles packet] at 1008",
		},
		{
			"INFO that changes where there is no cut", plainConfig, nil,
			"S f6 A 01 01 01 81 31 01 01 01 01 00 f7",
			"| 1000 1004N [inconsistent trace_info: INFO is 0x1, by TRCCONFIGR it is 0x0] 1008E at 1020",
		},
		{"conditional packets change nothing", conditional, nil, "A 01 01 0e 82 00 08 00 00 31 f6 40 42 6d 07 6c " +
			"85 01 43 49 4e 53 1b 45 f7", "| 1000 1004N 1008E at 1020"},
	})
}

// A timestamp has the cycle of its marker.
func TestMarkedCycle(t *testing.T) {
	s := scenario{cfg: configOf(registersOf(true, 1|1<<4|1<<11, 0)), packets: "A 01 01 01 04 82 00 08 00 00 31 f6 12 88 f7 13 02 05"}
	r := follow(t, s.stream(), s.cfg, programP, engine.Usual(s.cfg))
	if x := r.Timestamps[0]; x.Seq != 2 || x.Cycle.V != 2 {
		t.Errorf("the timestamp is at seq %d, cycle %d, want 2, 2", x.Seq, x.Cycle.V)
	}
}

// Speculation.
func TestFollowSpeculation(t *testing.T) {
	spec := specConfig(4)
	runScenarios(t, []scenario{
		{
			"nothing is applied before it is committed", spec, nil,
			"S f6 f7",
			"| [discard 2 P0 elements: end of trace] at 1000",
		},
		{
			"as many as can be open", spec, nil,
			"S f6 f7 f7 95 03 f7 95 00 fb",
			"| 1000 1004N 1008E 1020 1024E [discard 4 P0 elements: end of trace] at 100c",
		},
		{
			"a context stays, an address goes", spec, nil,
			"S f6 f7 95 03 81 30 2e 01 f7 2d 02",
			"| 1000 1004N [non_secure a64 - -] [cancelled 1] 1008E at 1020",
		},
		{
			"events and timestamps stay", configOf(registersOf(true, 1|1<<11, 4)), nil,
			"S f6 71 f7 02 05 2e 02 f7 2d 01",
			"| [timestamp 5] [trigger 0] [cancelled 2] 1000 1004E at 1010",
		},
		{
			"a cancel over several packets", spec, nil,
			"S f6 db 39 2d 01",
			"| 1000 1004N [cancelled 2] [discard 1 P0 elements: end of trace] at 1008",
		},
		{
			"an exception is cancelled", spec, nil,
			"S f6 06 1d 95 02 9a 00 20 00 00 2e 01 f7 2d 02",
			"| 1000 1004N [cancelled 1] 1008E at 1020",
		},
		{
			"a mispredict voids the address", spec, nil,
			"S f6 f7 95 03 30 2d 02",
			"| 1000 1004N 1008N [inconsistent 1008 an instruction without a condition was not executed] at 100c",
		},
		{
			"of an atom before an exception", spec, nil,
			"S f6 f7 06 1d 95 08 30 2d 03",
			"| 1000 1004N 1008N [irq 14 back 1020 to -] [inconsistent 1008 an instruction without a condition was " +
				"not executed] [inconsistent 100c no straight code leads to the return address 0x00001020] at ?",
		},
		{"a mispredict of nothing", spec, nil, "S 30", "| [inconsistent mispredict: no atom is open] at 1000"},
		{
			"a commit of more than is open", spec, nil,
			"S f6 2d 05",
			"| [inconsistent commit: 5 P0 elements, of which 1 are open] 1000 1004N at 1008",
		},
		{
			"a cancel of more than is open", spec, nil,
			"S f6 2e 05",
			"| [inconsistent cancel: 5 P0 elements, of which 1 are open] [cancelled 5] at 1000",
		},
		{
			"deeper than can be: the oldest are committed, and cannot be cancelled", specConfig(2), nil,
			"S f6 db f6 2e 04 2d 01",
			"| 1000 1004N 1008E [inconsistent cancel: 4 P0 elements, of which 2 are open] [cancelled 4] [inconsistent " +
				"commit: 1 P0 elements, of which 0 are open] at 1020",
		},
		{
			"SPEC deeper than can be", specConfig(2), nil,
			"A 01 04 03 82 00 08 00 00 31 f6 2d 03",
			"| [inconsistent speculation: Trace Info says that 3 P0 elements are open, TRCIDR8 allows 2] " +
				"[inconsistent commit: 2 P0 elements, of which 1 are open] 1000 1004N at 1008",
		},
		{"n is 0", spec, nil, "S f6 2e 00 2d 00 2f 00 2d 01", "| 1000 1004E at 1010"},
		{
			"elements that came before", spec, nil,
			"A 01 05 00 02 82 00 08 00 00 31 f6 2d 02 f7 2d 02",
			"| 1000 1004N 1008E at 1020",
		},
		{
			"a cancel takes them last", spec, nil,
			"A 01 05 00 02 82 00 08 00 00 31 f6 2e 02 f6 2d 02",
			"| [cancelled 2] [no_address 1] at ?",
		},
		{
			"then control is unknown up to the next address", spec, nil,
			"A 01 05 00 02 82 00 08 00 00 31 f6 71 2e 02 f6 9a 00 08 00 00 f7 2d 03",
			"| [trigger 0] [cancelled 2] [no_address 1] 1000 1004E at 1010",
		},
		{
			"a cancel of what came after them", spec, nil,
			"A 01 05 00 02 82 00 08 00 00 31 f6 95 09 2e 01 f7 2d 03",
			"| [cancelled 1] 1000 1004E at 1010",
		},
		{
			"a cancel of all, and more", spec, nil,
			"A 01 05 00 02 82 00 08 00 00 31 f6 2e 05 f6 2d 01",
			"| [inconsistent cancel: 5 P0 elements, of which 3 are open] [cancelled 5] [no_address 1] at ?",
		},
		{
			"a mispredict of them leads elsewhere", spec, nil,
			"A 01 05 00 02 82 00 08 00 00 31 30 f6 2d 03", "| [no_address 1] at ?",
		},
		{
			"a context stays, though they are cancelled", spec, nil,
			"A 01 05 00 02 81 30 9a 00 08 00 00 2e 01 9a 00 08 00 00 f7 2d 02", "| [cancelled 1] 1000 1004E at 1010",
		},
		{
			"a Discard of them", spec, nil, "A 01 05 00 02 82 00 08 00 00 31 f6 00 03",
			"| [discard 1 P0 elements: discard] at ?",
		},
		{
			"their end is that of the trace", spec, nil, "A 01 05 00 02 82 00 08 00 00 31 71",
			"| [trigger 0] at 1000",
		},
		{
			"a count of them", commitsConfig(8), nil,
			"A 01 0d 01 02 00 82 00 08 00 00 31 71 11 12 f6 13",
			"| [1 cycles packet] [2 cycles packet] [trigger 0] 1000 [3 cycles packet] 1004N/3 at 1008",
		},
		{
			"after a loss", spec, nil,
			"S f6 f7 2d 01 08 A 01 05 00 02 82 00 08 00 00 31 f6 2d 03",
			"| 1000 1004N [discard 1 P0 elements: packet sync is lost] [lost 17 reserved_header] at ? | 1000 1004N at 1008",
		},
		{
			"after an Overflow", spec, nil,
			"S f6 00 05 A 01 05 00 02 04 82 00 08 00 00 31 f6 2d 03",
			"| [discard 1 P0 elements: overflow] [overflow 1000] at ? | 1000 1004N at 1008",
		},
		{
			"no cut without a loss", spec, nil,
			"S f6 f7 A 01 05 00 02 82 08 08 00 00 31 f7 95 03 2d 03",
			"| 1000 1004N 1008E 1020 1024E at 100c",
		},
		{
			"SPEC that is not what is open", spec, nil,
			"S f6 f7 A 01 05 00 01 81 31 2d 02",
			"| [inconsistent speculation: Trace Info says that 1 P0 elements are open, it is 2] 1000 1004N 1008E " +
				"at 1020",
		},
		{
			"an Overflow", spec, nil,
			"S f6 f7 71 00 05 A T 04 82 00 08 00 00 31",
			"| [trigger 0] [discard 2 P0 elements: overflow] [overflow 1000] at ? | at 1000",
		},
		{
			"a Discard leaves Instrumentation and timestamps", configOf(registersOf(true, 1|1<<11, 4)), nil,
			"S f6 09 01 05 00 00 00 00 00 00 00 02 05 00 03",
			"| [timestamp 5] [instrumentation el1 0x5] [discard 1 P0 elements: discard] at ?",
		},
		{
			"elements that came before are committed by cycle counts", commitsConfig(8), nil,
			"A 01 0d 01 02 00 82 00 08 00 00 31 f6 1a", "| 1000 [2 cycles packet] 1004N/2 at 1008",
		},
		{
			"a stream that begins in the middle of them", spec, nil,
			"85 12 c0 A 01 05 00 02 82 00 08 00 00 31 f6 2e 01 f7 2d 03", "| [cancelled 1] 1000 1004E at 1010",
		},
		{"a Discard with nothing open", spec, nil, "S 00 03", "| [discard 0 P0 elements: discard] at ?"},
		{
			"an Overflow without a Trace On", plainConfig, nil,
			"S f6 00 05 A T 82 00 08 00 00 31 f6",
			"| 1000 1004N [overflow 1000] at ? | 1000 1004N at 1008",
		},
		{
			"sync is lost", spec, nil,
			"S f6 f7 08",
			"| [discard 2 P0 elements: packet sync is lost] [lost 1 reserved_header] at ?",
		},
		{
			"a transaction is one of them", spec, nil,
			"S 0a 2e 01 0a f6 2d 02",
			"| [cancelled 1] [transaction_start] 1000 1004N at 1008",
		},
		{"or not, by its register", func() *etmv4.Config {
			r := registersOf(true, 1, 4)
			r.IDR0 |= 1 << 30
			return configOf(r)
		}(), nil, "S 0a 2e 01 0a f6 2d 01", "| [transaction_start] [inconsistent cancel: 1 P0 elements, of which 0 " +
			"are open] [cancelled 1] [transaction_start] 1000 1004N at 1008"},
		{
			"without speculation", plainConfig, nil,
			"S f6 2d 01 2e 01 30 f7",
			"| 1000 1004N [inconsistent commit: 1 P0 elements, of which 0 are open] [inconsistent cancel: 1 P0 " +
				"elements, of which 0 are open] [cancelled 1] [inconsistent mispredict: no atom is open] 1008E at 1020",
		},
	})
}

// An exception is before a timestamp that comes after it, though its handler is told behind that.
func TestExceptionBeforeTimestamp(t *testing.T) {
	cfg := configOf(registersOf(false, 1|1<<11, 0))
	s := scenario{packets: "S 02 05 f7 06 05 95 05 02 06 9a 00 10 00 00 02 07"}
	for _, bytes := range []int{1, 1 << 20} {
		r := follow(t, s.stream(), cfg, programP, engine.Grain{Unit: 1 << 20, Part: bytes, Chunk: 1 << 20})
		if x := r.Exceptions[0]; len(r.Timestamps) != 3 || r.Timestamps[0].Value.V != 5 || x.Timestamp > 0 || x.Target.V != 0x2000 {
			t.Errorf("parts of %d: exception at timestamp %d to %s, of %d", bytes, x.Timestamp, x.Target.V.Hex(), len(r.Timestamps))
		}
	}
}

// Where a segment ends, an address has the instruction set of the context of the next cut.
func TestEndInContextOfCut(t *testing.T) {
	s := scenario{packets: "S f7 9a 00 10 00 00 A T 82 00 10 00 00 20 f7"}
	r := follow(t, s.stream(), plainConfig, programs, engine.Usual(plainConfig))
	if end := r.Segments[0].End.Reached; len(r.Segments) != 2 || end.V.Address != 0x2000 || end.V.ISA != schema.A32 {
		t.Errorf("%d segments, the first ends at %+v", len(r.Segments), end)
	}
}

// The return of v7-M has the cycles of its own count.
func TestReturnWithCount(t *testing.T) {
	cfg := configOf(etmv4.Registers{CONFIGR: 0x11, IDR0: 0x080006e1, IDR1: 0x4100f401, IDR2: 4, IDR8: 4, Profile: "M"})
	s := scenario{packets: "A 01 01 01 04 83 01 30 00 00 00 f7 07 0e 02 05 83 00 30 00 00 00"}
	r := follow(t, s.stream(), cfg, programs, engine.Usual(cfg))
	if x := r.Exceptions; len(x) != 1 || x[0].Event != schema.ExceptionReturn || x[0].Cycle.V != 5 {
		t.Errorf("%+v", x)
	}
}
