package generate

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/window"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// TestPerfWindows: each segment of a recording, exported by its index, has the rows of the whole.
func TestPerfWindows(t *testing.T) {
	for _, name := range []string{"version 1", "one sink", "raw", "timestamps"} {
		t.Run(name, func(t *testing.T) {
			x := recorded(t, name)
			index := x.export(t)
			want, got := wholeRows(t, index), map[string][]string{}
			for _, s := range segmentsOf(t, index) {
				opt := x.opt
				opt.Sources = []uint8{s.source}
				opt.Window = &window.Window{Index: index, Span: window.Span{From: offsetPoint(s.offset), To: offsetPoint(s.offset + 1)}}
				for key, rows := range wholeRows(t, datasetOf(t, x.recording, opt)) {
					got[key] = append(got[key], rows...)
				}
			}
			for key, rows := range want {
				if !slices.Equal(got[key], rows) {
					t.Errorf("%s: %d rows, want %d", key, len(got[key]), len(rows))
				}
			}
			if len(want) == 0 {
				t.Error("no rows")
			}
		})
	}
}

// TestPerfWindowsAlone: without an index a window from run to run is a capture of its own.
func TestPerfWindowsAlone(t *testing.T) {
	x := recorded(t, "version 1")
	want, got := rowsOfRuns{}, rowsOfRuns{}
	want.export(t, x.recording, filepath.Join(x.dir, "whole"), x.opt)
	at := int64(0)
	for i := range x.runs {
		trace, err := x.runs[i].capture.buffered(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		from := at
		at += int64(len(trace))
		opt := x.opt
		opt.Window = &window.Window{Span: window.Span{From: offsetPoint(from), To: offsetPoint(at)}}
		got.export(t, x.recording, filepath.Join(x.dir, fmt.Sprint("window", i)), opt)
	}
	key := schema.Instructions.Name + " of source 16"
	if !slices.Equal(got[key], want[key]) || len(want[key]) == 0 {
		t.Errorf("%d instructions, want %d", len(got[key]), len(want[key]))
	}
}

func offsetPoint(n int64) schema.Null[window.Point] {
	return schema.Of(window.Point{Kind: window.ByOffset, N: n})
}

// A segmentAt is a segment of a source, and its capture offset.
type segmentAt struct {
	source uint8
	offset int64
}

func segmentsOf(t *testing.T, dir string) (list []segmentAt) {
	t.Helper()
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for i := range d.Manifest.Sources {
		id := d.Manifest.Sources[i].Source
		for b, err := range d.BatchesOf(&schema.Segments, id) {
			if err != nil {
				t.Fatal(err)
			}
			for row := range b.Rows() {
				if !b.Columns[schema.SegmentsSegment].Null(row) {
					list = append(list, segmentAt{id, int64(schema.SegmentsByteOffset.At(b, row))})
				}
			}
		}
	}
	return list
}

// wholeRows are the rows of the tables of runs, by table and source.
func wholeRows(t *testing.T, dir string) map[string][]string {
	t.Helper()
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	rows := map[string][]string{}
	for _, table := range []*schema.Table{&schema.Instructions, &schema.Exceptions, &schema.CycleCounts, &schema.Timestamps} {
		for record, err := range d.Records(table) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range int(record.NumRows()) {
				var words []string
				for _, column := range record.Columns() {
					words = append(words, column.ValueStr(i))
				}
				key := table.Name + " of source " + words[0]
				rows[key] = append(rows[key], strings.Join(words, " "))
			}
		}
	}
	return rows
}

// TestPerfResumes: an export of a recording that was interrupted goes on to what it is at once.
func TestPerfResumes(t *testing.T) {
	x := recorded(t, "one sink")
	want := x.export(t)
	ctx, cancel := context.WithCancel(t.Context())
	opt, dir := x.opt, filepath.Join(t.TempDir(), "dataset")
	opt.Resumable, opt.Workers = true, 1
	opt.Progress = func(at pipeline.Progress) {
		if 2*at.Bytes >= at.Total {
			cancel()
		}
	}
	if _, err := pipeline.Export(ctx, x.recording, dir, opt); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	opt.Resumable, opt.Resume, opt.Progress = false, true, nil
	if _, err := pipeline.Export(t.Context(), x.recording, dir, opt); err != nil {
		t.Fatal(err)
	}
	sameDatasets(t, "an export that went on", dir, want)
}

// TestPerfMissing: a program file that is not found is named with what to do.
func TestPerfMissing(t *testing.T) {
	x := recorded(t, "library")
	x.opt.Capture.Sysroots, x.opt.Capture.ELFs = nil, []string{x.file("lib.so")}
	d, err := dataset.Open(x.export(t))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if elf := d.Manifest.Options.ELFs; len(elf) != 1 || elf[0].File != "lib.so" || !elf[0].Mapped {
		t.Errorf("%+v", elf)
	}
	_, err = pipeline.Export(t.Context(), x.recording, filepath.Join(t.TempDir(), "none"), pipeline.Options{})
	nothing, ok := errors.AsType[*pipeline.NothingError](err)
	if !ok || len(nothing.Missing) != 1 || len(nothing.Missing[0].Wanted) == 0 {
		t.Fatalf("%v, %+v", err, nothing)
	}
	const remedy = "give --sysroot DIR where the file is DIR/bin/lib.so, or give it with -e FILE"
	if m := nothing.Missing[0].Wanted[0]; m.File != "/bin/lib.so" || m.Remedy != remedy {
		t.Errorf("%+v, want %q", m, remedy)
	}
}
