package pipeline

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/frame"
)

// frameBytes is the size of a formatter frame.
const frameBytes = 16

// frameReach is how many bytes after a damaged frame the damage may affect: the
// writer names the source again after eight frames without an ID, so nine frames
// have bytes of a source that is unknown or wrong.
const frameReach = 9 * frameBytes

// framedPairs are the macrocells, by name, that share a buffer of frames.
var framedPairs = [][2]string{
	{"PFT 1.1, return stack", "ETMv3.5, cycles"},
	{"PFT 1.1, cycles", "ETMv3.3"},
	{"ETMv3.3, cycles", "ETMv3.5, data in any order, cycles"},
}

// A framedBuffer is two streams in frames.
type framedBuffer struct {
	buffer  []byte
	sources [2]*variants
	placed  [2][]int64 // where the bytes of the streams are
}

// eachFramed runs a test for all pairs.
func eachFramed(t *testing.T, test func(t *testing.T, f *framedBuffer)) {
	need.FullRun(t, oneGoroutine)
	for _, pair := range framedPairs {
		t.Run(pair[0]+" beside "+pair[1], func(t *testing.T) {
			f := &framedBuffer{}
			for i, name := range pair {
				run := smallRun
				run.id, run.bytes = uint8(0x10+0x11*i), smallRun.bytes/2
				f.sources[i] = newVariants(t, macrocellOf(name).generate(t, run))
			}
			f.write(t)
			test(t, f)
		})
	}
}

// write puts both streams into frames, a few bytes at a time.
func (f *framedBuffer) write(t *testing.T) {
	t.Helper()
	var b bytes.Buffer
	w := frame.NewWriter(&b)
	w.Placed = func(id uint8, offset decode.CaptureOffset) {
		i := slices.IndexFunc(f.sources[:], func(v *variants) bool { return v.id == id })
		f.placed[i] = append(f.placed[i], int64(offset))
	}
	left := [2][]byte{f.sources[0].data, f.sources[1].data}
	for r := rand.New(rand.NewPCG(3, 0)); len(left[0])+len(left[1]) > 0; {
		i := r.IntN(2)
		n := min(1+r.IntN(40), len(left[i]))
		if err := w.Write(f.sources[i].id, left[i][:n]); err != nil {
			t.Fatal(err)
		}
		left[i] = left[i][n:]
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	f.buffer = b.Bytes()
}

// layout finds the frames of a buffer, as for a capture.
func (f *framedBuffer) layout(t testing.TB, buffer []byte) frame.Layout {
	t.Helper()
	opt := frame.DetectOptions{Score: func(id uint8, stream []byte) int {
		for _, v := range f.sources {
			if v.id == id {
				return v.protocol.RateSyncs(stream)
			}
		}
		return 0
	}}
	for _, v := range f.sources {
		opt.Configured = append(opt.Configured, v.id)
	}
	found, err := frame.Detect(bytes.NewReader(buffer), int64(len(buffer)), opt)
	if err != nil {
		t.Fatal(err)
	}
	census, err := frame.Scan(bytes.NewReader(buffer), int64(len(buffer)), found.Layout)
	if err != nil {
		t.Fatal(err)
	}
	sum := census.Overhead.Bytes()
	for _, n := range census.Streams {
		sum += n
	}
	if sum != int64(len(buffer)) {
		t.Errorf("a buffer of %d bytes, accounted for %d", len(buffer), sum)
	}
	return found.Layout
}

// check decodes both sources of a damaged buffer. The damage began at from and
// ended at to; all bytes after it are moved by shift.
func (f *framedBuffer) check(t testing.TB, buffer []byte, from, to, shift int64) {
	t.Helper()
	layout := f.layout(t, buffer)
	for i, v := range f.sources {
		data, offsets, breaks := readBroken(t, frame.NewReader(bytes.NewReader(buffer), int64(len(buffer)), layout, v.id))
		e := f.difference(i, data, offsets, breaks, shift)
		if e.n == 0 && len(e.by) == 0 && len(breaks) == 0 {
			continue // the other source had all of it
		}
		if n := len(f.placed[i]); e.at < n && f.placed[i][e.at] < from || e.n > 0 && f.placed[i][e.at+e.n-1] >= to+frameReach {
			t.Errorf("source 0x%02x is damaged at %d, %d bytes; the buffer from %d to %d", v.id, e.at, e.n, from, to)
		}
		v.check(t, v.decode(t, data, breaks...), data, damage{e}, breaks...)
	}
}

// difference returns what is different in the stream of a source: all between
// the bytes in front that are the same, and those at the end that are the same
// but moved. The input breaks nowhere else.
func (f *framedBuffer) difference(i int, data []byte, offsets []int64, breaks []int, shift int64) edit {
	want, placed := f.sources[i].data, f.placed[i]
	n := min(len(want), len(data))
	head := 0
	for head < n && data[head] == want[head] && offsets[head] == placed[head] {
		head++
	}
	if len(breaks) > 0 {
		head = min(head, breaks[0])
	}
	tail := 0
	for k, l := len(want), len(data); tail < n-head && data[l-1-tail] == want[k-1-tail] && offsets[l-1-tail] == placed[k-1-tail]+shift; {
		tail++
	}
	if len(breaks) > 0 {
		tail = min(tail, len(data)-breaks[len(breaks)-1])
	}
	return edit{at: head, n: len(want) - tail - head, by: data[head : len(data)-tail]}
}

// readBroken reads a stream, and the places before which the input breaks.
func readBroken(t testing.TB, stream decode.Stream) (data []byte, offsets []int64, breaks []int) {
	t.Helper()
	for {
		var piece decode.Piece
		before, err := stream.Next(&piece)
		if errors.Is(err, io.EOF) {
			return data, offsets, breaks
		}
		if err != nil {
			t.Fatal(err)
		}
		if before != decode.NoBreak {
			breaks = append(breaks, len(data))
		}
		data = append(data, piece.Data...)
		for i := range piece.Data {
			offsets = append(offsets, int64(piece.Offsets.At(i)))
		}
	}
}

// Every bit of a window of frames, flipped by itself: of IDs and auxiliary bits
// too.
func TestEveryBitOfFrames(t *testing.T) {
	eachFramed(t, func(t *testing.T, f *framedBuffer) {
		data := slices.Clone(f.buffer)
		for bit := 0; bit < 8*flipBytes; bit += damageEach(1031) {
			at := flipFrom + bit/8
			data[at] ^= 1 << (bit % 8)
			from := int64(at / frameBytes * frameBytes)
			f.check(t, data, from, from+frameBytes, 0)
			if t.Failed() {
				t.Fatalf("bit %d of the byte at %d", bit%8, at)
			}
			data[at] = f.buffer[at]
		}
	})
}

// Frames that are missing or there twice.
func TestFramesDroppedAndRepeated(t *testing.T) {
	eachFramed(t, func(t *testing.T, f *framedBuffer) {
		for i := 0; i < len(f.buffer); i += damageEach(41) * frameBytes {
			from := int64(i)
			f.check(t, slices.Delete(slices.Clone(f.buffer), i, i+frameBytes), from, from+frameBytes, -frameBytes)
			if t.Failed() {
				t.Fatalf("without the frame at %d", i)
			}
			f.check(t, slices.Insert(slices.Clone(f.buffer), i, f.buffer[i:i+frameBytes]...), from, from+frameBytes, frameBytes)
			if t.Failed() {
				t.Fatalf("with the frame at %d twice", i)
			}
		}
	})
}

// Bursts of errors that move no frame.
func TestBurstsInFrames(t *testing.T) {
	eachFramed(t, func(t *testing.T, f *framedBuffer) {
		for _, seed := range damageSeeds(2_000 / damageEach(100)) {
			r := rand.New(rand.NewPCG(seed, 4))
			n := 1 + r.IntN(mostBurst)
			at := r.IntN(len(f.buffer) - n)
			data := slices.Clone(f.buffer)
			copy(data[at:], [][]byte{noise(r, n), make([]byte, n), bytes.Repeat([]byte{0xff}, n)}[r.IntN(3)])
			f.check(t, data, int64(at/frameBytes*frameBytes), int64((at+n-1)/frameBytes*frameBytes+frameBytes), 0)
			if t.Failed() {
				t.Fatalf("%d bytes at %d\nagain: go test ./pipeline -run '^%s$' -damage-seed %d", n, at, t.Name(), seed)
			}
		}
	})
}
