package pipeline

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/pipeline/probe"
	"github.com/tracelake/tracelake/pipeline/stitch"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/pipeline/rows"
	"github.com/tracelake/tracelake/schema"
)

// The captures agree with their programs as their README says; it has counted
// without this decoder. The sample was recorded without a fault: of its packets
// 5,857 are branch packets without exception, 56 periodic I-syncs.
func TestQuality(t *testing.T) {
	for _, tt := range []struct {
		capture string // "" is the sample
		source  string
		want    decode.Quality
	}{
		{"opencsd-trace_cov_a15", "02", decode.Quality{Branches: 1, BranchesIndirect: 1}},
		{"opencsd-tc2-ptm-rstk-t32", "02", decode.Quality{Branches: 8014, BranchesIndirect: 8014, ISyncs: 26, ISyncsEqual: 26}},
		{"opencsd-TC2", "10", decode.Quality{Branches: 190, BranchesIndirect: 190, ISyncs: 7, ISyncsEqual: 7}},
		{"opencsd-TC2", "11", decode.Quality{Branches: 180, BranchesIndirect: 180, ISyncs: 8, ISyncsEqual: 8}},
		{"opencsd-TC2", "12", decode.Quality{Branches: 49, BranchesIndirect: 49, ISyncs: 2, ISyncsEqual: 2}},
		{"stm32f105-m3-etmv34-itm-swo", "02", decode.Quality{Branches: 264, BranchesIndirect: 8, BranchesRepeated: 256}},
		{"am243x-r5f-etmv3-freertos-002b37c", "10", decode.Quality{Branches: 9384, BranchesIndirect: 8341, BranchesRepeated: 1043, ISyncs: 59, ISyncsEqual: 59}},
		{"am243x-r5f-etmv3-zephyr-e9185a9", "10", decode.Quality{
			Branches: 29331, BranchesIndirect: 29319, BranchesRepeated: 10, ISyncs: 58, ISyncsEqual: 58, ISyncsUnplaced: 1,
			BranchMisses: []decode.Miss{rewrittenVector(65358), rewrittenVector(65438)},
		}},
		{"opencsd-TC2", "13", decode.Quality{Branches: 302, BranchesIndirect: 302, BranchesUnplaced: 13, ISyncs: 3, ISyncsEqual: 3}},
		{"", "10", decode.Quality{Branches: 5857, BranchesIndirect: 5857, ISyncs: 56, ISyncsEqual: 56}},
	} {
		t.Run(tt.capture, func(t *testing.T) {
			dir := ""
			if tt.capture == "" {
				dir = sampleSnapshot(t)
			} else {
				dir = shared.File(t, "captures/"+tt.capture)
			}
			report, err := Quality(context.Background(), dir, QualityOptions{Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			seen := false
			for _, s := range report.Sources {
				var lost, losses int64
				for _, l := range s.LossReasons {
					lost += l.Bytes
					losses += l.Losses
				}
				if s.BytesDecoded+s.BytesLost != s.Bytes || lost != s.BytesLost || losses != s.Losses {
					t.Errorf("source %s: %d bytes, %d decoded, %d lost in %d losses; by reason %v", s.Source, s.Bytes, s.BytesDecoded, s.BytesLost, s.Losses, s.LossReasons)
				}
				if s.Source != "0x"+tt.source {
					continue
				}
				seen = true
				if diff := cmp.Diff((&probe.Evidence{
					Source: &plan.Source{}, Outcome: &engine.Outcome{Outcome: stitch.Outcome{Quality: tt.want}},
				}).Agreements(), s.Agreements); diff != "" {
					t.Errorf("want (-) and got (+):\n%s", diff)
				}
			}
			if !seen {
				t.Errorf("no source %s", tt.source)
			}
		})
	}
}

// qualityScenario is a program and packets worked out by hand. Each packet is
// followed by its offset.
const qualityScenario = `Every way in which packets and program can be compared.

-- config --
protocol = pft1.0
ETMCR = 0x00000100

-- program --
`

// rewrittenVector is a branch packet after the SVC vector of zephyr, which in its
// ELF file is a direct branch and in memory was not.
func rewrittenVector(offset int64) decode.Miss {
	return decode.Miss{
		Offset: offset, After: schema.Of(schema.Address(8)),
		Expected: decode.PC{Address: 0x168, ISA: schema.A32}, Found: decode.PC{Address: 0x70000ff0, ISA: schema.A32},
	}
}

const qualityPackets = `
-- packets --
00 00 00 00 00 80 ; 0 A-sync
08 00 80 00 00 21 ; 6 I-sync 00008000, a32, trace on
81 01             ; 12 branch address 00008100
08 00 81 00 00 01 ; 14 I-sync 00008100, periodic
84                ; 20 atom E
08 08 81 00 00 01 ; 21 I-sync 00008108, periodic
81 00             ; 27 branch address 00008000
86                ; 29 atom N
00 00 00 00 00 80 ; 30 A-sync
08 08 80 00 00 01 ; 36 I-sync 00008008, periodic, a cut
84                ; 42 atom E, into missing memory
08 00 83 00 00 01 ; 43 I-sync 00008300, periodic
84                ; 49 atom E, into missing memory
81 01             ; 50 branch address 00008100
`

// A program that ran agrees, another one does not, and it is said where.
func TestQualityOfPrograms(t *testing.T) {
	for _, tt := range []struct {
		name, program string
		want          decode.Quality
	}{
		{
			"the program that ran", `
00008000: e1a00000  ; mov r0, r0
00008004: 112fff1e  ; bxne lr

00008100: ea000000  ; b 0x8108

00008108: 0affffbc  ; beq 0x8000
`,
			decode.Quality{Branches: 2, BranchesIndirect: 1, BranchesRepeated: 1, BranchesUnplaced: 1, ISyncs: 3, ISyncsEqual: 3, ISyncsUnplaced: 1},
		},
		{
			"another", `
00008000: ea00007e  ; b 0x8200

00008100: eaffffff  ; b 0x8104

00008108: e1a00000  ; mov r0, r0
0000810c: f57ff06f  ; isb sy
`,
			decode.Quality{
				Branches: 2, BranchesUnplaced: 1, ISyncs: 3, ISyncsEqual: 1, ISyncsUnplaced: 1,
				BranchMisses: []decode.Miss{
					{Offset: 12, After: schema.Of[schema.Address](0x8000), Expected: a32(0x8200), Found: a32(0x8100)},
					{Offset: 27, After: schema.Of[schema.Address](0x810c), Expected: a32(0x8110), Found: a32(0x8000)},
				},
				ISyncMisses: []decode.Miss{
					{Offset: 21, Expected: a32(0x8104), Found: a32(0x8108)},
					{Offset: 36, Expected: a32(0x8004), Found: a32(0x8008)},
				},
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := decodetest.Parse(tt.name, []byte(qualityScenario+tt.program+qualityPackets), Protocols()...)
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range []engine.Grain{usualGrain, grainOf(1, 16, 64)} {
				if diff := cmp.Diff(tt.want, decodeQuality(t, s, s.Memory(), g)); diff != "" {
					t.Errorf("%+v: want (-) and got (+):\n%s", g, diff)
				}
			}
		})
	}
}

// Code without any branch is no program that ran.
func TestQualityWithoutBranches(t *testing.T) {
	s, err := decodetest.Parse("no branch", []byte(qualityScenario+"00008000: e1a00000  ; mov r0, r0\n"+qualityPackets), Protocols()...)
	if err != nil {
		t.Fatal(err)
	}
	zeros := image.New(image.Region{Address: 0x8000, Bytes: make([]byte, 1<<20)})
	got := decodeQuality(t, s, zeros, usualGrain)
	want := decode.Quality{
		Branches: 2, BranchesUnplaced: 1, ISyncs: 1, ISyncsEqual: 1, ISyncsUnplaced: 3, // each atom loses the position
		BranchMisses: []decode.Miss{{Offset: 12, Expected: a32(0x8000), Found: a32(0x8100)}, {Offset: 27, Expected: a32(0x8108), Found: a32(0x8000)}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want (-) and got (+):\n%s", diff)
	}
}

// A periodic I-sync in another security state than the flow is a miss, inside a
// segment and where one begins; and packets that the version does not have are
// named.
func TestQualityOfStates(t *testing.T) {
	s, err := decodetest.Parse("states", []byte(`The other security state.

-- config --
protocol = etmv3.3
ETMIDR = 0x410cf230  ; security extensions

-- program --
00008000: e1a00000  ; mov r0, r0
00008004: e1a00000  ; mov r0, r0

-- packets --
00 00 00 00 00 80 ; 0 A-sync
08 21 00 80 00 00 ; 6 I-sync 00008000, a32, trace on, secure
84                ; 12 P-header E
08 09 04 80 00 00 ; 13 I-sync 00008004, periodic, non-secure
84                ; 19 P-header E
42 05             ; 20 timestamp
00 00 00 00 00 80 ; 22 A-sync
08 01 08 80 00 00 ; 28 I-sync 00008008, periodic, secure
`), Protocols()...)
	if err != nil {
		t.Fatal(err)
	}
	want := decode.Quality{
		ISyncs: 2,
		ISyncMisses: []decode.Miss{
			{Offset: 13, Expected: a32(0x8004), Found: a32(0x8004), Security: schema.Of(schema.NonSecure)},
			{Offset: 28, Expected: a32(0x8008), Found: a32(0x8008), Security: schema.Of(schema.Secure)},
		},
		Undefined: []string{"timestamp packets"},
	}
	for _, g := range []engine.Grain{usualGrain, grainOf(1, 16, 64)} {
		if diff := cmp.Diff(want, decodeQuality(t, s, s.Memory(), g)); diff != "" {
			t.Errorf("%+v: want (-) and got (+):\n%s", g, diff)
		}
	}
}

// PFT 1.0 has neither VMID packets nor exception returns. They are read all the
// same, and named.
func TestQualityOfNewerPackets(t *testing.T) {
	const packets = `Packets of PFT 1.1.

-- config --
protocol = %s

-- program --
00008000: e1b0f00e  ; movs pc, lr

-- packets --
00 00 00 00 00 80 ; 0 A-sync
08 00 80 00 00 21 ; 6 I-sync 00008000, a32, trace on, secure
3c 05             ; 12 VMID 5
01                ; 14 branch address 00008000
76                ; 15 exception return
`
	for version, want := range map[string][]string{
		"pft1.0": {"exception_return packets", "vmid packets"}, "pft1.1": nil,
	} {
		s, err := decodetest.Parse(version, fmt.Appendf(nil, packets, version), Protocols()...)
		if err != nil {
			t.Fatal(err)
		}
		if got := decodeQuality(t, s, s.Memory(), usualGrain).Undefined; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", version, got, want)
		}
	}
}

func a32(address schema.Address) decode.PC { return decode.PC{Address: address, ISA: schema.A32} }

// decodeQuality decodes the packets of a scenario, cut up as g says.
func decodeQuality(t *testing.T, s *decodetest.Scenario, mem *image.Memory, g engine.Grain) decode.Quality {
	t.Helper()
	protocol, _, err := bindTo(s.Protocol, decode.Source{Registers: s.Registers})
	if err != nil {
		t.Fatal(err)
	}
	none := rows.Output{Series: seriesOf(func(*schema.Table) bool { return false })}
	return decodeInto(t, 0, protocol, mem, &pieces{packets: s.Packets, size: wholePieces}, 2, g, none).Quality
}
