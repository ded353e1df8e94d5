package perfdata

import (
	"bytes"
	"cmp"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
)

// Files with flipped, cut, repeated or overwritten bytes: no panic, no more memory than a
// multiple of the file, every byte of trace accounted for, and an error that says what to do.
func TestDamage(t *testing.T) {
	checkDamaged(t, seeds(t))
}

// The same, of recordings of simpleperf.
func TestDamageSilicon(t *testing.T) {
	checkDamaged(t, [][]byte{recorded(t, "unformatted"), recorded(t, "kernel")})
}

func checkDamaged(t *testing.T, files [][]byte) {
	t.Helper()
	random := rand.New(rand.NewPCG(35, 2))
	for range need.Size(400, 10_000) {
		b := damage(random, files[random.IntN(len(files))])
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		checkAny(t, part("perf.data", b))
		runtime.ReadMemStats(&after)
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > uint64(maxDamaged+40*len(b)) {
			t.Errorf("%d bytes allocated for a file of %d", allocated, len(b))
		}
	}
}

// maxDamaged is what any file may cost: mostly the windows of the reader and of zstd.
const maxDamaged = 24 << 20

// damage does one to eight things to b.
func damage(random *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	for range 1 + random.IntN(8) {
		if len(b) == 0 {
			break
		}
		at := random.IntN(len(b))
		if random.IntN(2) == 0 {
			at = random.IntN(min(len(b), 600)) // header, attributes and registers
		}
		n := 1 + random.IntN(min(300, len(b)-at))
		switch random.IntN(7) {
		case 0:
			b = slices.Delete(b, at, at+n)
		case 1:
			b = slices.Insert(b, at, bytes.Clone(b[at:at+n])...)
		case 2:
			b = b[:at]
		case 3:
			copy(b[at:], bytes.Repeat([]byte{[]byte{0, 0xFF, 0x7F, 0x80}[random.IntN(4)]}, 1+random.IntN(8)))
		default:
			b[at] ^= 1 << random.IntN(8)
		}
	}
	return b
}

// checkAny checks what holds for any file.
func checkAny(t testing.TB, parts ...Part) {
	t.Helper()
	f, err := Read(parts)
	if err != nil {
		var e *Error
		if f != nil || !errors.As(err, &e) || e.Problem == "" || e.Remedy == "" || e.File == "" {
			t.Errorf("%v: %T", err, err)
		}
		return
	}
	checkAccount(t, f)
	if len(f.Notes) > mostNotes+1 {
		t.Errorf("%d notes", len(f.Notes))
	}
	checkPieces(t, f, parts)
	for _, e := range f.Events {
		most := map[EventKind]int{CommEvent: len(f.Names), MapEvent: len(f.Maps), SymbolEvent: len(f.Symbols), PokeEvent: len(f.Pokes)}[e.Kind]
		if int(e.Index) >= max(most, 1) {
			t.Errorf("event %+v of %d", e, most)
		}
	}
	for _, m := range f.Maps {
		if int(m.Name) >= len(f.Names) || int(m.BuildID) >= len(f.Names) {
			t.Errorf("map %+v of %d names", m, len(f.Names))
		}
	}
}

// checkPieces checks that pieces are in the file, by time, and that none has a byte of another.
func checkPieces(t testing.TB, f *File, parts []Part) {
	t.Helper()
	if !slices.IsSortedFunc(f.Pieces, func(a, b Piece) int { return cmp.Compare(a.Time, b.Time) }) {
		t.Error("pieces are not by time")
	}
	type stretch struct {
		part     int16
		from, to int64
	}
	var all []stretch
	for _, p := range f.Pieces {
		if p.Offset < 0 || p.Size < 0 || p.Offset+p.Size > parts[p.Part].Size {
			t.Errorf("piece %+v in %d bytes", p, parts[p.Part].Size)
		}
		if p.Size > 0 {
			all = append(all, stretch{p.Part, p.Offset, p.Offset + p.Size})
		}
	}
	slices.SortFunc(all, func(a, b stretch) int { return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.from, b.from)) })
	for i := 1; i < len(all); i++ {
		if all[i].part == all[i-1].part && all[i].from < all[i-1].to {
			t.Errorf("pieces %+v and %+v overlap", all[i-1], all[i])
		}
	}
}

// seeds are good files, one of each form.
func seeds(t testing.TB) [][]byte {
	t.Helper()
	records := [][]byte{
		rec(1, 1, u32(1<<32-1, 0), u64(0xFFFF0000, 0x40, 8), []byte("[kernel]_text\x00"), at(1, 1, 0, 0)),
		rec(10, 2|miscBuildID, u32(5, 6), u64(4, 5, 6), make([]byte, 24), u32(5, 2), []byte("/bin/a"), at(5, 6, 1, 0)),
		rec(3, miscExec, u32(5, 6), []byte("name\x00\x00\x00\x00"), at(5, 6, 2, 0)), rec(7, 0, u32(7, 5, 8, 6), u64(3), at(5, 6, 3, 1)),
		rec(14, miscOut, at(5, 6, 4, 0)), rec(15, 0, u32(1, 2), at(5, 6, 4, 0)), rec(17, 0, u64(0xF00), u32(64), u16(1, 0), []byte("bpf"), at(1, 1, 5, 0)),
		rec(20, 1, u64(0xF10), u16(2, 3), []byte("abcde"), at(1, 1, 6, 0)), rec(21, 0, u64(1<<56|0x77<<8|0x20), at(9, 9, 7, 0)), rec(79, 0, u64(10, 2048, 1000)),
		aux(8, 0, 16, 0, 0, 9), aux(9, 16, 24, 1, 0, 9), trace(0, 0, 0, 0, make([]byte, 40)), aux(9, 64, 16, 2, 1, 9),
		trace(1, 1, 0, 48, make([]byte, 16)), aux(10, 0, 16, 0x100, 0, 9), trace(0, 0, 0, 0, make([]byte, 16)), rec(68, 0),
	}
	r := simple(records...)
	r.records = join(info(2, block(0, 0x10), u64(blockETE, 1, 9, 0x8080, 0x12, 1, 2, 3, 4, 5, 0x47715A13, 1)), join(records...))
	r.features = map[int][]byte{2: rec(0, 1<<15|2, u32(7), make([]byte, 20), []byte{8, 0, 0, 0}, []byte("/a")), 3: join(u32(2), []byte("ab")), 11: join(u32(1, 2), []byte("ab"))}
	whole := r.bytes()
	r.piped = true
	piped := r.bytes()
	r.piped = false
	r.features[27] = u32(1, 1, 1, 10, 1<<20)
	_, all := split(whole)
	r.records = compress(all, recordCompressed, 100)
	return [][]byte{whole, piped, r.bytes(), simple(trace(0, 1<<32-1, 9, 0, make([]byte, 16))).bytes()}
}
