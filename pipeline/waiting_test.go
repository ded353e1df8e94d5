package pipeline

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/rows"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// denseSegment is a segment of ETMv3 that is as short as any: an A-sync, a
// periodic I-sync at 0x8000 in A32 state, and an E atom.
var denseSegment = []byte{0, 0, 0, 0, 0, 0x80, 0x08, 0x01, 0x00, 0x80, 0x00, 0x00, 0x84}

// Row groups of a stream with a segment for each instruction end by the bytes that
// wait for them, at the same rows however the work is shared out.
func TestRowGroupsByBytes(t *testing.T) {
	need.FullRun(t, "a hundred thousand segments twice")
	const segments = 90_000
	tr := (&trace{id: 0x10, protocol: fuzzETMv3(t, 3<<5|1<<8), memory: fuzzMemory()}).with(bytes.Repeat(denseSegment, segments))
	for _, workers := range []int{1, 7} {
		groups := map[string][]int{}
		tr.decodeStream(t, tr.stream(wholePieces), decodeOptions{workers: workers, submit: func(_ *decodedTables, j rows.Job) error {
			batch, n := schema.NewBatch(j.Series.Table), 0
			err := j.Fill(batch, func() error {
				n += batch.Rows()
				batch.Reset()
				return nil
			})
			groups[j.Series.Table.Name] = append(groups[j.Series.Table.Name], n)
			return err
		}})
		// 16 MiB at 256 bytes for the piece and 40 for its run; 15 MiB at 128 for
		// the piece and 80 for its row.
		for name, want := range map[string][]int{
			"instructions": {56680, segments - 56680},
			"segments":     {75619, segments - 75619},
		} {
			if !slices.Equal(groups[name], want) {
				t.Errorf("%d workers: row groups of %s of %d rows, want %d", workers, name, groups[name], want)
			}
		}
	}
}

// What an export holds of such a stream, decoded and in row groups that wait, is
// bounded however long it is.
func TestExportBoundsWhatWaits(t *testing.T) {
	need.FullRun(t, "a hundred thousand segments twice")
	const groupBytes = 16 << 20 // where a row group of runs ends
	dir := t.TempDir()
	file, code := filepath.Join(dir, "trace"), filepath.Join(dir, "code")
	writeFile(t, file, bytes.Repeat(denseSegment, 100_000))
	writeFile(t, code, bytes.Repeat([]byte{0x00, 0x00, 0xa0, 0xe1}, 2)) // mov r0, r0
	opt := Options{
		Capture: capture.Options{Protocol: "etmv3", Images: []string{code + "@0x8000"}}, Level: schema.LevelInstructions,
	}
	for _, workers := range []int{1, 3} {
		opt.Workers = workers
		s, err := open(t.Context(), file, Options{Capture: opt.Capture, Workers: workers}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		out, err := dataset.Create(filepath.Join(dir, fmt.Sprint(workers)), dataset.Options{Level: opt.Level})
		if err != nil {
			t.Fatal(err)
		}
		s.engine.Waiting = engine.NewBudget(1)
		e := newExporter(s, withDefaults(opt), nil, nil)
		e.out = out
		if _, err := e.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := out.Abandon(); err != nil {
			t.Fatal(err)
		}
		n := int64(workers)
		if most := n*jobBytes + groupBytes + 1024; e.groups.queued.Most() > most {
			t.Errorf("%d workers: %d bytes waited to be encoded, want at most %d", workers, e.groups.queued.Most(), most)
		}
		// A unit is 2,521 segments; with rows and room to spare each is less than 1,200 bytes.
		// Without room, each worker finishes the unit at hand, and one more may begin.
		if most := (n + 1) * 2521 * 1200; s.engine.Waiting.Most() > most {
			t.Errorf("%d workers: %d bytes waited to be stitched, want at most %d", workers, s.engine.Waiting.Most(), most)
		}
		if e.groups.queued.Most() < groupBytes || s.engine.Waiting.Most() == 0 {
			t.Errorf("%d workers: only %d and %d bytes waited", workers, e.groups.queued.Most(), s.engine.Waiting.Most())
		}
	}
}
