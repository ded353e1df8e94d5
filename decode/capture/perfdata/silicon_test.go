package perfdata

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/tracelake/tracelake/bench/need"
)

// recorded returns a recording of simpleperf.
func recorded(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(need.Module(t), "..", "shared", "captures", "perf-simpleperf-"+name, "perf.data"))
	if err != nil {
		need.Missing(t, need.Silicon, err.Error())
	}
	return b
}

// etm is a trace unit of ETMv4.2, of a Cortex-A55 or A76.
func etm(cpu int16, id uint8, idr1 uint64) CPU {
	return CPU{CPU: cpu, Kind: ETMv4, Registers: []Register{
		{"TRCCONFIGR", 0x40},
		{"TRCTRACEIDR", uint64(id)},
		{"TRCIDR0", 0x28000EA1},
		{"TRCIDR1", idr1},
		{"TRCIDR2", 0x20001088},
		{"TRCIDR8", 0},
		{"TRCAUTHSTATUS", 0x8C},
	}, TraceIDs: []TraceID{{ID: id}}}
}

// A recording of the kernel: three AUX records of two CPUs, two of them truncated.
func TestKernel(t *testing.T) {
	f := readBytes(t, recorded(t, "kernel"))
	want := Metadata{Version: 1, PMU: 8}
	for cpu := range int16(8) {
		idr1 := uint64(0x4100F422)
		if cpu >= 6 {
			idr1++
		}
		want.CPUs = append(want.CPUs, etm(cpu, uint8(0x10+2*cpu), idr1))
	}
	same(t, "metadata", want, f.Metadata)
	same(t, "rings", []Ring{{Index: 6, CPU: 6, TID: -1, Bytes: 22832}, {Index: 0, CPU: 0, TID: -1, Bytes: 16368}}, f.Rings)
	same(t, "pieces", []Piece{
		{Time: 495586747076, Offset: 57128, Size: 16368, PID: 15320, TID: 15320, Ring: 0, CPU: 6, Flags: Truncated, TraceID: 0x1C},
		{Time: 495588313586, Offset: 73656, Size: 6464, PID: 15320, TID: 15320, Ring: 0, CPU: 6, TraceID: 0x1C},
		{Time: 495590833743, Offset: 80280, Size: 16368, PID: 15320, TID: 15320, Ring: 1, CPU: 0, Flags: Truncated, TraceID: 0x10},
	}, f.Pieces)
	same(t, "events", map[EventKind]int{MapEvent: 469, CommEvent: 2, TraceStartEvent: 3}, kindsOf(f))
	same(t, "build IDs", 346, len(f.BuildIDs))
	same(t, "the kernel's", BuildID{Name: "[kernel.kallsyms]", ID: "\x31\x4a\x4f\x09\xe2\xd2\x30\x5e", PID: -1, Mode: Kernel}, f.BuildIDs[0])
	kernel := f.Maps[f.Events[0].Index]
	same(t, "the kernel", Map{Addr: 0xFFFFFF9A5DC9D000, Size: 436513157119, Name: kernel.Name, Executable: true, Mode: Kernel}, kernel)
	same(t, "its name", "[kernel.kallsyms]_stext", f.Names[kernel.Name])
	same(t, "its process", [2]int32{-1, 0}, [2]int32{f.Events[0].PID, f.Events[0].TID})
	same(t, "command", []string{
		"/data/local/tmp/simpleperf64", "record", "-e", "cs-etm:k", "--aux-buffer-size", "16k", "sleep", "0.001",
	}, f.CommandLine)
	same(t, "kernel, architecture", []string{"4.19.205-g248f514543f5-ab7734026", "aarch64"}, []string{f.OSRelease, f.Arch})
	same(t, "clock", int32(1), f.ClockID) // CLOCK_MONOTONIC
	same(t, "notes", nil, f.Notes)
}

// An unformatted recording: 76 bytes of trace in an AUXTRACE of 80, and empty AUX records.
func TestUnformatted(t *testing.T) {
	f := readBytes(t, recorded(t, "unformatted"))
	want := Metadata{Version: 1, PMU: 8}
	for cpu := range int16(2) {
		id := uint8(0x10 + 2*cpu)
		want.CPUs = append(want.CPUs, CPU{CPU: cpu, Kind: ETE, Registers: []Register{
			{"TRCCONFIGR", 0x8080},
			{"TRCTRACEIDR", uint64(id)},
			{"TRCIDR0", 0x288006A1},
			{"TRCIDR1", 0x4100FFF0},
			{"TRCIDR2", 0xC0001088},
			{"TRCIDR8", 0},
			{"TRCAUTHSTATUS", 0xCC},
			{"TRCDEVARCH", 0x47715A13},
		}, TraceIDs: []TraceID{{ID: id}}})
	}
	same(t, "metadata", want, f.Metadata)
	same(t, "rings", []Ring{{Index: 0, CPU: 0, TID: -1, Bytes: 80, Padding: 4}}, f.Rings)
	same(t, "pieces", []Piece{
		{Time: 1667196293520, Offset: 18752, Size: 76, PID: 319, TID: 319, Ring: 0, CPU: 0, TraceID: 0x10, Raw: true},
	}, f.Pieces)
	same(t, "events", map[EventKind]int{MapEvent: 124, CommEvent: 2, ExitEvent: 1, TraceStartEvent: 5}, kindsOf(f))
	same(t, "build IDs", 19, len(f.BuildIDs))
	same(t, "the program's", "0c9a20bf9c009d0e4e8bbf9fad0300ae", fmt.Sprintf("%x", f.BuildIDs[1].ID))
	same(t, "notes", nil, f.Notes)
}

// The same recording in other forms has the same pieces, registers and events.
func TestVariants(t *testing.T) {
	for _, name := range []string{"kernel", "unformatted"} {
		b := recorded(t, name)
		want := contentOf(t, part("perf.data", b))
		for variant, of := range variants {
			parts := of(b)
			if parts == nil { // there is none of this recording
				continue
			}
			t.Run(name+"/"+variant, func(t *testing.T) {
				got := contentOf(t, parts...)
				if variant == "piped" {
					got.BuildIDs = want.BuildIDs // records of their own there
				}
				if variant == "snapshot" {
					for i := range got.Pieces {
						got.Pieces[i].Flags &^= Overwrite
					}
				}
				same(t, "content", want, got)
			})
		}
	}
}

var variants = map[string]func(b []byte) []Part{
	"rebuilt": func(b []byte) []Part {
		r, _ := split(b)
		return []Part{part("perf.data", r.bytes())}
	},
	"piped": func(b []byte) []Part {
		r, _ := split(b)
		r.piped = true
		return []Part{part("perf.data", r.bytes())}
	},
	"snapshot": func(b []byte) []Part {
		return each(b, 11, func(rec []byte) []byte {
			rec = bytes.Clone(rec)
			size := binary.LittleEndian.Uint64(rec[16:])
			binary.LittleEndian.PutUint64(rec[8:], binary.LittleEndian.Uint64(rec[8:])+size)
			rec[24] |= 2
			return rec
		})
	},
	"version 0": func(b []byte) []Part {
		return each(b, 70, func(rec []byte) []byte { return blocks(rec, 0, nil) })
	},
	"version 2, a parameter too many": func(b []byte) []Part {
		return each(b, 70, func(rec []byte) []byte { return blocks(rec, 2, u64(1<<64-1, 0xBAD)) })
	},
	"compressed": func(b []byte) []Part {
		r, records := split(b)
		r.records = compress(records, recordCompressed, 100)
		r.features[27] = u32(1, 1, 1, 10, 1<<20)
		return []Part{part("perf.data", r.bytes())}
	},
	"compressed2": func(b []byte) []Part {
		r, records := split(b)
		r.records = compress(records, recordCompressed2, 61)
		return []Part{part("perf.data", r.bytes())}
	},
	"directory": func(b []byte) []Part {
		r, records := split(b)
		half := len(records) / 2
		r.records = join(records[:half]...)
		return []Part{part("data", r.bytes()), part("data.0", join(records[half:]...))}
	},
}

// each returns a recording in which the records of a kind are others.
func each(b []byte, kind uint32, other func([]byte) []byte) []Part {
	r, records := split(b)
	r.records = nil
	for _, rec := range records {
		if binary.LittleEndian.Uint32(rec) == kind {
			if rec = other(rec); rec == nil {
				return nil
			}
		}
		r.records = join(r.records, rec)
	}
	return []Part{part("perf.data", r.bytes())}
}

// blocks returns an AUXTRACE_INFO of version 1 in another version, and with more parameters. Of
// version 0 there is none for an ETE.
func blocks(b []byte, version uint64, more []byte) []byte {
	out := join(b[8:16], u64(version), b[24:40])
	for b = b[40:]; len(b) > 0; {
		n := binary.LittleEndian.Uint64(b[16:])
		switch {
		case version > 0:
			out = join(out, b[:16], u64(n+uint64(len(more)/8)), b[24:24+8*n], more)
		case binary.LittleEndian.Uint64(b) == blockETE:
			return nil
		default:
			out = join(out, b[:16], b[24:24+8*n])
		}
		b = b[24+8*n:]
	}
	return rec(70, 0, out)
}

// compress compresses records but for AUXTRACE and AUXTRACE_INFO, some bytes at a time, so that
// records are split.
func compress(records [][]byte, kind uint32, most int) []byte {
	var packed bytes.Buffer
	z, err := zstd.NewWriter(&packed, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	if err != nil {
		panic(err)
	}
	var out, plain []byte
	flush := func(all bool) {
		for len(plain) >= most || all && len(plain) > 0 {
			n := min(len(plain), most)
			z.Write(plain[:n])
			z.Flush()
			plain = plain[n:]
			body := bytes.Clone(packed.Bytes())
			if kind == recordCompressed2 {
				body = join(u64(uint64(len(body))), body, make([]byte, -len(body)&7))
			}
			out = join(out, rec(kind, 0, body))
			packed.Reset()
		}
	}
	for _, rec := range records {
		switch binary.LittleEndian.Uint32(rec) {
		case 70, 71:
			flush(false)
			out = join(out, rec)
		default:
			plain = join(plain, rec)
		}
	}
	flush(true)
	return out
}

// A content is what does not depend on the form of a recording: of a piece its bytes, and not
// where they are; of an index what it means.
type content struct {
	CPUs     []CPU
	Pieces   []Piece
	Bytes    [][32]byte
	Rings    []Ring
	Events   []Event
	Names    []string
	Maps     []Map
	BuildIDs []BuildID
	Command  []string
}

func contentOf(t *testing.T, parts ...Part) content {
	t.Helper()
	f, err := Read(parts)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Notes) > 0 {
		t.Errorf("notes %q", f.Notes)
	}
	c := content{f.Metadata.CPUs, slices.Clone(f.Pieces), nil, f.Rings, f.Events, f.Names, f.Maps, f.BuildIDs, f.CommandLine}
	for i := range c.Pieces {
		p := &c.Pieces[i]
		b := make([]byte, p.Size)
		if _, err := parts[p.Part].Data.ReadAt(b, p.Offset); err != nil {
			t.Error(err)
		}
		c.Bytes = append(c.Bytes, sha256.Sum256(b))
		p.Offset, p.Part = 0, 0
	}
	return c
}

func kindsOf(f *File) map[EventKind]int {
	n := map[EventKind]int{}
	for _, e := range f.Events {
		n[e.Kind]++
	}
	return n
}

func readBytes(t *testing.T, b []byte) *File {
	t.Helper()
	f, err := Read([]Part{part("perf.data", b)})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// same compares what was read with what is right.
func same[T any](t *testing.T, what string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
