package queries

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/tracelake/tracelake/bench/generate"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
)

// A maker makes datasets in a directory.
type maker struct {
	t       *testing.T
	dir     string
	program string // the ELF file of the sample
}

// newMaker returns one with the sample capture in DIR/capture.
func newMaker(t *testing.T) *maker {
	t.Helper()
	dir := t.TempDir()
	check(t, sample.Extract(filepath.Join(dir, "capture")))
	return &maker{t, dir, filepath.Join(dir, "capture", sample.ELF)}
}

// export makes the dataset name of a snapshot, with the names of a program.
func (m *maker) export(snapshot, program, name string, level schema.Level, test string) {
	m.t.Helper()
	_, err := pipeline.Export(m.t.Context(), snapshot, filepath.Join(m.dir, name), pipeline.Options{
		Level: level, Workers: 1, Labels: map[string]string{"test": test},
		Capture: capture.Options{Symbols: []string{program}},
	})
	check(m.t, err)
}

// sample makes the datasets that the answers are of, as README.md has them.
func (m *maker) sample() {
	m.t.Helper()
	snapshot := filepath.Join(m.dir, "capture")
	m.export(snapshot, m.program, "sample", schema.LevelInstructions, "tasks")
	m.export(snapshot, m.program, "blocks", schema.LevelBlocks, "tasks")
	m.export(m.synth("made", &generate.Recipe{Seed: 1, Protocol: "etmv3", Minor: 5, CycleAccurate: true,
		ContextIDBytes: 1}),
		m.program, "synth", schema.LevelInstructions, "walk")

	device := filepath.Join(snapshot, "cpu_0.ini")
	text, err := os.ReadFile(device)
	check(m.t, err)
	check(m.t, os.WriteFile(device, bytes.Replace(text, []byte("length=0xC88"), []byte("length=0x800"), 1), 0o644))
	m.export(snapshot, m.program, "partial", schema.LevelInstructions, "tasks")
}

// synth makes a snapshot of the sample's program in DIR/name, as tracelake synth does
// with these rates.
func (m *maker) synth(name string, r *generate.Recipe) string {
	m.t.Helper()
	r.Instructions, r.Exceptions, r.Switches, r.Debug = 30_000, 2000, 300, 50
	w, err := generate.ELFWorkload(sample.ELF, sample.Program(), program.V7A)
	check(m.t, err)
	c, err := r.Capture(w)
	check(m.t, err)
	c.Tool = schema.Tool{Name: "tracelake"}
	_, err = c.Write(m.t.Context(), filepath.Join(m.dir, name))
	check(m.t, err)
	return filepath.Join(m.dir, name, generate.SnapshotFolder)
}

// generated makes datasets of two captures of other protocols, in both levels: ptm
// and etm, ptmblocks and etmblocks.
func (m *maker) generated() {
	m.t.Helper()
	for name, r := range map[string]*generate.Recipe{
		"ptm": {Seed: 3, Protocol: "pft", Minor: 1, CycleAccurate: true, ContextIDBytes: 4, Timestamps: true,
			ReturnStack: true, Overflow: 50},
		"etm": {Seed: 4, Protocol: "etmv3", Minor: 3, TraceOff: 50},
	} {
		snapshot := m.synth(name+"made", r)
		m.export(snapshot, m.program, name, schema.LevelInstructions, "")
		m.export(snapshot, m.program, name+"blocks", schema.LevelBlocks, "")
	}
}

// silicon makes datasets of captures, in both levels: freertos and freertosblocks.
// Without the captures the test skips.
func (m *maker) silicon(folders map[string]string) {
	m.t.Helper()
	for name, folder := range folders {
		dir := shared.File(m.t, "captures/"+folder)
		elf := filepath.Join(dir, name+".elf")
		m.export(dir, elf, name, schema.LevelInstructions, "")
		m.export(dir, elf, name+"blocks", schema.LevelBlocks, "")
	}
}
