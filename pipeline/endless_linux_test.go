package pipeline

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/etmv1"
	"github.com/tracelake/tracelake/decode/etmv2"
	"github.com/tracelake/tracelake/decode/port"
)

// These tests export samples of one kind without end: what no core sends, but a file
// may hold. Memory does not depend on how many there are, and time rises with them.

// TD, WT and IE have these codes in the protocols that the tests name.
const (
	anyTR, anyTD       = port.StatusTR, port.StatusTD
	v1ID, v1WT         = 1, 3
	v1BE, v1BD         = 4, 5
	v2DE, v2WT, v2PTDE = 1, 4, 9
)

// An endlessKind is samples that repeat after a start of trace.
type endlessKind struct {
	name    string
	version uint8
	etmcr   uint32
	nowhere bool // trace does not start
	repeat  []port.Sample
}

var endless = []endlessKind{
	{"v1 WT", 0x13, 0x10, false, []port.Sample{port.NewSample(v1WT, false, 0)}},
	{"v1 IE", 0x13, 0x10, false, []port.Sample{0}},
	{"v1 IE without a cut", 0x13, 0x10, true, []port.Sample{0}},
	{"v1 TD", 0x13, 0x10, false, []port.Sample{port.NewSample(anyTD, false, 0), port.NewSample(anyTD, false, 1)}},
	{"v1 TR", 0x13, 0x10, false, []port.Sample{port.NewSample(anyTR, false, 0)}},
	{"v1 ID", 0x13, 0x1C, false, []port.Sample{port.NewSample(v1ID, false, 0)}},
	{"v1 BE", 0x13, 0x10, false, []port.Sample{port.NewSample(v1BE, false, 0)}},
	{"v1 BD", 0x13, 0x1C, false, []port.Sample{port.NewSample(v1BD, false, 0)}},
	{"v1 TRACESYNC", 0x13, 0x10, false, []port.Sample{port.NewSample(0, true, 0)}},
	{"v1 BE, TRACESYNC", 0x13, 0x10, false, []port.Sample{port.NewSample(v1BE, true, 0)}},
	{"v1 full addresses", 0x13, 0x10, false, startOfV1},
	{"v2 WT", 0x20, 0x10, false, []port.Sample{port.NewSample(v2WT, false, 0)}},
	{"v2 IE", 0x20, 0x10, false, []port.Sample{0}},
	{"v2 IE without a cut", 0x20, 0x10, true, []port.Sample{0}},
	{"v2 TD", 0x20, 0x10, false, []port.Sample{port.NewSample(anyTD, false, 0)}},
	{"v2 TD, TFO", 0x20, 0x10, false, []port.Sample{port.NewSample(anyTD, false, 0), port.NewSample(anyTD, false, 1)}},
	{"v2 DE", 0x20, 0x1C, false, []port.Sample{port.NewSample(v2DE, false, 0x82)}},
	{"v2 DE, values", 0x20, 0x1C, false, []port.Sample{port.NewSample(v2DE, false, 2)}},
	{"v2 branches", 0x20, 0x1C, false, []port.Sample{port.NewSample(v2DE, false, 1)}},
	{"v2 PT_DE", 0x20, 0x10, false, []port.Sample{port.NewSample(v2PTDE, false, 1)}},
	{"v2 TFO", 0x20, 0x10, false, []port.Sample{port.NewSample(anyTD, false, 9)}},
	{"v2 TFOs with packets", 0x20, 0x10, false, startOfV2},
}

// Trace starts at 0x8000.
var (
	startOfV1 = []port.Sample{
		port.NewSample(v1BE, true, 0x80), port.NewSample(0, false, 0x80), port.NewSample(0, false, 0x82), port.NewSample(0, false, 0x80), port.NewSample(0, false, 0x10),
	}
	startOfV2 = []port.Sample{
		port.NewSample(anyTD, false, 9), port.NewSample(0, false, 0x20), 0, port.NewSample(0, false, 0x80), 0, 0,
	}
)

// The bounds. Each of the samples that are cuts is a segment, with rows of its own; the
// others have a run, or an event.
const (
	endlessPeak    = 200 << 20 // bytes of the heap in use
	endlessObjects = 64        // allocated for each sample, beyond what any export takes
)

// endlessBytes are allocated for each sample, likewise: most at the start, which is
// decoded with other settings too where the first make no sense of it, with and without the
// program.
var endlessBytes = need.Size[int64](72<<10, 9<<10)

func TestEndless(t *testing.T) {
	need.FullRun(t, "megabytes of samples of each kind")
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // endlessPeak is with Go's own
	for range 2 {                                     // of what tests before it left in pools the second collection is rid
		runtime.GC()
	}
	program := filepath.Join(t.TempDir(), "program.bin")
	if err := os.WriteFile(program, make([]byte, 1<<20), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, x := range endless {
		t.Run(x.name, func(t *testing.T) {
			n := need.Size(20_000, 10_000_000)
			if len(x.repeat) > 1 || x.name == "v2 TFO" { // each is a segment
				n /= 5
			}
			var once, twice work
			once.export(t, x, program, n)
			twice.export(t, x, program, 2*n)
			if each := (twice.bytes - once.bytes) / int64(n); each > endlessBytes {
				t.Errorf("%d bytes are allocated for a sample, limit %d", each, endlessBytes)
			}
			if each := (twice.objects - once.objects) / int64(n); each > endlessObjects {
				t.Errorf("%d objects are allocated for a sample, limit %d", each, endlessObjects)
			}
			if twice.peak > endlessPeak {
				t.Errorf("%d MB are in use, limit %d", twice.peak>>20, endlessPeak>>20)
			}
			t.Logf("%d samples: %+v, %d: %+v", n, once, 2*n, twice)
		})
	}
}

// work is what an export takes.
type work struct {
	bytes, objects int64 // allocated
	peak           uint64
}

// export exports n samples of a kind.
func (w *work) export(t *testing.T, x endlessKind, program string, n int) {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "capture.etms")
	x.write(t, name, n)
	peak, before := watchMemory(), allocated()
	_, err := Export(t.Context(), name, filepath.Join(dir, "out"), Options{
		Capture: capture.Options{Images: []string{program + "@0x8000"}}, Workers: 2,
	})
	after := allocated()
	*w = work{after[0] - before[0], after[1] - before[1], peak()}
	if err != nil && !x.nowhere {
		t.Fatal(err)
	}
}

// allocated returns how many bytes and objects were allocated so far.
func allocated() (n [2]int64) {
	samples := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/allocs:objects"}}
	metrics.Read(samples)
	for i := range n {
		n[i] = int64(samples[i].Value.Uint64())
	}
	return n
}

// A unit is bounded in bytes and in segments, however short these are, and neither the
// splitter nor a decoder looks at samples more often than a number that does not rise.
func TestEndlessUnits(t *testing.T) {
	const (
		most   = 1024 // segments of a unit
		looked = 2    // times that the cutter looks at a sample
		shown  = 1100 // samples that a decoder may read for each sample that is a segment
	)
	for _, x := range endless {
		t.Run(x.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "capture.etms")
			n := need.Size(50_000, 1_000_000)
			x.write(t, name, n)
			file, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			p := &watchedProtocol{Layouter: x.protocol()}
			l, err := p.Layout(int64(len(file)))
			if err != nil {
				t.Fatal(err)
			}
			units, segments, read := 0, 0, 0
			for u, err := range engine.Split(l.Stream(bytes.NewReader(file), 0), p, engine.NoLead) {
				if err != nil {
					t.Fatal(err)
				}
				if len(u.Parts) > most || u.Bytes > engine.UnitBytes*port.SampleBytes+engine.PartBytes {
					t.Fatalf("a unit of %d segments, %d bytes", len(u.Parts), u.Bytes)
				}
				units++
				segments += len(u.Parts)
				for _, part := range u.Parts {
					read += (len(part.Before) + len(part.Data) + len(part.Ahead)) / port.SampleBytes
				}
			}
			samples := len(file) / port.SampleBytes
			if p.looked > looked*(samples+p.AheadBytes()) {
				t.Errorf("the cutter looks at %d samples of %d", p.looked, samples)
			}
			if read > samples+segments*shown {
				t.Errorf("the decoders of %d segments are shown %d samples of %d", segments, read, samples)
			}
			if least := segments / most; units > 2*(least+len(file)/engine.PartBytes+1) {
				t.Errorf("%d units of %d segments", units, segments)
			}
		})
	}
}

// A watchedProtocol counts the samples that its cutters look at.
type watchedProtocol struct {
	decode.Layouter
	looked int
}

func (p *watchedProtocol) NewCutter() decode.Cutter { return &watchedCutter{p.Layouter.NewCutter(), p} }

type watchedCutter struct {
	decode.Cutter
	of *watchedProtocol
}

func (c *watchedCutter) Find(b []byte, last bool) decode.Cuts {
	c.of.looked += len(b) / port.SampleBytes
	return c.Cutter.Find(b, last)
}

// protocol returns the protocol that the samples are of.
func (x *endlessKind) protocol() decode.Layouter {
	c := port.Config{Number: x.version, Width: 8, DataValue: x.etmcr&4 != 0, DataAddress: x.etmcr&8 != 0}
	if c.Major() == 1 {
		return &etmv1.Config{Config: c}
	}
	return &etmv2.Config{Config: c}
}

// write writes a sample file of 8 pins: the start of trace, then n of the samples that
// repeat.
func (x *endlessKind) write(t *testing.T, name string, n int) {
	t.Helper()
	start := map[uint8][]port.Sample{1: startOfV1, 2: startOfV2}[x.version>>4]
	if x.nowhere {
		start = nil
	}
	head := append([]byte("ETMS"), 1, x.version, 8, 0)
	head = binary.LittleEndian.AppendUint32(head, x.etmcr)
	head = binary.LittleEndian.AppendUint32(head, 0)
	b := append(head, port.Records(start)...)
	b = append(b, bytes.Repeat(port.Records(x.repeat), n/len(x.repeat))...)
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// watchMemory watches how much of the heap is in use, until the function that it
// returns is called, which returns the most.
func watchMemory() func() uint64 {
	stop, most := make(chan struct{}), make(chan uint64)
	go func() {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		peak := uint64(0)
		for {
			metrics.Read(sample)
			peak = max(peak, sample[0].Value.Uint64())
			select {
			case <-stop:
				most <- peak
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	return func() uint64 { close(stop); return <-most }
}
