package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/snapshot"
)

// A snapshot of a Cortex-M33: what inspect proposes works, and so do the reports of that; exceptions are those of profile M.
// Wrong registers and a missing program are said.
func TestCortexM33(t *testing.T) {
	dir := cortexM33(t)
	p := newProposer(t, dir, "")
	if status := p.try("tracelake inspect " + dir); status != statusDone || p.ran == 0 {
		t.Fatalf("exits with %d, %d proposals", status, p.ran)
	}
	p.reports(t)
	trace := filepath.Join(dir, "etm.bin")
	raw := " --protocol etmv4 --image " + filepath.Join(dir, "flash.bin") + "@0x08000100"
	for _, tt := range []struct {
		line string
		want []string
	}{
		{"inspect " + dir, []string{"etmv4 4.2", "exceptions of profile M", "40 A-syncs, 40 segments, 1,000 instructions, 40 exceptions", "in which task?              no: the trace unit has no Context ID"}},
		{"report exceptions run", []string{"systick 15       40"}},
		{"report exceptions " + trace + raw + " --reg TRCIDR2=4", []string{"systick 15       40"}},
		{"report coverage " + trace + " --protocol etmv4", []string{"no program memory at 0x08000100"}},
		{"export " + dir + " -o refused --reg TRCCONFIGR=7 --reg TRCIDR0=6", []string{"TRCCONFIGR=0x00000007 has loads or stores as P0 elements"}},
		{"export " + dir + " -o refused --reg TRCIDR1=0x4100F250", []string{"TRCIDR1=0x4100F250 is not of an ETMv4"}},
		{"inspect " + trace, []string{"probably etmv4", "40 cuts"}},
	} {
		out := p.printed("tracelake " + tt.line)
		for _, want := range tt.want {
			if !strings.Contains(out, want) {
				t.Errorf("tracelake %s\n%s\nwant %s", tt.line, out, want)
			}
		}
	}
}

// A Cortex-M33 that synth makes: what synth and inspect propose works, and the dataset is the truth.
func TestMadeCortexM33(t *testing.T) {
	p := newProposer(t, "", "")
	const synth = "tracelake synth --protocol etmv4 --trace-version 4.2 --profile M --code-bytes 5000 --instructions 20000 " +
		"--exceptions 3000 --timestamps --cycle-accurate -o m33"
	if status := p.try(synth); status != statusDone || p.ran != 2 {
		t.Fatalf("synth exits with %d, %d proposals: %s", status, p.ran, p.said(synth))
	}
	if status := p.try("tracelake inspect m33/snapshot"); status != statusDone {
		t.Errorf("inspect exits with %d", status)
	}
	p.reports(t)
	for _, tt := range []struct{ line, want string }{
		{"inspect m33/snapshot", "exceptions of profile M"},
		{"verify run --truth m33/truth", "no difference"},
		{"report exceptions run", "systick 15"},
		{"report tasks run", "[systick 15]"},
	} {
		if out := p.printed("tracelake " + tt.line); !strings.Contains(out, tt.want) {
			t.Errorf("tracelake %s\n%s\nwant %s", tt.line, out, tt.want)
		}
	}
}

// cortexM33 makes a snapshot of a Cortex-M33, which calls a function three times, and takes an exception.
func cortexM33(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	s := snapshot.Snapshot{
		Cores: []snapshot.Core{{
			Name: "cpu_0", Type: "Cortex-M33", Dumps: []snapshot.Dump{{File: "flash.bin", Address: 0x0800_0100, Length: 28}},
		}},
		Sources: []snapshot.Source{{
			Name: "ETM_0", Type: "ETM4.2", Core: "cpu_0", Buffer: "ETB_0", Registers: []snapshot.Register{
				{Name: "TRCCONFIGR", ID: 0x004, Value: 1},
				{Name: "TRCTRACEIDR", ID: 0x010, Value: 2},
				{Name: "TRCIDR0", ID: 0x078, Value: 0x280006E1},
				{Name: "TRCIDR1", ID: 0x079, Value: 0x4100F421},
				{Name: "TRCIDR2", ID: 0x07A, Value: 4},
				{Name: "TRCIDR8", ID: 0x060},
			},
		}},
		Buffers: []snapshot.Buffer{{Name: "ETB_0", File: "etm.bin", Format: "source_data"}},
	}
	files := s.Files()
	for _, h := range []uint16{
		0x2403, 0xF000, 0xF805, 0x3C01, 0xD1FB, 0xBF30, 0xF7FF, 0xBFF8, // reset: movs r4,#3; bl work; subs r4,#1; bne .-6; wfi; b.w reset
		0xB510, 0xB100, 0x3001, 0xBD10, // work: push {r4,lr}; cbz r0,.+4; adds r0,#1; pop {r4,pc}
		0x3101, 0x4770, // systick: adds r1,#1; bx lr
	} {
		files["flash.bin"] = binary.LittleEndian.AppendUint16(files["flash.bin"], h)
	}
	afterCall, toWait, handler := []byte{0x9B, 0x03, 0x01, 0x00, 0x08}, []byte{0x9B, 0x06, 0x01, 0x00, 0x08}, []byte{0x9B, 0x0C, 0x01, 0x00, 0x08}
	sync := append(make([]byte, 11), 0x80, 0x01, 0x01, 0x00, 0x83, 0x00, 0x01, 0x00, 0x08, 0x20)
	for range 40 {
		files["etm.bin"] = slices.Concat(files["etm.bin"], sync,
			[]byte{0xF7, 0xF7, 0xF7}, afterCall, []byte{0xF7, 0xF7, 0xF6, 0xF7}, afterCall, []byte{0xF7, 0xF7, 0xF6, 0xF7}, afterCall,
			[]byte{0xF6, 0x06, 0x1F}, toWait, handler, []byte{0xF7, 0x07}, toWait, []byte{0xF7}) // SysTick in WFI
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
