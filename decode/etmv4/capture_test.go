package etmv4

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/tracelake/tracelake/decode/decodetest/shared"
)

// Registers of the captures.
var (
	juno   = Registers{CONFIGR: 0xc1, IDR0: 0x28000ea1, IDR1: 0x4100f403, IDR2: 0x488, Profile: "A"}
	models = Registers{
		ETE: true, CONFIGR: 0x1, IDR0: 0x2801cea1, IDR1: 0x4100fff0, IDR2: 0xd0001088, DEVARCH: 0x47705a13, Profile: "A",
	}
)

// with returns r with other values of TRCCONFIGR and TRCIDR8.
func (r Registers) with(configr, idr8 uint32) Registers {
	r.CONFIGR, r.IDR8 = configr, idr8
	return r
}

// marked is models as ETE 1.1.
func marked() Registers {
	r := models.with(0x8801, 0)
	r.IDR0, r.DEVARCH = 0x2881cea1, 0x47715a13
	return r
}

// older is models with a trace unit that counts cycles without COMMOPT.
func older() Registers {
	r := models
	r.IDR0, r.IDR2 = 0x8000aa1, 0xc0001088
	return r
}

// The captures, with the packets that their listings have, and the cuts: A-syncs in the listing
// that a Trace Info packet follows, and then an address with context.
var captured = []struct {
	capture, source, stream string
	registers               Registers
	packets, cuts           int
}{
	{"etm4-juno_r1_1", "10", "expected/10.bin.gz", juno, 29236, 31},
	{"etm4-juno_r1_1", "11", "expected/11.bin.gz", juno, 248, 2},
	{"etm4-juno_r1_1", "12", "expected/12.bin.gz", juno, 3, 0},
	{"etm4-juno_r1_1", "13", "expected/13.bin.gz", juno, 305, 3},
	{"etm4-juno_r1_1", "15", "expected/15.bin.gz", juno, 1258, 1},
	{"etm4-juno-uname-002", "16", "expected/16.bin.gz", juno.with(0, 0), 57581, 65},
	{"ete-002-ack_test_scr", "02", "session1.bin", older(), 522, 1},
	{"ete-ete_spec_1", "01", "session1.bin", models.with(0, 0xff), 76, 1},
	{"ete-src_addr", "02", "session1.bin", models.with(0x11, 0), 1983, 1},
	{"ete-trace_file_cid_vmid", "02", "session1.bin", models.with(0xc1, 0), 3137, 1},
	{"ete-ts_marker", "01", "session1.bin", marked(), 552, 1},
}

func TestCaptures(t *testing.T) {
	dir := shared.File(t, "captures")
	for _, tt := range captured {
		t.Run(tt.capture+" "+tt.source, func(t *testing.T) {
			cfg, warnings, err := NewConfig(tt.registers)
			if err != nil || warnings != nil {
				t.Fatal(err, warnings)
			}
			folder := filepath.Join(dir, tt.capture)
			stream := shared.Read(t, filepath.Join(folder, tt.stream))
			packets, doubtful := 0, cfg.Doubts()
			for _, want := range shared.Packets(t, filepath.Join(folder, "expected", tt.source+".packets.tsv.gz"), stream) {
				if want.Kind == "unsynced" {
					continue
				}
				b := stream[want.At:]
				var p Packet
				if err := cfg.Parse(&p, b); err != nil || listedKind(&p, b[0]) != want.Kind || p.Len != want.Len {
					t.Fatalf("at %d: %+v, %v, want %s of %d bytes", want.At, p, err, want.Kind, want.Len)
				}
				if got := cfg.Append(nil, p); !bytes.Equal(got, b[:p.Len]) {
					t.Errorf("at %d: Append = % x, want % x", want.At, got, b[:p.Len])
				}
				if doubtful(b) {
					t.Errorf("at %d: doubtful: %+v", want.At, p)
				}
				packets++
			}
			cuts := len(cfg.NewCutter().Find(stream, true).At)
			if packets != tt.packets || cuts != tt.cuts {
				t.Errorf("%d packets, %d cuts, want %d, %d", packets, cuts, tt.packets, tt.cuts)
			}
		})
	}
}

// listedKind returns the word that the listings use for a packet with that header.
func listedKind(p *Packet, h byte) string {
	size := map[Form]string{ShortAddress: "s_is%d", Long32: "l_32is%d", Long64: "l_64is%d"}[p.Form]
	if size != "" {
		is := 0
		if p.IS1 {
			is = 1
		}
		size = fmt.Sprintf(size, is)
	}
	switch p.Kind {
	case Atoms:
		return fmt.Sprintf("atom_f%d", atomFormat(h))
	case Address:
		if p.Form == ExactMatch {
			return "addr_match"
		}
		return "addr_" + size
	case AddressContext:
		return "addr_ctxt_" + size
	case SourceAddress:
		return "src_addr_" + size
	case CycleCount:
		return fmt.Sprintf("ccnt_f%d", p.Format)
	}
	for kind, word := range map[Kind]string{
		ASync: "async", Context: "ctxt", Exception: "except", ExceptionReturn: "except_rtn", TimestampMarker: "ts_marker",
	} {
		if p.Kind == kind {
			return word
		}
	}
	return p.Type()
}

// atomFormat is the number of the format of an atom header.
func atomFormat(h byte) int {
	switch {
	case h == 0xf6 || h == 0xf7:
		return 1
	case h >= 0xd8 && h <= 0xdb:
		return 2
	case h >= 0xf8:
		return 3
	case h >= 0xdc && h <= 0xdf:
		return 4
	case h >= 0xd5 && h <= 0xd7, h == 0xf5:
		return 5
	default:
		return 6
	}
}
