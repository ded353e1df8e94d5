package snapshot_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/encode/pft"
	"github.com/tracelake/tracelake/bench/snapshot"
	codec "github.com/tracelake/tracelake/decode/pft"
)

// The ini files of a snapshot, as ARM-ECM-0611873 has them.
func TestSnapshotFiles(t *testing.T) {
	ptm := pft.Options{
		Config: codec.Config{Minor: 1, CycleAccurate: true, Timestamp64: true, ReturnStack: true},
		Source: 0x13, Timestamps: true,
	}
	s := snapshot.Snapshot{
		TimestampHz: 25000000,
		Cores: []snapshot.Core{{
			Name: "cpu_0", Type: "Cortex-A15",
			Dumps: []snapshot.Dump{{File: "code.bin", Address: 0x8000, Offset: 0x40, Length: 0x100}},
		}},
		Sources: []snapshot.Source{{Name: "PTM_0", Type: "PTM1.1", Core: "cpu_0", Buffer: "ETB_0",
			Registers: ptm.Registers()}},
		Buffers: []snapshot.Buffer{{Name: "ETB_0", File: "trace.bin", Format: "coresight"}},
	}
	want := map[string]string{
		"snapshot.ini": "[snapshot]\nversion=1.0\n\n[device_list]\ndevice0=cpu_0.ini\ndevice1=ptm_0.ini\n\n[trace]\nmetadata=trace.ini\n",
		"cpu_0.ini":    "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A15\n\n[dump0]\nfile=code.bin\naddress=0x00008000\noffset=0x40\nlength=0x100\n",
		// The registers of the PTM in Arm's TC2 capture, but for the return stack
		// that it had off.
		"ptm_0.ini": "[device]\nname=PTM_0\nclass=trace_source\ntype=PTM1.1\n\n[regs]\nETMCR(0x000)=0x30001000\n" +
			"ETMIDR(0x079)=0x411CF312\nETMCCER(0x07A)=0x34C01AC2\nETMTRACEIDR(0x080)=0x00000013\n",
		"trace.ini": "[timestamp]\nfrequency=25000000\n\n[trace_buffers]\nbuffers=buffer0\n\n" +
			"[buffer0]\nname=ETB_0\nfile=trace.bin\nformat=coresight\n\n" +
			"[core_trace_sources]\ncpu_0=PTM_0\n\n[source_buffers]\nPTM_0=ETB_0\n",
	}
	got := s.Files()
	if g, w := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(g, w) {
		t.Fatalf("files %q, want %q", g, w)
	}
	for name := range want {
		if string(got[name]) != want[name] {
			t.Errorf("%s:\n%s\nwant\n%s", name, got[name], want[name])
		}
	}
	dir := filepath.Join(t.TempDir(), "new")
	if err := snapshot.WriteFiles(dir, got); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "trace.ini")); err != nil || string(b) != want["trace.ini"] {
		t.Errorf("trace.ini written: %q, %v", b, err)
	}
}
