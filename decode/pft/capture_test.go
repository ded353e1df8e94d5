package pft

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strconv"
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
// that their bytes are those of the stream and, if the stream is the whole capture,
// that their offsets are its positions.
func listing(t *testing.T, name string, stream []byte, raw bool) []listed {
	t.Helper()
	var list []listed
	pos := 0
	for line := range strings.Lines(string(shared.Read(t, name))) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		b := unhex(t, f[1])
		if !bytes.HasPrefix(stream[pos:], b) || raw && f[0] != strconv.Itoa(pos) {
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

func TestCaptures(t *testing.T) {
	dir := shared.File(t, "captures")
	for _, tt := range []struct {
		capture, source, stream string
		etmcr                   uint32
		packets, asyncs         int
	}{
		{"opencsd-tc2-ptm-rstk-t32", "02", "PTM_0_2.bin", 0x20000400, 20072, 27},
		{"opencsd-trace_cov_a15", "02", "PTM_0_2.bin", 0x20000400, 11, 1},
		{"opencsd-TC2", "13", "expected/13.bin.gz", 0x10001000, 1789, 5},
	} {
		t.Run(tt.capture, func(t *testing.T) {
			cfg, warnings, err := NewConfig(tt.etmcr, 0x34c01ac2, 0x411cf312)
			if err != nil || warnings != nil {
				t.Fatal(err, warnings)
			}
			folder := filepath.Join(dir, tt.capture)
			stream := shared.Read(t, filepath.Join(folder, tt.stream))
			list := listing(t, filepath.Join(folder, "expected", tt.source+".packets.tsv.gz"), stream,
				tt.stream == "PTM_0_2.bin")
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
				if err != nil || p.Kind.String() != want.kind || p.Len != want.len {
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

// checkFindISync compares FindISync with the packets listed after an A-sync.
func checkFindISync(t *testing.T, cfg *Config, stream []byte, list []listed) {
	t.Helper()
	begin, end := list[0].pos, len(stream)
	wantN, want := end-begin, async.ISyncUnknown
	for _, p := range list {
		if p.kind == "a_sync" {
			wantN, want = 0, async.NoISync
			end = p.pos + p.len
			break
		}
		if p.kind == "i_sync" {
			wantN, want = p.pos-begin, async.ISyncFound
			break
		}
	}
	if n, found := cfg.FindISync(stream[begin:end]); n != wantN || found != want {
		t.Errorf("FindISync at %d = %d, %d, want %d, %d", begin, n, found, wantN, want)
	}
}
