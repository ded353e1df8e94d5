package pipeline

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/schema"
)

// Beyond 65,536 pages memory is not ranked, but its stops are counted, whoever
// asks.
func TestMissingBeyondRanking(t *testing.T) {
	need.FullRun(t, "more pages are missing than are ranked")
	const pages, beyond = 65536, 3
	trace := []byte{0, 0, 0, 0, 0, 0x80} // A-sync
	run := func(address schema.Address) {
		trace = append(trace, 0x08) // I-sync, A32, trace on
		trace = binary.LittleEndian.AppendUint32(trace, uint32(address))
		trace = append(trace, 0x29, 0x84) // and an atom, E
	}
	run(0x1000) // of which there is memory
	for i := range schema.Address(pages + beyond) {
		run(0x10000000 + i<<12)
	}
	dir := t.TempDir()
	file, program := filepath.Join(dir, "trace.bin"), filepath.Join(dir, "program.bin")
	loop := []byte{0xfe, 0xff, 0xff, 0xea} // b .
	for name, content := range map[string][]byte{file: trace, program: loop} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	opt := capture.Options{Protocol: "pft", Images: []string{program + "@0x1000"}}

	in, err := Inspect(t.Context(), file, opt)
	if err != nil {
		t.Fatal(err)
	}
	report, err := Quality(t.Context(), file, QualityOptions{Capture: opt, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	summary, err := Export(t.Context(), file, filepath.Join(dir, "out"), Options{Capture: opt, Level: schema.LevelBlocks, Tables: []*schema.Table{}, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for who, m := range map[string]plan.Missing{"inspect": in.Sources[0].Sample.Missing, "report": report.Sources[0].Missing, "export": summary.Sources[0].Missing} {
		if m.OtherStops != beyond {
			t.Errorf("%s: %d other stops, want %d", who, m.OtherStops, beyond)
		}
		if len(m.Wanted) == 0 || m.Wanted[0] != (plan.MissingMemory{First: "0x10000000", Last: "0x1ffff000", Stops: pages}) {
			t.Errorf("%s: %v", who, m.Wanted)
		}
	}
}
