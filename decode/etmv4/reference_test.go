package etmv4

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
)

// What OpenCSD's lister prints of a packet.
type referencePacket struct {
	at    int
	bytes string // hex
	text  string
}

var referenceLine = regexp.MustCompile(`^Idx:(\d+); ID:[0-9a-f]+; \[((?:0x[0-9a-f]{2} )+)\];\t(.*)$`)

// referencePackets lists the packets of a stream with the registers of r.
func referencePackets(t *testing.T, r *Registers, stream []byte) []referencePacket {
	t.Helper()
	lister := need.Tool(t, need.OpenCSD, "trc_pkt_lister")
	dir := t.TempDir()
	kind, devarch := "ETM4", ""
	if r.ETE {
		kind, devarch = "ETE", fmt.Sprintf("TRCDEVARCH(0x3EF)=0x%08x\n", r.DEVARCH)
	}
	core := map[string]string{"A": "Cortex-A53", "M": "Cortex-M33"}[r.Profile]
	for name, text := range map[string]string{
		"snapshot.ini": "[snapshot]\nversion=1.0\n[device_list]\ndevice0=cpu_0.ini\ndevice1=device_1.ini\n[trace]\nmetadata=trace.ini\n",
		"trace.ini": "[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=B\nfile=trace.bin\nformat=source_data\n" +
			"[source_buffers]\nS=B\n[core_trace_sources]\ncpu_0=S\n",
		"cpu_0.ini": "[device]\nname=cpu_0\nclass=core\ntype=" + core + "\n",
		"device_1.ini": fmt.Sprintf("[device]\nname=S\nclass=trace_source\ntype=%s\n[regs]\nTRCCONFIGR(0x004)=0x%08x\nTRCTRACEIDR(0x010)=0x10\n"+
			"TRCIDR0(0x078)=0x%08x\nTRCIDR1(0x079)=0x%08x\nTRCIDR2(0x07A)=0x%08x\nTRCIDR8(0x060)=0x%08x\n%s",
			kind, r.CONFIGR, r.IDR0, r.IDR1, r.IDR2, r.IDR8, devarch),
		"trace.bin": string(stream),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(lister, "-ss_dir", dir, "-pkt_mon", "-logstdout")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var all []referencePacket
	for line := range strings.Lines(string(out)) {
		m := referenceLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			continue
		}
		at, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, referencePacket{at, strings.ReplaceAll(strings.ReplaceAll(m[2], "0x", ""), " ", ""), m[3]})
	}
	return all
}

// reservedHere reports whether a packet is doubtful, whatever is open.
func reservedHere(c *Config, p *Packet, b []byte) bool {
	return p.Kind != Commit && p.Kind != Cancel && p.Kind != Mispredict && c.Doubts()(b)
}

// randomPackets are an A-sync, a Trace Info packet, a context with SF set, and any packets of
// the configuration that are allowed.
func randomPackets(c *Config, random *rand.Rand, n int, allowed func(*Packet) bool) []byte {
	stream := append(c.Append(nil, Packet{Kind: ASync}), 0x01, 0x01, 0x00, 0x81, 0x30)
	b := make([]byte, 32)
	for n > 0 {
		for i := range b {
			b[i] = byte(random.Uint32())
			if random.Uint32()&1 == 0 { // so that fields end
				b[i] &^= more
			}
		}
		var p Packet
		if err := c.Parse(&p, b); err != nil || p.Kind == Atoms && random.Uint32()&7 != 0 || reservedHere(c, &p, b) || !allowed(&p) {
			continue
		}
		stream = c.Append(stream, p)
		n--
	}
	return stream
}

// Packets of any kind have the bounds that OpenCSD gives them, and say what it says.
//
// It knows neither Instrumentation nor conditional tracing, and has 32 bits of addresses alone
// while it takes the state for AArch32.
func TestReference(t *testing.T) {
	const configr, spec = 0x8d1, 20 // counts, Context ID, VMID, timestamps
	commits := juno.with(configr, spec)
	commits.IDR0 &^= 1 << idr0CommOptShift
	for _, tt := range []struct {
		name  string
		r     Registers
		kinds int // of packets, at least
	}{
		{"ETMv4.0", juno.with(configr, spec), 22},
		{"cycle counts commit", commits, 22},
		{"ETE", models.with(configr, spec), 28},
		{"v8-M", Registers{CONFIGR: configr, IDR0: 0x280006e1, IDR1: 0x4100f420, IDR2: 4, IDR8: spec, Profile: "M"}, 23},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, _, err := NewConfig(tt.r)
			if err != nil {
				t.Fatal(err)
			}
			stream := randomPackets(&c, rand.New(rand.NewPCG(1, 2)), 4000, func(p *Packet) bool {
				return !p.Context.Sent || p.Context.SF
			})
			var s State
			var p Packet
			at, kinds := 0, map[string]bool{}
			for _, want := range referencePackets(t, &tt.r, stream) {
				if err := c.Parse(&p, stream[at:]); err != nil {
					t.Fatal(err)
				}
				s.Apply(&c, &p)
				kinds[p.Type()] = true
				if b := hex.EncodeToString(stream[at : at+p.Len]); want.at != at || want.bytes != b {
					t.Fatalf("at %d: %s %s, want at %d %s %s", at, b, p.Type(), want.at, want.bytes, want.text)
				}
				for _, word := range words(&c, &p, &s) {
					if !strings.Contains(want.text+";", word) {
						t.Fatalf("at %d: %s: %s, want %s", at, want.bytes, word, want.text)
					}
				}
				at += p.Len
			}
			if at != len(stream) || len(kinds) < tt.kinds {
				t.Errorf("%d bytes compared of %d, %d kinds of packets", at, len(stream), len(kinds))
			}
		})
	}
}

// words are what OpenCSD prints of a packet, among other things. What a cycle count commits
// it does not print.
func words(c *Config, p *Packet, s *State) (words []string) {
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	switch p.Kind {
	case Atoms:
		add("; %s;", p.atomString())
	case Timestamp:
		add("Updated val = 0x%x;", s.Timestamp)
	case Commit:
		add("Commit(%d);", p.Count.Value)
	case Q:
		if p.HasCount {
			add("Count(%d);", p.Count.Value)
		}
	case CycleCount:
		if p.HasCycles {
			add("Count=0x%x;", s.Cycles(p))
		}
	case Cancel:
		add("Cancel(%d)", p.Count.Value)
	}
	if p.AtomCount > 0 && p.Kind != Atoms {
		add("Atom: %s, ", p.atomString())
	}
	switch {
	case p.Form == NoAddress:
	case c.Profile == profileM:
		add("%08X", uint32(s.History[0].Address))
	default:
		add("Addr=0x%016X", s.History[0].Address)
	}
	return words
}
