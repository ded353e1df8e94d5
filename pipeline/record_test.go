package pipeline

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/keep"
	"github.com/tracelake/tracelake/pipeline/keep/archive"
	"github.com/tracelake/tracelake/schema"
)

// A dataset is made again with the options that its manifest records: byte for byte,
// from the capture and from an archive of it.
func TestRecord(t *testing.T) {
	need.FullRun(t, "captures are packed, and decoded several times")
	raw, options := rawSample(t)
	names := map[uint32]string{0x11: "sorter"}
	archived := archiveOf(t, raw, options, archive.CreateOptions{})
	for _, tt := range []struct {
		name   string
		change func(*Options)
	}{
		{"default", func(*Options) {}},
		{"blocks with all tables", func(o *Options) { o.Level, o.Tables = schema.LevelBlocks, schema.Tables() }},
		{"none in arrow", func(o *Options) { o.Level, o.Format, o.Codec = schema.LevelNone, schema.Arrow, "zstd" }},
		{"names and clocks",
			func(o *Options) { o.TaskNames, o.TimestampHz, o.CycleHz, o.Sources = names, 5, 7, []uint8{0x10} }},
		{"a few tables", func(o *Options) { o.Tables = []*schema.Table{&schema.Events} }},
		{"packets only", func(o *Options) { o.PacketsOnly = true }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			opt := Options{Capture: options, Level: schema.LevelInstructions, Workers: 2,
				Labels: map[string]string{"build": "7"}}
			tt.change(&opt)
			_, err := Export(t.Context(), raw, dir, opt)
			check(t, err)
			got := madeAgain(t, dir, raw, capture.Options{ELFs: options.ELFs})
			sameFiles(t, got, dir)
			sameFiles(t, madeAgain(t, dir, archived, capture.Options{}), dir)
		})
	}
}

// The dataset of an archive is made again from its own capture, and from the one it was
// made of.
func TestRecordOfArchive(t *testing.T) {
	need.FullRun(t, "captures are packed, and decoded several times")
	raw, options := rawSample(t)
	dir := archiveOf(t, raw, options, archive.CreateOptions{})
	for _, input := range []string{dir, raw} {
		sameFiles(t, madeAgain(t, dir, input, capture.Options{}), dir)
	}
}

// madeAgain makes a dataset again from input, with options of the capture that were not
// recorded, and returns where.
func madeAgain(t *testing.T, dir, input string, c capture.Options) string {
	t.Helper()
	r, err := keep.OpenRecord(dir, "")
	check(t, err)
	defer r.Close()
	again, err := r.Reopen(input, c)
	check(t, err)
	again.Options.Workers = 1
	to := filepath.Join(t.TempDir(), "again")
	_, err = Export(t.Context(), input, to, again.Options)
	check(t, err)
	return to
}

// An export of an archive has names and clocks that were archived, but for those given
// again.
func TestExportArchiveOptions(t *testing.T) {
	need.FullRun(t, "captures are packed, and decoded several times")
	raw, options := rawSample(t)
	opt := archiveOptions(options, archive.CreateOptions{})
	opt.Export.CycleHz, opt.Export.TimestampHz, opt.Export.Labels = 7, 5, map[string]string{"build": "7", "board": "a"}
	dir, run := filepath.Join(t.TempDir(), "run.tla"), filepath.Join(t.TempDir(), "run")
	_, err := Archive(t.Context(), raw, dir, opt)
	check(t, err)
	_, err = Export(t.Context(), dir, run, Options{Level: schema.LevelNone, Workers: 1, CycleHz: 9,
		Labels: map[string]string{"board": "b"}})
	check(t, err)
	r, err := keep.OpenRecord(run, "")
	check(t, err)
	defer r.Close()
	m := &r.Dataset.Manifest
	if s := &m.Sources[0]; s.CycleHz != 9 || s.TimestampHz != 5 || m.Labels["build"] != "7" || m.Labels["board"] != "b" {
		t.Errorf("cycles at %d Hz, timestamps at %d, labels %v", s.CycleHz, s.TimestampHz, m.Labels)
	}
	if !slices.Equal(m.Options.Regs, options.Regs) || m.Options.ELFs[0].File != filepath.Base(options.ELFs[0]) {
		t.Errorf("recorded %+v", m.Options)
	}
	_, err = os.Stat(filepath.Join(run, "instructions"))
	if err == nil {
		t.Error("level none has instructions")
	}
}
