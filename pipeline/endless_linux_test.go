package pipeline

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime/metrics"
	"syscall"
	"testing"
	"time"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/capture"
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

// endless are the samples that repeat after a start of trace.
var endless = []struct {
	name    string
	version uint8
	etmcr   uint32
	nowhere bool // trace does not start
	repeat  []port.Sample
}{
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
	{"v2 DE", 0x20, 0x1C, false, []port.Sample{port.NewSample(v2DE, false, 0x82)}},
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

// The bounds: of memory in use, and of CPU time for each sample.
const (
	endlessPeak = 200 << 20
	endlessTime = 100 * time.Microsecond // of a slow, shared machine, under the race detector
)

func TestEndless(t *testing.T) {
	need.FullRun(t, "megabytes of samples of each kind")
	program := filepath.Join(t.TempDir(), "program.bin")
	if err := os.WriteFile(program, make([]byte, 1<<20), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, x := range endless {
		t.Run(x.name, func(t *testing.T) {
			dir := t.TempDir()
			name := filepath.Join(dir, "capture.etms")
			start := map[uint8][]port.Sample{1: startOfV1, 2: startOfV2}[x.version>>4]
			if x.nowhere {
				start = nil
			}
			n := need.Size(250_000, 25_000_000) / len(x.repeat)
			if len(x.repeat) > 1 || x.name == "v2 TFO" { // each is a segment
				n /= 5
			}
			writeSamples(t, name, x.version, x.etmcr, start, x.repeat, n)
			peak := watchMemory()
			before := cpuTime(t)
			_, err := Export(t.Context(), name, filepath.Join(dir, "out"), Options{
				Capture: capture.Options{Images: []string{program + "@0x8000"}}, Workers: 2,
			})
			spent, most := cpuTime(t)-before, peak()
			if err != nil && !x.nowhere {
				t.Fatal(err)
			}
			if each := spent / time.Duration(n*len(x.repeat)); each > endlessTime || most > endlessPeak {
				t.Errorf("%v a sample, %d MB; limits are %v and %d MB", each, most>>20, endlessTime, endlessPeak>>20)
			}
			t.Logf("%d samples: %v, %d MB", n*len(x.repeat), spent, most>>20)
		})
	}
}

// writeSamples writes a sample file of 8 pins: start, then repeat n times.
func writeSamples(t *testing.T, name string, version uint8, etmcr uint32, start, repeat []port.Sample, n int) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	head := append([]byte("ETMS"), 1, version, 8, 0)
	head = binary.LittleEndian.AppendUint32(head, etmcr)
	head = binary.LittleEndian.AppendUint32(head, 0)
	f.Write(append(head, port.Records(start)...))
	const each = 1000
	var block []byte
	for range each {
		block = append(block, port.Records(repeat)...)
	}
	for range n / each {
		f.Write(block)
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

func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
