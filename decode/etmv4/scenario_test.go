package etmv4_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/schema"
)

// A scenario is packets, and the rows that they have to become: see tell.
type scenario struct {
	name string
	cfg  *etmv4.Config
	mem  *image.Memory
	// packets in hex. A and T are an A-sync and a Trace Info, S is both with a Trace On and an Address
	// with Context: 1000, A64, EL1, non-secure.
	packets string
	want    string
}

// tell tells the rows of a result in the order of the program: instructions by address, with E or N
// where they are P0, and with "/" and their cycles; in brackets what is between them, and in the end the
// position. Each segment begins with "|".
func tell(r *decode.Result) string {
	var words []string
	var from decode.Ends
	rows := rowTeller{result: r}
	for i := range r.Segments {
		s := &r.Segments[i]
		if !s.Continued {
			words, rows.seq = append(words, "|"), 0
		}
		rows.from, rows.to = from, s.Ends
		for _, run := range r.Runs[from[decode.Runs]:s.Ends[decode.Runs]] {
			words = append(words, rows.run(&run)...)
		}
		if words = append(words, rows.others(1<<62)...); !s.Open {
			at := "?"
			if s.End.Reached.OK {
				at = addressText(schema.Of(s.End.Reached.V.Address))
			}
			words = append(words, "at "+at)
		}
		from = s.Ends
	}
	return strings.Join(words, " ")
}

// A rowTeller tells the rows of a part.
type rowTeller struct {
	result   *decode.Result
	from, to decode.Ends
	seq      int64
}

// run tells the instructions of a run, with what is before each.
func (t *rowTeller) run(run *schema.Run) (words []string) {
	b := t.result.Blocks[run.Block]
	for k := range int(run.Count) {
		words = append(words, t.others(t.seq)...)
		i := int(run.First) + k
		word := addressText(schema.Of(b.Address[i]))
		if last := k == int(run.Count)-1; last && isP0(b, i) {
			word += map[schema.Outcome]string{schema.Taken: "E", schema.Passed: "E", schema.NotTaken: "N"}[run.Outcome]
			if run.Flags&schema.RunHasCycles != 0 {
				word += fmt.Sprintf("/%d", run.Cycles)
			}
		}
		words = append(words, word)
		t.seq++
	}
	return words
}

// isP0 reports whether an instruction of a block is a P0 instruction, WFI included.
func isP0(b *schema.Block, i int) bool {
	var in isa.Instruction
	switch op := b.Opcode[i]; b.Key.ISA {
	case schema.A64:
		in = isa.A64(op, b.Address[i])
	case schema.A32:
		in = isa.ETMv4.A32(op, b.Address[i])
	default:
		in = isa.ETMv4M.T32(uint16(op), 0, b.Address[i], false)
		if b.Size[i] == 4 {
			in = isa.ETMv4M.T32(uint16(op>>16), uint16(op), b.Address[i], false)
		}
	}
	return in.Flow != isa.None && in.Flow != isa.DataBarrier
}

// others tells the rows that are before an instruction and were not told yet.
func (t *rowTeller) others(seq int64) (words []string) {
	r, f := t.result, &t.from
	add := func(format string, args ...any) {
		words = append(words, "["+strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")+"]")
	}
	for ; f[decode.Contexts] < t.to[decode.Contexts] && r.Contexts[f[decode.Contexts]].Seq <= seq; f[decode.Contexts]++ {
		x := &r.Contexts[f[decode.Contexts]]
		if x.Seq > 0 {
			add("%s %s %s %s", x.Security, x.ISA.V, idText(x.ContextID), idText(x.VMID))
		}
	}
	for ; f[decode.Counts] < t.to[decode.Counts] && r.Counts.At(f[decode.Counts]).Seq <= seq; f[decode.Counts]++ {
		if x := r.Counts.At(f[decode.Counts]); x.Cycles.OK {
			add("%d cycles %s", x.Cycles.V, schema.CountKindNames[x.Kind])
		} else {
			add("unknown cycles")
		}
	}
	for ; f[decode.Timestamps] < t.to[decode.Timestamps] && r.Timestamps[f[decode.Timestamps]].Seq <= seq; f[decode.Timestamps]++ {
		add("timestamp %x", r.Timestamps[f[decode.Timestamps]].Value.V)
	}
	for ; f[decode.Exceptions] < t.to[decode.Exceptions] && r.Exceptions[f[decode.Exceptions]].Seq <= seq; f[decode.Exceptions]++ {
		if x := &r.Exceptions[f[decode.Exceptions]]; x.Event == schema.ExceptionReturn {
			add("return")
		} else {
			add("%s %d back %s to %s", x.Type.V, x.Number.V, addressText(x.ReturnAddress), addressText(x.Target))
		}
	}
	for ; f[decode.Events] < t.to[decode.Events] && r.Events[f[decode.Events]].Seq <= seq; f[decode.Events]++ {
		x := &r.Events[f[decode.Events]]
		address := ""
		if x.Address.OK {
			address = addressText(x.Address)
		}
		add("%s %s %s", x.Event, address, x.Detail)
	}
	for ; f[decode.Losses] < t.to[decode.Losses] && r.Losses[f[decode.Losses]].Seq <= seq; f[decode.Losses]++ {
		add("lost %d %s", r.Losses[f[decode.Losses]].Bytes, r.Losses[f[decode.Losses]].Reason)
	}
	return words
}

// registersOf are those of a Cortex-A53, or of a model.
func registersOf(ete bool, configr, idr8 uint32) etmv4.Registers {
	r := etmv4.Registers{CONFIGR: configr, IDR0: 0x28000ea1, IDR1: 0x4100f403, IDR2: 0x488, IDR8: idr8, Profile: "A"}
	if ete {
		r.ETE, r.IDR0, r.IDR2, r.DEVARCH = true, 0x2881cea1, 0xd0001088, 0x47735a13
	}
	return r
}

// configOf returns the configuration of registers.
func configOf(r etmv4.Registers) *etmv4.Config {
	c, _, err := etmv4.NewConfig(r)
	if err != nil {
		panic(err)
	}
	return &c
}

// Configurations of the scenarios.
var (
	plainConfig   = configOf(registersOf(false, 1, 0))
	eteConfig     = configOf(registersOf(true, 1, 0))
	stackConfig   = configOf(registersOf(false, 1|1<<12, 0))
	countConfig   = configOf(registersOf(false, 1|1<<4, 0))
	microConfig   = configOf(etmv4.Registers{CONFIGR: 1, IDR0: 0x280006e1, IDR1: 0x4100f454, IDR2: 4, Profile: "M"})
	micro7Config  = configOf(etmv4.Registers{CONFIGR: 1, IDR0: 0x280006e1, IDR1: 0x4100f401, IDR2: 4, Profile: "M"})
	commitsConfig = func(spec uint32) *etmv4.Config { // cycle counts commit
		r := registersOf(true, 1|1<<4, spec)
		r.IDR0 &^= 1 << 29
		return configOf(r)
	}
	specConfig = func(spec uint32) *etmv4.Config { return configOf(registersOf(true, 1, spec)) }
)

// words is memory of words from an address on.
func words(address schema.Address, words ...uint32) image.Region {
	r := image.Region{Address: address}
	for _, w := range words {
		r.Bytes = binary.LittleEndian.AppendUint32(r.Bytes, w)
	}
	return r
}

// halfwords is memory of halfwords from an address on.
func halfwords(address schema.Address, words ...uint16) image.Region {
	r := image.Region{Address: address}
	for _, w := range words {
		r.Bytes = binary.LittleEndian.AppendUint16(r.Bytes, w)
	}
	return r
}

const (
	nop = 0xd503201f
	ret = 0xd65f03c0
)

// programP is the program of most scenarios.
var programP = image.New(
	words(0x1000, nop, 0xb4000060 /* cbz x0, 1010 */, 0x94000006 /* bl 1020 */, ret, 0xd4000001 /* svc #0 */, 0x17fffffb /* b 1000 */),
	words(0x1020, nop, ret),
)

// stream returns the bytes of a scenario.
func (s *scenario) stream() []byte {
	const a, t, at = "000000000000000000000080", "010100", "820008000031"
	text := strings.NewReplacer("A", a, "T", t, "S", a+t+"04"+at).Replace(s.packets)
	return must(hex.DecodeString(strings.ReplaceAll(text, " ", "")))
}

func runScenarios(t *testing.T, scenarios []scenario) {
	t.Helper()
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			if s.mem == nil {
				s.mem = programP
			}
			b := s.stream()
			if got := tell(follow(t, b, s.cfg, s.mem, engine.Usual(s.cfg))); got != s.want {
				t.Errorf("got  %s\nwant %s", got, s.want)
			}
			checkSplits(t, b, s.cfg, s.mem)
		})
	}
}

// The sequences of the list of vectors, by number. Numbers 66 and 67 are of captures of silicon, of which the
// memory here has the shape.
func TestSequences(t *testing.T) {
	spec1 := dumps(t, filepath.Join(shared.File(t, "captures"), "ete-ete_spec_1"))
	transaction := image.New(
		words(0xc3488, nop, 0xd5233060 /* tstart x0 */, 0xb4000060 /* cbz x0, c349c */, nop, 0x97fed501 /* bl 7889c */),
		words(0x7889c, nop, nop, nop, 0x17fe8dfc /* b 1c098 */), words(0x1c098, nop, nop, ret),
	)
	loops := image.New(halfwords(0x1000,
		0xf040, 0xc803, // wls lr, r0, 100a
		0xbf00,         // 1004: nop
		0xf00f, 0xc803, // le lr, 1004
		0xbf00,         // 100a: nop
		0xf01f, 0xc803, // letp lr, 100a
		0x4770, // bx lr
	))
	runScenarios(t, []scenario{
		{"47", plainConfig, nil, "S f6 f7 f7 95 03", "| 1000 1004N 1008E 1020 1024E at 100c"},
		{"48", plainConfig, nil, "S db", "| 1000 1004E 1010 1014E at 1000"},
		{"49", stackConfig, nil, "S f6 db f7", "| 1000 1004N 1008E 1020 1024E 100cE at ?"},
		{"49, an atom follows", stackConfig, nil, "S f6 db f7 f7", "| 1000 1004N 1008E 1020 1024E 100cE " +
			"[inconsistent 100c return_stack: it is empty, and no address was told] at ?"},
		{"50", plainConfig, nil, "S f7 06 05 95 05 9a 00 10 00 00", "| 1000 1004E 1010 [svc 2 back 1014 to 2000] " +
			"at 2000"},
		{"51", plainConfig, nil, "S f6 f7 f7 06 58 95 03 9a 00 10 00 00", "| 1000 1004N 1008E 1020 1024E " +
			"[data_abort 12 back 100c to 2000] at 2000"},
		{"52", plainConfig, nil, "S f7 A f7 T 82 00 08 00 00 31", "| 1000 1004E 1010 1014E at 1000 | at 1000"},
		{"53", plainConfig, nil, "S f6 A T f7 f7 82 03 08 00 00 31", "| 1000 1004N 1008E 1020 1024E at ? | at 100c"},
		{"53, from the second A alone", plainConfig, nil, "A T f7 f7 82 03 08 00 00 31 f7", "| 100cE at ?"},
		{"54", plainConfig, nil, "S f6 00 05 A T 04 82 00 08 00 00 31 f6", "| 1000 1004N [overflow 1000] at ? | 1000 " +
			"1004N at 1008"},
		{"55", specConfig(4), nil, "S f6 f7 2e 01 2d 01", "| 1000 1004N [cancelled 1] at 1008"},
		{"56", specConfig(4), nil, "S f6 30 2d 01", "| 1000 1004E at 1010"},
		{"57", specConfig(4), nil, "S f6 f7 34 2d 01", "| 1000 1004E [cancelled 1] at 1010"},
		{"58", specConfig(1), nil, "S f6 f7 00 03", "| 1000 1004N [discard 1 P0 elements: discard] at ?"},
		{"59", eteConfig, nil, "S b4 02", "| 1000 1004N 1008E at 1020"},
		{"60", eteConfig, nil, "S a5 02 02", "| 1000 1004N at 1008"},
		{"61", eteConfig, nil, "S a5 08 05", "| 1000 [q_unresolved 1020 4] at 1020"},
		{"62", countConfig, nil, "A 01 01 01 04 82 00 08 00 00 31 f6 0f f7 13", "| 1000 [unknown cycles] 1004N [3 " +
			"cycles packet] 1008E/3 at 1020"},
		{
			"63", specConfig(255), spec1, "A 01 00 04 82 21 0a 0c 00 11 f6 30 2d 01 9a 4e 4a 06 00 db 2d 02",
			"| c1484 c1488 c148cE 69538E 69558 6955c 69560E at ?",
		},
		{
			"64", specConfig(255), spec1, "A 01 00 04 82 4a 43 01 00 11 dc df 2e 04 2d 04",
			"| 18728 1872c 18730N 18734 18738E 18754 18758 1875c 18760 18764 18768 1876c 18770 " +
				"18774E 1878c 18790 18794 18798E [cancelled 4] at ?",
		},
		{
			"65", eteConfig, transaction, "A 01 00 04 82 22 1a 0c 00 31 f7 0a f6 0b ff",
			"| c3488 c348cE [transaction_start] c3490N [transaction_commit] c3494 c3498E 7889c 788a0 788a4 788a8E " +
				"1c098 1c09c 1c0a0E at ?",
		},
		{
			"66", plainConfig, image.New(words(0xffffffc0001e2a4c, nop, nop, nop, nop, 0xb4000060)),
			"A T 85 13 15 1e 00 c0 ff ff ff 31 f6 A T 85 18 15 1e 00 c0 ff ff ff 31",
			"| ffffffc0001e2a4c ffffffc0001e2a50 ffffffc0001e2a54 ffffffc0001e2a58 ffffffc0001e2a5cN at " +
				"ffffffc0001e2a60 | at ffffffc0001e2a60",
		},
		{
			"67", configOf(etmv4.Registers{CONFIGR: 0xc1, IDR0: 0x28000ea1, IDR1: 0x4100f403, IDR2: 0x488, Profile: "A"}),
			image.New(words(0xffffffc00045eb30, 0xb4000020 /* cbz x0, +4 */, 0x14000001 /* b +4 */)),
			"A T 85 4c 75 45 00 c0 ff ff ff f1 00 00 00 00 00 f7 A f7 T 85 4e 75 45 00 c0 ff ff ff f1 00 00 00 00 00",
			"| ffffffc00045eb30E ffffffc00045eb34E at ffffffc00045eb38 | at ffffffc00045eb38",
		},
		{
			"68", microConfig, loops, "A 01 00 83 00 10 00 00 00 f6 f7 f6 f7 f6 f7",
			"| 1000N 1004 1006E 1004 1006N 100a 100cE 100a 100cN 1010E at ?",
		},
	})
}
