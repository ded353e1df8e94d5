package etmv3

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/tracelake/tracelake/decode/async"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
)

// The captures, with the registers of the source and the packets and A-syncs
// that its listing has.
var captured = []struct {
	capture, source        string
	etmcr, etmccer, etmidr uint32
	profileM               bool
	packets, asyncs        int
}{
	{"opencsd-TC2", "10", 0x10001860, 0x344008f2, 0x410cf250, false, 8707, 10},
	{"opencsd-TC2", "11", 0x10001860, 0x344008f2, 0x410cf250, false, 8517, 10},
	{"opencsd-TC2", "12", 0x10001860, 0x344008f2, 0x410cf250, false, 2266, 3},
	{"stm32f105-m3-etmv34-itm-swo", "02", 0x980, 0, 0x4114f240, true, 664, 8},
	{"am243x-r5f-etmv3-freertos-002b37c", "10", 0xc40, 0x9ba, 0x4104f230, false, 41306, 61},
	{"am243x-r5f-etmv3-zephyr-e9185a9", "10", 0xc40, 0x9ba, 0x4104f230, false, 59424, 62},
	{"am243x-r5f-etmv3-threadx-ce42d22", "10", 0xc40, 0x9ba, 0x4104f230, false, 51363, 59},
	{"am243x-r5f-etmv3-threadx-002b37c", "10", 0xc40, 0x9ba, 0x4104f230, false, 51363, 59},
}

func TestCaptures(t *testing.T) {
	dir := shared.File(t, "captures")
	for _, tt := range captured {
		t.Run(tt.capture+" "+tt.source, func(t *testing.T) {
			cfg, warnings, err := NewConfig(tt.etmcr, tt.etmccer, tt.etmidr, tt.profileM)
			if err != nil || warnings != nil {
				t.Fatal(err, warnings)
			}
			expected := filepath.Join(dir, tt.capture, "expected", tt.source)
			stream := shared.Read(t, expected+".bin.gz")
			list := shared.Packets(t, expected+".packets.tsv.gz", stream)
			packets, asyncs := 0, 0
			for i, want := range list {
				b := stream[want.At:]
				var p Packet
				err := cfg.Parse(&p, b)
				switch want.Kind {
				case "unsynced":
					continue
				case "incomplete":
					if !errors.Is(err, io.ErrUnexpectedEOF) {
						t.Errorf("at %d: %v, want %v", want.At, err, io.ErrUnexpectedEOF)
					}
					continue
				}
				if err != nil || listedKind(&p) != want.Kind || p.Len != want.Len || p.Bad || !cfg.Defines(p.Kind) {
					t.Fatalf("at %d: %+v, %v, want %s of %d bytes", want.At, p, err, want.Kind, want.Len)
				}
				if got := cfg.Append(nil, p); !bytes.Equal(got, b[:p.Len]) {
					t.Errorf("at %d: Append = % x, want % x", want.At, got, b[:p.Len])
				}
				packets++
				if p.Kind == ASync {
					asyncs++
					checkFindISync(t, &cfg, stream, list[i+1:])
				}
			}
			if packets != tt.packets || asyncs != tt.asyncs {
				t.Errorf("compared %d packets, %d of them A-syncs, want %d, %d", packets, asyncs, tt.packets, tt.asyncs)
			}
		})
	}
}

// listedKind returns the word that the listings use for p.
func listedKind(p *Packet) string {
	if p.Kind == ISync && p.HasCycles {
		return "i_sync_cycle"
	}
	return p.Kind.String()
}

// checkFindISync compares FindISync with the packets listed after an A-sync.
func checkFindISync(t *testing.T, cfg *Config, stream []byte, list []shared.Packet) {
	t.Helper()
	if len(list) == 0 {
		return
	}
	begin, end := list[0].At, len(stream)
	wantN, want := end-begin, async.ISyncUnknown
search:
	for _, p := range list {
		switch p.Kind {
		case "a_sync":
			wantN, want = 0, async.NoISync
			end = p.At + p.Len
			break search
		case "i_sync", "i_sync_cycle":
			wantN, want = p.At-begin, async.ISyncFound
			break search
		case "incomplete":
			wantN = p.At - begin
		}
	}
	if n, found := cfg.FindISync(stream[begin:end]); n != wantN || found != want {
		t.Errorf("FindISync at %d = %d, %d, want %d, %d", begin, n, found, wantN, want)
	}
}
