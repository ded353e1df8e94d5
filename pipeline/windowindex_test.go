package pipeline

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/keep"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/window"
	"github.com/tracelake/tracelake/schema"
)

// countingReaderAt counts the bytes that are read.
type countingReaderAt struct {
	io.ReaderAt
	n atomic.Int64
}

// ReadAt implements [io.ReaderAt].
func (r *countingReaderAt) ReadAt(p []byte, at int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, at)
	r.n.Add(int64(n))
	return n, err
}

// repeatedSample returns a snapshot of the sample, again and again.
func repeatedSample(t *testing.T, times int) string {
	t.Helper()
	dir := sampleSnapshot(t)
	file := filepath.Join(dir, "trace.bin")
	trace, err := os.ReadFile(file)
	check(t, err)
	check(t, os.WriteFile(file, bytes.Repeat(trace, times), 0o600))
	return dir
}

// TestWindowReadsLittle demands that a window of 64 KiB near the end of a capture reads no
// more than what finding the frames and reading ahead take.
func TestWindowReadsLittle(t *testing.T) {
	need.FullRun(t, "a long capture is decoded")
	dir := repeatedSample(t, need.Size(100, 1000))
	index := exportInto(t, dir, Options{Level: schema.LevelNone, Workers: 2})
	c, err := capture.Open(dir, Protocols(), capture.Options{})
	check(t, err)
	counting := &countingReaderAt{ReaderAt: c.Buffers[0].Data}
	c.Buffers[0].Data = counting
	size := c.Buffers[0].Size
	span := window.Span{
		From: schema.Of(window.Point{Kind: window.ByOffset, N: size - 200<<10}), To: schema.Of(window.Point{Kind: window.ByOffset, N: size - 136<<10}),
	}
	s := &session{Input: &keep.Input{Capture: c}, engine: engine.New(2)}
	defer s.close()
	check(t, s.makePlan(t.Context(), dir, &Options{Families: Protocols(), Window: &Window{Span: span, Index: index}}, nil))
	segments := 0
	to := stitch.Sinks{Segments: stitch.Tee(nil, func(*stitch.Base, *schema.Segment) { segments++ })}
	job := engine.Job{Source: s.plan.Sources[0], To: to}
	s.window.Job(&job)
	_, err = s.engine.Decode(t.Context(), job)
	check(t, err)
	if n := counting.n.Load(); segments == 0 || n > 3<<20 {
		t.Errorf("%d segments of a window in %d bytes: %d bytes were read", segments, size, n)
	}
}

// TestWindowRefuses demands that an index is refused, and named, that is not of the capture.
func TestWindowRefuses(t *testing.T) {
	dir := repeatedSample(t, 1)
	index := exportInto(t, dir, Options{Level: schema.LevelNone, Workers: 2})
	part := exportInto(t, dir, Options{Level: schema.LevelNone, Workers: 2, Window: &Window{Span: spanOf(window.BySegment, 2, 3), Index: index}})
	longer, other := repeatedSample(t, 2), repeatedSample(t, 1)
	trace, err := os.ReadFile(filepath.Join(other, "trace.bin"))
	check(t, err)
	check(t, os.WriteFile(filepath.Join(other, "trace.bin"), append(bytes.Clone(trace[16*500:]), trace[:16*500]...), 0o600))
	registers := repeatedSample(t, 1)
	ini, err := os.ReadFile(filepath.Join(registers, "ptm_0.ini"))
	check(t, err)
	check(t, os.WriteFile(filepath.Join(registers, "ptm_0.ini"), append(ini, '\n'), 0o600))
	for _, tt := range []struct {
		name, input, index string
		span               window.Span
		want               string
		usage              bool
	}{
		{"another length", longer, index, spanOf(window.BySegment, 2, 3), "is no index of this capture: trace.bin has 126176 bytes, the index says 63088", false},
		{"other bytes", other, index, spanOf(window.BySegment, 2, 3), "is no index of this capture", false},
		{"other registers", registers, index, spanOf(window.BySegment, 2, 3), "ptm_0.ini has 165 bytes, the index says 164", false},
		{"a window as an index", dir, part, spanOf(window.BySegment, 2, 3), "is a window itself; give a dataset of the whole capture", false},
		{"no dataset", dir, t.TempDir(), spanOf(window.BySegment, 2, 3), "not a dataset", false},
		{"nothing there", dir, index, spanOf(window.BySegment, 1<<40, 1<<41), "has nothing from segment=1099511627776", true},
		{"not to be found", dir, "", spanOf(window.BySeq, 2, 3), "seq=2 can only be found with an index", true},
		{"past the end", dir, "", spanOf(window.ByOffset, 1<<40, 1<<41), "has nothing from offset=1099511627776", true},
	} {
		out := filepath.Join(t.TempDir(), "dataset")
		_, err := Export(t.Context(), tt.input, out, Options{Workers: 2, Window: &Window{Span: tt.span, Index: tt.index}})
		if err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, capture.ErrUsage) != tt.usage {
			t.Errorf("%s: %v; want: %s", tt.name, err, tt.want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: there is a dataset", tt.name)
		}
	}
}

func spanOf(kind window.Kind, from, to int64) window.Span {
	return window.Span{From: schema.Of(window.Point{Kind: kind, N: from}), To: schema.Of(window.Point{Kind: kind, N: to})}
}

// TestWindowWithoutIndex demands that a window by offsets is decoded like a capture of its
// bytes, with the offsets of the whole.
func TestWindowWithoutIndex(t *testing.T) {
	dir := repeatedSample(t, 1)
	whole := readDataset(t, exportInto(t, dir, Options{Workers: 2}))
	part := readDataset(t, exportInto(t, dir, Options{Workers: 2, Window: &Window{Span: spanOf(window.ByOffset, 0x4000, 0x8005)}}))
	if w := part.manifest.Window; w == nil || w.Index != "" || w.From != "offset=16384" || len(part.manifest.Notes) == 0 {
		t.Errorf("the manifest says of the window %+v, and %q", w, part.manifest.Notes)
	}
	const id = 0x10
	cuts, all := part.sources[id].integers(&schema.Segments, "byte_offset"), whole.sources[id].integers(&schema.Segments, "byte_offset")
	first := whole.sources[id].segmentAt(cuts[0])
	if first < 0 || cuts[0] < 0x4000 || first > 0 && all[first-1] >= 0x4400 {
		t.Fatalf("the first segment is at offset 0x%x", cuts[0])
	}
	for i := range cuts[:len(cuts)-1] { // the last is cut off
		sameSegments(t, segmentRange{whole.sources[id], first + i, first + i + 1}, segmentRange{part.sources[id], i, i + 1},
			sampleTrace(t).protocol.TimestampCode(), same, noPast)
	}
	if b := part.manifest.Buffers[0].Bytes; b != 0x4005 {
		t.Errorf("the buffer has %d bytes", b)
	}
}
