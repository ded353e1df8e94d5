package generate

import (
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/outside"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/snapshot"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A fault is something that OpenCSD gets wrong, shown in as few bytes as can be.
type fault struct {
	name      string
	section   string // of the specification: who is right
	does      string // what OpenCSD does
	registers string // names and values: those that are not as in faultRegisters
	memory    string // addresses and bytes
	stream    string // A is an A-sync
	// diff is what a right decoder makes of it (-), and what OpenCSD does (+).
	diff string
}

// faultRegisters are those of a source.
var faultRegisters = map[string]map[string]uint32{
	"pft":   {"ETMCR": 0, "ETMIDR": 0x411cf301, "ETMCCER": 0, "ETMTRACEIDR": 0x10},
	"etmv3": {"ETMCR": 0, "ETMIDR": 0x410cf230, "ETMCCER": 0, "ETMTRACEIDR": 0x10},
}

// OpenCSD shows each fault of the list, and no other one with it: where it does
// not, the list is not true of it.
func TestOutsideFaults(t *testing.T) {
	lister := findLister(t)
	for protocol, faults := range map[string][]fault{"pft": pftFaults, "etmv3": etmv3Faults} {
		for i := range faults {
			f := &faults[i]
			t.Run(protocol+" "+f.name, func(t *testing.T) {
				t.Parallel()
				if got, want := outsideFault(t, lister, protocol, f), strings.TrimSpace(f.diff); got != want {
					t.Errorf("%s: this decoder (-) and that one (+) differ by\n%s\nThe list (%s) says\n%s", lister, got, f.section, want)
				}
			})
		}
	}
}

// docs/conformance.md lists the faults that are tested, and no others.
func TestOutsideFaultsAreListed(t *testing.T) {
	text, err := os.ReadFile("../../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "## What the outside decoder gets wrong on generated captures")
	list, _, _ = strings.Cut(list, "\n## ")
	var want, got []string
	for _, faults := range [][]fault{pftFaults, etmv3Faults} { // in this order
		for _, f := range faults {
			want = append(want, fmt.Sprintf("| %s | %s | %s | %s | `%s` | `%s` |", f.name, f.does, f.section, strings.ReplaceAll(strings.TrimSpace(f.registers), "ETM", ""),
				strings.ReplaceAll(f.memory, movs, "movs"), f.stream))
		}
	}
	for line := range strings.Lines(list) {
		if strings.HasPrefix(line, "| ") && strings.Contains(line, "`") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the list has %d lines; those tested are:\n%s", len(got), strings.Join(want, "\n"))
	}
}

var shorthand = strings.NewReplacer("A", "000000000080", " ", "")

// outsideFault decodes the stream of f with this decoder and with OpenCSD, and
// returns how their rows differ.
func outsideFault(t *testing.T, lister *outside.Lister, protocol string, f *fault) string {
	t.Helper()
	dir := t.TempDir()
	program, minor := writeFault(t, filepath.Join(dir, SnapshotFolder), protocol, f)
	elements, err := lister.Elements(filepath.Join(dir, SnapshotFolder))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pipeline.Export(t.Context(), filepath.Join(dir, SnapshotFolder), filepath.Join(dir, "run"), pipeline.Options{Level: schema.LevelInstructions, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(filepath.Join(dir, "run"))
	if err != nil {
		t.Fatal(err)
	}
	right, got := outsideRows(t, d, elements, outside.Source{ID: 0x10, Protocol: protocol, ReturnPackets: minor == 5, Program: program})
	return strings.Join(outside.Diff(right, got, outside.Exact), "\n")
}

// writeFault writes the snapshot of f, and returns its program and the minor version.
func writeFault(t *testing.T, dir, protocol string, f *fault) (*program.Program, int) {
	t.Helper()
	core := snapshot.Core{Name: "cpu_0", Type: "Cortex-A15"}
	source := snapshot.Source{Name: "PTM_0", Type: "PTM1.1", Core: "cpu_0", Buffer: bufferName}
	if protocol == "etmv3" {
		core.Type, source.Name, source.Type = "Cortex-R5", "ETM_0", "ETM3.5"
	}
	registers := maps.Clone(faultRegisters[protocol])
	for r := range strings.FieldsSeq(f.registers) {
		name, value, _ := strings.Cut(r, "=")
		var v uint32
		if _, err := fmt.Sscanf(value, "%x", &v); err != nil {
			t.Fatal(err)
		}
		registers[name] = v
	}
	for name, id := range map[string]uint32{"ETMCR": 0, "ETMIDR": 0x79, "ETMCCER": 0x7a, "ETMTRACEIDR": 0x80} {
		source.Registers = append(source.Registers, snapshot.Register{Name: name, ID: id, Value: registers[name]})
	}
	slices.SortFunc(source.Registers, func(a, b snapshot.Register) int { return int(a.ID) - int(b.ID) })
	files := map[string][]byte{}
	var regions []image.Region
	for m := range strings.FieldsSeq(f.memory) {
		var address schema.Address
		at, code, _ := strings.Cut(m, ":")
		if _, err := fmt.Sscanf(at, "%x", &address); err != nil {
			t.Fatal(err)
		}
		file := at + ".bin"
		files[file] = unhex(t, code)
		core.Dumps = append(core.Dumps, snapshot.Dump{File: file, Address: address, Length: uint32(len(files[file]))})
		regions = append(regions, image.Region{Address: address, Bytes: files[file]})
	}
	s := snapshot.Snapshot{
		Cores: []snapshot.Core{core}, Sources: []snapshot.Source{source},
		Buffers: []snapshot.Buffer{{Name: bufferName, File: bufferFile, Format: "source_data"}},
	}
	files[bufferFile] = unhex(t, shorthand.Replace(f.stream))
	maps.Copy(files, s.Files())
	if err := snapshot.WriteFiles(dir, files); err != nil {
		t.Fatal(err)
	}
	return program.New(image.New(regions...)), int(registers["ETMIDR"] >> 4 & 0xf)
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
