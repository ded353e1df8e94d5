package perfdata

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/tracelake/tracelake/bench/need"
)

// pack compresses what is given, piece by piece, to one stream, and returns its pieces. It ends
// the stream no more than perf does.
func pack(t testing.TB, pieces ...[]byte) (packed [][]byte) {
	t.Helper()
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pieces {
		z.Write(p)
		if err := z.Flush(); err != nil {
			t.Fatal(err)
		}
		packed = append(packed, bytes.Clone(out.Bytes()))
		out.Reset()
	}
	return packed
}

// withPacking is a recording whose records unpack to that many bytes at most.
func withPacking(most uint32, records ...[]byte) recording {
	r := simple(records...)
	r.features = map[int][]byte{27: u32(1, zstdKind, 3, 10, most)}
	return r
}

// Compressed records are one stream: a record may begin in one and end in another, and trace may
// stand between.
func TestCompressed(t *testing.T) {
	comm := rec(3, 0, u32(5, 6), []byte("some name"), at(5, 6, 1, 0))
	plain := join(comm, rec(66, 0, u32(3)), make([]byte, 8), join(u32(firstOfSimpleperf), u16(0, 12), u32(1<<31)), aux(2, 0, 16, 0, 0, 9), comm)
	bytes16 := trace(0, 0, 0, 0, make([]byte, 16))
	for cut := 0; cut < len(plain); cut += need.Size(11, 1) {
		p := pack(t, plain[:cut], plain[cut:])
		f := read(t, withPacking(1<<20, rec(81, 0, p[0]), bytes16, rec(83, 0, u64(uint64(len(p[1]))), p[1], make([]byte, 5))))
		same(t, "pieces", 1, len(f.Pieces))
		same(t, "events", 2, len(f.Events))
		same(t, "notes", nil, f.Notes)
		if t.Failed() {
			t.Fatalf("cut at %d", cut)
		}
	}
}

// What cannot be unpacked is refused with a sentence of its own.
func TestCompressedRefused(t *testing.T) {
	zeros := func(n int) []byte { return join(u32(68), u16(0, 8), make([]byte, 8*n)) }
	whole := func(b []byte) []byte { return rec(81, 0, pack(t, b)[0]) }
	var events []byte
	for len(events) < 4096 {
		events = join(events, rec(68, 0))
	}
	many := pack(t, slices.Repeat([][]byte{bytes.Repeat(events, 1<<22/len(events))}, 20)...)
	var bomb []byte
	for _, m := range many {
		bomb = join(bomb, rec(81, 0, m))
	}
	damaged := pack(t, events)[0]
	damaged[6] |= 6 // a block of no type
	wide, err := zstd.NewWriter(nil, zstd.WithWindowSize(64<<20), zstd.WithSingleSegment(false))
	if err != nil {
		t.Fatal(err)
	}
	other := withPacking(1<<20, whole(events))
	other.features[27] = u32(1, 2, 3, 10, 1<<20)
	for _, tt := range []struct {
		name string
		file recording
		want string
	}{
		{"no zstd", withPacking(1<<20, rec(81, 0, []byte("nothing of zstd"))), "has a compressed record that is no zstd"},
		{"damaged", withPacking(1<<20, rec(81, 0, damaged)), "has a compressed record that is no zstd"},
		{"another kind", other, "has records that are compressed in a way 2; record without -z, or with zstd, which is 1"},
		{"more than it says", withPacking(4095, whole(events)), "has a compressed record of more than 4,095 bytes, the most that it says; record it again, without -z"},
		{"a bomb", simple(bomb), "has compressed records of more than 1000 times their size; record it again, without -z"},
		{"size 0", withPacking(1<<20, whole(zeros(4))), "has compressed records one of which is smaller than its header; record it again, without -z"},
		{"trace", withPacking(1<<20, whole(trace(0, 0, 0, 0, make([]byte, 16)))), "has compressed trace (AUXTRACE); perf does not compress it: record it again, without -z"},
		{"window", withPacking(1<<20, rec(81, 0, wide.EncodeAll(make([]byte, 32<<20), nil))), "has compressed records that refer back more than 8 MiB; record it with perf record -z of a level up to 19"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Read([]Part{part("perf.data", tt.file.bytes())})
			var e *Error
			if f != nil || !errors.As(err, &e) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v\nwant %s", err, tt.want)
			}
		})
	}
}

// A stream may be cut off, as the file may.
func TestCompressedCutOff(t *testing.T) {
	comm := rec(3, 0, u32(5, 6), []byte("some name"), at(5, 6, 1, 0))
	packed := pack(t, join(comm, comm))[0]
	trace := join(aux(2, 0, 16, 0, 0, 9), trace(0, 0, 0, 0, make([]byte, 16)))
	for cut := range packed {
		if cut == 0 {
			continue
		}
		f := read(t, withPacking(1<<20, trace, rec(81, 0, packed[:cut])))
		if len(f.Pieces) != 1 || len(f.Events) > 0 || len(f.Notes) != 1 || !strings.Contains(f.Notes[0], "the compressed records end inside a record") {
			t.Fatalf("cut at %d: %d events, notes %q", cut, len(f.Events), f.Notes)
		}
	}
	half := pack(t, join(comm, comm[:20]))[0]
	f := read(t, withPacking(1<<20, trace, rec(81, 0, half)))
	same(t, "events", 1, len(f.Events))
	same(t, "notes", 1, len(f.Notes))
}

// A pipe describes its compression in a record.
func TestCompressedPipe(t *testing.T) {
	comm := rec(3, 0, u32(5, 6), []byte("some name"), at(5, 6, 1, 0))
	r := withPacking(1<<20, rec(81, 0, pack(t, join(comm, comm))[0]), aux(2, 0, 16, 0, 0, 9), trace(0, 0, 0, 0, make([]byte, 16)))
	r.piped = true
	same(t, "events", 2, len(read(t, r).Events))
	r.features[27] = u32(1, zstdKind, 3, 10, uint32(len(comm)))
	if _, err := Read([]Part{part("perf.data", r.bytes())}); err == nil {
		t.Error("more than it says")
	}
}
