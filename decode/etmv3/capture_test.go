package etmv3

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/async"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
)

// A listed packet is one of a reference listing.
type listed struct {
	pos, len int // in the stream
	kind     string
}

// listing reads a packet listing: lines of capture offset, bytes, kind. It checks
// that their bytes are those of the stream.
func listing(t *testing.T, name string, stream []byte) []listed {
	t.Helper()
	var list []listed
	pos := 0
	for line := range strings.Lines(string(shared.Read(t, name))) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		b, err := hex.DecodeString(f[1])
		if err != nil || !bytes.HasPrefix(stream[pos:], b) {
			t.Fatalf("%s: the stream at %d is not %s", name, pos, line)
		}
		list = append(list, listed{pos, len(b), f[2]})
		pos += len(b)
	}
	if pos != len(stream) {
		t.Fatalf("%s has %d bytes, the stream %d", name, pos, len(stream))
	}
	return list
}

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
			list := listing(t, expected+".packets.tsv.gz", stream)
			packets, asyncs := 0, 0
			for i, want := range list {
				b := stream[want.pos:]
				var p Packet
				err := cfg.Parse(&p, b)
				switch want.kind {
				case "unsynced":
					continue
				case "incomplete":
					if !errors.Is(err, io.ErrUnexpectedEOF) {
						t.Errorf("at %d: %v, want %v", want.pos, err, io.ErrUnexpectedEOF)
					}
					continue
				}
				if err != nil || listedKind(&p) != want.kind || p.Len != want.len || p.Bad || !cfg.Defines(p.Kind) {
					t.Fatalf("at %d: %+v, %v, want %s of %d bytes", want.pos, p, err, want.kind, want.len)
				}
				if got := cfg.Append(nil, p); !bytes.Equal(got, b[:p.Len]) {
					t.Errorf("at %d: Append = % x, want % x", want.pos, got, b[:p.Len])
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
func checkFindISync(t *testing.T, cfg *Config, stream []byte, list []listed) {
	t.Helper()
	if len(list) == 0 {
		return
	}
	begin, end := list[0].pos, len(stream)
	wantN, want := end-begin, async.ISyncUnknown
search:
	for _, p := range list {
		switch p.kind {
		case "a_sync":
			wantN, want = 0, async.NoISync
			end = p.pos + p.len
			break search
		case "i_sync", "i_sync_cycle":
			wantN, want = p.pos-begin, async.ISyncFound
			break search
		case "incomplete":
			wantN = p.pos - begin
		}
	}
	if n, found := cfg.FindISync(stream[begin:end]); n != wantN || found != want {
		t.Errorf("FindISync at %d = %d, %d, want %d, %d", begin, n, found, wantN, want)
	}
}
