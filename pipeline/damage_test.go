package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/schema"
)

// damageSeed repeats one case of the damage tests.
var damageSeed = flag.Uint64("damage-seed", 0, "run the damage tests with this seed only")

// damageCases is how many damages each stream gets.
const damageCases = 25

// damageSeeds returns the seeds to run: n, or a tenth of them with -short.
func damageSeeds(n int) []uint64 {
	if *damageSeed != 0 {
		return []uint64{*damageSeed}
	}
	if testing.Short() {
		n = max(1, n/10)
	}
	seeds := make([]uint64, n)
	for i := range seeds {
		seeds[i] = uint64(i + 1)
	}
	return seeds
}

// An edit replaces n bytes at a place.
type edit struct {
	at, n int
	by    []byte
}

// A damage is edits in order of place, none overlapping another.
type damage []edit

// randomDamage cuts, flips and inserts bytes at up to five places.
func randomDamage(r *rand.Rand, size int) damage {
	most := max(1, min(300, size/8))
	var d damage
	at := 0
	for range 1 + r.IntN(5) {
		at += r.IntN(max(1, size/2))
		if at >= size {
			break
		}
		e := edit{at: at}
		switch r.IntN(3) {
		case 0: // cut
			e.n = min(1+r.IntN(most), size-at)
		case 1: // flip; see apply for the bits
			e.n = min(1+r.IntN(4), size-at)
			for range e.n {
				e.by = append(e.by, byte(1+r.IntN(255)))
			}
		case 2: // insert; few values, so that headers are frequent
			for range 1 + r.IntN(most) {
				e.by = append(e.by, [...]byte{0, 0, 0, 0x80, 8, 0x42, 1, 0xff, byte(r.Uint32())}[r.IntN(9)])
			}
		}
		d = append(d, e)
		at += max(1, e.n)
	}
	return d
}

// apply returns the damaged bytes. If an edit replaces bytes by as many, its bytes
// are the bits to flip.
func (d damage) apply(data []byte) []byte {
	var out []byte
	from := 0
	for _, e := range d {
		out = append(out, data[from:e.at]...)
		for i, b := range e.by {
			if e.n > 0 {
				b ^= data[e.at+i]
			}
			out = append(out, b)
		}
		from = e.at + e.n
	}
	return append(out, data[from:]...)
}

// moved returns where an undamaged byte is afterwards.
func (d damage) moved(at int) int {
	shift := 0
	for _, e := range d {
		if e.at+e.n <= at {
			shift += len(e.by) - e.n
		}
	}
	return at + shift
}

// touches says whether any of the bytes from on, up to to, are damaged, or
// others put between them.
func (d damage) touches(from, to int) bool {
	for _, e := range d {
		if e.at < to && e.at+e.n > from {
			return true
		}
	}
	return false
}

// Whatever is cut, flipped or inserted: every byte is accounted for, and the
// segments the damage does not touch are there, with the rows they had.
func TestDamage(t *testing.T) {
	need.FullRun(t, oneWorker)
	for _, tr := range pftTraces(t) {
		t.Run(tr.name, func(t *testing.T) {
			intact := tr.decode(t)
			cases := damageCases
			if tr.few() {
				cases /= 5
			}
			seeds := damageSeeds(cases)
			var left, least float64 = 0, 1
			segments, rows := 0, 0
			for _, seed := range seeds {
				d := randomDamage(rand.New(rand.NewPCG(seed, 0)), len(tr.data))
				damaged := tr.with(d.apply(tr.data))
				got := damaged.decode(t)
				got.checkAccounts(t, len(damaged.data))
				got.checkRestarts(t)
				n, compared := tr.checkUntouched(t, intact, got, d)
				if t.Failed() {
					t.Fatalf("damage %+v\nagain: go test ./pipeline -run '^%s$' -damage-seed %d", d, t.Name(), seed)
				}
				segments, rows = segments+n, rows+compared
				share := float64(got.totals.Instructions) / float64(intact.totals.Instructions)
				left, least = left+share/float64(len(seeds)), min(least, share)
			}
			t.Logf("%d rows of untouched segments compared", rows)
			if len(seeds) == damageCases {
				wantConformance(t, tr.name, len(tr.data), fmt.Sprintf("%.1f %%", 100*left), fmt.Sprintf("%.1f %%", 100*least),
					fmt.Sprintf("%s of %s", thousands(fmt.Sprint(segments)), thousands(fmt.Sprint(len(seeds)*intact.rows(&schema.Segments)))))
			}
		})
	}
}

// checkUntouched compares the segments that the damage does not touch, and
// returns how many there are and how many rows they have.
func (tr *trace) checkUntouched(t *testing.T, intact, got *decodedTables, d damage) (segments, rows int) {
	t.Helper()
	moved := func(offset int64) int64 { return int64(d.moved(tr.position(offset))) }
	offsets := intact.integers(&schema.Segments, "byte_offset")
	asyncs := tr.asyncs()
	for k, offset := range offsets {
		from, to := tr.position(offset), len(tr.data)+1
		i, _ := slices.BinarySearch(asyncs, from+1)
		from = asyncs[i-1] - tr.async().Bytes()
		if k+1 < len(offsets) { // up to the end of the next I-sync
			next := tr.position(offsets[k+1])
			p, err := tr.protocol.ParsePacket(tr.data[next:])
			if err != nil {
				t.Fatal(err)
			}
			to = next + p.Len
		}
		if d.touches(from, to) {
			continue
		}
		m := got.segmentAt(moved(offset))
		if m < 0 {
			t.Errorf("the segment at %d is gone", offset)
			continue
		}
		segments++
		rows += sameSegments(t, segmentRange{intact, k, k + 1}, segmentRange{got, m, m + 1}, tr.protocol.TimestampCode(), moved, otherPast)
	}
	return segments, rows
}

// Damage to a whole buffer of frames: all of its bytes are accounted for, and
// those of each source.
func TestDamagedBuffer(t *testing.T) {
	type framed struct{ name, snapshot, buffer string }
	captures := []framed{{"sample", sampleSnapshot(t), "trace.bin"}}
	others := []framed{
		{name: "opencsd-TC2", buffer: "cstrace.bin"},
		{name: "am243x-r5f-etmv3-freertos-002b37c", buffer: "tbr.bin"},
		{name: "etm4-juno-uname-002", buffer: "trace.bin"},
		{name: "ete-trace_file_cid_vmid", buffer: "session1.bin"},
	}
	if need.Long() {
		others = append(others, framed{name: "etm4-juno_r1_1", buffer: "cstrace.bin"})
		for _, name := range []string{"002-ack_test_scr", "src_addr", "ete_spec_1", "ts_marker"} {
			others = append(others, framed{name: "ete-" + name, buffer: "session1.bin"})
		}
	}
	for _, c := range others {
		if path, ok := shared.Find(t, "captures/"+c.name); ok {
			c.snapshot = path
			captures = append(captures, c)
		}
	}
	for _, c := range captures {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(c.snapshot)); err != nil {
				t.Fatal(err)
			}
			name := filepath.Join(dir, c.buffer)
			if err := os.Chmod(name, 0o600); err != nil {
				t.Fatal(err)
			}
			buffer, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			seeds := damageSeeds(need.Size(7, 20))
			exported := 0
			for _, seed := range seeds {
				d := randomDamage(rand.New(rand.NewPCG(seed, 1)), len(buffer))
				if err := os.WriteFile(name, d.apply(buffer), 0o600); err != nil {
					t.Fatal(err)
				}
				if checkExport(t, dir, int64(len(d.apply(buffer)))) {
					exported++
				}
				if t.Failed() {
					t.Fatalf("damage %+v\nagain: go test ./pipeline -run '^%s$' -damage-seed %d", d, t.Name(), seed)
				}
			}
			t.Logf("%d of %d damaged captures have instructions", exported, len(seeds))
			if exported == 0 && len(seeds) > 1 { // one alone may leave nothing
				t.Error("none was decoded")
			}
		})
	}
}

// checkExport exports a snapshot of one buffer and demands that the manifest
// accounts for all its bytes. It returns whether there was anything to export.
func checkExport(t *testing.T, input string, size int64) bool {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dataset")
	_, err := Export(context.Background(), input, dir, Options{Level: schema.LevelBlocks, Format: schema.Arrow, Workers: 2})
	if _, nothing := errors.AsType[*NothingError](err); nothing {
		return false
	}
	if err != nil {
		t.Error(err)
		return false
	}
	text, err := os.ReadFile(filepath.Join(dir, schema.ManifestFile))
	if err != nil {
		t.Fatal(err)
	}
	var m schema.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, n := range m.Buffers[0].Streams {
		sum += n
	}
	for _, n := range m.Buffers[0].Overhead {
		sum += n
	}
	if m.Buffers[0].Bytes != size || sum != size {
		t.Errorf("a buffer of %d bytes, accounted for %d: %+v", size, sum, m.Buffers[0])
	}
	for _, s := range m.Sources {
		id := schema.SourceText(s.Source)
		read := slices.ContainsFunc(m.Buffers, func(b schema.BufferBytes) bool { return b.Streams[id] == s.Bytes })
		if s.BytesDecoded+s.BytesLost != s.Bytes || !read {
			t.Errorf("source %s: %+v, of no stream of %+v", id, s.Totals, m.Buffers)
		}
	}
	return true
}
