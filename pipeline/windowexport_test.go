package pipeline

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	encodeetmv3 "github.com/tracelake/tracelake/bench/encode/etmv3"
	encodepft "github.com/tracelake/tracelake/bench/encode/pft"
	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/pipeline/window"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A windowInput is a capture of which windows are exported.
type windowInput struct {
	name, path string
	options    capture.Options
}

// windowInputs are captures in frames of memory and of a trace port, in a ring, and without
// frames.
func windowInputs(t *testing.T) []windowInput {
	t.Helper()
	pft, data := runPFT(t, 1, pftCells[0], encodepft.Vary(1, synthRate)), runETMv3(t, 0x22, etmv3Cells[2], encodeetmv3.Vary(2, synthRate))
	runs := []*synthRun{pft, data}
	var memory, port bytes.Buffer
	ring := int64(16 * 500)
	frames := synthFrames(t, runs, frame.NewWriter(&memory), &memory, "coresight")
	inputs := []windowInput{
		{name: "sample", path: sampleSnapshot(t)},
		{name: "frames", path: frames},
		{name: "ring", path: frames, options: capture.Options{RingStart: &ring}},
		{name: "port", path: synthFrames(t, runs, frame.NewPortWriter(&port, 7), &port, "dstream_coresight")},
		{name: "damaged", path: damagedSample(t)},
		{name: "raw pft", path: synthRaw(t, pft)},
		{name: "raw data trace", path: synthRaw(t, data)},
	}
	for _, protocol := range []string{"etmv1", "etmv2"} {
		path, options := samplesFile(t, protocol, 2)
		inputs = append(inputs, windowInput{protocol, path, options})
	}
	const short = "etm4-juno-uname-002"
	for _, name := range []string{short, "am243x-r5f-etmv3-freertos-002b37c", "opencsd-TC2", "stm32f105-m3-etmv34-itm-swo"} {
		if path, ok := shared.Find(t, "captures/"+name); ok && (name == short || need.Long()) {
			inputs = append(inputs, windowInput{name: name, path: path})
		}
	}
	return inputs
}

// damagedSample returns a snapshot of the sample with wrong bytes, and frames that slip.
func damagedSample(t *testing.T) string {
	t.Helper()
	dir := sampleSnapshot(t)
	file := filepath.Join(dir, "trace.bin")
	trace, err := os.ReadFile(file)
	check(t, err)
	for i := 5000; i < len(trace); i += 3001 {
		trace[i] ^= 0x5a
	}
	check(t, os.WriteFile(file, slices.Delete(trace, 20_001, 20_004), 0o600))
	return dir
}

// TestExportWindow exports windows of captures and demands the rows that the whole has in
// their segments, and answers of the window alone.
func TestExportWindow(t *testing.T) {
	need.FullRun(t, "windows of many captures are exported")
	for _, in := range windowInputs(t) {
		t.Run(in.name, func(t *testing.T) {
			opt := Options{Capture: in.options, Tables: schema.Tables(), Workers: 2}
			index := exportInto(t, in.path, opt)
			whole := readDataset(t, index)
			random := rand.New(rand.NewPCG(1, 'w'))
			for range need.Size(5, 50) {
				span, source := whole.randomSpan(random)
				opt.Window = &Window{Span: span, Index: index}
				opt.Sources = nil
				if span.OfOneSource() {
					opt.Sources = []uint8{source}
				}
				dir := filepath.Join(t.TempDir(), "dataset")
				_, err := Export(t.Context(), in.path, dir, opt)
				if _, ok := errors.AsType[*NothingError](err); ok { // no program where it runs
					continue
				}
				check(t, err)
				readDataset(t, dir).checkPart(t, whole)
				if t.Failed() {
					t.Fatalf("%s of source 0x%02x", &span, source)
				}
			}
		})
	}
}

// exportInto exports into a new directory.
func exportInto(t *testing.T, input string, opt Options) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dataset")
	if _, err := Export(t.Context(), input, dir, opt); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A readTables is a dataset in memory, by source.
type readTables struct {
	manifest schema.Manifest
	sources  map[uint8]*decodedTables
}

func readDataset(t *testing.T, dir string) *readTables {
	t.Helper()
	if report, err := dataset.Check(t.Context(), dir, nil); err != nil || len(report.Problems) > 0 {
		t.Fatalf("%v: %v", err, report)
	}
	d, err := dataset.Open(dir)
	check(t, err)
	defer d.Close()
	r := &readTables{manifest: d.Manifest, sources: map[uint8]*decodedTables{}}
	for _, s := range d.Manifest.Sources {
		r.sources[s.Source] = &decodedTables{tables: map[string]*schema.Batch{}}
		for _, table := range schema.Tables() {
			r.sources[s.Source].tables[table.Name] = schema.NewBatch(table)
		}
	}
	for _, table := range schema.Tables() {
		for b, err := range d.Batches(table) {
			check(t, err)
			r.add(b)
		}
	}
	return r
}

// add adds rows of a table, if it has those of each source.
func (r *readTables) add(b *schema.Batch) {
	for i := range b.Rows() {
		if b.Table.Columns[0].Name != "source" || r.sources[b.Columns[0].U8[i]] == nil {
			return
		}
		all := r.sources[b.Columns[0].U8[i]].tables[b.Table.Name]
		for c := range b.Columns {
			all.Columns[c].AppendFrom(&b.Columns[c], i)
		}
	}
}

// randomSpan returns a short span by points of any kind, and the source that they are of.
func (r *readTables) randomSpan(random *rand.Rand) (window.Span, uint8) {
	source := r.manifest.Sources[random.IntN(len(r.manifest.Sources))]
	for source.Segments == 0 {
		source = r.manifest.Sources[random.IntN(len(r.manifest.Sources))]
	}
	segments := r.sources[source.Source].tables["segments"]
	first := random.IntN(segments.Rows())
	last := min(first+random.IntN(3), segments.Rows()-1)
	from, to := window.SegmentOf(segments, first), window.SegmentOf(segments, last)
	point := func(kind window.Kind, n int64) schema.Null[window.Point] {
		return schema.Of(window.Point{Kind: kind, N: n})
	}
	switch kind := window.Kind(random.IntN(4)); {
	case kind == window.BySegment:
		return window.Span{From: point(kind, int64(first)), To: point(kind, int64(last)+1)}, source.Source
	case kind == window.BySeq && to.Instructions > 0 && from.Instructions > 0:
		return window.Span{From: point(kind, from.Seq), To: point(kind, to.Seq+1)}, source.Source
	case kind == window.ByTimestamp && from.Timestamp.OK && to.Timestamp.OK && from.Timestamp.V < to.Timestamp.V:
		return window.Span{From: point(kind, int64(from.Timestamp.V)), To: point(kind, int64(to.Timestamp.V))}, source.Source
	}
	if from.ByteOffset > to.ByteOffset { // round the end of a ring
		to = from
	}
	return window.Span{From: point(window.ByOffset, from.ByteOffset), To: point(window.ByOffset, to.ByteOffset+1)}, source.Source
}

// checkPart demands that a window has the rows of its segments that the whole has.
func (r *readTables) checkPart(t *testing.T, whole *readTables) {
	t.Helper()
	if r.manifest.Window == nil || len(r.manifest.Window.Sources) == 0 {
		t.Fatal("the manifest does not say that it is of a window")
	}
	for _, w := range r.manifest.Window.Sources {
		whole.sources[w.Source].checkWindow(t, r.sources[w.Source], int(w.First), int(w.Last))
	}
}

// TestWindowSaysWhatFallingTimestampsLeaveOut decodes a sample whose timestamps begin anew twice.
func TestWindowSaysWhatFallingTimestampsLeaveOut(t *testing.T) {
	need.FullRun(t, "a long capture is decoded several times")
	dir := repeatedSample(t, 3)
	index := exportInto(t, dir, Options{Level: schema.LevelNone, Workers: 2})
	segments := readDataset(t, index).sources[0x10].tables["segments"]
	at := func(i int) schema.Null[uint64] { return window.SegmentOf(segments, i).Timestamp }
	n := segments.Rows() / 3
	from, to := at(n/3).V, at(n/2).V
	if from == 0 || to <= from {
		t.Fatalf("timestamps %d to %d of %d segments", from, to, n)
	}
	out := exportInto(t, dir, Options{Workers: 2, Window: &Window{Span: spanOf(window.ByTimestamp, int64(from), int64(to)), Index: index}})
	w := readDataset(t, out)
	got := w.manifest.Window.Sources[0]
	left, first := 0, 0
	for i := int(got.Last) + 1; i < segments.Rows(); i++ {
		begin, end := at(i), schema.Null[uint64]{}
		if i+1 < segments.Rows() {
			end = at(i + 1)
		}
		if begin.OK && begin.V >= from && begin.V < to || end.OK && end.V >= from && end.V < to {
			if left++; left == 1 {
				first = i
			}
		}
	}
	want := fmt.Sprintf("source 0x10: timestamps fall 2 times; after the window %d segments have timestamps in it, left out: the first is segment %d (--from segment=%d)",
		left, first, first)
	if left < n/6 || !slices.Contains(w.manifest.Notes, want) {
		t.Errorf("notes %q, want %q", w.manifest.Notes, want)
	}
	whole := exportInto(t, dir, Options{Workers: 2, Window: &Window{Span: spanOf(window.ByTimestamp, 0, 1<<62), Index: index}})
	if notes := readDataset(t, whole).manifest.Notes; !slices.Contains(notes, "source 0x10: timestamps fall 2 times; no segment after the window has timestamps in it") {
		t.Errorf("notes %q of all timestamps", notes)
	}
}
